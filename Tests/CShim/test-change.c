/* The two passes of a change, what lies between them, and the account stage that asks for one. */
#include <dlfcn.h>
#include <errno.h>
#include <security/pam_modules.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "host.h"
#include "memory.h"

#define CURRENT "hear\nprompt hidden 1 Current: \nhear\n"
#define VERIFIED CURRENT "ready\nhear\n"
#define ASK_NEW "prompt hidden 2 New: \nhear\nprompt hidden 3 Again: \nhear\n"
#define CHANGED VERIFIED ASK_NEW "finished 0 7110\n"
#define STALE "hear\nprompt hidden 1 Passcode: \nhear\nsend 86010001000200040000000006000101\n"
#define NOT_CHANGED "nothing was changed"

static struct host host;
static char text[1 << 17];

static void set_answers(void) { host.answers[0] = "Abcdef1!", host.answers[1] = host.answers[2] = "Ghijkl2?"; }

/* One change with this script, from the first pass to the end of the handle. */
static int change_with(const char *script, int flags)
{
  host.script = script;
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  host_call(pamh, &host, pam_chauthtok, flags);
  host_close(pamh, &host);
  return host.code;
}

static int change(const char *script) { return change_with(script, 0); }

static bool log_has(const char *part) { return strstr(host.log, part) != NULL; }

static const char *recorded(const char *prefix) { return host_record_lines(&host, prefix, text, sizeof text); }

/* How many cores were started since the script was written. */
static unsigned cores(void)
{
  unsigned count = 0;
  for (const char *at = recorded("pid "); *at != '\0'; at++)
    count += at == text || at[-1] == '|';
  return count;
}

/* Whether the core that was started last is our child and runs. */
static bool core_runs(void)
{
  siginfo_t ended = {0};
  const pid_t core = (pid_t)strtol(recorded("pid "), NULL, 10);
  return core > 0 && waitid(P_PID, (id_t)core, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

static void changes_in_two_passes(void)
{
  CHECK(change(CHANGED) == PAM_SUCCESS && host.prompts == 3 && cores() == 1);
  CHECK_TEXT(host.shown, "hidden: Current: \nhidden: New: \nhidden: Again: \n");
  CHECK_TEXT(host.log, "");
  CHECK(host.reached_next && !host.left_authtok);
  const char *heard = recorded("heard ");
  CHECK(strstr(heard, "01010002000502000102") == heard); /* version 5, operation change */
  /* Divided, called by root; answer, resume, answer. */
  CHECK(strstr(heard, "0f000101"
                      "13000400000000|0201000841626364656631"
                      "21|04|02") != NULL);
}

/* The first pass asks for the old value and nothing else; the rest of the stack comes before the new one. */
static void resumes_in_the_second_pass_alone(void)
{
  host.next = "fail";
  CHECK(change(CHANGED) == PAM_TRY_AGAIN && host.prompts == 1 && !host.reached_next);
  CHECK(strstr(recorded("heard "), "|04") == NULL && host_recorded(&host, "heard the end"));
}

static void fails_the_first_pass_as_the_core_says(void)
{
  static const struct {
    const char *finished;
    int code;
  } cases[] = {{"7 3012", PAM_AUTH_ERR},     {"11 3013", PAM_MAXTRIES},     {"10 1009", PAM_USER_UNKNOWN},
               {"19 999", PAM_CONV_ERR},     {"15 7009", PAM_CRED_UNAVAIL}, {"3 1001", PAM_SYSTEM_ERR},
               {"20 7113", PAM_AUTHTOK_ERR}, {"20 3010", PAM_AUTHTOK_ERR},  {"4 1007", PAM_SYSTEM_ERR},
               {"20 3012", PAM_SYSTEM_ERR},  {"20 0", PAM_SYSTEM_ERR},      {"20 7110", PAM_SYSTEM_ERR},
               {"21 3010", PAM_SYSTEM_ERR},  {"12 7111", PAM_SYSTEM_ERR},   {"0 7110", PAM_SYSTEM_ERR},
               {"0 0", PAM_SYSTEM_ERR},      {"25 1009", PAM_SYSTEM_ERR},   {"7 7110", PAM_SYSTEM_ERR}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf(text, sizeof text, CURRENT "finished %s No\033.\n", cases[i].finished);
    CHECK(change(text) == cases[i].code && !host.reached_next && host.delayed);
    CHECK(log_has("No\\x1b.") || log_has("do not belong together"));
  }
}

static void fails_the_second_pass_as_the_core_says(void)
{
  static const struct {
    const char *finished;
    int code;
  } cases[] = {{"20 3010", PAM_AUTHTOK_ERR}, {"20 7111", PAM_AUTHTOK_ERR}, {"20 7112", PAM_AUTHTOK_ERR},
               {"20 7113", PAM_AUTHTOK_ERR}, {"19 999", PAM_CONV_ERR},     {"4 1007", PAM_SYSTEM_ERR},
               {"0 0", PAM_SYSTEM_ERR},      {"0 7100", PAM_SYSTEM_ERR},   {"0 10", PAM_SYSTEM_ERR},
               {"0 7111", PAM_SYSTEM_ERR},   {"25 1009", PAM_SYSTEM_ERR},  {"20 7110", PAM_SYSTEM_ERR},
               {"20 7101", PAM_SYSTEM_ERR},  {"27 7111", PAM_SYSTEM_ERR}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf(text, sizeof text, VERIFIED ASK_NEW "finished %s\n", cases[i].finished);
    CHECK(change(text) == cases[i].code && host.reached_next && host.delayed && host.prompts == 3);
  }
  CHECK(change(VERIFIED "finished 25 1009\n") == PAM_SYSTEM_ERR);
  CHECK(change(VERIFIED ASK_NEW "send 8601000100020004"
                                "00001bc6"
                                "06000101\n") == PAM_SYSTEM_ERR);
  CHECK(log_has("a stale value"));
}

static void ignores_an_account_without_a_row(void)
{
  CHECK(change("hear\nfinished 25 1009\n") == ALL_IGNORED && host.prompts == 0 && cores() == 1);
  CHECK(host.reached_next == false); /* libpam ends where the whole first pass was ignored */
  host.next = "permit";
  CHECK(change("hear\nfinished 25 1009\n") == PAM_SUCCESS && host.prompts == 0 && cores() == 1 && host.reached_next);
}

static void ignores_an_expired_value_nobody_found(void)
{
  host.next = "permit";
  CHECK(change_with(CHANGED, PAM_CHANGE_EXPIRED_AUTHTOK) == PAM_SUCCESS && host.prompts == 0 && host.reached_next);
  CHECK_TEXT(host.record, "");
  CHECK_TEXT(host.shown, "");
}

static void takes_no_end_for_a_change(void)
{
  static const char *const scripts[] = {"hear\nexit 0\n",    CURRENT "die 9\n",           CURRENT "ready\nexit 0\n",
                                        VERIFIED "exit 0\n", VERIFIED ASK_NEW "exit 0\n", VERIFIED ASK_NEW "die 11\n",
                                        VERIFIED "stay\n"};
  host.next = "pause=100"; /* so that what happens while it has to wait has happened */
  for (unsigned i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
    CHECK(change(scripts[i]) == PAM_SYSTEM_ERR && host.delayed && log_has("core"));
    CHECK(strstr(host.shown, "error: The login helper is missing or unusable, or it has died.") != NULL);
  }
}

static void ends_at_messages_out_of_order(void)
{
  host.next = "pause=100";
  CHECK(change(CURRENT "ready\ninfo Psst.\nhear\n" ASK_NEW "finished 0 7110\n") == PAM_SYSTEM_ERR);
  CHECK(log_has("while it had to wait"));
  CHECK(change(CURRENT "ready\nfinished 0 7110\n") == PAM_SYSTEM_ERR && log_has("while it had to wait"));
  CHECK(change(VERIFIED "ready\nhear\nfinished 0 7110\n") == PAM_SYSTEM_ERR && log_has("unexpected message"));
  CHECK(change(VERIFIED "setenv UAF_TOKEN a\nfinished 0 7110\n") == PAM_SYSTEM_ERR && host.token[0] == '\0');
}

static void waits_between_the_passes(void)
{
  char pause[32];
  snprintf(pause, sizeof pause, "pause=%d", SILENCE + 300);
  host.next = pause;
  CHECK(change(CHANGED) == PAM_SUCCESS);
}

static void gives_each_pass_its_time(void)
{
  host.arguments = "timeout=1";
  host.next = "pause=1200";
  CHECK(change(CHANGED) == PAM_SUCCESS);
  host.next = NULL;
  host.answers_after_milliseconds = 1200;
  CHECK(change(CHANGED) == PAM_SYSTEM_ERR && log_has("timeout of 1 s") && host.prompts == 1);
  host.answers_after_milliseconds = 550; /* once in the first pass, twice in the second */
  CHECK(change(CHANGED) == PAM_SYSTEM_ERR && log_has("timeout of 1 s") && host.prompts == 3);
}

static void ends_with_the_handle(void)
{
  host.script = CHANGED, host.next = "fail";
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  host_call(pamh, &host, pam_chauthtok, 0);
  CHECK(host.code == PAM_TRY_AGAIN && core_runs() && !host_recorded(&host, "heard the end"));
  host_close(pamh, &host);
  CHECK(host_recorded(&host, "heard the end"));
  CHECK(change(CURRENT "ready\nstay\n") == PAM_TRY_AGAIN); /* that it is gone is checked for every handle */
}

static void begins_anew_after_a_first_pass_alone(void)
{
  host.script = CHANGED, host.next = "fail";
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  host_call(pamh, &host, pam_chauthtok, 0);
  CHECK(host.code == PAM_TRY_AGAIN);
  host_call(pamh, &host, pam_chauthtok, 0);
  CHECK(host.code == PAM_TRY_AGAIN && host.prompts == 1 && cores() == 2 && host_recorded(&host, "heard the end"));
  host_close(pamh, &host);
}

/* The copy's second pass is refused, and neither it nor the copy's pam_end touches the core of the other. */
static void leaves_the_core_to_the_process_that_has_it(void)
{
  const pid_t self = getpid();
  int status = 1;
  host.script = CHANGED, host.next = "fork";
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  host_call(pamh, &host, pam_chauthtok, 0);
  if (getpid() != self) {
    CHECK(host.code == PAM_AUTHTOK_ERR && log_has(NOT_CHANGED) && log_has("another process") && host.prompts == 1);
    pam_end(pamh, host.code);
    exit(check_failures() == 0 ? 0 : 1);
  }
  CHECK(host.code == PAM_SUCCESS && cores() == 1);
  host_close(pamh, &host);
  host.next = "fail";
  pamh = host_open(&host);
  host_call(pamh, &host, pam_chauthtok, 0);
  const pid_t child = fork();
  if (child == 0) {
    pam_end(pamh, PAM_SUCCESS | (int)PAM_DATA_SILENT);
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0 && host.code == PAM_TRY_AGAIN && core_runs());
  host_close(pamh, &host);
}

static void refuses_another_name_in_the_second_pass(void)
{
  host.next = "user=nobody";
  CHECK(change(CHANGED) == PAM_AUTHTOK_ERR && log_has(NOT_CHANGED) && log_has("user name") && host.prompts == 1);
  CHECK(host_recorded(&host, "heard the end"));
  CHECK(change("hear\nfinished 25 1009\n") == ALL_IGNORED);
}

static void refuses_the_conversation_of_another_line(void)
{
  host.twice = true;
  host.arguments = "quiet";
  CHECK(change(CHANGED) == PAM_AUTHTOK_ERR && log_has(NOT_CHANGED) && log_has("another line"));
  CHECK(cores() == 2 && strstr(recorded("heard "), "|04") == NULL);
}

typedef int chauthtok(pam_handle_t *pamh, int flags, int argc, const char **argv);
static union {
  void *symbol;
  chauthtok *function;
} direct;

static int call_directly(pam_handle_t *pamh, int flags) { return direct.function(pamh, flags, 0, NULL); }

/* What libpam never does, but another caller of the module might. */
static void refuses_passes_that_are_none(void)
{
  host.script = CHANGED;
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  direct.symbol = dlsym(dlopen(MODULES "/pam_uaf.so", RTLD_NOW), "pam_sm_chauthtok");
  host_call(pamh, &host, call_directly, 0);
  CHECK(host.code == PAM_SERVICE_ERR && log_has("or for none"));
  host_call(pamh, &host, call_directly, PAM_PRELIM_CHECK | PAM_UPDATE_AUTHTOK);
  CHECK(host.code == PAM_SERVICE_ERR && log_has("at once"));
  host_call(pamh, &host, call_directly, PAM_UPDATE_AUTHTOK);
  CHECK(host.code == PAM_AUTHTOK_ERR && log_has(NOT_CHANGED) && log_has("no first pass") && host.prompts == 0);
  host_call(pamh, &host, call_directly, PAM_UPDATE_AUTHTOK | PAM_CHANGE_EXPIRED_AUTHTOK);
  CHECK(host.code == PAM_IGNORE);
  CHECK_TEXT(host.record, "");
  host_close(pamh, &host);
}

static void takes_the_old_value_of_an_earlier_module(void)
{
  static const char *const arguments[] = {"use_first_pass", "try_first_pass"};
  host.old_password = "Abcdef1!";
  for (unsigned i = 0; i < 2; i++) {
    host.arguments = arguments[i];
    CHECK(change(CHANGED) == PAM_SUCCESS && host.prompts == 2); /* the new one is asked for even so */
    CHECK(strstr(recorded("heard "), "0201000841626364656631"
                                     "21|04|02") != NULL);
  }
  host.old_password = NULL;
  CHECK(change(CHANGED) == PAM_SUCCESS && host.prompts == 3);
  host.arguments = "use_first_pass";
  CHECK(change(CURRENT "finished 20 7112\n") == PAM_AUTHTOK_ERR && host.prompts == 0);
  CHECK(strstr(recorded("heard "), "|03") != NULL);
}

/* A host may keep the handle for long: what was answered is gone as soon as it was sent. */
static void leaves_no_answer_in_memory_between_the_passes(void)
{
  static char answer[900]; /* of a size nothing else has, so that its place is not soon used again */
  host.script = CHANGED, host.next = "fail";
  memset(answer, 'x', sizeof answer - 1);
  memory_mark(answer + 800);
  host.answers[0] = answer;
  CHECK(memory_marks() > 0); /* the search finds the host's own copy */
  pam_handle_t *pamh = host_open(&host);
  host_call(pamh, &host, pam_chauthtok, 0);
  CHECK(host.code == PAM_TRY_AGAIN && host.prompts == 1 && core_runs());
  explicit_bzero(answer, sizeof answer);
  memset(host.record, 0, sizeof host.record);
  CHECK(memory_marks() == 0);
  host_close(pamh, &host);
}

/* ---- the account stage ---- */

static int account(pam_handle_t *pamh)
{
  host_call(pamh, &host, pam_acct_mgmt, 0);
  CHECK(host.prompts == 0 && host.shown[0] == '\0');
  return host.code;
}

static int log_in(pam_handle_t *pamh, const char *script)
{
  host_script(&host, script);
  host_call(pamh, &host, pam_authenticate, 0);
  return host.code;
}

static int renew(pam_handle_t *pamh, const char *script)
{
  host_script(&host, script);
  host_call(pamh, &host, pam_chauthtok, PAM_CHANGE_EXPIRED_AUTHTOK);
  return host.code;
}

static pam_handle_t *logged_in_with_a_stale_value(void)
{
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  CHECK(log_in(pamh, STALE) == PAM_SUCCESS);
  return pamh;
}

static void asks_for_a_new_value_until_it_is_changed(void)
{
  pam_handle_t *pamh = logged_in_with_a_stale_value();
  CHECK(account(pamh) == PAM_NEW_AUTHTOK_REQD && log_has("stale"));
  CHECK(renew(pamh, CURRENT "finished 7 3012\n") == PAM_AUTH_ERR && account(pamh) == PAM_NEW_AUTHTOK_REQD);
  CHECK(renew(pamh, VERIFIED ASK_NEW "finished 20 7111\n") == PAM_AUTHTOK_ERR);
  CHECK(account(pamh) == PAM_NEW_AUTHTOK_REQD);
  CHECK(renew(pamh, CHANGED) == PAM_SUCCESS && host.prompts == 3);
  CHECK(account(pamh) == ALL_IGNORED);
  CHECK(renew(pamh, CHANGED) == ALL_IGNORED && host.prompts == 0);
  host_close(pamh, &host);
}

static void forgets_a_stale_value_with_the_next_login(void)
{
  static const char *const scripts[] = {"hear\nfinished 0 0\n", "hear\nfinished 7 3012\n", "hear\nexit 0\n"};
  for (unsigned i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
    pam_handle_t *pamh = logged_in_with_a_stale_value();
    CHECK(account(pamh) == PAM_NEW_AUTHTOK_REQD);
    log_in(pamh, scripts[i]);
    CHECK(account(pamh) == ALL_IGNORED);
    host_close(pamh, &host);
  }
}

static void asks_nothing_of_another_name(void)
{
  pam_handle_t *pamh = logged_in_with_a_stale_value();
  pam_set_item(pamh, PAM_USER, "nobody");
  CHECK(account(pamh) == ALL_IGNORED && renew(pamh, CHANGED) == ALL_IGNORED && host.prompts == 0);
  pam_set_item(pamh, PAM_USER, "root");
  CHECK(account(pamh) == PAM_NEW_AUTHTOK_REQD);
  host_close(pamh, &host);
}

/* The value that was verified is not the one of the name there is now, but somebody was asked, so that nothing is
   ignored any more. */
static void refuses_another_name_in_the_second_pass_for_a_stale_value(void)
{
  host.next = "user=nobody";
  pam_handle_t *pamh = logged_in_with_a_stale_value();
  CHECK(renew(pamh, CHANGED) == PAM_AUTHTOK_ERR && log_has(NOT_CHANGED) && log_has("user name") && host.prompts == 1);
  CHECK(host_recorded(&host, "heard the end"));
  host_close(pamh, &host);
}

static void asks_nothing_where_nothing_was_found(void)
{
  set_answers();
  pam_handle_t *pamh = host_open(&host);
  CHECK(account(pamh) == ALL_IGNORED);
  CHECK(log_in(pamh, "hear\nfinished 0 0\n") == PAM_SUCCESS && account(pamh) == ALL_IGNORED);
  CHECK(log_in(pamh, "hear\nsend 8601000107"
                     "020004000000010600"
                     "0101\n") == PAM_SYSTEM_ERR);
  CHECK(account(pamh) == ALL_IGNORED);
  CHECK(log_in(pamh, "hear\nsend 86010001070200040000"
                     "0bc406000101\n") == PAM_SYSTEM_ERR);
  CHECK(log_has("a stale value") && account(pamh) == ALL_IGNORED);
  host_close(pamh, &host);
}

/* The account stage with account_check, and a core that follows this script. */
static int checked(const char *script)
{
  host.account_arguments = "account_check";
  pam_handle_t *pamh = host_open(&host);
  host_script(&host, script);
  host_call(pamh, &host, pam_acct_mgmt, 0);
  const int code = host.code;
  CHECK(host.prompts == 0);
  host_close(pamh, &host);
  return code;
}

static void refuses_as_the_core_says_of_the_account(void)
{
  CHECK(checked("hear\nerror Disabled.\nfinished 7 9000\n") == PAM_AUTH_ERR);
  CHECK(strstr(host.shown, "error: Disabled.") != NULL);
  CHECK(checked("hear\nfinished 0 0\n") == ALL_IGNORED && host.shown[0] == '\0');
  CHECK(checked("hear\nfinished 3 1001\n") == PAM_SERVICE_ERR);
}

static void takes_nothing_else_for_the_account(void)
{
  static const char *const scripts[] = {"hear\n",
                                        "hear\nprompt hidden 1 Passcode: \nhear\nfinished 0 0\n",
                                        "hear\nready\nhear\nfinished 0 0\n",
                                        "hear\nsetenv A b\nfinished 0 0\n",
                                        "hear\nfinished 0 7110\n",
                                        "hear\nfinished 25 1009\n",
                                        "hear\nfinished 10 1009\n",
                                        "hear\nfinished 9 4001\n"};
  for (unsigned i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
    CHECK(checked(scripts[i]) == PAM_SYSTEM_ERR);
}

/* Who is disabled must not get in by making the lookup of the name fail. */
static void takes_no_yes_for_an_account_that_was_not_looked_up(void)
{
  static const int failures[] = {EMFILE, ENFILE, ENOMEM, EIO, EAGAIN, EACCES, EINTR, ERANGE};
  for (unsigned i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    lookup_error = failures[i];
    CHECK(checked("hear\nfinished 0 0\n") == PAM_SYSTEM_ERR && log_has("could not be looked up"));
    CHECK(checked("hear\nerror Disabled.\nfinished 7 9000\n") == PAM_AUTH_ERR);
  }
  /* What the C library says of any name where a name service is not installed. */
  lookup_error = ENOENT;
  CHECK(checked("hear\nfinished 0 0\n") == ALL_IGNORED);
  lookup_error = 0;
}

int main(void)
{
  test("changes a secret in two passes", changes_in_two_passes);
  test("asks for the new secret only in the second pass", resumes_in_the_second_pass_alone);
  test("fails the first pass with the core's code, and accepts no success there",
       fails_the_first_pass_as_the_core_says);
  test("fails the second pass with the core's code, and accepts only 7110 as a success",
       fails_the_second_pass_as_the_core_says);
  test("ignores both passes of an account that never registered", ignores_an_account_without_a_row);
  test("starts nothing for an expired secret that no login found", ignores_an_expired_value_nobody_found);
  test("reads no end of the core as a change", takes_no_end_for_a_change);
  test("refuses messages out of order", ends_at_messages_out_of_order);
  test("waits between the passes as long as the host takes", waits_between_the_passes);
  test("applies timeout= to each pass", gives_each_pass_its_time);
  test("ends the core with the handle, and not before", ends_with_the_handle);
  test("begins anew after a first pass alone", begins_anew_after_a_first_pass_alone);
  test("uses the core only in the process that started it", leaves_the_core_to_the_process_that_has_it);
  test("refuses another name in the second pass", refuses_another_name_in_the_second_pass);
  test("refuses the conversation of another line of the stack", refuses_the_conversation_of_another_line);
  test("refuses unknown passes, and a second pass without a first", refuses_passes_that_are_none);
  test("uses an earlier module's old secret if told to, and never a new one", takes_the_old_value_of_an_earlier_module);
  if (!SANITIZED) /* its shadow memory is too much to search */
    test("leaves no answer in memory between the passes", leaves_no_answer_in_memory_between_the_passes);
  test("asks for a new secret until it is changed", asks_for_a_new_value_until_it_is_changed);
  test("forgets a stale secret with the next login", forgets_a_stale_value_with_the_next_login);
  test("asks nothing of another name", asks_nothing_of_another_name);
  test("refuses another name in the second pass for a stale secret",
       refuses_another_name_in_the_second_pass_for_a_stale_value);
  test("asks for no new secret if none was found stale", asks_nothing_where_nothing_was_found);
  test("refuses a disabled account in the account stage, and lets nobody in there",
       refuses_as_the_core_says_of_the_account);
  test("takes neither a prompt nor another end in the account stage", takes_nothing_else_for_the_account);
  test("takes no success in the account stage if the lookup failed",
       takes_no_yes_for_an_account_that_was_not_looked_up);
  return check_summary();
}
