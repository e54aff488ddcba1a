/* The account stage where root's argument account_check asks for it. */
#ifndef UAF_ACCOUNT_H
#define UAF_ACCOUNT_H

#include <security/pam_modules.h>

/* Lets the core decide whether the account may get in. Without the argument account_check, and in a host without root, nothing is
   started. Returns PAM_SUCCESS for "nothing to say against it", else the code to end the stage with, logged and shown. */
int account_check(pam_handle_t *pamh, int flags, int argc, const char *const *argv);

#endif
