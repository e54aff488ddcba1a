/* A greeter for the tests: session-host SERVICE USER RHOST [COMMAND]

   Logs USER in with the stack /etc/pam.d/SERVICE: authentication, account, credentials, session. RHOST "-" is none. In the
   session it runs COMMAND as USER with the environment that PAM left, by /bin/sh, and closes the session after it. What PAM
   says goes to standard output, one line each ("prompt TEXT", "error TEXT", "info TEXT", "result STAGE NUMBER"). The answers
   are the lines of standard input. The exit status is that of the first stage that failed, or of COMMAND. */
#include "conversation.h"
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

static char *answer(void *data)
{
  (void)data;
  return read_line();
}

static int told(const char *stage, int code)
{
  printf("result %s %d\n", stage, code);
  fflush(stdout);
  return code;
}

/* What pam_systemd and the greeter set in a real session. */
static void prepare(pam_handle_t *pamh, const struct passwd *person)
{
  char text[256];
  snprintf(text, sizeof text, "XDG_RUNTIME_DIR=/run/user/%lu", (unsigned long)person->pw_uid);
  pam_putenv(pamh, text);
  snprintf(text, sizeof text, "HOME=%s", person->pw_dir);
  pam_putenv(pamh, text);
  pam_putenv(pamh, "PATH=/usr/bin:/bin");
  pam_putenv(pamh, "LC_ALL=C.UTF-8");
}

static int run(pam_handle_t *pamh, const struct passwd *person, const char *command)
{
  const pid_t child = fork();
  int status = 0;
  if (child == 0) {
    if (initgroups(person->pw_name, person->pw_gid) != 0 || setgid(person->pw_gid) != 0 || setuid(person->pw_uid) != 0)
      _exit(126);
    char *const arguments[] = {"sh", "-c", (char *)(size_t)command, NULL};
    execve("/bin/sh", arguments, pam_getenvlist(pamh));
    _exit(127);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static int session(pam_handle_t *pamh, const struct passwd *person, const char *command)
{
  int code = told("auth", pam_authenticate(pamh, 0));
  if (code == PAM_SUCCESS)
    code = told("account", pam_acct_mgmt(pamh, 0));
  if (code == PAM_SUCCESS)
    code = told("cred", pam_setcred(pamh, PAM_ESTABLISH_CRED));
  if (code == PAM_SUCCESS)
    code = told("session", pam_open_session(pamh, 0));
  if (code != PAM_SUCCESS)
    return code;
  const int status = command != NULL ? run(pamh, person, command) : 0;
  pam_close_session(pamh, 0);
  pam_setcred(pamh, PAM_DELETE_CRED);
  return status;
}

int main(int argc, char **argv)
{
  const struct pam_conv conversation = {.conv = converse};
  pam_handle_t *pamh = NULL;
  const struct passwd *person = argc >= 4 ? getpwnam(argv[2]) : NULL;
  if (person == NULL || pam_start(argv[1], argv[2], &conversation, &pamh) != PAM_SUCCESS)
    return 64;
  pam_set_item(pamh, PAM_FAIL_DELAY, (const void *)no_delay);
  pam_set_item(pamh, PAM_TTY, ":0");
  if (strcmp(argv[3], "-") != 0)
    pam_set_item(pamh, PAM_RHOST, argv[3]);
  prepare(pamh, person);
  const int code = session(pamh, person, argc > 4 ? argv[4] : NULL);
  pam_end(pamh, code);
  return code;
}
