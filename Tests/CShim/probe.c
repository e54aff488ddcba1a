/* A PAM module for the stacks of the tests. Before the module under test: authtok=VALUE and oldauthtok=VALUE leave a
   password as another module would. After it: shows in the PAM environment that it was reached (PROBE=reached) and
   whether a password was left (AUTHTOK=…); with "tell", which one (LEFT=…). "permit" makes it succeed; otherwise it is ignored and the verdict is the
   other module's. Between the two passes of a change: pause=MILLISECONDS, user=NAME sets PAM_USER, fork lets a copy of
   the host go on first, fail ends the first pass. */
#include <security/pam_modules.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool is_set(pam_handle_t *pamh, int type)
{
  const void *token = NULL;
  return pam_get_item(pamh, type, &token) == PAM_SUCCESS && token != NULL;
}

static void show(pam_handle_t *pamh)
{
  pam_putenv(pamh, "PROBE=reached");
  pam_putenv(pamh, is_set(pamh, PAM_AUTHTOK) || is_set(pamh, PAM_OLDAUTHTOK) ? "AUTHTOK=present" : "AUTHTOK=absent");
}

/* Shows the password that was left, if there is one. */
static void tell(pam_handle_t *pamh)
{
  const void *token = NULL;
  char variable[1024] = "LEFT=";
  if (pam_get_item(pamh, PAM_AUTHTOK, &token) != PAM_SUCCESS || token == NULL)
    return;
  strncat(variable, token, sizeof variable - sizeof "LEFT=");
  pam_putenv(pamh, variable);
}

int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  int code = PAM_IGNORE;
  (void)flags;
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "authtok=", 8) == 0)
      return pam_set_item(pamh, PAM_AUTHTOK, argv[i] + 8) == PAM_SUCCESS ? PAM_IGNORE : PAM_ABORT;
    if (strcmp(argv[i], "permit") == 0)
      code = PAM_SUCCESS;
    if (strcmp(argv[i], "tell") == 0)
      tell(pamh);
  }
  show(pamh);
  return code;
}

static int between(pam_handle_t *pamh, const char *what)
{
  if (strncmp(what, "pause=", 6) == 0) {
    const long milliseconds = strtol(what + 6, NULL, 10);
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
      continue;
  }
  if (strncmp(what, "user=", 5) == 0)
    pam_set_item(pamh, PAM_USER, what + 5);
  if (strcmp(what, "fork") == 0) {
    const pid_t child = fork();
    if (child > 0)
      waitpid(child, NULL, 0);
  }
  return strcmp(what, "fail") == 0 ? PAM_TRY_AGAIN : PAM_IGNORE;
}

int pam_sm_chauthtok(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  int code = PAM_IGNORE;
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "oldauthtok=", 11) == 0)
      return pam_set_item(pamh, PAM_OLDAUTHTOK, argv[i] + 11) == PAM_SUCCESS ? PAM_IGNORE : PAM_ABORT;
    if (strcmp(argv[i], "permit") == 0)
      code = PAM_SUCCESS;
    else if ((flags & PAM_PRELIM_CHECK) != 0)
      code = between(pamh, argv[i]);
  }
  if ((flags & PAM_UPDATE_AUTHTOK) != 0)
    show(pamh);
  return code;
}

int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}
