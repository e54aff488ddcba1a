/* How the tests' hosts talk to libpam. What PAM says goes to standard output, one line each ("prompt TEXT", "error TEXT",
   "info TEXT"). Each program has its own `answer`. */
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The answer to a prompt, to be freed; NULL if there is none. `data` is that of the conversation. */
static char *answer(void *data);

/* For PAM_FAIL_DELAY: unlike a real login, nothing waits after a failure. */
static inline void no_delay(int status, unsigned microseconds, void *data)
{
  (void)status, (void)microseconds, (void)data;
}

/* A line of standard input without its end, to be freed; NULL at the end of the input. */
static inline char *read_line(void)
{
  char *line = NULL;
  size_t size = 0;
  if (getline(&line, &size, stdin) < 0) {
    free(line);
    return NULL;
  }
  line[strcspn(line, "\n")] = '\0';
  return line;
}

/* Prints a message of PAM's, and returns whether it asks. */
static inline int shown(const struct pam_message *message)
{
  const int style = message->msg_style;
  const int asks = style == PAM_PROMPT_ECHO_OFF || style == PAM_PROMPT_ECHO_ON;
  printf("%s %s\n", asks ? "prompt" : style == PAM_ERROR_MSG ? "error" : "info", message->msg);
  fflush(stdout);
  return asks;
}

static inline int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
  struct pam_response *answers = calloc((size_t)count, sizeof *answers);
  if (answers == NULL)
    return PAM_BUF_ERR;
  for (int i = 0; i < count; i++) {
    if (shown(messages[i]) && (answers[i].resp = answer(data)) == NULL) {
      while (i-- > 0)
        free(answers[i].resp);
      free(answers);
      return PAM_CONV_ERR;
    }
  }
  *responses = answers;
  return PAM_SUCCESS;
}
