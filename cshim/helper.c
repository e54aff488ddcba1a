/* Connects to the core or starts it, exchanges packets with it, and ends it. None of this affects the host: descriptors are
   close-on-exec, its SIGCHLD disposition stays, SIGPIPE is never raised, and the child is only addressed by its pidfd. */
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "birth.h"
#include "limits.h"
#include "punctual.h"
#include "waiting.h"

_Static_assert(sizeof UAF_SOCKET_PATH <= sizeof((struct sockaddr_un *)0)->sun_path, "SOCKET_PATH is too long");

static bool fail(struct helper *helper, const char *what)
{
  helper->error = errno;
  helper->what = what;
  return false;
}

static void close_descriptor(int *descriptor)
{
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
}

/* Moves a descriptor above 2: if a host has closed 0, 1 or 2, our socket could otherwise become its standard output. Returns -1
   if that fails; the descriptor is then closed. */
static int above_standard(int descriptor)
{
  if (descriptor < 0 || descriptor > STDERR_FILENO)
    return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return moved;
}

/* Whether the process at the other end runs as root. The module talks to no other. */
static bool peer_is_root(struct helper *helper)
{
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(helper->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    return fail(helper, "getsockopt(SO_PEERCRED)");
  errno = EACCES;
  return peer.uid == 0 || fail(helper, "the owner of " UAF_SOCKET_PATH);
}

static bool reach(struct helper *helper)
{
  const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = UAF_SOCKET_PATH};
  helper->socket = above_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (helper->socket < 0)
    return fail(helper, "socket");
  if (!connect_patiently(helper->socket, &address, helper->call_deadline)) {
    fail(helper, "connect to " UAF_SOCKET_PATH);
    close_descriptor(&helper->socket);
    return false;
  }
  if (!peer_is_root(helper))
    close_descriptor(&helper->socket);
  return helper->socket >= 0;
}

/* Without a pidfd, the child can be waited for but not killed, because its process ID might already belong to another process.
   It ends because it notices that its socket was closed. */
static void wait_without_pidfd(pid_t child)
{
  const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
  const int64_t deadline = now_milliseconds() + UAF_GRACE_MILLISECONDS;
  const long slack = punctual_begin();
  while (waitpid(child, NULL, WNOHANG) == 0 && now_milliseconds() < deadline)
    nanosleep(&pause, NULL);
  punctual_end(slack);
}

static bool start(struct helper *helper, bool may_be_born_at_root)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(helper, "socketpair");
  helper->socket = above_standard(ends[0]);
  int theirs = above_standard(ends[1]);
  const bool placed = helper->socket >= 0 && theirs >= 0;
  const pid_t child = placed ? birth(may_be_born_at_root, &helper->born_at_root) : -1;
  if (child == 0)
    child_become_helper(theirs, helper->born_at_root);
  if (child < 0) {
    fail(helper, placed ? "fork" : "fcntl(F_DUPFD_CLOEXEC)");
    close_descriptor(&theirs);
    return false;
  }
  close_descriptor(&theirs);
  helper->started = true;
  helper->pidfd = above_standard((int)syscall(SYS_pidfd_open, child, 0));
  /* ESRCH: the child is already gone, and the host has reaped it. The socket will show that it has ended. */
  if (helper->pidfd >= 0 || errno == ESRCH)
    return true;
  fail(helper, "pidfd_open");
  close_descriptor(&helper->socket);
  wait_without_pidfd(child);
  return false;
}

void helper_limit(struct helper *helper, unsigned timeout_seconds)
{
  helper->call_deadline = timeout_seconds > 0 ? now_milliseconds() + (int64_t)timeout_seconds * 1000 : INT64_MAX;
}

bool helper_open(struct helper *helper, unsigned timeout_seconds)
{
  *helper = (struct helper){.socket = -1, .pidfd = -1};
  helper_limit(helper, timeout_seconds);
  if (reach(helper))
    return true;
  return geteuid() == 0 && start(helper, true);
}

/* Called after a system call on the socket has failed: returns whether to try it again. If the call would have blocked, this
   first waits until the socket is ready. If the result is false, status is what the failure means. */
static bool may_retry(struct helper *helper, const char *what, short events, int64_t silence,
                      enum helper_status *status)
{
  *status = HELPER_FAILED;
  if (errno == EINTR)
    return true;
  if (errno == EPIPE || errno == ECONNRESET) {
    *status = HELPER_ENDED;
    return false;
  }
  if (errno != EAGAIN && errno != EWOULDBLOCK)
    return fail(helper, what);
  const bool call_ends_first = helper->call_deadline < silence;
  const int64_t deadline = call_ends_first ? helper->call_deadline : silence;
  if (wait_minding(helper->socket, events, deadline, &helper->signals) || errno == EINTR)
    return true;
  if (errno != ETIMEDOUT)
    return fail(helper, "poll");
  *status = call_ends_first ? HELPER_TIMED_OUT : HELPER_SILENT;
  return false;
}

enum helper_status helper_send(struct helper *helper, const uint8_t *packet, size_t length)
{
  const int64_t silence = now_milliseconds() + UAF_SILENCE_MILLISECONDS;
  if (now_milliseconds() >= helper->call_deadline)
    return HELPER_TIMED_OUT;
  enum helper_status status;
  while (send(helper->socket, packet, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    if (!may_retry(helper, "send", POLLOUT, silence, &status))
      return status;
  return HELPER_OK;
}

/* Receives without waiting. There is no room for descriptors, so the kernel drops them and sets MSG_CTRUNC. */
static ssize_t take(struct helper *helper, uint8_t *packet, size_t capacity, int flags, bool *whole)
{
  struct iovec room = {.iov_base = packet, .iov_len = capacity};
  struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1};
  const ssize_t length = recvmsg(helper->socket, &message, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  *whole = length >= 0 && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  return length;
}

enum helper_status helper_receive(struct helper *helper, uint8_t *packet, size_t capacity, size_t *length)
{
  const int64_t silence = now_milliseconds() + UAF_SILENCE_MILLISECONDS;
  bool whole = false;
  ssize_t taken;
  enum helper_status status;
  *length = 0;
  for (;;) {
    /* Packets that have arrived are left unread. So the core notices that nobody has read its verdict. */
    if (signals_end_host(&helper->signals))
      return HELPER_GIVEN_UP;
    taken = take(helper, packet, capacity, 0, &whole);
    if (taken >= 0)
      break;
    if (!may_retry(helper, "recvmsg", POLLIN, silence, &status))
      return status;
  }
  if (!whole)
    return HELPER_PROTOCOL_ERROR;
  *length = (size_t)taken;
  return taken > 0 ? HELPER_OK : HELPER_ENDED;
}

enum helper_status helper_await(struct helper *helper)
{
  const int64_t silence = now_milliseconds() + UAF_SILENCE_MILLISECONDS;
  uint8_t byte;
  bool whole = false;
  ssize_t taken;
  enum helper_status status;
  while ((taken = take(helper, &byte, sizeof byte, MSG_PEEK, &whole)) < 0)
    if (!may_retry(helper, "recvmsg", POLLIN, silence, &status))
      return status;
  return taken > 0 ? HELPER_OK : HELPER_ENDED;
}

enum helper_status helper_check_quiet(struct helper *helper)
{
  uint8_t byte;
  bool whole = false;
  ssize_t taken;
  do
    taken = take(helper, &byte, sizeof byte, MSG_PEEK, &whole);
  while (taken < 0 && errno == EINTR);
  if (taken > 0 || (taken == 0 && !whole))
    return HELPER_PROTOCOL_ERROR;
  if (taken == 0 || errno == ECONNRESET)
    return HELPER_ENDED;
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return HELPER_OK;
  fail(helper, "recvmsg");
  return HELPER_FAILED;
}

/* Whether the child has ended within this many milliseconds. */
static bool ends_within(int pidfd, int64_t milliseconds)
{
  const int64_t deadline = now_milliseconds() + milliseconds;
  bool ended;
  do
    ended = wait_ready(pidfd, POLLIN, deadline);
  while (!ended && errno == EINTR);
  return ended;
}

/* Linux 6.18 kills a process that is created in a different cgroup from its parent's if the parent's cgroup was ever killed,
   and a person may own that cgroup. Such a process has done nothing, because it never ran. */
static bool was_killed_at_birth(const struct helper *helper)
{
  siginfo_t end = {0};
  /* If there is no pidfd, the child was gone before it could be checked, and the host has reaped it. */
  if (helper->pidfd < 0 || !ends_within(helper->pidfd, UAF_GRACE_MILLISECONDS))
    return helper->pidfd < 0;
  if (waitid((idtype_t)P_PIDFD, (id_t)helper->pidfd, &end, WEXITED | WNOHANG | WNOWAIT) != 0)
    return true;
  return end.si_code == CLD_KILLED && end.si_status == SIGKILL;
}

static void end_process(struct helper *helper, bool at_once)
{
  if (at_once || !ends_within(helper->pidfd, UAF_GRACE_MILLISECONDS)) {
    syscall(SYS_pidfd_send_signal, helper->pidfd, SIGKILL, NULL, 0);
    ends_within(helper->pidfd, UAF_KILL_MILLISECONDS);
  }
  /* ECHILD also means that the child has been reaped: the host ignores SIGCHLD, or its handler was faster. */
  siginfo_t ignored;
  while (waitid((idtype_t)P_PIDFD, (id_t)helper->pidfd, &ignored, WEXITED | WNOHANG) != 0 && errno == EINTR)
    continue;
  close_descriptor(&helper->pidfd);
}

bool helper_is_replaceable(const struct helper *helper)
{
  return geteuid() == 0 && (!helper->started || helper->born_at_root);
}

bool helper_start_instead(struct helper *helper, enum helper_status status)
{
  const bool was_born = helper->started;
  if (!helper_is_replaceable(helper) || (was_born && (status != HELPER_ENDED || !was_killed_at_birth(helper))))
    return false;
  close_descriptor(&helper->socket);
  if (helper->pidfd >= 0)
    end_process(helper, true);
  return start(helper, !was_born);
}

void helper_close(struct helper *helper, bool at_once)
{
  close_descriptor(&helper->socket);
  if (helper->pidfd >= 0)
    end_process(helper, at_once);
  /* This comes last, because a signal that is delivered now may end the host. */
  signals_release(&helper->signals);
}

void helper_forget(struct helper *helper)
{
  signals_release(&helper->signals);
  close_descriptor(&helper->socket);
  close_descriptor(&helper->pidfd);
}
