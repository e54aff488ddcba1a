/* A screen locker for the tests, as swaylock and i3lock are: locker SERVICE USER [cancel | FILE]

   First the person types one line at standard input. Then the program authenticates USER through libpam, and that line is the
   answer to every prompt. With "cancel" each prompt is answered with an error, as for a person who gives up; with a FILE a
   prompt is answered only once that file exists. What PAM says goes to standard output, one line each ("prompt TEXT", "error
   TEXT", "info TEXT"), then "setcred NUMBER" after a success, and "result NUMBER". The exit status is PAM's code. As in those
   programs, there is no account stage and no session. */
#include "conversation.h"
#include <time.h>
#include <unistd.h>

struct person {
  const char *typed;    /* NULL: gives up */
  const char *wait_for; /* NULL: has typed already */
};

static char *answer(void *data)
{
  const struct person *person = data;
  const struct timespec moment = {.tv_nsec = 20000000};
  while (person->wait_for != NULL && access(person->wait_for, F_OK) != 0)
    nanosleep(&moment, NULL);
  return person->typed != NULL ? strdup(person->typed) : NULL;
}

int main(int argc, char **argv)
{
  char line[512] = "";
  if (argc < 3 || fgets(line, sizeof line, stdin) == NULL)
    return 64;
  line[strcspn(line, "\n")] = '\0';
  struct person person = {.typed = line};
  if (argc > 3 && strcmp(argv[3], "cancel") == 0)
    person.typed = NULL;
  else if (argc > 3)
    person.wait_for = argv[3];
  const struct pam_conv conversation = {.conv = converse, .appdata_ptr = &person};
  pam_handle_t *pamh = NULL;
  int code = pam_start(argv[1], argv[2], &conversation, &pamh);
  if (code == PAM_SUCCESS)
    code = pam_set_item(pamh, PAM_FAIL_DELAY, (const void *)no_delay);
  if (code != PAM_SUCCESS)
    return 64;
  code = pam_authenticate(pamh, 0);
  if (code == PAM_SUCCESS)
    printf("setcred %d\n", pam_setcred(pamh, PAM_REFRESH_CRED));
  printf("result %d\n", code);
  pam_end(pamh, code);
  explicit_bzero(line, sizeof line);
  return code;
}
