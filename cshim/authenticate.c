/* A login: one conversation, and a note for the account stage. */
#include "authenticate.h"

#include "conversation.h"
#include "stale.h"

int authenticate(pam_handle_t *pamh, int flags, int argc, const char *const *argv)
{
  struct conversation *talk = NULL;
  stale_forget(pamh); /* a secret that was verified earlier is no longer valid */
  const int code = conversation_begin(pamh, OPERATION_AUTHENTICATE, flags, argc, argv, &talk);
  if (code == PAM_SUCCESS && conversation_found_stale(talk))
    stale_note(pamh, conversation_user(talk));
  conversation_end(talk);
  return code;
}
