/* Runs inputs without a fuzzer around them, for valgrind. */
#include <stdio.h>

#include "check.h"
#include "module.h"

int main(int count, char **paths)
{
  static uint8_t bytes[1 << 16];
  for (int i = 1; i < count; i++) {
    FILE *file = fopen(paths[i], "re");
    MUST(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz_module(bytes, size);
  }
  printf("%d passed, 0 failed\n", count - 1);
  return 0;
}
