#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned passed, failed, failed_here;

void check(bool holds, const char *condition, const char *file, int line)
{
  if (holds)
    return;
  failed_here++;
  printf("# %s:%d: %s\n", strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file, line, condition);
}

void check_text(const char *seen, const char *expected, const char *file, int line)
{
  if (strcmp(seen, expected) == 0)
    return;
  check(false, "the texts differ", file, line);
  printf("# seen:     %.2000s\n# expected: %.2000s\n", seen, expected);
}

void test(const char *sentence, void (*body)(void))
{
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    body();
    fflush(NULL);
    exit(failed_here == 0 ? 0 : 1); /* by exit, so that the leak checker looks */
  }
  const bool ran = child > 0 && waitpid(child, &status, 0) == child;
  const bool good = ran && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (ran && WIFSIGNALED(status))
    printf("# killed by signal %d\n", WTERMSIG(status));
  good ? passed++ : failed++;
  printf("%s %u - %s\n", good ? "ok" : "not ok", passed + failed, sentence);
}

unsigned check_failures(void) { return failed_here; }

int check_summary(void)
{
  printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
