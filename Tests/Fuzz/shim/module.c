/* The whole module against a core, a person, a host and a kernel that do what the input says. What must hold is written
 * here once more, apart from the module's own code, and checked after each call. */
#include <security/pam_modules.h>
#include <stdint.h>
#include <string.h>

#include "blocks.h"
#include "check.h"
#include "host.h"
#include "kernel.h"
#include "module.h"
#include "packets.h"
#include "script.h"

#define SILENCE 40000
#define ENDING 3000

/* What the model knows of the conversation under way. */
static struct {
  bool begun, begun_directly, may_begin_again, change, paused, ignored, resumed, stale;
  char stale_name[9000];
  const uint8_t *answered; /* the packet that was replied to last */
} model;

/* The last packet the module got is *finished* with this code and result. */
static bool finished_with(uint8_t code, uint32_t result)
{
  size_t size = 0;
  if (kernel.last == NULL || kernel.last[0] != 0x86 || !packet_is_well_formed(kernel.last, kernel.last_length))
    return false;
  const uint8_t *said = packet_field(kernel.last, kernel.last_length, 1, &size);
  if (said == NULL || size != 1 || *said != code)
    return false;
  said = packet_field(kernel.last, kernel.last_length, 2, &size);
  return said != NULL && size == 4 &&
         ((uint32_t)said[0] << 24 | (uint32_t)said[1] << 16 | (uint32_t)said[2] << 8 | said[3]) == result;
}

static bool finished_stale(void)
{
  size_t size = 0;
  return packet_field(kernel.last, kernel.last_length, 6, &size) != NULL;
}

static bool is_password_of_another(const uint8_t *value, size_t size)
{
  const char *token = host.items[model.change ? PAM_OLDAUTHTOK : PAM_AUTHTOK];
  return token != NULL && strlen(token) == size && memcmp(token, value, size) == 0 &&
         (host_has_argument("use_first_pass") || host_has_argument("try_first_pass"));
}

static void check_answer(const uint8_t *packet, size_t length)
{
  size_t size = 0;
  const uint8_t *value = packet_field(packet, length, 1, &size);
  MUST(value != NULL && size <= 1024);
  if (is_password_of_another(value, size))
    return;
  const size_t expected = strnlen(host.answer != NULL ? host.answer : "", 1024);
  MUST(host.answer != NULL && size == expected && memcmp(value, host.answer, size) == 0);
}

/* What the module offers for its host: lists, and a place for the password of a keyring. */
static void check_begin(const uint8_t *packet, size_t length)
{
  size_t size = 0;
  const bool lists = packet_field(packet, length, 24, &size) != NULL;
  const bool keyring = packet_field(packet, length, 25, &size) != NULL;
  MUST(!lists || (kernel.host_is_root && !kernel.another_caller && kernel.extensions != NULL));
  MUST(!keyring || (kernel.host_is_root && host.items[PAM_AUTHTOK] == NULL));
}

void module_sent(const uint8_t *packet, size_t length)
{
  MUST(packet_is_well_formed(packet, length));
  const bool asked = kernel.last != NULL && kernel.last[0] == 0x81;
  const bool ready = kernel.last != NULL && kernel.last[0] == 0x84;
  const bool conversation_failed = host.conversation_failed;
  host.conversation_failed = false;
  if (packet[0] == 0x01) {
    /* Once more only for a core of the module's own: where the one at the socket said nothing, and where the first of its own was
       killed at clone3, or ended in a way that nobody can ask for. */
    MUST(kernel.received == 0 && (!model.begun || (kernel.direct && (!model.begun_directly || model.may_begin_again))));
    const bool is_first_own = kernel.direct && !model.begun_directly;
    model.may_begin_again = is_first_own && (kernel.child_killed || kernel.reaped_by_host || kernel.child_is_lost);
    model.begun = true;
    model.begun_directly = kernel.direct;
    check_begin(packet, length);
    return;
  }
  MUST(model.begun && kernel.last != NULL && model.answered != kernel.last);
  model.answered = kernel.last;
  if (packet[0] == 0x02) {
    MUST(asked);
    check_answer(packet, length);
  } else if (packet[0] == 0x03)
    /* With "divided" a host can give up at *ready*, too. */
    MUST((asked || ready) &&
         (length == 5 ? host.no_conversation || conversation_failed : length == 1 && !host.no_conversation));
  else
    MUST(packet[0] == 0x04 && length == 1 && ready && (!model.change || model.resumed));
}

/* Another conversation: what came before it counts no longer. */
static void expect_begin(bool change)
{
  model.begun = model.begun_directly = model.may_begin_again = model.paused = model.resumed = false;
  model.change = change;
  model.answered = NULL;
  kernel.last = NULL;
  kernel.received = kernel.sent = 0;
  kernel.prompted = false;
}

static bool is_failure(int code)
{
  static const int codes[] = {PAM_AUTH_ERR, PAM_SYSTEM_ERR, PAM_SERVICE_ERR,      PAM_USER_UNKNOWN,
                              PAM_MAXTRIES, PAM_CONV_ERR,   PAM_AUTHINFO_UNAVAIL, PAM_CRED_UNAVAIL};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (code == codes[i])
      return true;
  return code == PAM_AUTHTOK_ERR && model.change;
}

/* Every failure is slowed and explained; nothing else is slowed. */
static void check_failure(int code)
{
  const bool failed = code != PAM_SUCCESS && code != PAM_IGNORE;
  MUST(!failed || is_failure(code));
  MUST(host.delays == (failed ? 1u : 0u));
  MUST(!failed || host.log_lines > 0);
}

static bool has_long_argument(void)
{
  for (int i = 0; i < host.argument_count; i++)
    if (strlen(host.arguments[i]) > 4096)
      return true;
  return false;
}

/* Codes by which stacks go on to a password: each is the core's own word, at its own time. */
static void check_way_on(int code)
{
  if (code == PAM_SERVICE_ERR)
    MUST(host.argument_count > 32 || has_long_argument() ||
         (!kernel.prompted && (finished_with(PAM_SERVICE_ERR, 1001) || finished_with(PAM_SERVICE_ERR, 1012))));
  if (code == PAM_AUTHINFO_UNAVAIL)
    MUST(kernel.prompted && finished_with(PAM_AUTHINFO_UNAVAIL, 4001));
  if (code == PAM_CRED_UNAVAIL)
    MUST(kernel.prompted && finished_with(PAM_CRED_UNAVAIL, 7009));
  if (code == PAM_USER_UNKNOWN)
    MUST(host.failed_lookups == 0);
}

/* The last timeout= of root's, in milliseconds; 0 where there is none that means anything. */
static int64_t time_limit(void)
{
  int64_t limit = 0;
  for (int i = 0; i < host.argument_count; i++)
    if (strncmp(host.arguments[i], "timeout=", 8) == 0) {
      const char *digits = host.arguments[i] + 8;
      const size_t count = strspn(digits, "0123456789");
      limit = digits[count] == '\0' && strspn(digits, "0") + 5 >= count ? 1000 * strtoll(digits, NULL, 10) : 0;
      limit = limit <= 86400000 ? limit : 0;
    }
  return limit;
}

/* However slow the core is, the module is done in time; the person's own time does not count. */
static void check_time(void)
{
  const int64_t silence = SILENCE * ((int64_t)kernel.received + kernel.sent + 2), limit = time_limit();
  MUST(kernel.waited <= silence + 2 * ENDING);
  MUST(limit == 0 || kernel.waited <= limit + 2 * ENDING);
}

static void before(const struct record *call)
{
  host.prompts = host.log_lines = host.delays = host.failed_lookups = 0;
  host.silent = (script_byte(call, 0) & 1) != 0;
  host.answer = NULL;
  kernel.waited = 0;
}

static int pass_flags(void) { return host.silent ? (int)PAM_SILENT : 0; }

static void authenticate(const struct record *call)
{
  expect_begin(false);
  const int flags = pass_flags() | ((script_byte(call, 0) & 2) != 0 ? PAM_DISALLOW_NULL_AUTHTOK : 0);
  const int code = pam_sm_authenticate(host_handle(), flags, host.argument_count, host.arguments);
  check_failure(code);
  check_time();
  if (code == PAM_SUCCESS)
    MUST(finished_with(PAM_SUCCESS, 0) && model.begun);
  if (code == PAM_IGNORE)
    MUST(finished_with(PAM_IGNORE, 1009) && !kernel.prompted && host_passes_unregistered());
  check_way_on(code);
  model.stale = code == PAM_SUCCESS && finished_stale();
  if (model.stale)
    snprintf(model.stale_name, sizeof model.stale_name, "%s", host.items[PAM_USER]);
}

/* PAM_NEW_AUTHTOK_REQD, which is a success to some stacks, for whom the core called the value stale and nobody else. */
static bool is_stale(void)
{
  return model.stale && host.items[PAM_USER] != NULL && strcmp(host.items[PAM_USER], model.stale_name) == 0;
}

/* Whether root wants the core to be asked in the account stage. */
static bool has_account_check(void)
{
  for (int i = 0; i < host.argument_count; i++)
    if (strcmp(host.arguments[i], "account_check") == 0 || strncmp(host.arguments[i], "account_check=", 14) == 0)
      return true;
  return false;
}

static void account(void)
{
  const bool asks = has_account_check() && !kernel.another_caller;
  if (asks && (kernel.in_copy || model.paused))
    return;
  if (asks)
    expect_begin(false);
  const int code = pam_sm_acct_mgmt(host_handle(), pass_flags(), host.argument_count, host.arguments);
  const bool passes = code == PAM_IGNORE || (code == PAM_NEW_AUTHTOK_REQD && is_stale());
  MUST(host.prompts == 0 && host.delays == 0);
  MUST(passes || asks);
  if (!asks)
    return;
  check_time();
  if (passes) /* only the core lets an account through */
    MUST(model.begun && finished_with(PAM_SUCCESS, 0));
  else if (model.begun) /* and it refuses with no code that a stack skips */
    MUST(code == PAM_AUTH_ERR || code == PAM_SYSTEM_ERR);
  else
    MUST(is_failure(code));
  MUST(passes || host.log_lines > 0);
}

static void first_pass(int flags)
{
  expect_begin(true);
  const int code = pam_sm_chauthtok(host_handle(), flags | PAM_PRELIM_CHECK, host.argument_count, host.arguments);
  check_failure(code);
  check_time();
  model.paused = code == PAM_SUCCESS;
  model.ignored = code == PAM_IGNORE;
  if (code == PAM_SUCCESS) /* the old value was verified, and nothing was changed */
    MUST(kernel.last != NULL && kernel.last[0] == 0x84);
  if (code == PAM_IGNORE && kernel.sent > 0)
    MUST(finished_with(PAM_IGNORE, 1009) && !kernel.prompted);
  if (code == PAM_IGNORE && kernel.sent == 0)
    MUST((flags & PAM_CHANGE_EXPIRED_AUTHTOK) != 0);
}

static void second_pass(const char **line, int flags)
{
  const unsigned sent = kernel.sent;
  const bool was_paused = model.paused;
  model.resumed = model.change = true;
  const int code = pam_sm_chauthtok(host_handle(), flags | PAM_UPDATE_AUTHTOK, host.argument_count, line);
  check_failure(code);
  check_time();
  if (code == PAM_SUCCESS) {
    MUST(was_paused && kernel.sent > sent && finished_with(PAM_SUCCESS, 7110) && line == host.arguments);
    MUST(!kernel.in_copy);
    model.stale = false;
  }
  if (code == PAM_IGNORE)
    MUST(!was_paused && (model.ignored || (flags & PAM_CHANGE_EXPIRED_AUTHTOK) != 0));
  model.paused = false;
}

static void change(const struct record *call)
{
  const uint8_t bits = script_byte(call, 0);
  const int flags = pass_flags() | ((bits & 2) != 0 ? PAM_CHANGE_EXPIRED_AUTHTOK : 0);
  const bool other = (bits & 4) != 0, again = (bits & 8) != 0;
  if (kernel.in_copy && call->letter == '1')
    return;
  if (call->letter == '1' && again)
    MUST(pam_sm_chauthtok(host_handle(), flags | PAM_PRELIM_CHECK | PAM_UPDATE_AUTHTOK, 0, NULL) == PAM_SERVICE_ERR);
  else if (call->letter == '1')
    first_pass(flags);
  else
    second_pass(other ? host.other_line : host.arguments, flags);
}

/* A call by one of the letters of script.h. */
static void make_call(const struct record *call)
{
  before(call);
  switch (call->letter) {
  case 'A':
    if (!kernel.in_copy && !model.paused)
      authenticate(call);
    break;
  case '1':
  case '2':
    change(call);
    break;
  case 'M':
    account();
    break;
  case 'S':
    MUST(pam_sm_setcred(host_handle(), 0, 0, NULL) == PAM_SUCCESS);
    break;
  case 'O':
    MUST(pam_sm_open_session(host_handle(), 0, 0, NULL) == PAM_SUCCESS);
    break;
  case 'Z':
    MUST(pam_sm_close_session(host_handle(), 0, 0, NULL) == PAM_SUCCESS);
    break;
  case 'N': /* sudo and others change it on the way */
    host.items[PAM_USER] = script_text(call, 0);
    break;
  case 'Q': /* a forked copy of the host goes on with this handle */
    kernel.in_copy = true;
    break;
  default:
    break;
  }
  MUST(!blocks_hold_secret());
}

static void run(void)
{
  static const uint8_t nothing[1];
  static const struct record usual[] = {{'A', nothing, 1}, {'M', nothing, 1}, {'1', nothing, 1}, {'2', nothing, 1}};
  const struct record *call;
  if (script.calls.count == 0)
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
      make_call(&usual[i]);
  while ((call = script_next(&script.calls)) != NULL)
    make_call(call);
}

void fuzz_module(const uint8_t *bytes, size_t size)
{
  if (size > 1 << 16 || blocks_is_secret(bytes, size))
    return;
  memset(&model, 0, offsetof(__typeof__(model), stale_name));
  model.answered = NULL;
  script_read(bytes, size);
  packet_reset();
  kernel_reset();
  host_reset();
  run();
  host_end();
  MUST(blocks_count() == 0);
  MUST(kernel_descriptors() == 0 && kernel.slack == KERNEL_SLACK);
  MUST(!kernel.child_started || kernel.in_copy || kernel.reaped_by_host || kernel.core_frozen || kernel.child_reaped ||
       kernel.child_is_lost);
}
