/* See waiting.h. */
#include "waiting.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "limits.h"
#include "punctual.h"

int64_t now_milliseconds(void)
{
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool connect_patiently(int socket, const struct sockaddr_un *address, int64_t deadline)
{
  const struct timespec pause = {.tv_nsec = UAF_QUEUE_PAUSE_NANOSECONDS};
  const int64_t enough = now_milliseconds() + UAF_QUEUE_MILLISECONDS;
  const long slack = punctual_begin();
  int failed;
  while ((failed = connect(socket, (const struct sockaddr *)address, sizeof *address)) != 0 && errno == EAGAIN &&
         geteuid() != 0 && now_milliseconds() < (deadline < enough ? deadline : enough))
    nanosleep(&pause, NULL);
  punctual_end(slack);
  return failed == 0;
}

bool wait_ready(int descriptor, short events, int64_t deadline)
{
  const int64_t left = deadline - now_milliseconds();
  struct pollfd entry = {.fd = descriptor, .events = events};
  if (left <= 0) {
    errno = ETIMEDOUT;
    return false;
  }
  const long slack = punctual_begin();
  const int ready = poll(&entry, 1, left < INT_MAX ? (int)left : INT_MAX);
  punctual_end(slack);
  if (ready == 0)
    errno = ETIMEDOUT;
  return ready > 0;
}

bool wait_minding(int descriptor, short events, int64_t deadline, const struct signals *signals)
{
  while (signals->are_held) {
    const int64_t slice = now_milliseconds() + UAF_SIGNAL_MILLISECONDS;
    if (slice >= deadline)
      break;
    if (wait_ready(descriptor, events, slice))
      return true;
    if (errno != ETIMEDOUT || signals_end_host(signals)) {
      errno = errno == ETIMEDOUT ? EINTR : errno;
      return false;
    }
  }
  return wait_ready(descriptor, events, deadline);
}
