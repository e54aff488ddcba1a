/* The first pass leaves what it found out in the PAM handle. It stays there until the second pass or pam_end(3). */
#include "change.h"

#include <security/pam_ext.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "conversation.h"
#include "log.h"
#include "stale.h"

static const char note_name[] = "pam_uaf_change";

/* The note that the first pass leaves for the second. */
struct note {
  struct conversation *talk;
  bool ignored;            /* the account has nothing to change; the second pass returns PAM_IGNORE too */
  const char *const *line; /* address of the line's arguments, the same in both passes; only compared */
};

static void clean_up(pam_handle_t *pamh, void *data, int status)
{
  struct note *note = data;
  (void)pamh, (void)status;
  if (note != NULL)
    conversation_end(note->talk);
  free(note);
}

static const struct note *find_note(pam_handle_t *pamh)
{
  const void *note = NULL;
  return pam_get_data(pamh, note_name, &note) == PAM_SUCCESS ? note : NULL;
}

/* Ends the conversation that an earlier pass left. */
static void forget_note(pam_handle_t *pamh)
{
  if (find_note(pamh) != NULL)
    pam_set_data(pamh, note_name, NULL, NULL);
}

/* Leaves the conversation in the handle for the second pass; ends it if that fails. */
static bool leave_note(pam_handle_t *pamh, struct conversation *talk, bool ignored, const char *const *line)
{
  struct note *note = malloc(sizeof *note);
  if (note != NULL)
    *note = (struct note){talk, ignored, line};
  if (note != NULL && pam_set_data(pamh, note_name, note, clean_up) == PAM_SUCCESS)
    return true;
  free(note);
  conversation_end(talk);
  pam_syslog(pamh, LOG_CRIT, "out of memory");
  return false;
}

static int first_pass(pam_handle_t *pamh, int flags, int argc, const char *const *argv)
{
  struct conversation *talk = NULL;
  const int code = conversation_begin(pamh, OPERATION_CHANGE, flags, argc, argv, &talk);
  if (code == PAM_SUCCESS || code == PAM_IGNORE)
    return leave_note(pamh, talk, code == PAM_IGNORE, argv) ? code : PAM_SYSTEM_ERR;
  conversation_end(talk);
  return code;
}

/* Why the second pass must not continue the conversation that the first pass left; NULL if it may. */
static const char *objection(pam_handle_t *pamh, const struct note *note, const char *const *line)
{
  const void *user = NULL;
  if (note == NULL)
    return "there was no first pass";
  if (!conversation_is_ours(note->talk))
    return "the first pass was in another process";
  if (note->line != line)
    return "the first pass was of another line of the stack";
  if (pam_get_item(pamh, PAM_USER, &user) != PAM_SUCCESS || user == NULL ||
      strcmp(user, conversation_user(note->talk)) != 0)
    return "the first pass was for another user name";
  return NULL;
}

static int second_pass(pam_handle_t *pamh, int flags, int argc, const char *const *argv)
{
  const struct note *note = find_note(pamh);
  const char *reason = objection(pamh, note, argv);
  int code = PAM_AUTHTOK_ERR;
  if (reason != NULL)
    log_outcome(pamh, LOG_ERR, code, "nothing was changed: %s", reason);
  else
    code = note->ignored ? PAM_IGNORE : conversation_resume(note->talk, flags, argc, argv);
  if (code == PAM_SUCCESS)
    stale_forget(pamh);
  forget_note(pamh);
  return code;
}

int change(pam_handle_t *pamh, int flags, int argc, const char *const *argv)
{
  const bool first = ((unsigned)flags & PAM_PRELIM_CHECK) != 0;
  if (first == (((unsigned)flags & PAM_UPDATE_AUTHTOK) != 0)) {
    log_outcome(pamh, LOG_ERR, PAM_SERVICE_ERR, "called for both passes of a change at once, or for none");
    return PAM_SERVICE_ERR;
  }
  if (first)
    forget_note(pamh);
  /* PAM_IGNORE is not returned if the first pass has already prompted the person. By the second pass, PAM_USER may have
     changed; that pass then refuses. */
  if (((unsigned)flags & PAM_CHANGE_EXPIRED_AUTHTOK) != 0 && !stale_is_noted(pamh) && find_note(pamh) == NULL)
    return PAM_IGNORE;
  return first ? first_pass(pamh, flags, argc, argv) : second_pass(pamh, flags, argc, argv);
}
