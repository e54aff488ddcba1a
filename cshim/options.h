/* The arguments that the module itself reads. All arguments go to the core, which refuses those it does not know. */
#ifndef UAF_OPTIONS_H
#define UAF_OPTIONS_H

#include <stdbool.h>

struct options {
  bool debug, quiet, nouserok, use_first_pass, try_first_pass, divided, account_check;
  unsigned timeout_seconds; /* 0: none */
};

/* Reads the arguments of the stack's line. A bad timeout is left to the core to refuse. */
struct options options_read(int count, const char *const *arguments);

#endif
