/* The beginning, continuation and end of a conversation. */
#include "conversation.h"

#include <errno.h>
#include <security/pam_ext.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "begin.h"
#include "converse.h"
#include "talk.h"

/* The texts of results 1006 and 7011, which are needed if there is no core that could send them. They are shown even with
   PAM_SILENT. */
static const char no_verdict_text[] =
  "The login helper is missing or unusable, or it has died. Reinstall the libpam-uaf package.";
static const char out_of_time_text[] = "Ended by the system, or the time ran out. Try again.";

/* A forked copy of the process that began the conversation leaves the core alone. */
static void leave_core(struct conversation *talk)
{
  if (conversation_is_ours(talk))
    /* After any other end, the core gets some time to end by itself: it may have to log that its call was given up, or that the
       time was over. */
    helper_close(&talk->helper, talk->end == END_BROKEN);
  else
    helper_forget(&talk->helper);
}

/* The text for the person about the end of a conversation; NULL if the core has already sent one, or if the host is to end. */
static const char *end_text(enum talk_end end)
{
  switch (end) {
  case END_WRONG_VERDICT:
  case END_BROKEN:
    return no_verdict_text;
  case END_OUT_OF_TIME:
    return out_of_time_text;
  case END_NONE:
  case END_VERDICT:
  case END_GIVEN_UP:
    break;
  }
  return NULL;
}

/* Processes the core's messages and then ends the core, unless the conversation is paused. If there was no valid verdict, a
   text is shown once the core is gone. */
static int hear_out(struct conversation *talk)
{
  const int code = talk->end == END_NONE ? talk_hear(talk) : PAM_SYSTEM_ERR;
  /* What was not handed on is cleared now: the core gets time to end, and the host may take as long as it likes to show the
     text. The packet may be one that was refused. */
  explicit_bzero(talk->password, sizeof talk->password);
  explicit_bzero(talk->packet, sizeof talk->packet);
  if (!conversation_is_paused(talk))
    leave_core(talk);
  const char *text = end_text(talk->end);
  if (text != NULL)
    converse_show(talk->pamh, PAM_ERROR_MSG, (struct frame_bytes){(const uint8_t *)text, strlen(text)});
  return code;
}

/* Sends the first packet. If another core could still be started instead of this one, also waits until this one has sent
   something. */
static enum helper_status offer_begin(struct conversation *talk, const struct frame_begin *begin)
{
  const size_t length = frame_write_begin(talk->packet, sizeof talk->packet, begin);
  enum helper_status status = HELPER_PROTOCOL_ERROR;
  if (length > 0)
    status = helper_send(&talk->helper, talk->packet, length);
  explicit_bzero(talk->packet, length);
  if (status == HELPER_OK && helper_is_replaceable(&talk->helper))
    status = helper_await(&talk->helper);
  return status;
}

/* Reaches the core and sends the first packet. If the core at the socket ends without a message, it has shown no prompt and
   counted nothing. This happens if root has too many connections, because the listener drops further ones; other people can
   cause that by leaving many prompts of su open. Root does not need the socket: the module then starts a core itself. If that
   one ends without a message, it is only started again if the kernel killed it at clone3. */
static void open_core(struct conversation *talk, const struct frame_begin *begin)
{
  if (!helper_open(&talk->helper, talk->options.timeout_seconds)) {
    talk_broken(talk, HELPER_FAILED, "reaching the core");
    return;
  }
  if (talk->helper.started && talk->helper.error != ENOENT && talk->helper.error != ECONNREFUSED)
    pam_syslog(talk->pamh, LOG_WARNING, "%s: %s; the core was started directly", talk->helper.what,
               strerror(talk->helper.error));
  if (talk->options.debug)
    pam_syslog(talk->pamh, LOG_DEBUG, "core %s, name of %zu bytes %s", talk->helper.started ? "started" : "reached",
               begin->typed_name.length, begin->has_uid ? "known" : "not known or not sent");
  enum helper_status status = offer_begin(talk, begin);
  while (status == HELPER_ENDED || status == HELPER_SILENT) {
    const bool was_started = talk->helper.started;
    if (!helper_start_instead(&talk->helper, status))
      break;
    if (!was_started)
      pam_syslog(talk->pamh, LOG_WARNING, "the core at " UAF_SOCKET_PATH " said nothing; one was started directly");
    else if (talk->options.debug)
      pam_syslog(talk->pamh, LOG_DEBUG, "the kernel killed the core at clone3; it was started again with fork");
    status = offer_begin(talk, begin);
  }
  talk->state = frame_next(talk->state, FRAME_BEGIN);
  if (status != HELPER_OK)
    talk_broken(talk, status, "beginning");
}

/* Sets what can differ between the two passes. */
static void set_call(struct conversation *talk, int flags, int argc, const char *const *argv)
{
  talk->silent = ((unsigned)flags & PAM_SILENT) != 0;
  talk->options = options_read(argc, argv);
}

static struct conversation *make(pam_handle_t *pamh, const char *user, enum frame_operation operation)
{
  struct conversation *talk = calloc(1, sizeof *talk);
  if (talk != NULL) {
    talk->pamh = pamh;
    talk->owner = getpid();
    talk->user = strdup(user);
    talk->operation = operation;
    talk->by_root = geteuid() == 0;
    talk->helper = (struct helper){.socket = -1, .pidfd = -1};
  }
  if (talk != NULL && talk->user != NULL)
    return talk;
  conversation_end(talk);
  pam_syslog(pamh, LOG_CRIT, "out of memory");
  return NULL;
}

int conversation_begin(pam_handle_t *pamh, enum frame_operation operation, int flags, int argc, const char *const *argv,
                       struct conversation **talk)
{
  struct frame_begin begin = {
    .operation = (uint8_t)operation,
    .divided = operation == OPERATION_CHANGE || options_read(argc, argv).divided,
  };
  const char *user = NULL;
  int code = begin_name(pamh, &user);
  if (code != PAM_SUCCESS)
    return code;
  *talk = make(pamh, user, operation);
  if (*talk == NULL)
    return PAM_SYSTEM_ERR;
  set_call(*talk, flags, argc, argv);
  code = begin_collect(pamh, (*talk)->user, flags, argc, argv, &begin, &(*talk)->command, &(*talk)->account);
  if (code != PAM_SUCCESS)
    return code;
  (*talk)->lists = begin.lists;
  (*talk)->keyring = begin.keyring;
  open_core(*talk, &begin);
  return hear_out(*talk);
}

int conversation_resume(struct conversation *talk, int flags, int argc, const char *const *argv)
{
  talk->resumed = true;
  set_call(talk, flags, argc, argv);
  helper_limit(&talk->helper, talk->options.timeout_seconds);
  talk_reply(talk, FRAME_RESUME, NULL);
  return hear_out(talk);
}

bool conversation_is_paused(const struct conversation *talk)
{
  return talk->state == STATE_PAUSED && talk->end == END_NONE;
}

bool conversation_is_ours(const struct conversation *talk) { return talk->owner == getpid(); }

bool conversation_found_stale(const struct conversation *talk) { return talk->stale; }

const char *conversation_user(const struct conversation *talk) { return talk->user; }

void conversation_end(struct conversation *talk)
{
  if (talk == NULL)
    return;
  leave_core(talk);
  free(talk->user);
  explicit_bzero(talk, sizeof *talk);
  free(talk);
}
