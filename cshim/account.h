/* The account stage, if root's argument account_check asks for it. */
#ifndef UAF_ACCOUNT_H
#define UAF_ACCOUNT_H

#include <security/pam_modules.h>

/* Lets the core decide whether the account may log in. Without the argument account_check, and in a host without root privileges,
   nothing is started. Returns PAM_SUCCESS if there is nothing against the account, otherwise the code to end the stage with,
   after logging and showing it. */
int account_check(pam_handle_t *pamh, int flags, int argc, const char *const *argv);

#endif
