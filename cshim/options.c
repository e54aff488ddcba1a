/* Reads module arguments. The core parses and checks all of them; this file only finds those that the module itself needs. */
#include "options.h"

#include <string.h>

#include "limits.h"

static unsigned read_seconds(const char *text)
{
  unsigned seconds = 0;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9')
      return 0;
    seconds = seconds * 10 + (unsigned)(*text - '0');
    if (seconds > UAF_TIMEOUT_SECONDS_MAX)
      return 0;
  }
  return seconds;
}

struct options options_read(int count, const char *const *arguments)
{
  static const char timeout[] = "timeout=", account_check[] = "account_check";
  struct options options = {0};
  for (int i = 0; i < count; i++) {
    const char *argument = arguments[i];
    options.debug |= strcmp(argument, "debug") == 0;
    options.quiet |= strcmp(argument, "quiet") == 0;
    options.nouserok |= strcmp(argument, "nouserok") == 0;
    options.divided |= strcmp(argument, "divided") == 0;
    options.use_first_pass |= strcmp(argument, "use_first_pass") == 0;
    options.try_first_pass |= strcmp(argument, "try_first_pass") == 0;
    /* Any value counts as set: the core refuses values that it does not know, so nobody can log in without the check. */
    options.account_check |= strncmp(argument, account_check, sizeof account_check - 1) == 0 &&
                             (argument[sizeof account_check - 1] == '\0' || argument[sizeof account_check - 1] == '=');
    if (strncmp(argument, timeout, sizeof timeout - 1) == 0)
      options.timeout_seconds = read_seconds(argument + sizeof timeout - 1);
  }
  return options;
}
