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

/* Whether it is "nouserok", or "nouserok=" with the form of a day. Only the core knows whether that day is over. Any other value
   counts as not set, so that a core that is wrong about it lets nobody past. */
static bool is_nouserok(const char *argument)
{
  static const char name[] = "nouserok", form[] = "=0000-00-00";
  if (strncmp(argument, name, sizeof name - 1) != 0)
    return false;
  const char *value = argument + sizeof name - 1;
  if (*value == '\0')
    return true;
  for (size_t i = 0; i < sizeof form; i++) {
    const bool is_digit = value[i] >= '0' && value[i] <= '9';
    if (form[i] == '0' ? !is_digit : value[i] != form[i])
      return false;
  }
  return true;
}

struct options options_read(int count, const char *const *arguments)
{
  static const char timeout[] = "timeout=", account_check[] = "account_check";
  struct options options = {0};
  for (int i = 0; i < count; i++) {
    const char *argument = arguments[i];
    options.debug |= strcmp(argument, "debug") == 0;
    options.quiet |= strcmp(argument, "quiet") == 0;
    options.nouserok |= is_nouserok(argument);
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
