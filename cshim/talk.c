/* Acts on the core's messages one by one, as far as docs/protocol.md allows them. */
#include "talk.h"

#include <errno.h>
#include <fcntl.h>
#include <security/pam_ext.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "converse.h"
#include "greeter.h"
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
  case HELPER_GIVEN_UP: /* talk_hear has already reported it */
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
    /* If an answer is too long, only its beginning, of the maximum length, is sent. The core refuses that without counting it,
       because no stored secret is so long. */
    length = frame_write_answer(talk->packet, sizeof talk->packet, answer, strnlen(answer, UAF_ANSWER_MAX));
  else if (type == FRAME_CANCELLED)
    length = frame_write_cancelled(talk->packet, sizeof talk->packet, !converse_is_possible(talk->pamh));
  else
    length = frame_write_bare(talk->packet, sizeof talk->packet, type);
  return talk_send(talk, type, length, "replying");
}

/* Whether a prompt asks for a secret, so that the password of an earlier module can be the answer. It cannot be one if the
   prompt asks for a number in a list or an enrolment code. */
static bool asks_for_value(const struct frame_message *prompt)
{
  static const char *const values[] = {"passcode", "pattern", NULL};
  return frame_is_one_of(prompt->field[PROMPT_CHECK], values);
}

/* Whether a prompt asks for one of its options. */
static bool asks_for_choice(const struct frame_message *prompt)
{
  static const char *const choice[] = {"choice", NULL};
  return frame_is_one_of(prompt->field[PROMPT_CHECK], choice) && prompt->option_count > 0;
}

/* The password of an earlier module, if it may be used to answer this prompt; otherwise NULL. It must not be used to confirm a
   text, because it was entered before the text was shown. In a change, the current secret is in the item PAM_OLDAUTHTOK;
   PAM_AUTHTOK has a new password for another module. */
static const char *first_pass(struct conversation *talk, const struct frame_message *prompt)
{
  if ((!talk->options.use_first_pass && !talk->options.try_first_pass) || talk->first_pass_tried ||
      prompt->field[PROMPT_CONFIRMED].start != NULL || frame_number(prompt, PROMPT_ECHO) != 0 ||
      !asks_for_value(prompt) || frame_number(prompt, PROMPT_STEP) != STEP_CURRENT)
    return NULL;
  talk->first_pass_tried = true;
  return converse_first_pass(talk->pamh, talk->operation == OPERATION_CHANGE ? PAM_OLDAUTHTOK : PAM_AUTHTOK);
}

/* Shows the text that the answer will confirm. It is a separate message, because sudo may replace the prompt. It is shown even
   if the host does not want notices, because nobody can confirm a text that was not shown. Returns whether the host accepted
   the message. */
static bool show_confirmed(struct conversation *talk, const struct frame_message *prompt)
{
  const struct frame_bytes text = prompt->field[PROMPT_CONFIRMED];
  if (text.start == NULL || converse_show(talk->pamh, PAM_TEXT_INFO, text))
    return true;
  pam_syslog(talk->pamh, LOG_NOTICE, "the host did not show the text to be confirmed");
  return false;
}

/* Has the greeter show a list, and sends the number of what was chosen. If that is none of the options, an empty answer is sent,
   which chooses nothing. */
static bool answer_list(struct conversation *talk, const struct frame_message *prompt)
{
  unsigned chosen = 0;
  char number[sizeof "4294967295"] = "";
  switch (greeter_ask(talk->pamh, prompt, &chosen)) {
  case GREETER_CHOSE:
    snprintf(number, sizeof number, "%u", chosen);
    break;
  case GREETER_NOTHING:
    pam_syslog(talk->pamh, LOG_NOTICE, "the greeter chose nothing that was in the list");
    break;
  case GREETER_FAILED:
    pam_syslog(talk->pamh, LOG_NOTICE, "the conversation gave no answer");
    return talk_reply(talk, FRAME_CANCELLED, NULL);
  }
  return talk_reply(talk, FRAME_ANSWER, number);
}

/* With use_first_pass, the person is not prompted for the current secret: if the password of an earlier module cannot be used
   as the answer, the call ends. For a new secret, the person is always prompted, because no earlier module can have it. */
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
  if (talk->lists && asks_for_choice(prompt))
    return answer_list(talk, prompt);
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

/* With "divided", the host gets a message before the first prompt, and may take as long as it likes to return from it. The
   verdict still comes in the same PAM call, because a later stage may run in another process, for another name, or never. The
   message is sent regardless of PAM's flags and "quiet", because it is not just a notice. If the host does not accept it, the
   login is given up. */
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

/* Keeps the password of the keyring until the verdict, and clears the packet, so that there is only one copy. */
static bool remember_password(struct conversation *talk, const struct frame_message *message)
{
  if (!talk->keyring || talk->password[0] != '\0')
    return talk_broken(talk, HELPER_PROTOCOL_ERROR, "a password that was not asked for");
  frame_copy(talk->password, message->field[KEYRING_PASSWORD]);
  explicit_bzero(talk->packet,
                 UAF_KEYRING_MAX + 4); /* the longest packet: its type, a tag, a length and the password */
  return true;
}

/* Acts on one message that is not the last. If the conversation cannot continue, logs the reason and returns false. */
static bool act_on(struct conversation *talk, const struct frame_message *message)
{
  if (talk->state == STATE_BROKEN)
    return talk_broken(talk, HELPER_PROTOCOL_ERROR, "unexpected message");
  switch (message->type) {
  case FRAME_PROMPT: /* the account stage shows no prompts */
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
  case FRAME_READY: /* a change pauses once, before its second pass; talk_hear has handled that */
    if (talk->operation == OPERATION_AUTHENTICATE)
      return answer_ready(talk);
    break;
  case FRAME_SETENV:
    if (talk->operation == OPERATION_AUTHENTICATE)
      return remember_variable(talk, message);
    break;
  case FRAME_KEYRING:
    if (talk->operation == OPERATION_AUTHENTICATE)
      return remember_password(talk, message);
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

/* Leaves the password of the keyring to the modules after this one; libpam clears it at the end of this stage. A password that
   is there already stays, because another module may depend on it. */
static void hand_on_password(struct conversation *talk)
{
  const void *token = NULL;
  if (talk->password[0] == '\0')
    return;
  if (pam_get_item(talk->pamh, PAM_AUTHTOK, &token) != PAM_SUCCESS || token != NULL ||
      pam_set_item(talk->pamh, PAM_AUTHTOK, talk->password) != PAM_SUCCESS)
    pam_syslog(talk->pamh, LOG_WARNING, "the password of the keyring could not be handed on");
  explicit_bzero(talk->password, sizeof talk->password);
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
  /* If the lookup failed, no account was sent to the core, and it is unknown whether there is one. These verdicts are then not
     accepted: in the account stage, for example, the core lets a call without an account pass, although the account may be one
     that the server has disabled. */
  const bool says_nothing = verdict.code == PAM_USER_UNKNOWN ||
                            (talk->operation == OPERATION_ACCOUNT && verdict.code == PAM_SUCCESS);
  const bool failed_lookup = says_nothing && talk->account.error != 0;
  const int code = failed_lookup ? PAM_SYSTEM_ERR : verdict.code;
  if (code == PAM_SUCCESS) {
    set_variables(talk);
    hand_on_password(talk);
  } else {
    log_outcome(talk->pamh, LOG_NOTICE, code, "the core finished with result %lu: %s", (unsigned long)verdict.result,
                log_name(reason, text->start, text->length));
  }
  talk->end = END_VERDICT;
  talk->stale = verdict.stale;
  return code;
}

/* Returns a code that no stack skips, because anybody who may send the host a signal can cause this. */
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
