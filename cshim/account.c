/* The account stage has a conversation of its own: it shows no prompts, and the core decides whether the account may log in. */
#include "account.h"

#include <unistd.h>

#include "conversation.h"
#include "options.h"

int account_check(pam_handle_t *pamh, int flags, int argc, const char *const *argv)
{
  struct conversation *talk = NULL;
  /* Without root privileges, a host cannot enforce anything: its user could skip this stage. */
  if (!options_read(argc, argv).account_check || geteuid() != 0)
    return PAM_SUCCESS;
  const int code = conversation_begin(pamh, OPERATION_ACCOUNT, flags, argc, argv, &talk);
  conversation_end(talk);
  return code;
}
