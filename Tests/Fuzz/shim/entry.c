/* What libFuzzer calls for each input: the target is named in the environment, or else by the program's own name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  const char *target = getenv("FUZZ_TARGET");
  if (target == NULL)
    target = program_invocation_short_name;
  if (strcmp(target, "frame") == 0)
    fuzz_frame(bytes, size);
  else
    fuzz_module(bytes, size);
  return 0;
}
