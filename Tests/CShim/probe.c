/* A PAM module for the stacks of the tests. Before the module under test: authtok=VALUE leaves a password as another
   module would. After it: shows in the PAM environment that it was reached (PROBE=reached) and whether a password was
   left (AUTHTOK=…). "permit" makes it succeed; otherwise it is ignored and the verdict is the other module's. */
#include <security/pam_modules.h>
#include <string.h>

int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  const void *token = NULL;
  int code = PAM_IGNORE;
  (void)flags;
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "authtok=", 8) == 0)
      return pam_set_item(pamh, PAM_AUTHTOK, argv[i] + 8) == PAM_SUCCESS ? PAM_IGNORE : PAM_ABORT;
    if (strcmp(argv[i], "permit") == 0)
      code = PAM_SUCCESS;
  }
  pam_get_item(pamh, PAM_AUTHTOK, &token);
  pam_putenv(pamh, "PROBE=reached");
  pam_putenv(pamh, token != NULL ? "AUTHTOK=present" : "AUTHTOK=absent");
  return code;
}

int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
  (void)pamh, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}
