/* A PAM host for the tests: pam-host FOLDER SERVICE USER [RHOST] [-- STAGE...]

   Authenticates USER with the stack FOLDER/SERVICE, or runs the named stages, each even if the one before has failed. A
   stage is auth, account, cred, password, expired (password with PAM_CHANGE_EXPIRED_AUTHTOK), enter (account, then expired
   if account demands it) or alone (auth; from then on the host has no conversation function). What PAM says goes to
   standard output, one line each ("prompt TEXT", "error TEXT", "info TEXT"; at the end of a stage "result NUMBER"). The
   answers are the lines of standard input. The exit status is PAM's last code. Unlike a real login, the host does not wait
   after a failure. */
#include "conversation.h"

static char *answer(void *data)
{
  (void)data;
  return read_line();
}

static int run(pam_handle_t *pamh, const char *stage)
{
  int code = PAM_ABORT;
  if (strcmp(stage, "auth") == 0)
    code = pam_authenticate(pamh, 0);
  else if (strcmp(stage, "alone") == 0) {
    const struct pam_conv none = {0};
    code = pam_set_item(pamh, PAM_CONV, &none);
    if (code == PAM_SUCCESS)
      code = pam_authenticate(pamh, 0);
  } else if (strcmp(stage, "account") == 0)
    code = pam_acct_mgmt(pamh, 0);
  else if (strcmp(stage, "enter") == 0) {
    code = pam_acct_mgmt(pamh, 0);
    if (code == PAM_NEW_AUTHTOK_REQD)
      code = pam_chauthtok(pamh, PAM_CHANGE_EXPIRED_AUTHTOK);
  } else if (strcmp(stage, "cred") == 0)
    code = pam_setcred(pamh, PAM_ESTABLISH_CRED);
  else if (strcmp(stage, "password") == 0)
    code = pam_chauthtok(pamh, 0);
  else if (strcmp(stage, "expired") == 0)
    code = pam_chauthtok(pamh, PAM_CHANGE_EXPIRED_AUTHTOK);
  printf("result %d\n", code);
  fflush(stdout);
  return code;
}

int main(int argc, char **argv)
{
  const int remote = argc > 4 && strcmp(argv[4], "--") != 0;
  const int stages = 4 + remote + 1;
  if (argc < 4 || (argc > 4 + remote && strcmp(argv[4 + remote], "--") != 0))
    return 64;
  const struct pam_conv conversation = {.conv = converse};
  pam_handle_t *pamh = NULL;
  int code = pam_start_confdir(argv[2], argv[3], &conversation, argv[1], &pamh);
  if (code == PAM_SUCCESS)
    code = pam_set_item(pamh, PAM_FAIL_DELAY, (const void *)no_delay);
  if (code == PAM_SUCCESS && remote)
    code = pam_set_item(pamh, PAM_RHOST, argv[4]);
  if (code != PAM_SUCCESS)
    return 64;
  if (stages >= argc)
    code = run(pamh, "auth");
  for (int i = stages; i < argc; i++)
    code = run(pamh, argv[i]);
  pam_end(pamh, code);
  return code;
}
