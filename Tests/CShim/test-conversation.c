/* What the module makes of a core's messages, of the person's answers and of a core that fails it. */
#include <security/pam_modules.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host.h"
#include "packets.h"

#define PROMPT "prompt hidden 1 Passcode: \n"
#define SUCCESS "finished 0 0\n"
#define KEYRING_MAX 512

static struct host host;
static char text[1 << 17];

/* One call with this script and a host that answers "Abcdef1!". Returns the code. */
static int call(const char *script)
{
  host.script = script;
  if (host.answers[0] == NULL)
    host.answers[0] = "Abcdef1!";
  host_authenticate(&host);
  return host.code;
}

static bool log_has(const char *part) { return strstr(host.log, part) != NULL; }

/* What the core heard after begin. */
static const char *heard_last(void)
{
  host_record_lines(&host, "heard ", text, sizeof text);
  const char *last = strrchr(text, '|');
  return last != NULL ? last + 1 : text;
}

static void lets_in(void)
{
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(heard_last(), "0201000841626364656631"
                           "21");
  CHECK_TEXT(host.shown, "hidden: Passcode: \n");
  CHECK_TEXT(host.log, "");
}

static void lets_in_without_a_prompt(void) { CHECK(call("hear\n" SUCCESS) == PAM_SUCCESS && host.prompts == 0); }

static void refuses_as_the_core_says(void)
{
  static const struct {
    const char *finished;
    int code;
  } cases[] = {{"7 3012", PAM_AUTH_ERR},         {"10 1009", PAM_USER_UNKNOWN}, {"11 3013", PAM_MAXTRIES},
               {"9 4001", PAM_AUTHINFO_UNAVAIL}, {"15 7009", PAM_CRED_UNAVAIL}, {"4 1007", PAM_SYSTEM_ERR},
               {"19 999", PAM_CONV_ERR}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf(text, sizeof text, "hear\n" PROMPT "hear\nfinished %s Not you\033[2J.\n", cases[i].finished);
    CHECK(call(text) == cases[i].code);
    CHECK(log_has("Not you\\x1b[2J."));
  }
  /* What the core passes on from a server is not part of the line. */
  CHECK(call("hear\n" PROMPT "hear\nfinished 7 3012 \" event=module pam=0\n") == PAM_AUTH_ERR);
  CHECK_TEXT(host.log, "event=module pam=7 detail=\"the core finished with result 3012: "
                       "\\x22 event\\x3dmodule pam\\x3d0\"\n");
}

/* Stacks may go on to a password with these, so each comes at its own time alone: root's mistake before anybody is asked,
   the others for somebody who has entered something. */
static void leads_on_only_at_its_time(void)
{
  static const struct {
    const char *finished;
    int code;
    bool prompted;
  } cases[] = {{"3 1001", PAM_SERVICE_ERR, false},
               {"3 1012", PAM_SERVICE_ERR, false},
               {"9 4001", PAM_AUTHINFO_UNAVAIL, true},
               {"15 7009", PAM_CRED_UNAVAIL, true}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (unsigned prompted = 0; prompted < 2; prompted++) {
      snprintf(text, sizeof text, "hear\n%sfinished %s\n", prompted ? PROMPT "hear\n" : "", cases[i].finished);
      CHECK(call(text) == ((prompted != 0) == cases[i].prompted ? cases[i].code : PAM_SYSTEM_ERR));
    }
  CHECK(call("hear\nfinished 3 3012\n") == PAM_SYSTEM_ERR && log_has("do not belong together"));
}

static void takes_a_success_for_one_only_with_its_result(void)
{
  static const char *const results[] = {"10", "1", "980", "1009", "3012", "7100", "7110", "4294967295"};
  for (unsigned i = 0; i < sizeof results / sizeof results[0]; i++) {
    snprintf(text, sizeof text, "hear\n" PROMPT "hear\nfinished 0 %s\n", results[i]);
    CHECK(call(text) == PAM_SYSTEM_ERR && log_has("do not belong together"));
  }
}

/* Stacks take some codes for a success (new_authtok_reqd=ok), and libpam must never see one it does not know. */
static void passes_on_no_code_that_is_not_its_own(void)
{
  static const int own[] = {PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_SYSTEM_ERR, PAM_CONV_ERR};
  for (int code = 1; code < 256; code++) {
    bool passed_on = false;
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
      passed_on |= code == own[i];
    snprintf(text, sizeof text, "hear\nfinished %d 3012\n", code);
    CHECK(call(text) == (passed_on ? code : PAM_SYSTEM_ERR));
    snprintf(text, sizeof text, "hear\nfinished %d 0\n", code);
    CHECK(call(text) == PAM_SYSTEM_ERR);
  }
}

static void ignores_only_with_nouserok(void)
{
  host.arguments = "nouserok";
  CHECK(call("hear\nfinished 25 1009\n") == ALL_IGNORED && log_has("1009"));
  CHECK(call("hear\nfinished 25 0\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\nfinished 25 1007\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\n" PROMPT "hear\nfinished 25 1009\n") == PAM_SYSTEM_ERR);
  host.arguments = "";
  CHECK(call("hear\nfinished 25 1009\n") == PAM_SYSTEM_ERR);
  host.arguments = "nouserok=yes conf=nouserok";
  CHECK(call("hear\nfinished 25 1009\n") == PAM_SYSTEM_ERR);
}

static void ignores_with_a_day_as_with_nouserok(void)
{
  host.arguments = "nouserok=2027-01-31";
  CHECK(call("hear\nfinished 25 1009\n") == ALL_IGNORED && log_has("1009"));
  CHECK(call("hear\nfinished 25 1007\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\n" PROMPT "hear\nfinished 25 1009\n") == PAM_SYSTEM_ERR);
}

static void ignores_nobody_with_what_is_no_day(void)
{
  static const char *const values[] = {"=",
                                       "=2027",
                                       "=2027-01",
                                       "=2027-01-3",
                                       "=2027-01-311",
                                       "=2027-01-31x",
                                       "=2027/01/31",
                                       "=20270131",
                                       "=-2027-01-31",
                                       "=2027-01-3:",
                                       "=2027-01-3/",
                                       "=2O27-01-31",
                                       "2027-01-31",
                                       ":2027-01-31",
                                       "=2027-01-",
                                       "==2027-01-31",
                                       "s"};
  char argument[64];
  for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
    snprintf(argument, sizeof argument, "nouserok%s", values[i]);
    host.arguments = argument;
    CHECK(call("hear\nfinished 25 1009\n") == PAM_SYSTEM_ERR);
  }
}

static void takes_no_end_for_a_success(void)
{
  CHECK(call("exit 0\n") == PAM_SYSTEM_ERR && log_has("without a verdict"));
  CHECK(call("hear\nexit 0\n") == PAM_SYSTEM_ERR && log_has("without a verdict"));
  CHECK(call("hear\nclose\nexit 0\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\ninfo Almost done.\nexit 0\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\n" PROMPT "exit 0\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\n" PROMPT "hear\nexit 0\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\n" PROMPT "hear\nsetenv UAF_TOKEN abc\nexit 0\n") == PAM_SYSTEM_ERR && host.token[0] == '\0');
  CHECK(call("hear\nready\nhear\nexit 0\n") == PAM_SYSTEM_ERR);
}

static void takes_no_crash_for_a_success(void)
{
  static const char *const signals[] = {"9", "6", "11", "15", "4", "24"};
  for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    snprintf(text, sizeof text, "hear\ndie %s\n", signals[i]);
    CHECK(call(text) == PAM_SYSTEM_ERR);
    snprintf(text, sizeof text, "hear\n" PROMPT "hear\ndie %s\n", signals[i]);
    CHECK(call(text) == PAM_SYSTEM_ERR);
  }
}

static void minds_no_exit_status_after_a_verdict(void)
{
  CHECK(call("hear\n" SUCCESS "exit 7\n") == PAM_SUCCESS);
  CHECK(call("hear\n" SUCCESS "die 9\n") == PAM_SUCCESS);
  CHECK(call("hear\nfinished 7 3012\nexit 0\n") == PAM_AUTH_ERR);
  CHECK(call("hear\nfinished 7 3012\n" SUCCESS) == PAM_AUTH_ERR); /* one verdict, the first */
}

/* Once, after whatever the core said before, and where PAM_SILENT drops courtesy texts; a core that ends well is not
   accused. */
static void tells_the_person_of_a_core_without_a_verdict(void)
{
  static const char told[] =
    "error: The login helper is missing or unusable, or it has died. Reinstall the libpam-uaf package.\n";
  static const char *const scripts[] = {"exit 0\n",        "hear\ndie 9\n",           "hear\nstay\n",
                                        "hear\nsend ff\n", "hear\nfinished 0 3012\n", "hear\nfinished 25 1009\n"};
  static const int flags[] = {0, (int)PAM_SILENT};
  for (unsigned i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
    host.flags = flags[i % 2];
    CHECK(call(scripts[i]) == PAM_SYSTEM_ERR);
    CHECK_TEXT(host.shown, told);
  }
  host.flags = 0;
  CHECK(call("hear\nfinished 4 1007\n") == PAM_SYSTEM_ERR);
  CHECK_TEXT(host.shown, "");
}

static void ends_a_core_that_hangs(void)
{
  CHECK(call("hear\nstay\n") == PAM_SYSTEM_ERR && log_has("no message from the core"));
  CHECK(host.milliseconds >= SILENCE && host.milliseconds < SILENCE + 1500);
  CHECK(call("hear\n" PROMPT "hear\nstay\n") == PAM_SYSTEM_ERR && log_has("no message from the core"));
  CHECK(call("hear\n" PROMPT "stay\n") == PAM_SYSTEM_ERR); /* it takes the answer and never reads it */
}

static void ends_a_core_that_stays_after_its_verdict(void)
{
  CHECK(call("hear\n" SUCCESS "stay\n") == PAM_SUCCESS); /* that it is gone is checked for every call */
}

static void gives_the_person_all_the_time(void)
{
  host.answers_after_milliseconds = SILENCE + 300;
  CHECK(call("hear\n" PROMPT "hear\npause 100\n" SUCCESS) == PAM_SUCCESS);
}

static void lets_the_core_take_its_time_message_by_message(void)
{
  const int most = SILENCE * 2 / 3;
  snprintf(text, sizeof text, "hear\npause %d\ninfo One.\npause %d\ninfo Two.\n" SUCCESS, most, most);
  CHECK(call(text) == PAM_SUCCESS);
}

static void keeps_the_time_of_the_whole_call(void)
{
  host.arguments = "timeout=1";
  /* Eight seconds of a core that is never silent for long; a loaded machine has seven of them to notice. */
  static const char step[] = "pause 400\ninfo .\n";
  size_t length = (size_t)snprintf(text, sizeof text, "hear\n");
  for (unsigned i = 0; i < 20; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s", step);
  snprintf(text + length, sizeof text - length, "%s", SUCCESS);
  CHECK(call(text) == PAM_SYSTEM_ERR);
  CHECK(log_has("timeout of 1 s") && host.milliseconds >= 1000 && host.milliseconds < 8000);
  CHECK(strstr(host.shown, "the time ran out") != NULL && strstr(host.shown, "Reinstall") == NULL);
  host.answers_after_milliseconds = 1200;
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SYSTEM_ERR && log_has("timeout of 1 s"));
  CHECK(strncmp(heard_last(), "02", 2) != 0); /* the answer came too late to be sent */
}

static void takes_a_bad_timeout_for_none(void)
{
  static const char *const bad[] = {"timeout=", "timeout=1s", "timeout=-1", "timeout=99999999999999999999"};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    host.arguments = bad[i];
    CHECK(call("hear\npause 50\n" SUCCESS) == PAM_SUCCESS); /* to refuse it is the core's business */
  }
}

static void send_bad(const char *folder, const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  const size_t length = packet_read(folder, name, packet);
  char *at = text + sprintf(text, "hear\nsend ");
  for (size_t i = 0; i < length; i++)
    at += sprintf(at, "%02x", packet[i]);
  strcpy(at, "\n" SUCCESS);
  if (call(text) != PAM_SYSTEM_ERR || host.prompts != 0)
    check(false, name, __FILE__, __LINE__);
}

static void ends_at_every_bad_packet(void) { CHECK(packet_each(VECTORS "/bad", send_bad) >= 150); }

static void ends_at_cut_and_burdened_packets(void)
{
  CHECK(call("hear\npacket 65537\n" SUCCESS) == PAM_SYSTEM_ERR && log_has("broke the protocol"));
  CHECK(call("hear\npacket 100000\n" SUCCESS) == PAM_SYSTEM_ERR && log_has("broke the protocol"));
  CHECK(call("hear\npacket 65536\n" SUCCESS) == PAM_SYSTEM_ERR); /* whole, but no such text */
  CHECK(call("hear\npacket 4100\n" SUCCESS) == PAM_SUCCESS);
  CHECK(call("hear\ndescriptors Take these.\n" SUCCESS) == PAM_SYSTEM_ERR && log_has("broke the protocol"));
  CHECK(call("hear\n" PROMPT "descriptors Take these.\nhear\n" SUCCESS) == PAM_SYSTEM_ERR);
}

static void ends_at_messages_out_of_order(void)
{
  host.answers_after_milliseconds = 100; /* so that what must not be there yet has come */
  CHECK(call("hear\n" PROMPT SUCCESS) == PAM_SYSTEM_ERR && log_has("while it had to wait"));
  CHECK(call("hear\n" PROMPT PROMPT "hear\n" SUCCESS) == PAM_SYSTEM_ERR);
  CHECK(call("hear\n" PROMPT "info Psst.\nhear\n" SUCCESS) == PAM_SYSTEM_ERR);
  CHECK(call("hear\nsend 020000\n" SUCCESS) == PAM_SYSTEM_ERR);
}

static void ends_a_core_that_talks_for_ever(void)
{
  strcpy(text, "hear\n");
  for (unsigned i = 0; i < 600; i++)
    strcat(text, "info .\n");
  host.arguments = "quiet";
  strcat(text, SUCCESS);
  CHECK(call(text) == PAM_SYSTEM_ERR && log_has("too many messages"));
}

/* The host draws its screen between the two, and the verdict comes in the same call. */
static void says_ready_before_the_prompt_of_a_divided_login(void)
{
  host.arguments = "divided quiet";
  host.flags = PAM_SILENT;
  CHECK(call("hear\nready\nhear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "info: pam_uaf: ready\nhidden: Passcode: \n");
  host_record_lines(&host, "heard ", text, sizeof text);
  CHECK(strstr(text, "0f000101") != NULL && strstr(text, "|04|") != NULL); /* divided of begin, and resume */
}

/* What the host holds is nobody's silence, and a login that was given up at ready is not a login. */
static void gives_up_a_divided_login_at_ready(void)
{
  host.arguments = "divided";
  host.conversation = HOST_REFUSES_NOTICES;
  CHECK(call("hear\nready\nhear\nfinished 19 999\n") == PAM_CONV_ERR && host.prompts == 0);
  CHECK_TEXT(heard_last(), "03");
  CHECK(log_has("gave up when the login was ready"));
  CHECK(call("hear\nready\nhear\n" SUCCESS) == PAM_SUCCESS); /* what the core says stands: it alone decides */
}

static void says_nothing_of_ready_without_divided(void)
{
  CHECK(call("hear\nready\nhear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "hidden: Passcode: \n");
  host.arguments = "divided=yes";
  CHECK(call("hear\nready\nhear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "hidden: Passcode: \n");
}

static void resumes_at_once(void)
{
  CHECK(call("hear\nready\nhear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  host_record_lines(&host, "heard 0", text, sizeof text);
  CHECK(strstr(text, "|4|201") != NULL);
}

static void cancels_when_the_host_gives_no_answer(void)
{
  static const enum host_conversation kinds[] = {HOST_FAILS, HOST_GIVES_NOTHING, HOST_ANSWERS_NOTHING};
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    host.conversation = kinds[i];
    CHECK(call("hear\n" PROMPT "hear\nfinished 19 999\n") == PAM_CONV_ERR);
    CHECK_TEXT(heard_last(), "03");
  }
}

static void says_that_the_host_has_no_conversation(void)
{
  host.conversation = HOST_HAS_NONE;
  CHECK(call("hear\n" PROMPT "hear\nfinished 19 7014\n") == PAM_CONV_ERR && log_has("the host has no conversation"));
  CHECK_TEXT(heard_last(), "0301000101");
  host.arguments = "use_first_pass";
  CHECK(call("hear\n" PROMPT "hear\nfinished 19 7014\n") == PAM_CONV_ERR);
  CHECK_TEXT(heard_last(), "0301000101");
  host.first_pass = "Abcdef1!"; /* nobody has to be asked */
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
}

/* What becomes of a cancelled prompt is the core's to say, but for one thing. */
static void shows_no_mercy_to_a_core_that_ignores_a_cancel(void)
{
  host.conversation = HOST_FAILS;
  CHECK(call("hear\n" PROMPT "hear\n" PROMPT "hear\nfinished 7 3012\n") == PAM_AUTH_ERR);
  CHECK_TEXT(heard_last(), "03");
}

static void sends_answers_as_they_are(void)
{
  host.answers[0] = "";
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(heard_last(), "02010000");
  host.answers[0] = "\010\n\r\177\377\033 ";
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(heard_last(), "02010007080a0d7fff1b20");
}

static void cuts_answers_no_value_can_have(void)
{
  static char answer[2001], expected[2100];
  memset(answer, 'x', 2000);
  host.answers[0] = answer;
  CHECK(call("hear\n" PROMPT "hear\nfinished 7 3012\n") == PAM_AUTH_ERR);
  char *at = expected + sprintf(expected, "02010400");
  for (unsigned i = 0; i < 1024; i++)
    at += sprintf(at, "78");
  CHECK_TEXT(heard_last(), expected);
}

static void shows_what_the_core_says(void)
{
  const char *script = "hear\ninfo Hello.\nerror Careful.\nprompt echo 1 Which one? \nhear\n"
                       "wrong 4 Wrong. 4 tries left.\nhear\n" SUCCESS;
  host.answers[0] = "1", host.answers[1] = "Abcdef1!";
  CHECK(call(script) == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "info: Hello.\nerror: Careful.\necho: Which one? \nerror: Wrong. 4 tries left.\n"
                         "hidden: Passcode: \n");
  host.flags = PAM_SILENT;
  CHECK(call(script) == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "error: Careful.\necho: Which one? \nhidden: Passcode: \n");
  host.flags = 0, host.arguments = "quiet";
  CHECK(call(script) == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "error: Careful.\necho: Which one? \nerror: Wrong. 4 tries left.\nhidden: Passcode: \n");
}

static void shows_what_is_confirmed_to_every_host(void)
{
  static const char script[] = "hear\nconfirm It confirms: ls\nhear\nconfirm It confirms: ls\nhear\n" SUCCESS;
  static const char *const arguments[] = {"", "quiet"};
  for (unsigned i = 0; i < 4; i++) {
    host.flags = i < 2 ? 0 : PAM_SILENT, host.arguments = arguments[i % 2];
    CHECK(call(script) == PAM_SUCCESS);
    CHECK_TEXT(host.shown, "info: It confirms: ls\nhidden: Passcode: \ninfo: It confirms: ls\nhidden: Passcode: \n");
  }
}

static void asks_nobody_who_was_not_shown_what_is_confirmed(void)
{
  static const char script[] = "hear\nconfirm It confirms: ls\nhear\nfinished 7 999\n";
  host.conversation = HOST_REFUSES_NOTICES;
  CHECK(call(script) == PAM_AUTH_ERR && host.prompts == 0);
  CHECK_TEXT(heard_last(), "03");
  host.conversation = HOST_ANSWERS, host.first_pass = "Abcdef1!";
  host.arguments = "use_first_pass";
  CHECK(call(script) == PAM_AUTH_ERR && host.prompts == 0);
  CHECK_TEXT(heard_last(), "03");
  host.arguments = "try_first_pass";
  CHECK(call("hear\nconfirm It confirms: ls\nhear\n" SUCCESS) == PAM_SUCCESS && host.prompts == 1);
  CHECK_TEXT(host.shown, "info: It confirms: ls\nhidden: Passcode: \n");
}

static volatile sig_atomic_t signals;

static void take_note(int number)
{
  (void)number;
  signals = signals + 1;
}

/* As sudo does: whoever ends later only takes note now. */
static void gives_up_when_the_host_is_told_to_end(void)
{
  static const int numbers[] = {SIGINT, SIGHUP, SIGQUIT, SIGTERM};
  for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction noting = {.sa_handler = take_note}, before;
    sigaction(numbers[i], &noting, &before);
    char script[200];
    signals = 0;
    snprintf(script, sizeof script, "hear\nconfirm It confirms: ls\nhear\nsignal %d\nhear\n" SUCCESS, numbers[i]);
    CHECK(call(script) == PAM_AUTH_ERR && signals == 1);
    CHECK(strstr(host.record, "heard the end") != NULL);
    snprintf(script, sizeof script, "hear\n" PROMPT "hear\nsignal %d\n" SUCCESS, numbers[i]);
    CHECK(call(script) == PAM_SUCCESS && signals == 2); /* nothing was to be confirmed */
    noting.sa_handler = SIG_IGN;
    sigaction(numbers[i], &noting, NULL);
    snprintf(script, sizeof script, "hear\nconfirm It confirms: ls\nhear\nsignal %d\n" SUCCESS, numbers[i]);
    CHECK(call(script) == PAM_SUCCESS && signals == 2); /* a host that ignores it goes on */
    sigaction(numbers[i], &before, NULL);
  }
}

static void sets_variables_with_a_success_alone(void)
{
  CHECK(call("hear\n" PROMPT "hear\nsetenv UAF_TOKEN abc.def\n" SUCCESS) == PAM_SUCCESS);
  CHECK(strcmp(host.token, "abc.def") == 0);
  CHECK(call("hear\n" PROMPT "hear\nsetenv UAF_TOKEN abc\nfinished 7 3012\n") == PAM_AUTH_ERR && host.token[0] == '\0');
  CHECK(call("hear\nsetenv UAF_TOKEN abc\nfinished 0 1009\n") == PAM_SYSTEM_ERR && host.token[0] == '\0');
  CHECK(call("hear\nsetenv A 1\nsetenv A 1\nsetenv A 1\nsetenv A 1\nsetenv A 1\nsetenv A 1\nsetenv A 1\nsetenv A 1\n"
             "setenv UAF_TOKEN abc\n" SUCCESS) == PAM_SYSTEM_ERR &&
        host.token[0] == '\0');
}

static void answers_with_the_first_pass(void)
{
  static const char *const arguments[] = {"use_first_pass", "try_first_pass"};
  host.first_pass = "Abcdef1!";
  for (unsigned i = 0; i < 2; i++) {
    host.arguments = arguments[i];
    CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS && host.prompts == 0);
    CHECK_TEXT(heard_last(), "0201000841626364656631"
                             "21");
  }
  host.arguments = "";
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS && host.prompts == 1);
}

static void tries_the_first_pass_once_and_for_the_current_value(void)
{
  host.first_pass = "first";
  host.arguments = "try_first_pass";
  host.answers[0] = "a", host.answers[1] = "b";
  CHECK(call("hear\n" PROMPT "hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS && host.prompts == 1);
  CHECK_TEXT(heard_last(), "0201000161");
  CHECK(call("hear\nprompt echo 1 Which?\nhear\nprompt hidden 2 New: \nhear\n" SUCCESS) == PAM_SUCCESS);
  CHECK(host.prompts == 2);
}

#define EXTENSIONS "GDM_SUPPORTED_PAM_EXTENSIONS"
#define LISTS "org.gnome.DisplayManager.UserVerifier.ChoiceList"
#define LIST "hear\nlist Authenticators of 민아:|passcode|패턴\nhear\n" PROMPT "hear\n" SUCCESS

/* A login through GDM, whose third extension lists are. */
static int call_gdm(void)
{
  setenv(EXTENSIONS, "org.example.One " LISTS "s  " LISTS, 1);
  host.name = "gdm-password";
  host.answers[1] = "Abcdef1!";
  const int code = call(LIST);
  unsetenv(EXTENSIONS);
  return code;
}

/* The core's second packet, which answers its first question. */
static const char *heard_second(void)
{
  host_record_lines(&host, "heard ", text, sizeof text);
  const char *second = strchr(text, '|');
  if (second == NULL)
    return "";
  text[strcspn(second + 1, "|") + (size_t)(second + 1 - text)] = '\0';
  return second + 1;
}

static void shows_a_list_where_the_greeter_has_lists(void)
{
  host.pick = "2";
  CHECK(call_gdm() == PAM_SUCCESS);
  CHECK_TEXT(host.shown, "list 2 56: Authenticators of 민아:|1=passcode|2=패턴\nhidden: Passcode: \n");
  CHECK_TEXT(heard_second(), "02010001"
                             "32");
  CHECK_TEXT(host.log, "");
}

static void chooses_nothing_that_was_not_in_the_list(void)
{
  static const char *const keys[] = {"3", "0", "", "02", "2 ", "passcode"};
  for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    host.pick = keys[i];
    CHECK(call_gdm() == PAM_SUCCESS);
    CHECK_TEXT(heard_second(), "02010000");
    CHECK(log_has("chose nothing that was in the list"));
  }
}

static void chooses_nothing_by_a_bad_response(void)
{
  for (enum host_list list = LIST_NO_KEY; list < LIST_FAILS; list++) {
    host.list = list;
    CHECK(call_gdm() == PAM_SUCCESS);
    CHECK_TEXT(heard_second(), "02010000");
  }
  host.list = LIST_FAILS;
  setenv(EXTENSIONS, LISTS, 1);
  CHECK(call("hear\nlist Which|a|b\nhear\nfinished 19 999\n") == PAM_CONV_ERR);
  unsetenv(EXTENSIONS);
  CHECK_TEXT(heard_second(), "03");
}

/* Text, whatever the core sends: another service, no extension of that name, a caller of a setuid program, a question for a
   value, no options. */
static void shows_no_list_anywhere_else(void)
{
  static const char shown[] = "hidden: Which\nhidden: Passcode: \n";
  static const struct {
    const char *name, *extensions, *question;
  } cases[] = {{"sshd", LISTS, "list Which|a|b"},      {"gdm-fingerprint", LISTS, "list Which|a|b"},
               {"gdm-password", "", "list Which|a|b"}, {"gdm-password", "x" LISTS " " LISTS "2", "list Which|a|b"},
               {"gdm-password", LISTS, "list Which"},  {"gdm-password", LISTS, "prompt hidden 1 Which"}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char script[256];
    snprintf(script, sizeof script, "hear\n%s\nhear\n" PROMPT "hear\n" SUCCESS, cases[i].question);
    setenv(EXTENSIONS, cases[i].extensions, 1);
    host.name = cases[i].name;
    host.answers[0] = host.answers[1] = "1";
    CHECK(call(script) == PAM_SUCCESS);
    CHECK_TEXT(host.shown, shown);
  }
  unsetenv(EXTENSIONS);
}

static void chooses_nothing_by_the_first_pass(void)
{
  static const char *const questions[] = {"prompt choice 1 Which one (1-2): \n", "prompt code 1 Enrolment code: \n"};
  char script[256];
  host.first_pass = "first";
  host.answers[0] = "2";
  for (unsigned i = 0; i < 2; i++) {
    host.arguments = "try_first_pass";
    snprintf(script, sizeof script, "hear\n%shear\n" PROMPT "hear\n" SUCCESS, questions[i]);
    CHECK(call(script) == PAM_SUCCESS && host.prompts == 1);
    CHECK_TEXT(heard_last(), "02010005"
                             "6669727374"); /* the value, which is asked for after that */
    host.arguments = "use_first_pass";
    snprintf(script, sizeof script, "hear\n%shear\nfinished 19 999\n", questions[i]);
    CHECK(call(script) == PAM_CONV_ERR && host.prompts == 0);
    CHECK_TEXT(heard_last(), "03");
  }
}

static void tries_no_first_pass_that_cannot_be_a_value(void)
{
  static char long_token[258];
  memset(long_token, 'x', 257);
  const char *const tokens[] = {"", long_token, "a\033b", "\177", "\377", NULL};
  for (unsigned i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
    host.first_pass = tokens[i];
    host.arguments = "try_first_pass";
    CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS && host.prompts == 1);
    host.arguments = "use_first_pass";
    CHECK(call("hear\n" PROMPT "hear\nfinished 19 999\n") == PAM_CONV_ERR && host.prompts == 0);
    CHECK_TEXT(heard_last(), "03");
  }
}

static void asks_nobody_with_use_first_pass(void)
{
  host.first_pass = "wrong";
  host.arguments = "use_first_pass";
  CHECK(call("hear\n" PROMPT "hear\nwrong 4 Wrong.\nhear\nfinished 7 3012\n") == PAM_AUTH_ERR);
  CHECK_TEXT(heard_last(), "03");
  CHECK_TEXT(host.shown, "");
}

static void leaves_no_password_to_others(void)
{
  CHECK(call("hear\n" PROMPT "hear\n" SUCCESS) == PAM_SUCCESS && host.reached_next && !host.left_authtok);
  CHECK(call("hear\n" PROMPT "hear\nfinished 7 3012\n") == PAM_AUTH_ERR && host.reached_next && !host.left_authtok);
}

/* The password of the person's keyring, for the modules after this one. */
static void leaves_the_password_of_the_keyring_with_a_success_alone(void)
{
  host.next = "tell";
  CHECK(call("hear\n" PROMPT "hear\nkeyring 키링 1!\n" SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(host.left, "키링 1!");
  CHECK(!log_has("1!"));
  static const char *const others[] = {"finished 7 3012\n", "finished 9 4001\n", "finished 0 1009\n", "die 9\n",
                                       "close\n"};
  for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
    snprintf(text, sizeof text, "hear\n" PROMPT "hear\nkeyring 키링 1!\n%s", others[i]);
    CHECK(call(text) != PAM_SUCCESS && host.reached_next && !host.left_authtok);
  }
  char longest[KEYRING_MAX + 1] = "";
  memset(longest, 'k', KEYRING_MAX);
  snprintf(text, sizeof text, "hear\n" PROMPT "hear\nkeyring %s\n" SUCCESS, longest);
  CHECK(call(text) == PAM_SUCCESS);
  CHECK_TEXT(host.left, longest);
}

/* A core that sends one all the same has broken the protocol: the person is elsewhere, another module's password is there
   already, or it comes twice. */
static void refuses_a_password_of_the_keyring_that_it_does_not_take(void)
{
  static const char *const script = "hear\n" PROMPT "hear\nkeyring own\n" SUCCESS;
  host.next = "tell";
  CHECK(call("hear\n" PROMPT "hear\nkeyring one\nkeyring two\n" SUCCESS) == PAM_SYSTEM_ERR && !host.left_authtok);
  host.remote_host = "203.0.113.7";
  CHECK(call(script) == PAM_SYSTEM_ERR && log_has("a password that was not asked for") && !host.left_authtok);
  host.remote_host = NULL, host.remote_user = "maria";
  CHECK(call(script) == PAM_SYSTEM_ERR && !host.left_authtok);
  host.remote_user = NULL, host.first_pass = "theirs";
  CHECK(call(script) == PAM_SYSTEM_ERR);
  CHECK_TEXT(host.left, "theirs");
}

/* A21: what a stack makes of a core that died, for each control word. */
static void leaves_the_rest_of_the_stack_to_go_on(void)
{
  static const struct {
    const char *control;
    int code;
    bool reached;
  } cases[] = {{"required", PAM_SYSTEM_ERR, true},
               {"requisite", PAM_SYSTEM_ERR, false},
               {"sufficient", PAM_SUCCESS, true},
               {"optional", PAM_SUCCESS, true},
               {"[success=done default=ignore]", PAM_SUCCESS, true},
               {"[success=ok authinfo_unavail=ignore cred_unavail=ignore default=die]", PAM_SYSTEM_ERR, false},
               {"[success=1 default=bad]", PAM_SYSTEM_ERR, true}};
  host.next = "permit";
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    host.control = cases[i].control;
    CHECK(call("hear\n" PROMPT "hear\ndie 9\n") == cases[i].code);
    CHECK(host.reached_next == cases[i].reached);
  }
}

int main(void)
{
  test("succeeds if the core says so", lets_in);
  test("succeeds if the core asks nothing", lets_in_without_a_prompt);
  test("refuses with the core's code, and logs its reason", refuses_as_the_core_says);
  test("returns a code that leads to a password only at its time", leads_on_only_at_its_time);
  test("accepts a success only with result 0", takes_a_success_for_one_only_with_its_result);
  test("passes on only codes of its table, and no failure with result 0", passes_on_no_code_that_is_not_its_own);
  test("ignores only an unregistered account, with nouserok, before any prompt", ignores_only_with_nouserok);
  test("ignores an unregistered account with nouserok and a day", ignores_with_a_day_as_with_nouserok);
  test("ignores nobody if nouserok has a value without the form of a day", ignores_nobody_with_what_is_no_day);
  test("reads no end of the stream as a success", takes_no_end_for_a_success);
  test("reads no crash of the core as a success", takes_no_crash_for_a_success);
  test("ignores everything the core does after its verdict", minds_no_exit_status_after_a_verdict);
  test("tells the person that the core gave no verdict", tells_the_person_of_a_core_without_a_verdict);
  test("ends a core that hangs, in time", ends_a_core_that_hangs);
  test("ends a core that stays after its verdict", ends_a_core_that_stays_after_its_verdict);
  test("does not count the time the person takes", gives_the_person_all_the_time);
  test("counts the silence of the core from its last message", lets_the_core_take_its_time_message_by_message);
  test("applies timeout= to core and person together", keeps_the_time_of_the_whole_call);
  test("treats a bad timeout= as none", takes_a_bad_timeout_for_none);
  test("answers every bad packet with PAM_SYSTEM_ERR, whatever follows it", ends_at_every_bad_packet);
  test("refuses cut packets and packets with descriptors", ends_at_cut_and_burdened_packets);
  test("refuses messages out of order", ends_at_messages_out_of_order);
  test("ends a core that never stops sending", ends_a_core_that_talks_for_ever);
  test("says ready before the prompt of a divided login", says_ready_before_the_prompt_of_a_divided_login);
  test("gives up a divided login at ready", gives_up_a_divided_login_at_ready);
  test("shows nothing for ready without divided", says_nothing_of_ready_without_divided);
  test("resumes at once", resumes_at_once);
  test("cancels when the host gives no answer", cancels_when_the_host_gives_no_answer);
  test("tells the core that the host has no conversation", says_that_the_host_has_no_conversation);
  test("cancels again when the core asks again", shows_no_mercy_to_a_core_that_ignores_a_cancel);
  test("sends empty, binary and control answers as they are", sends_answers_as_they_are);
  test("cuts an answer of 2,000 bytes to 1,024", cuts_answers_no_value_can_have);
  test("shows texts and errors as PAM_SILENT and quiet allow", shows_what_the_core_says);
  test("shows what is confirmed whatever PAM_SILENT and quiet say", shows_what_is_confirmed_to_every_host);
  test("asks nobody who was not shown what is confirmed", asks_nobody_who_was_not_shown_what_is_confirmed);
  test("cancels a confirmation when the host is told to end", gives_up_when_the_host_is_told_to_end);
  test("sets variables only with a success", sets_variables_with_a_success_alone);
  test("answers the first prompt with PAM_AUTHTOK when told to", answers_with_the_first_pass);
  test("tries PAM_AUTHTOK once, for the current secret only", tries_the_first_pass_once_and_for_the_current_value);
  test("answers neither a list nor the question for a code with PAM_AUTHTOK", chooses_nothing_by_the_first_pass);
  test("shows a list where the greeter has lists", shows_a_list_where_the_greeter_has_lists);
  test("chooses nothing that was not in the list", chooses_nothing_that_was_not_in_the_list);
  test("chooses nothing by a bad response", chooses_nothing_by_a_bad_response);
  test("shows no list anywhere else", shows_no_list_anywhere_else);
  test("tries no PAM_AUTHTOK that cannot be a secret", tries_no_first_pass_that_cannot_be_a_value);
  test("asks nobody with use_first_pass", asks_nobody_with_use_first_pass);
  test("leaves no PAM_AUTHTOK behind", leaves_no_password_to_others);
  test("leaves the password of the keyring to others with a success alone",
       leaves_the_password_of_the_keyring_with_a_success_alone);
  test("refuses a password of the keyring that it does not take",
       refuses_a_password_of_the_keyring_that_it_does_not_take);
  test("lets the rest of the stack run after a crash", leaves_the_rest_of_the_stack_to_go_on);
  return check_summary();
}
