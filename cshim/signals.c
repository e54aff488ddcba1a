/* Pending signals are not consumed here: the host receives each of them as soon as the wait is over. */
#include "signals.h"

#include <stddef.h>

void signals_hold(struct signals *signals)
{
  static const int numbers[] = {SIGINT, SIGHUP, SIGQUIT, SIGTERM};
  if (signals->are_held)
    return;
  sigemptyset(&signals->ending);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction action;
    if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&signals->ending, numbers[i]);
  }
  signals->are_held = pthread_sigmask(SIG_BLOCK, &signals->ending, &signals->host_mask) == 0;
}

void signals_release(struct signals *signals)
{
  if (signals->are_held)
    pthread_sigmask(SIG_SETMASK, &signals->host_mask, NULL);
  signals->are_held = false;
}

bool signals_end_host(const struct signals *signals)
{
  sigset_t pending;
  if (!signals->are_held || sigpending(&pending) != 0)
    return false;
  /* This includes signals that the host itself has blocked: they end the host as soon as it unblocks them. */
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&pending, number) == 1 && sigismember(&signals->ending, number) == 1)
      return true;
  return false;
}
