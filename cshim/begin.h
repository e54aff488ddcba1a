/* What the module knows of the call and tells the core at its beginning. */
#ifndef UAF_BEGIN_H
#define UAF_BEGIN_H

#include <security/pam_modules.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "frame.h"
#include "limits.h"

/* What the machine says of a name. */
struct begin_account {
  bool found;
  int error; /* why the name could not be looked up: nobody knows then whether there is such an account. 0 otherwise */
  uint32_t uid;
  char name[UAF_NAME_MAX + 1];
};

/* Reads PAM_USER, asking for it where the host has none. Returns PAM_SUCCESS, or the code to end the call with,
   logged. */
int begin_name(pam_handle_t *pamh, const char **user);

/* Fills begin for the operation it has already: the user's account and the labels of the PAM handle. The bytes stay
   theirs. A caller without root is its own account: it sends no account, name, caller's number, or argument but nouserok,
   and is refused here when the user is not itself. When somebody authenticates to sudo, command gets its file and its
   arguments. Begin points into command and account. Returns PAM_SUCCESS, or the code to end the call with, logged. */
int begin_collect(pam_handle_t *pamh, const char *user, int flags, int argc, const char *const *argv,
                  struct frame_begin *begin, struct command *command, struct begin_account *account);

#endif
