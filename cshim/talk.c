/* Carries out the core's messages one by one, as far as docs/protocol.md allows them. */
#include "talk.h"

#include <errno.h>
#include <fcntl.h>
#include <security/pam_ext.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "converse.h"
#include "log.h"
#include "verdict.h"

bool talk_broken(struct conversation *talk, enum helper_status status, const char *during)
{
  talk->end = status == HELPER_TIMED_OUT ? END_OUT_OF_TIME : END_BROKEN;
  const bool can_be_run = !talk->helper.started || faccessat(AT_FDCWD, UAF_HELPER_PATH, X_OK, AT_EACCESS) == 0;
  switch (status) {
  case HELPER_OK:
  case HELPER_PROTOCOL_ERROR:
    log_outcome(talk->pamh, LOG_ERR, PAM_SYSTEM_ERR, "the core broke the protocol (%s)", during);
    break;
  case HELPER_ENDED:
    log_outcome(talk->pamh, LOG_ERR, PAM_SYSTEM_ERR, "the core ended without a verdict (%s)%s", during,
                can_be_run ? "" : "; " UAF_HELPER_PATH " cannot be run");
    break;
  case HELPER_SILENT:
    log_outcome(talk->pamh, LOG_ERR, PAM_SYSTEM_ERR, "no message from the core for %d ms (%s)",
                UAF_SILENCE_MILLISECONDS, during);
    break;
  case HELPER_TIMED_OUT:
    log_outcome(talk->pamh, LOG_ERR, PAM_SYSTEM_ERR, "the call took longer than its timeout of %u s (%s)",
                talk->options.timeout_seconds, during);
    break;
  case HELPER_GIVEN_UP: /* talk_hear has reported it */
    break;
  case HELPER_FAILED:
    log_outcome(talk->pamh, LOG_ERR, PAM_SYSTEM_ERR, "%s failed: %s (%s)", talk->helper.what,
                strerror(talk->helper.error), during);
    break;
  }
  return false;
}

bool talk_send(struct conversation *talk, enum frame_type type, size_t length, const char *during)
{
  enum helper_status status = HELPER_PROTOCOL_ERROR;
  talk->state = frame_next(talk->state, (uint8_t)type);
  if (length > 0 && talk->state != STATE_BROKEN)
    status = helper_send(&talk->helper, talk->packet, length);
  explicit_bzero(talk->packet, length);
  return status == HELPER_OK || talk_broken(talk, status, during);
}

bool talk_reply(struct conversation *talk, enum frame_type type, const char *answer)
{
  const enum helper_status status = helper_check_quiet(&talk->helper);
  if (status != HELPER_OK)
    return talk_broken(talk, status, "while it had to wait");
  size_t length;
  if (type == FRAME_ANSWER)
    /* An answer that is too long is sent only up to the longest allowed length. The core refuses it and does not
       count it, because so long a secret cannot have been stored. */
    length = frame_write_answer(talk->packet, sizeof talk->packet, answer, strnlen(answer, UAF_ANSWER_MAX));
  else if (type == FRAME_CANCELLED)
    length = frame_write_cancelled(talk->packet, sizeof talk->packet, !converse_is_possible(talk->pamh));
  else
    length = frame_write_bare(talk->packet, sizeof talk->packet, type);
  return talk_send(talk, type, length, "replying");
}

/* Whether a prompt asks for a secret: the number of a list and an enrolment code are not something that an earlier module asked
   for. */
static bool asks_for_value(const struct frame_message *prompt)
{
  static const char *const values[] = {"passcode", "pattern", NULL};
  return frame_is_one_of(prompt->field[PROMPT_CHECK], values);
}

/* The password of an earlier module if it may answer this prompt, otherwise NULL: nobody can confirm a text with
   an entry that was made before the text was shown. In a change, the item with
   the current secret is PAM_OLDAUTHTOK; PAM_AUTHTOK has a new secret for another module. */
static const char *first_pass(struct conversation *talk, const struct frame_message *prompt)
{
  if ((!talk->options.use_first_pass && !talk->options.try_first_pass) || talk->first_pass_tried ||
      prompt->field[PROMPT_CONFIRMED].start != NULL || frame_number(prompt, PROMPT_ECHO) != 0 ||
      !asks_for_value(prompt) || frame_number(prompt, PROMPT_STEP) != STEP_CURRENT)
    return NULL;
  talk->first_pass_tried = true;
  return converse_first_pass(talk->pamh, talk->operation == OPERATION_CHANGE ? PAM_OLDAUTHTOK : PAM_AUTHTOK);
}

/* Shows what the answer will confirm: in a separate message, because sudo may show a different prompt, and
   even to a host that wants no notices, because nobody can confirm a text that was not shown. Returns whether the host accepted
   it. */
static bool show_confirmed(struct conversation *talk, const struct frame_message *prompt)
{
  const struct frame_bytes text = prompt->field[PROMPT_CONFIRMED];
  if (text.start == NULL || converse_show(talk->pamh, PAM_TEXT_INFO, text))
    return true;
  pam_syslog(talk->pamh, LOG_NOTICE, "the host did not show the text to be confirmed");
  return false;
}

/* With use_first_pass nobody is asked for a secret that is already there: a prompt that the password of an earlier module does
   not answer ends the call. No module has a new secret yet, so it is always asked for. */
static bool answer_prompt(struct conversation *talk, const struct frame_message *prompt)
{
  talk->prompted = true;
  signals_release(&talk->helper.signals);
  const char *token = first_pass(talk, prompt);
  if (token != NULL)
    return talk_reply(talk, FRAME_ANSWER, token);
  if (talk->options.use_first_pass && frame_number(prompt, PROMPT_STEP) == STEP_CURRENT) {
    pam_syslog(talk->pamh, LOG_NOTICE, "use_first_pass: no password of an earlier module to answer with");
    return talk_reply(talk, FRAME_CANCELLED, NULL);
  }
  if (prompt->field[PROMPT_ERROR_MESSAGE].start != NULL && !talk->silent)
    converse_show(talk->pamh, PAM_ERROR_MSG, prompt->field[PROMPT_ERROR_MESSAGE]);
  if (!show_confirmed(talk, prompt))
    return talk_reply(talk, FRAME_CANCELLED, NULL);
  const int style = frame_number(prompt, PROMPT_ECHO) != 0 ? PAM_PROMPT_ECHO_ON : PAM_PROMPT_ECHO_OFF;
  char *answer = converse_ask(talk->pamh, style, prompt->field[PROMPT_TEXT]);
  if (answer == NULL)
    pam_syslog(talk->pamh, LOG_NOTICE,
               converse_is_possible(talk->pamh) ? "the conversation gave no answer" : "the host has no conversation");
  if (answer != NULL && prompt->field[PROMPT_CONFIRMED].start != NULL)
    signals_hold(&talk->helper.signals);
  const bool sent = talk_reply(talk, answer != NULL ? FRAME_ANSWER : FRAME_CANCELLED, answer);
  converse_forget(answer);
  return sent;
}

/* With "divided" the host gets a message, and keeps it for as long as it likes: the first prompt comes afterwards. The
   verdict stays in this call, because a later stage may run in another process, for another name, or never. PAM's flags and
   "quiet" do not matter: this is not just a notice. If a host does not accept it, the login is given up. */
static bool answer_ready(struct conversation *talk)
{
  static const char ready[] = UAF_READY_TEXT;
  if (!talk->options.divided)
    return talk_reply(talk, FRAME_RESUME, NULL);
  if (converse_show(talk->pamh, PAM_TEXT_INFO, (struct frame_bytes){(const uint8_t *)ready, sizeof ready - 1}))
    return talk_reply(talk, FRAME_RESUME, NULL);
  pam_syslog(talk->pamh, LOG_NOTICE, "the host gave up when the login was ready");
  return talk_reply(talk, FRAME_CANCELLED, NULL);
}

static bool remember_variable(struct conversation *talk, const struct frame_message *message)
{
  const struct frame_bytes *name = &message->field[SETENV_NAME], *value = &message->field[SETENV_VALUE];
  if (talk->variable_count == UAF_VARIABLES_MAX)
    return talk_broken(talk, HELPER_PROTOCOL_ERROR, "too many variables");
  char *variable = talk->variables[talk->variable_count++];
  memcpy(variable, name->start, name->length);
  variable[name->length] = '=';
  memcpy(variable + name->length + 1, value->start, value->length);
  variable[name->length + 1 + value->length] = '\0';
  return true;
}

/* Carries out one message that is not the last. Returns false, logged, if the conversation cannot continue. */
static bool act_on(struct conversation *talk, const struct frame_message *message)
{
  if (talk->state == STATE_BROKEN)
    return talk_broken(talk, HELPER_PROTOCOL_ERROR, "unexpected message");
  switch (message->type) {
  case FRAME_PROMPT: /* the account stage asks nobody */
    if (talk->operation != OPERATION_ACCOUNT)
      return answer_prompt(talk, message);
    break;
  case FRAME_ERROR:
    converse_show(talk->pamh, PAM_ERROR_MSG, message->field[NOTICE_TEXT]);
    return true;
  case FRAME_INFO:
    if (!talk->silent && !talk->options.quiet)
      converse_show(talk->pamh, PAM_TEXT_INFO, message->field[NOTICE_TEXT]);
    return true;
  case FRAME_READY: /* a change waits once, for its second pass, which ended this call (talk_hear) */
    if (talk->operation == OPERATION_AUTHENTICATE)
      return answer_ready(talk);
    break;
  case FRAME_SETENV:
    if (talk->operation == OPERATION_AUTHENTICATE)
      return remember_variable(talk, message);
    break;
  default:
    break;
  }
  return talk_broken(talk, HELPER_PROTOCOL_ERROR, "unexpected message");
}

static void set_variables(struct conversation *talk)
{
  for (unsigned i = 0; i < talk->variable_count; i++)
    if (pam_putenv(talk->pamh, talk->variables[i]) != PAM_SUCCESS)
      pam_syslog(talk->pamh, LOG_WARNING, "a PAM environment variable could not be set");
}

static int conclude(struct conversation *talk, const struct frame_message *finished)
{
  const struct frame_bytes *text = &finished->field[FINISHED_TEXT];
  const struct verdict verdict = {
    .operation = talk->operation,
    .code = (int)frame_number(finished, FINISHED_PAM_CODE),
    .result = frame_number(finished, FINISHED_RESULT),
    .stale = frame_number(finished, FINISHED_STALE_VALUE) != 0,
    .prompted = talk->prompted,
    .resumed = talk->resumed,
    .nouserok = talk->options.nouserok,
  };
  char reason[LOG_NAME_SIZE];
  if (!verdict_belongs_together(&verdict)) {
    log_outcome(talk->pamh, LOG_ERR, PAM_SYSTEM_ERR,
                "the core finished with code %d and result %lu%s, which do not belong together here", verdict.code,
                (unsigned long)verdict.result, verdict.stale ? " and a stale value" : "");
    talk->end = END_WRONG_VERDICT;
    return PAM_SYSTEM_ERR;
  }
  /* The core was sent no account, because the lookup failed. So nobody knows whether there is one. In the account stage,
     the core lets such an account pass, although it may be one that the server has disabled. */
  const bool says_nothing = verdict.code == PAM_USER_UNKNOWN ||
                            (talk->operation == OPERATION_ACCOUNT && verdict.code == PAM_SUCCESS);
  const bool failed_lookup = says_nothing && talk->account.error != 0;
  const int code = failed_lookup ? PAM_SYSTEM_ERR : verdict.code;
  if (code == PAM_SUCCESS)
    set_variables(talk);
  else
    log_outcome(talk->pamh, LOG_NOTICE, code, "the core finished with result %lu: %s", (unsigned long)verdict.result,
                log_name(reason, text->start, text->length));
  talk->end = END_VERDICT;
  talk->stale = verdict.stale;
  return code;
}

/* A code that no stack skips, because anybody who may signal the host can cause it. */
static int give_up(struct conversation *talk)
{
  talk->end = END_GIVEN_UP;
  log_outcome(talk->pamh, LOG_NOTICE, PAM_AUTH_ERR, "the host was told to end before the verdict");
  return PAM_AUTH_ERR;
}

int talk_hear(struct conversation *talk)
{
  struct frame_message message;
  for (unsigned count = 0; count < UAF_MESSAGES_MAX; count++) {
    size_t length = 0;
    const enum helper_status status = helper_receive(&talk->helper, talk->packet, sizeof talk->packet, &length);
    if (status == HELPER_GIVEN_UP)
      return give_up(talk);
    if (status != HELPER_OK || !frame_read(talk->packet, length, &message)) {
      talk_broken(talk, status, "waiting for a message");
      return PAM_SYSTEM_ERR;
    }
    talk->state = frame_next(talk->state, message.type);
    if (talk->state == STATE_FINISHED)
      return conclude(talk, &message);
    if (talk->state == STATE_PAUSED && talk->operation == OPERATION_CHANGE && !talk->resumed)
      return PAM_SUCCESS;
    if (!act_on(talk, &message))
      return PAM_SYSTEM_ERR;
  }
  talk_broken(talk, HELPER_PROTOCOL_ERROR, "too many messages");
  return PAM_SYSTEM_ERR;
}
