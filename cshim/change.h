/* Changing a secret: the two passes of pam_chauthtok(3). */
#ifndef UAF_CHANGE_H
#define UAF_CHANGE_H

#include <security/pam_modules.h>

/* The first pass (PAM_PRELIM_CHECK) has the core verify the old secret, and keeps the conversation in the handle. The second
   pass (PAM_UPDATE_AUTHTOK) continues that conversation. Returns PAM_IGNORE, without a prompt, if the account has nothing to
   change here, and for PAM_CHANGE_EXPIRED_AUTHTOK if no stale secret was verified with this handle. Only one message of the
   core leads to PAM_SUCCESS in the second pass (docs/protocol.md, "What follows what"). */
int change(pam_handle_t *pamh, int flags, int argc, const char *const *argv);

#endif
