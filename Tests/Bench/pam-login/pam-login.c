/* One login through libpam, as a host makes it, with a person who answers at once.

     pam-login [-h] FOLDER SERVICE USER ANSWER

   Prints six numbers: microseconds from pam_start to the first prompt, from the last answer to the verdict, and from
   pam_start to the verdict; microseconds of processor time in user and in system mode, of the host and of all that it
   started; and the largest resident size of one of these processes in KiB. A login without a prompt has the verdict's
   time for the first one, and 0 for the second. With -h it says "prompt" at the first prompt and holds still until a
   line comes, so that somebody can look at the processes. Exit status: 0 if the login succeeded, 1 if it was refused, 2
   if libpam could not be used. */
#include <security/pam_appl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

struct person {
  const char *answer;
  bool holds;
  unsigned prompts;
  double asked, answered;
};

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void hold_still(void)
{
  puts("prompt");
  fflush(stdout);
  while (getchar() != '\n')
    if (feof(stdin))
      exit(2);
}

static char *answer(struct person *person)
{
  if (person->prompts++ == 0)
    person->asked = now();
  if (person->holds && person->prompts == 1)
    hold_still();
  char *copy = strdup(person->answer);
  person->answered = now();
  return copy;
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
  struct pam_response *given = calloc((size_t)count, sizeof *given);
  if (given == NULL)
    return PAM_BUF_ERR;
  for (int i = 0; i < count; i++)
    if (messages[i]->msg_style == PAM_PROMPT_ECHO_OFF || messages[i]->msg_style == PAM_PROMPT_ECHO_ON)
      given[i].resp = answer(data);
  *responses = given;
  return PAM_SUCCESS;
}

static double microseconds(struct timeval time) { return (double)time.tv_sec * 1e6 + (double)time.tv_usec; }

/* The host's own usage from here on, and that of its children. */
static void add_usage(int who, double sign, double *user, double *system, long *resident)
{
  struct rusage usage;
  getrusage(who, &usage);
  *user += sign * microseconds(usage.ru_utime);
  *system += sign * microseconds(usage.ru_stime);
  if (usage.ru_maxrss > *resident)
    *resident = usage.ru_maxrss;
}

int main(int count, char **arguments)
{
  struct person person = {.holds = count > 1 && strcmp(arguments[1], "-h") == 0};
  char **words = arguments + (person.holds ? 2 : 1);
  if (arguments + count - words != 4)
    return 2;
  person.answer = words[3];
  /* What the core starts outlives it for a moment: it is to be counted, too. */
  prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
  const struct pam_conv conversation = {converse, &person};
  pam_handle_t *handle = NULL;
  double user = 0, system = 0;
  long resident = 0;
  add_usage(RUSAGE_SELF, -1, &user, &system, &resident);
  const double start = now();
  if (pam_start_confdir(words[1], words[2], &conversation, words[0], &handle) != PAM_SUCCESS)
    return 2;
  const int code = pam_authenticate(handle, 0);
  const double end = now();
  pam_end(handle, code);
  while (wait(NULL) > 0)
    continue;
  add_usage(RUSAGE_SELF, 1, &user, &system, &resident);
  add_usage(RUSAGE_CHILDREN, 1, &user, &system, &resident);
  const bool asked = person.prompts > 0;
  printf("%.0f %.0f %.0f %.0f %.0f %ld\n", (asked ? person.asked : end) - start, asked ? end - person.answered : 0.0,
         end - start, user, system, resident);
  if (code != PAM_SUCCESS)
    fprintf(stderr, "pam-login: %s\n", pam_strerror(NULL, code));
  return code == PAM_SUCCESS ? 0 : 1;
}
