/* The six functions libpam calls. Credentials and sessions know nothing about the other stages, because hosts run them in
   other processes and with a different PAM_USER (sshd, sudo); accounts and passwords know what is stored in this handle. */
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <syslog.h>

#include "account.h"
#include "authenticate.h"
#include "change.h"
#include "limits.h"
#include "log.h"
#include "stale.h"

#define EXPORTED __attribute__((visibility("default")))

/* Makes libpam delay a failed attempt. */
static int slowed(pam_handle_t *pamh, int code)
{
  if (code != PAM_SUCCESS && code != PAM_IGNORE)
    pam_fail_delay(pamh, UAF_FAIL_DELAY_MICROSECONDS);
  return code;
}

EXPORTED int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  return slowed(pamh, authenticate(pamh, flags, argc, (const char *const *)argv));
}

EXPORTED int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}

/* Never asks a person, and checks no lock: public-key ssh and cron call this stage alone. It can only refuse: an account that
   is active is left to the other modules. */
EXPORTED int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  const int code = account_check(pamh, flags, argc, (const char *const *)argv);
  if (code != PAM_SUCCESS)
    return code;
  if (!stale_is_noted(pamh))
    return PAM_IGNORE;
  log_outcome(pamh, LOG_NOTICE, PAM_NEW_AUTHTOK_REQD,
              "the value that was just verified is stale: a new one is required");
  return PAM_NEW_AUTHTOK_REQD;
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

EXPORTED int pam_sm_chauthtok(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  return slowed(pamh, change(pamh, flags, argc, (const char *const *)argv));
}
