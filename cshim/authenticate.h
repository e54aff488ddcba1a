/* One authentication, from the first packet to the last. */
#ifndef UAF_AUTHENTICATE_H
#define UAF_AUTHENTICATE_H

#include <security/pam_modules.h>

/* Lets the core decide whether the person may log in. If the secret was correct but stale, leaves a note for the account stage.
   Returns a PAM code. Only one message of the core each leads to PAM_SUCCESS and to PAM_IGNORE (docs/protocol.md, "What follows
   what"); anything unexpected leads to PAM_SYSTEM_ERR. */
int authenticate(pam_handle_t *pamh, int flags, int argc, const char *const *argv);

#endif
