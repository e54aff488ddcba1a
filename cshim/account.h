/* The account stage, which does something only if root has set the module argument account_check. */
#ifndef UAF_ACCOUNT_H
#define UAF_ACCOUNT_H

#include <security/pam_modules.h>

/* Lets the core decide whether the account may log in. Without the argument account_check, or in a host without root
   privileges, it does not start the core. Returns PAM_SUCCESS if there is no reason to refuse the account. Otherwise it logs
   and shows the reason, and returns the PAM code for the stage. */
int account_check(pam_handle_t *pamh, int flags, int argc, const char *const *argv);

#endif
