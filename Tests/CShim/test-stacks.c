/* The stacks of pam.d, each where it says it is to be included: what a person is asked, and which module decides. */
#include <security/pam_modules.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

#define NOBODY 65534
#define LOGIN "hear\nprompt hidden 1 Passcode: \nhear\n"
#define STALE LOGIN "send 86010001000200040000000006000101\n"
#define CURRENT "hear\nprompt hidden 1 Current: \nhear\n"
#define CHANGED CURRENT "ready\nhear\nprompt hidden 2 New: \nhear\nprompt hidden 3 Again: \nhear\nfinished 0 7110\n"
#define NO_ROW "hear\nfinished 25 1009\n"

static struct host host;
static const char *const services[] = {
  "instead-sudo",       "instead-su",       "instead-login",       "instead-sshd",
  "fallback-sudo",      "fallback-su",      "fallback-login",      "fallback-sshd",
  "second-factor-sudo", "second-factor-su", "second-factor-login", "second-factor-sshd",
};
#define EACH_SERVICE(i) (unsigned i = 0; i < sizeof services / sizeof services[0]; i++)
#define ASKS_FOR_BOTH(i) (strncmp(services[i], "second-factor-", 14) == 0)

static pam_handle_t *open_service(const char *service)
{
  host.service = service;
  for (unsigned i = 0; i < 4; i++)
    host.answers[i] = "Abcdef1!";
  return host_open(&host);
}

static int call(pam_handle_t *pamh, int (*stage)(pam_handle_t *pamh, int flags), int flags, const char *script)
{
  host_script(&host, script);
  pam_putenv(pamh, "PROBE");
  host_call(pamh, &host, stage, flags);
  return host.code;
}

/* Whether the call was decided by what stands for the password. */
static bool asked_the_password(pam_handle_t *pamh) { return pam_getenv(pamh, "PROBE") != NULL; }

static void has_a_stale_passcode_changed(void)
{
  for
    EACH_SERVICE(i)
    {
      pam_handle_t *pamh = open_service(services[i]);
      CHECK(call(pamh, pam_authenticate, 0, STALE) == PAM_SUCCESS && asked_the_password(pamh) == ASKS_FOR_BOTH(i));
      CHECK(call(pamh, pam_acct_mgmt, 0, "") == PAM_NEW_AUTHTOK_REQD && host.prompts == 0);
      CHECK(call(pamh, pam_chauthtok, PAM_CHANGE_EXPIRED_AUTHTOK, CURRENT "finished 7 3012\n") == PAM_AUTH_ERR);
      CHECK(!asked_the_password(pamh));
      CHECK(call(pamh, pam_chauthtok, PAM_CHANGE_EXPIRED_AUTHTOK, CHANGED) == PAM_SUCCESS && host.prompts == 3);
      CHECK(!asked_the_password(pamh));
      CHECK(call(pamh, pam_acct_mgmt, 0, "") == PAM_SUCCESS);
      host_close(pamh, &host);
    }
}

static void leaves_an_expired_password_to_its_module(void)
{
  for
    EACH_SERVICE(i)
    {
      pam_handle_t *pamh = open_service(services[i]);
      CHECK(call(pamh, pam_authenticate, 0, LOGIN "finished 0 0\n") == PAM_SUCCESS);
      CHECK(call(pamh, pam_acct_mgmt, 0, "") == PAM_SUCCESS);
      CHECK(call(pamh, pam_chauthtok, PAM_CHANGE_EXPIRED_AUTHTOK, CHANGED) == PAM_SUCCESS && host.prompts == 0);
      CHECK(asked_the_password(pamh));
      CHECK_TEXT(host.record, "");
      host_close(pamh, &host);
    }
}

static void makes_no_way_round_a_closed_account(void)
{
  static const char *const closed[] = {"instead-expired", "fallback-expired", "second-factor-expired"};
  for (unsigned i = 0; i < sizeof closed / sizeof closed[0]; i++) {
    pam_handle_t *pamh = open_service(closed[i]);
    CHECK(call(pamh, pam_authenticate, 0, STALE) == PAM_SUCCESS);
    CHECK(call(pamh, pam_acct_mgmt, 0, "") == PAM_AUTH_ERR);
    host_close(pamh, &host);
  }
}

/* passwd is setuid: its person is the real user id. */
static pam_handle_t *open_passwd(void)
{
  host.user = "nobody";
  pam_handle_t *pamh = open_service("passwd");
  CHECK(setresuid(NOBODY, 0, 0) == 0);
  return pamh;
}

static void changes_the_passcode_with_passwd(void)
{
  pam_handle_t *pamh = open_passwd();
  CHECK(call(pamh, pam_chauthtok, 0, CHANGED) == PAM_SUCCESS && host.prompts == 3 && !asked_the_password(pamh));
  CHECK(call(pamh, pam_chauthtok, 0, CURRENT "finished 11 3013\n") == PAM_MAXTRIES && !asked_the_password(pamh));
  CHECK(call(pamh, pam_chauthtok, 0, "exit 0\n") == PAM_SYSTEM_ERR && !asked_the_password(pamh));
  host_close(pamh, &host);
}

static void changes_the_password_without_a_passcode(void)
{
  pam_handle_t *pamh = open_passwd();
  CHECK(call(pamh, pam_chauthtok, 0, NO_ROW) == PAM_SUCCESS && host.prompts == 0 && asked_the_password(pamh));
  host_close(pamh, &host);
}

static void lets_root_set_passwords(void)
{
  host.user = "nobody";
  pam_handle_t *pamh = open_service("passwd");
  CHECK(call(pamh, pam_chauthtok, 0, CHANGED) == PAM_SUCCESS && host.prompts == 0 && asked_the_password(pamh));
  CHECK_TEXT(host.record, "");
  host_close(pamh, &host);
}

int main(void)
{
  test("sudo, su, login and sshd change a stale passcode, and no password, in each shape",
       has_a_stale_passcode_changed);
  test("sudo, su, login and sshd leave an expired password to its module, in each shape",
       leaves_an_expired_password_to_its_module);
  test("a stale passcode does not open a closed account", makes_no_way_round_a_closed_account);
  test("passwd changes the passcode of an account that has one, or nothing", changes_the_passcode_with_passwd);
  test("passwd changes the password of an account without a passcode", changes_the_password_without_a_passcode);
  test("passwd lets root set passwords", lets_root_set_passwords);
  return check_summary();
}
