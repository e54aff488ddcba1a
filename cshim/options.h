/* The arguments that the module itself reads. All arguments are sent to the core, which refuses those that it does not know. */
#ifndef UAF_OPTIONS_H
#define UAF_OPTIONS_H

#include <stdbool.h>

struct options {
  bool debug, quiet, use_first_pass, try_first_pass, divided, account_check;
  bool nouserok;            /* with or without a day */
  unsigned timeout_seconds; /* 0: no limit */
};

/* Reads the arguments of the stack's line. A wrong timeout is ignored here, because the core refuses it. */
struct options options_read(int count, const char *const *arguments);

#endif
