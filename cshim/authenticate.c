/* The conversation with the core: its messages in, the person's answers out, and one verdict at the end. */
#include "authenticate.h"

#include <errno.h>
#include <fcntl.h>
#include <security/pam_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "begin.h"
#include "converse.h"
#include "helper.h"
#include "limits.h"
#include "log.h"
#include "options.h"

#define ANY_RESULT 0

/* One call. It is large and holds answers, so it is cleared before it is freed. */
struct call {
  pam_handle_t *pamh;
  struct options options;
  struct helper helper;
  enum frame_state state;
  int flags; /* PAM's */
  bool silent, by_root, prompted, first_pass_tried, no_verdict;
  unsigned variable_count;
  char variables[UAF_VARIABLES_MAX][UAF_VARIABLE_NAME_MAX + 1 + UAF_VARIABLE_VALUE_MAX + 1];
  uint8_t packet[UAF_PACKET_MAX];
  char command[UAF_COMMAND_MAX];
};

/* Which failures of the core the module passes on, and which need a certain result: a stack may fall back to passwords
   on these. A code that is not here could be a success to a stack (PAM_NEW_AUTHTOK_REQD is, to "required"). */
static const struct {
  int code;
  uint32_t result;
} failures[] = {
  {PAM_AUTH_ERR, ANY_RESULT},     {PAM_SYSTEM_ERR, ANY_RESULT}, {PAM_SERVICE_ERR, ANY_RESULT},
  {PAM_USER_UNKNOWN, ANY_RESULT}, {PAM_MAXTRIES, ANY_RESULT},   {PAM_CONV_ERR, ANY_RESULT},
  {PAM_AUTHINFO_UNAVAIL, 4001},   {PAM_CRED_UNAVAIL, 7009},
};

#define RESULT_SUCCESS 0
#define RESULT_READY 10
#define RESULT_NOT_REGISTERED 1009

/* Whether code and result of a finished belong together, here and now. */
static bool belongs_together(const struct call *call, int code, uint32_t result)
{
  if (code == PAM_SUCCESS)
    return result == RESULT_SUCCESS;
  if (code == PAM_IGNORE)
    return result == RESULT_NOT_REGISTERED && call->options.nouserok && call->by_root && !call->prompted;
  if (result == RESULT_SUCCESS || result == RESULT_READY)
    return false;
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
    if (failures[i].code == code)
      return failures[i].result == ANY_RESULT || failures[i].result == result;
  return false;
}

/* Result 1006 of the core's table, which is not there to say it; as all that is always said, also to a silent host. */
static const char no_verdict_text[] = "The login helper is missing, wrong or died. Reinstall the pam-uaf package.";

/* The line in the log for a conversation that broke. Always false, for the callers to return. */
static bool broken(struct call *call, enum helper_status status, const char *during)
{
  call->no_verdict = true;
  const bool can_be_run = !call->helper.started || faccessat(AT_FDCWD, UAF_HELPER_PATH, X_OK, AT_EACCESS) == 0;
  switch (status) {
  case HELPER_SPOKE:
  case HELPER_UNLAWFUL:
    pam_syslog(call->pamh, LOG_ERR, "the core broke the protocol (%s)", during);
    break;
  case HELPER_ENDED:
    pam_syslog(call->pamh, LOG_ERR, "the core ended without a verdict (%s)%s", during,
               can_be_run ? "" : "; " UAF_HELPER_PATH " cannot be run");
    break;
  case HELPER_SILENT:
    pam_syslog(call->pamh, LOG_ERR, "no message from the core for %d ms (%s)", UAF_SILENCE_MILLISECONDS, during);
    break;
  case HELPER_TIMED_OUT:
    pam_syslog(call->pamh, LOG_ERR, "the call took longer than timeout=%u (%s)", call->options.timeout_seconds, during);
    break;
  case HELPER_FAILED:
    pam_syslog(call->pamh, LOG_ERR, "%s failed: %s (%s)", call->helper.what, strerror(call->helper.error), during);
    break;
  }
  return false;
}

/* Sends the packet that was just written and clears it. A length of 0 means it could not be written. */
static bool send_packet(struct call *call, enum frame_type type, size_t length, const char *during)
{
  enum helper_status status = HELPER_UNLAWFUL;
  call->state = frame_next(call->state, (uint8_t)type);
  if (length > 0 && call->state != STATE_BROKEN)
    status = helper_send(&call->helper, call->packet, length);
  explicit_bzero(call->packet, length);
  return status == HELPER_SPOKE || broken(call, status, during);
}

/* Sends what the front end has to say after prompt or ready; a core that spoke in between did not wait for it. */
static bool reply(struct call *call, enum frame_type type, const char *answer)
{
  const enum helper_status status = helper_kept_waiting(&call->helper);
  if (status != HELPER_SPOKE)
    return broken(call, status, "while it had to wait");
  size_t length;
  if (type == FRAME_ANSWER)
    /* An answer too long to be stored is sent as far as it may be: the core refuses that much already, uncounted. */
    length = frame_write_answer(call->packet, sizeof call->packet, answer, strnlen(answer, UAF_ANSWER_MAX));
  else
    length = frame_write_bare(call->packet, sizeof call->packet, type);
  return send_packet(call, type, length, "replying");
}

/* Whether this prompt is the one an earlier module's password may answer. */
static bool takes_first_pass(const struct call *call, const struct frame_message *prompt)
{
  return (call->options.use_first_pass || call->options.try_first_pass) && !call->first_pass_tried &&
         frame_number(prompt, PROMPT_ECHO) == 0 && frame_number(prompt, PROMPT_STEP) == STEP_CURRENT;
}

/* With use_first_pass nobody is asked: what the password of an earlier module does not answer is given up. */
static bool answer_prompt(struct call *call, const struct frame_message *prompt)
{
  call->prompted = true;
  if (takes_first_pass(call, prompt)) {
    const char *token = converse_first_pass(call->pamh);
    call->first_pass_tried = true;
    if (token != NULL)
      return reply(call, FRAME_ANSWER, token);
  }
  if (call->options.use_first_pass) {
    pam_syslog(call->pamh, LOG_NOTICE, "use_first_pass: no password of an earlier module to answer with");
    return reply(call, FRAME_CANCELLED, NULL);
  }
  if (prompt->field[PROMPT_ERROR].start != NULL && !call->silent)
    converse_show(call->pamh, PAM_ERROR_MSG, prompt->field[PROMPT_ERROR]);
  const int style = frame_number(prompt, PROMPT_ECHO) != 0 ? PAM_PROMPT_ECHO_ON : PAM_PROMPT_ECHO_OFF;
  char *answer = converse_ask(call->pamh, style, prompt->field[PROMPT_TEXT]);
  if (answer == NULL)
    pam_syslog(call->pamh, LOG_NOTICE, "the conversation gave no answer");
  const bool sent = reply(call, answer != NULL ? FRAME_ANSWER : FRAME_CANCELLED, answer);
  converse_forget(answer);
  return sent;
}

static bool remember_variable(struct call *call, const struct frame_message *message)
{
  const struct frame_bytes *name = &message->field[SETENV_NAME], *value = &message->field[SETENV_VALUE];
  if (call->variable_count == UAF_VARIABLES_MAX)
    return broken(call, HELPER_UNLAWFUL, "too many variables");
  char *variable = call->variables[call->variable_count++];
  memcpy(variable, name->start, name->length);
  variable[name->length] = '=';
  memcpy(variable + name->length + 1, value->start, value->length);
  variable[name->length + 1 + value->length] = '\0';
  return true;
}

/* Acts on one message that is not the last. Returns false, logged, when the conversation cannot go on. */
static bool act_on(struct call *call, const struct frame_message *message)
{
  if (call->state == STATE_BROKEN)
    return broken(call, HELPER_UNLAWFUL, "unexpected message");
  switch (message->type) {
  case FRAME_PROMPT:
    return answer_prompt(call, message);
  case FRAME_ERROR:
    converse_show(call->pamh, PAM_ERROR_MSG, message->field[NOTICE_TEXT]);
    return true;
  case FRAME_INFO:
    if (!call->silent && !call->options.quiet)
      converse_show(call->pamh, PAM_TEXT_INFO, message->field[NOTICE_TEXT]);
    return true;
  case FRAME_READY:
    return reply(call, FRAME_RESUME, NULL);
  case FRAME_SETENV:
    return remember_variable(call, message);
  default:
    return broken(call, HELPER_UNLAWFUL, "unexpected message");
  }
}

static int verdict(struct call *call, const struct frame_message *finished)
{
  const int code = (int)frame_number(finished, FINISHED_CODE);
  const uint32_t result = frame_number(finished, FINISHED_RESULT);
  const struct frame_bytes *text = &finished->field[FINISHED_TEXT];
  char reason[LOG_NAME_SIZE];
  if (!belongs_together(call, code, result)) {
    pam_syslog(call->pamh, LOG_ERR, "the core finished with code %d and result %lu, which do not belong together here",
               code, (unsigned long)result);
    call->no_verdict = true;
    return PAM_SYSTEM_ERR;
  }
  if (code != PAM_SUCCESS)
    pam_syslog(call->pamh, LOG_NOTICE, "the core finished with code %d and result %lu: %s", code, (unsigned long)result,
               log_name(reason, text->start, text->length));
  for (unsigned i = 0; code == PAM_SUCCESS && i < call->variable_count; i++)
    if (pam_putenv(call->pamh, call->variables[i]) != PAM_SUCCESS)
      pam_syslog(call->pamh, LOG_WARNING, "a PAM environment variable could not be set");
  return code;
}

/* Hears the core until it has finished. */
static int hear(struct call *call)
{
  struct frame_message message;
  for (unsigned count = 0; count < UAF_MESSAGES_MAX; count++) {
    size_t length = 0;
    const enum helper_status status = helper_receive(&call->helper, call->packet, sizeof call->packet, &length);
    if (status != HELPER_SPOKE || !frame_read(call->packet, length, &message)) {
      broken(call, status, "waiting for a message");
      return PAM_SYSTEM_ERR;
    }
    call->state = frame_next(call->state, message.type);
    if (call->state == STATE_FINISHED)
      return verdict(call, &message);
    if (!act_on(call, &message))
      return PAM_SYSTEM_ERR;
  }
  broken(call, HELPER_UNLAWFUL, "too many messages");
  return PAM_SYSTEM_ERR;
}

static int run(struct call *call, int argc, const char *const *argv)
{
  struct frame_begin begin;
  const int code = begin_collect(call->pamh, call->flags, argc, argv, &begin, call->command);
  if (code != PAM_SUCCESS)
    return code;
  if (!helper_open(&call->helper, call->options.timeout_seconds)) {
    broken(call, HELPER_FAILED, "reaching the core");
    return PAM_SYSTEM_ERR;
  }
  if (call->helper.started && call->helper.error != ENOENT && call->helper.error != ECONNREFUSED)
    pam_syslog(call->pamh, LOG_WARNING, "%s: %s; the core was started directly", call->helper.what,
               strerror(call->helper.error));
  if (call->options.debug)
    pam_syslog(call->pamh, LOG_DEBUG, "core %s, name of %zu bytes %s", call->helper.started ? "started" : "reached",
               begin.typed_name.length, begin.has_uid ? "known" : "not known or not sent");
  const size_t length = frame_write_begin(call->packet, sizeof call->packet, &begin);
  return send_packet(call, FRAME_BEGIN, length, "beginning") ? hear(call) : PAM_SYSTEM_ERR;
}

int authenticate(pam_handle_t *pamh, int flags, int argc, const char *const *argv)
{
  int code = PAM_SYSTEM_ERR;
  struct call *call = calloc(1, sizeof *call);
  if (call != NULL) {
    call->pamh = pamh;
    call->flags = flags;
    call->silent = ((unsigned)flags & PAM_SILENT) != 0;
    call->options = options_read(argc, argv);
    call->by_root = geteuid() == 0;
    call->helper = (struct helper){.socket = -1, .pidfd = -1};
    code = run(call, argc, argv);
    helper_close(&call->helper, call->state != STATE_FINISHED);
    if (call->no_verdict)
      converse_show(pamh, PAM_ERROR_MSG,
                    (struct frame_bytes){(const uint8_t *)no_verdict_text, sizeof no_verdict_text - 1});
    explicit_bzero(call, sizeof *call);
    free(call);
  } else {
    pam_syslog(pamh, LOG_CRIT, "out of memory");
  }
  if (code != PAM_SUCCESS && code != PAM_IGNORE)
    pam_fail_delay(pamh, UAF_FAIL_DELAY_MICROSECONDS);
  return code;
}
