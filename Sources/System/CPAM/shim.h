// libpam as an application sees it, and the functions of the C library that Swift's Glibc module leaves out but that changing a
// PAM stack needs: shadow passwords and extended attributes.

#pragma once

#include <errno.h>
#include <security/pam_appl.h>
#include <shadow.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// Replaces libpam's pause after a refusal; nobody is guessing here.
static inline void pam_no_delay(int result, unsigned microseconds, void *data)
{
  (void)result;
  (void)microseconds;
  (void)data;
}

static inline int pam_skip_delays(pam_handle_t *handle)
{
  return pam_set_item(handle, PAM_FAIL_DELAY, (const void *)pam_no_delay);
}

// A conversation that cancels at the first prompt, and accepts messages that need no response.
static inline int pam_cancel(int count, const struct pam_message **messages, struct pam_response **responses,
                             void *data)
{
  (void)data;
  if (count <= 0)
    return PAM_CONV_ERR;
  for (int index = 0; index < count; index++) {
    const int style = messages[index]->msg_style;
    if (style != PAM_TEXT_INFO && style != PAM_ERROR_MSG)
      return PAM_CONV_ERR;
  }
  *responses = calloc((size_t)count, sizeof **responses);
  return *responses == NULL ? PAM_BUF_ERR : PAM_SUCCESS;
}

// What to try: authentication, or the account stage. Programs run the account stage after authentication, and also for a
// person who logged in without PAM, such as by a public key.
enum pam_tried { PAM_TRIED_AUTHENTICATION, PAM_TRIED_ACCOUNT };

static inline int pam_ask_cancelling(enum pam_tried tried, const char *service, const char *user, const char *folder,
                                     const char *tty)
{
  const struct pam_conv conversation = {pam_cancel, NULL};
  pam_handle_t *handle = NULL;
  if (pam_start_confdir(service, user, &conversation, folder, &handle) != PAM_SUCCESS)
    return PAM_ABORT;
  pam_skip_delays(handle);
  if (tty != NULL)
    pam_set_item(handle, PAM_TTY, tty);
  const int result = tried == PAM_TRIED_ACCOUNT ? pam_acct_mgmt(handle, 0) : pam_authenticate(handle, 0);
  pam_end(handle, result);
  return result;
}

// pam_ask_cancelling in a separate process: modules are foreign code, and a module that crashes or hangs must not affect the
// caller. The process has only the standard descriptors. Returns the result, or 256 and the signal that ended the process, or
// -1 with errno.
static inline int pam_try_cancelling(enum pam_tried tried, const char *service, const char *user, const char *folder,
                                     const char *tty, unsigned seconds)
{
  const pid_t child = fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    closefrom(STDERR_FILENO + 1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    _exit(pam_ask_cancelling(tried, service, user, folder, tty));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
