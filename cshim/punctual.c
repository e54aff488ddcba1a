/* With prctl PR_SET_TIMERSLACK, a person who starts su can make every wait of su end 40 s late or more. The module removes that
   slack while it waits, and restores it for the host afterwards. */
#include "punctual.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limits.h"

/* The system call is made directly, because prctl(2) would truncate its result to an int. */
static long slack(unsigned long operation, unsigned long nanoseconds)
{
  return syscall(SYS_prctl, operation, nanoseconds, 0UL, 0UL, 0UL);
}

long punctual_begin(void)
{
  const int error = errno;
  const long before = slack(PR_GET_TIMERSLACK, 0);
  if (before > (long)UAF_TIMER_SLACK_NANOSECONDS)
    slack(PR_SET_TIMERSLACK, UAF_TIMER_SLACK_NANOSECONDS);
  errno = error;
  return before;
}

void punctual_end(long before)
{
  const int error = errno;
  if (before > (long)UAF_TIMER_SLACK_NANOSECONDS)
    slack(PR_SET_TIMERSLACK, (unsigned long)before);
  errno = error;
}
