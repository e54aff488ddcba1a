/* The six functions libpam calls. They hold no state: what one stage knows, the next is not told, because hosts run the
   stages in other processes and with another PAM_USER (sshd, sudo). */
#include <security/pam_modules.h>

#include "authenticate.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  return authenticate(pamh, flags, argc, (const char *const *)argv);
}

EXPORTED int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}

/* Never asks, starts nothing and looks at no lock: public-key ssh and cron call this stage alone. Asking for a new
   value (PAM_NEW_AUTHTOK_REQD) waits for the core to tell that the one it verified is stale. */
EXPORTED int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_IGNORE;
}

EXPORTED int pam_sm_open_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}

EXPORTED int pam_sm_close_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}

/* Changing a value is not there yet. Ignoring both passes without a question keeps plain passwd working with the
   module in its stack, and can let nobody in: this stage changes a password, it admits no one. */
EXPORTED int pam_sm_chauthtok(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_IGNORE;
}
