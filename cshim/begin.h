/* What the module knows of the call and tells the core at its beginning. */
#ifndef UAF_BEGIN_H
#define UAF_BEGIN_H

#include <security/pam_modules.h>

#include "command.h"
#include "frame.h"
#include "limits.h"

/* Reads PAM_USER, asking for it where the host has none. Returns PAM_SUCCESS, or the code to end the call with,
   logged. */
int begin_name(pam_handle_t *pamh, const char **user);

/* Fills begin for the operation it has already: the user's account and the labels of the PAM handle. The bytes stay
   theirs. A caller without root is its own account: it sends no account, name, arguments or caller's number, and is
   refused here when the user is not itself. When somebody authenticates to sudo, command gets its file and its
   arguments, and begin points into it. Returns PAM_SUCCESS, or the code to end the call with, logged. */
int begin_collect(pam_handle_t *pamh, const char *user, int flags, int argc, const char *const *argv,
                  struct frame_begin *begin, struct command *command);

#endif
