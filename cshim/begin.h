/* What the module knows about the call and sends to the core at its beginning. */
#ifndef UAF_BEGIN_H
#define UAF_BEGIN_H

#include <security/pam_modules.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "frame.h"
#include "limits.h"

/* The user database's entry for a name. */
struct begin_account {
  bool found;
  int error; /* why the lookup failed: it is then unknown whether the account exists; 0 otherwise */
  uint32_t uid;
  char name[UAF_NAME_MAX + 1];
};

/* Reads PAM_USER, asking for it if the host has none. Returns PAM_SUCCESS, or the code to end the call with,
   logged. */
int begin_name(pam_handle_t *pamh, const char **user);

/* Fills begin, whose operation is already set, with the user's account and the labels of the PAM handle. Begin points
   into command, account and the handle; it copies nothing. A caller that is not root asks for its own account only: it
   sends no account, no name and no caller's uid, and is refused here if the user is somebody else.
   When somebody authenticates to sudo, command gets sudo's file and arguments. Returns PAM_SUCCESS, or the code to end
   the call with, logged. */
int begin_collect(pam_handle_t *pamh, const char *user, int flags, int argc, const char *const *argv,
                  struct frame_begin *begin, struct command *command, struct begin_account *account);

#endif
