/* One authentication, from the first packet to the last. */
#ifndef UAF_AUTHENTICATE_H
#define UAF_AUTHENTICATE_H

#include <security/pam_modules.h>

/* Lets the core decide whether the person may log in. If the secret was correct but stale, notes that for the account
   stage. Returns a PAM code. PAM_SUCCESS and PAM_IGNORE have one source each (docs/protocol.md, "What follows what");
   everything unexpected is PAM_SYSTEM_ERR. */
int authenticate(pam_handle_t *pamh, int flags, int argc, const char *const *argv);

#endif
