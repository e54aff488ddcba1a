/* The six functions that libpam calls. Those for credentials and sessions do not use anything of the other stages, because
   hosts call them in other processes and with a different PAM_USER (sshd, sudo). Those for accounts and passwords use what
   earlier stages stored in this handle. */
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

/* Has libpam delay the caller after a failed attempt. */
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

/* This stage shows no prompt and checks no lock, because for cron and for ssh with public keys it is the only stage. It can
   only refuse an account; whether any other account may log in is decided by the other modules. */
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
