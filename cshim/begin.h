/* What the module knows about the call. It sends this to the core in begin, the first packet. */
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
  int error; /* 0, or why the lookup failed: it is then unknown whether there is an account */
  uint32_t uid;
  char name[UAF_NAME_MAX + 1];
};

/* Reads PAM_USER, prompting for it if the host has not set it. Returns PAM_SUCCESS, or logs the reason and returns the code to
   end the call with. */
int begin_name(pam_handle_t *pamh, const char **user);

/* Fills begin, whose operation must be set, with the user's account and the items of the PAM handle. It copies nothing: begin
   then points into command, account and the handle. A caller that is not root can only use its own account: it sends no
   account, name or caller's uid, and is refused here if the user is somebody else. If the host is sudo, command gets the path
   of sudo's executable, and its arguments. Returns PAM_SUCCESS, or logs the reason and returns the code to end the call with.
   */
int begin_collect(pam_handle_t *pamh, const char *user, int flags, int argc, const char *const *argv,
                  struct frame_begin *begin, struct command *command, struct begin_account *account);

#endif
