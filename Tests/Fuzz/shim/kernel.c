#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "packets.h"
#include "script.h"

#define DESCRIPTORS 16
#define CHILD 4242

enum kind { FREE, STANDARD, CORE, OTHER_END, PROCESS, COMMAND_LINE, CGROUP };

struct kernel kernel;
static enum kind descriptors[DESCRIPTORS];
static size_t command_read_to;

/* What the core does next: a packet, or something that befalls the socket. */
static struct {
  bool known, early, arrived, cut, with_descriptors;
  enum fate fate;
  int64_t delay;
  const uint8_t *packet;
  size_t length;
} next;

void kernel_reset(void)
{
  kernel = (struct kernel){.slack = KERNEL_SLACK};
  memset(descriptors, FREE, sizeof descriptors);
  memset(&next, 0, sizeof next);
  command_read_to = 0;
  for (int standard = 0; standard <= 2; standard++)
    descriptors[standard] = STANDARD;
}

unsigned kernel_descriptors(void)
{
  unsigned count = 0;
  for (int i = 0; i < DESCRIPTORS; i++)
    count += descriptors[i] != FREE && descriptors[i] != STANDARD;
  return count;
}

static int give(enum kind kind, int lowest)
{
  for (int i = lowest; i < DESCRIPTORS; i++)
    if (descriptors[i] == FREE || (descriptors[i] == STANDARD && kernel.low_descriptors)) {
      descriptors[i] = kind;
      return i;
    }
  errno = EMFILE;
  return -1;
}

static enum kind kind_of(int descriptor)
{
  MUST(descriptor >= 0 && descriptor < DESCRIPTORS && descriptors[descriptor] != FREE);
  return descriptors[descriptor];
}

/* The socket the module talks over must not be what the host takes for its standard streams. */
static void check_core(int descriptor) { MUST(kind_of(descriptor) == CORE && descriptor > 2); }

int world_close(int descriptor)
{
  const enum kind kind = kind_of(descriptor);
  MUST(kind != STANDARD);
  descriptors[descriptor] = FREE;
  if (kind == CORE && !kernel.in_copy && !kernel.core_lingers)
    kernel.child_ended = true;
  return 0;
}

int world_socket(int domain, int type, int protocol)
{
  MUST(domain == AF_UNIX && (type & SOCK_CLOEXEC) != 0 && protocol == 0);
  return script_fails(PLACE_SOCKET) ? -1 : give(CORE, 0);
}

int world_connect(int descriptor, const struct sockaddr *address, socklen_t length)
{
  check_core(descriptor);
  MUST(address->sa_family == AF_UNIX && length > 0);
  if (script_fails(PLACE_CONNECT))
    return -1;
  memset(&next, 0, sizeof next);
  kernel.direct = false;
  errno = ENOENT;
  return kernel.socket_missing ? -1 : 0;
}

int world_getsockopt(int descriptor, int level, int name, void *value, socklen_t *length)
{
  check_core(descriptor);
  MUST(level == SOL_SOCKET && name == SO_PEERCRED && *length == sizeof(struct ucred));
  *(struct ucred *)value = (struct ucred){.uid = kernel.peer_is_other ? 1000 : 0};
  return script_fails(PLACE_PEER) ? -1 : 0;
}

int world_socketpair(int domain, int type, int protocol, int ends[2])
{
  MUST(domain == AF_UNIX && (type & SOCK_CLOEXEC) != 0 && protocol == 0);
  if (script_fails(PLACE_PAIR))
    return -1;
  MUST(!kernel.another_caller);
  memset(&next, 0, sizeof next);
  kernel.direct = true;
  ends[0] = give(CORE, 0);
  ends[1] = give(OTHER_END, 0);
  return 0;
}

int world_fcntl(int descriptor, int command, ...)
{
  va_list arguments;
  va_start(arguments, command);
  const int lowest = va_arg(arguments, int);
  va_end(arguments);
  MUST(command == F_DUPFD_CLOEXEC && lowest == 3);
  return script_fails(PLACE_MOVE) ? -1 : give(kind_of(descriptor), lowest);
}

static pid_t start_child(void)
{
  MUST(!kernel.in_copy);
  kernel.child_started = true;
  kernel.child_ended = kernel.child_killed = kernel.child_reaped = false;
  return CHILD;
}

pid_t world_fork(void) { return script_fails(PLACE_FORK) ? -1 : start_child(); }

/* A kernel or a sandbox without it is another fault than one that makes no process at all. */
static long clone_into(const struct clone_args *arguments)
{
  MUST(kind_of((int)arguments->cgroup) == CGROUP && arguments->exit_signal == SIGCHLD);
  if (script_fails(PLACE_CLONE))
    return -1;
  const pid_t child = start_child();
  /* As Linux 6.18 does where the caller's cgroup was killed before: nothing is ever heard of it. */
  if (script_fails(PLACE_BIRTH)) {
    kernel.child_ended = kernel.child_killed = true;
    next.fate = FATE_END;
    next.known = true;
  }
  return child;
}

static long kill_child(void)
{
  MUST(!kernel.in_copy);
  kernel.child_killed = true;
  kernel.child_ended |= !kernel.core_frozen;
  return 0;
}

static long set_slack(unsigned long operation, unsigned long nanoseconds)
{
  if (operation == PR_GET_TIMERSLACK)
    return kernel.slack;
  MUST(operation == PR_SET_TIMERSLACK && nanoseconds > 0);
  kernel.slack = (long)nanoseconds;
  return 0;
}

long world_syscall(long number, ...)
{
  va_list arguments;
  va_start(arguments, number);
  if (number == SYS_prctl) {
    const unsigned long operation = va_arg(arguments, unsigned long);
    const unsigned long nanoseconds = va_arg(arguments, unsigned long);
    va_end(arguments);
    return set_slack(operation, nanoseconds);
  }
  if (number == SYS_clone3) {
    const struct clone_args *clone = va_arg(arguments, const struct clone_args *);
    va_end(arguments);
    return clone_into(clone);
  }
  const int first = va_arg(arguments, int), second = va_arg(arguments, int);
  va_end(arguments);
  if (number == SYS_pidfd_open) {
    MUST(first == CHILD && second == 0);
    kernel.child_is_lost = script_fails(PLACE_PIDFD);
    return kernel.child_is_lost ? -1 : give(PROCESS, 0);
  }
  MUST(number == SYS_pidfd_send_signal && kind_of(first) == PROCESS && second == SIGKILL);
  return kill_child();
}

static int reap(int options, siginfo_t *info)
{
  MUST((options & WNOHANG) != 0);
  errno = ECHILD;
  if (kernel.reaped_by_host)
    return -1;
  if (info != NULL && kernel.child_ended)
    *info = (siginfo_t){.si_code = kernel.child_killed ? CLD_KILLED : CLD_EXITED,
                        .si_status = kernel.child_killed ? SIGKILL : 0};
  kernel.child_reaped |= kernel.child_ended && (options & WNOWAIT) == 0;
  return 0;
}

int world_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
  MUST((int)type == (int)P_PIDFD && kind_of((int)id) == PROCESS);
  return reap(options, info);
}

pid_t world_waitpid(pid_t child, int *status, int options)
{
  (void)status;
  MUST(child == CHILD);
  if (reap(options, NULL) != 0)
    return -1;
  return kernel.child_reaped ? CHILD : 0;
}

int world_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
  (void)how, (void)set;
  if (before != NULL)
    sigemptyset(before);
  return 0;
}

int world_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
  MUST(action == NULL && before != NULL);
  memset(before, 0, sizeof *before);
  before->sa_handler = number == SIGQUIT ? SIG_IGN : SIG_DFL;
  return 0;
}

/* Somebody tells the host to end, once in a while. */
int world_sigpending(sigset_t *set)
{
  sigemptyset(set);
  if (script_fails(PLACE_SIGNAL))
    sigaddset(set, SIGTERM);
  return 0;
}

int world_clock_gettime(clockid_t clock, struct timespec *time)
{
  MUST(clock == CLOCK_MONOTONIC);
  *time = (struct timespec){.tv_sec = kernel.now / 1000, .tv_nsec = kernel.now % 1000 * 1000000};
  return 0;
}

static void wait_for(int64_t milliseconds)
{
  MUST(kernel.slack < KERNEL_SLACK);
  kernel.now += milliseconds;
  kernel.waited += milliseconds;
}

int world_nanosleep(const struct timespec *pause, struct timespec *left)
{
  (void)left;
  wait_for(pause->tv_sec * 1000 + pause->tv_nsec / 1000000);
  return 0;
}

int world_faccessat(int directory, const char *path, int mode, int flags)
{
  (void)directory, (void)path, (void)mode, (void)flags;
  return kernel.ends_in_silence ? -1 : 0;
}

/* Puts together what comes next, where that is not known yet. */
static void look_ahead(void)
{
  while (!next.known) {
    const struct record *event = script_next(&script.events);
    if (event == NULL) {
      next.fate = kernel.ends_in_silence ? FATE_SILENCE : FATE_END;
      next.known = true;
    } else if (event->letter != ':') {
      next.packet = packet_build(event, &next.length);
      next.fate = FATE_PACKET;
      next.known = true;
    } else
      switch (script_byte(event, 0) % FATES) {
      case FATE_EARLY:
        next.early = true;
        break;
      case FATE_CUT:
        next.cut = true;
        break;
      case FATE_DESCRIPTORS:
        next.with_descriptors = true;
        break;
      case FATE_DELAY:
        next.delay += 100 * (int64_t)script_byte(event, 1);
        break;
      default:
        next.fate = script_byte(event, 0) % FATES;
        next.known = true;
      }
  }
}

static ssize_t deliver(struct msghdr *message, bool peek)
{
  const struct iovec *room = message->msg_iov;
  const size_t length = next.fate == FATE_PACKET ? next.length : 0;
  const size_t count = length < room->iov_len ? length : room->iov_len;
  if (count > 0)
    memcpy(room->iov_base, next.packet, count);
  message->msg_flags = (length > count || next.cut ? MSG_TRUNC : 0) | (next.with_descriptors ? MSG_CTRUNC : 0);
  if (peek)
    return (ssize_t)count;
  kernel.received++;
  kernel.last = message->msg_flags == 0 && length > 0 ? next.packet : NULL;
  kernel.last_length = length;
  kernel.prompted |= kernel.last != NULL && kernel.last[0] == 0x81;
  if (next.fate != FATE_END) /* an end lasts */
    memset(&next, 0, sizeof next);
  return (ssize_t)count;
}

ssize_t world_recvmsg(int descriptor, struct msghdr *message, int flags)
{
  const bool peek = (flags & MSG_PEEK) != 0;
  check_core(descriptor);
  MUST((flags & MSG_DONTWAIT) != 0 && message->msg_iovlen == 1 && message->msg_controllen == 0);
  if (!peek && script_fails(PLACE_RECEIVE))
    return -1;
  look_ahead();
  errno = EAGAIN;
  if (next.fate == FATE_SILENCE || next.delay > 0 || (peek && !next.early && !next.arrived))
    return -1;
  if (next.fate == FATE_PACKET || next.fate == FATE_END)
    return deliver(message, peek);
  errno = next.fate == FATE_INTERRUPTED ? EINTR : next.fate == FATE_RESET ? ECONNRESET : EIO;
  memset(&next, 0, sizeof next);
  return -1;
}

ssize_t world_send(int descriptor, const void *packet, size_t length, int flags)
{
  check_core(descriptor);
  MUST((flags & MSG_NOSIGNAL) != 0 && (flags & MSG_DONTWAIT) != 0);
  if (script_fails(PLACE_SEND))
    return -1;
  kernel.sent++;
  module_sent(packet, length);
  return (ssize_t)length;
}

int world_poll(struct pollfd *entry, nfds_t count, int timeout)
{
  MUST(count == 1 && timeout > 0);
  if (script_fails(PLACE_POLL))
    return -1;
  bool ready = kernel.child_ended;
  if (kind_of(entry->fd) != PROCESS) {
    check_core(entry->fd);
    look_ahead();
    ready = entry->events == POLLOUT || (next.fate != FATE_SILENCE && next.delay <= timeout);
    if (entry->events == POLLIN && ready) {
      wait_for(next.delay);
      next.delay = 0;
      next.arrived = true;
    } else if (next.fate != FATE_SILENCE && !ready)
      next.delay -= timeout;
  }
  if (!ready)
    wait_for(timeout);
  return ready ? 1 : 0;
}

int world_fstatfs(int descriptor, struct statfs *system)
{
  MUST(kind_of(descriptor) == CGROUP);
  *system = (struct statfs){.f_type = CGROUP2_SUPER_MAGIC};
  return script_fails(PLACE_CGROUP) ? -1 : 0;
}

/* sudo's command line, read in bits. */
int world_open(const char *path, int flags, ...)
{
  MUST((flags & O_CLOEXEC) != 0);
  if (strncmp(path, "/sys/fs/cgroup", 14) == 0)
    return script_fails(PLACE_CGROUP) ? -1 : give(CGROUP, 0);
  MUST(strcmp(path, "/proc/self/cmdline") == 0);
  command_read_to = 0;
  return script_fails(PLACE_COMMAND) ? -1 : give(COMMAND_LINE, 0);
}

ssize_t world_read(int descriptor, void *bytes, size_t capacity)
{
  MUST(kind_of(descriptor) == COMMAND_LINE);
  if (script_fails(PLACE_COMMAND))
    return -1;
  const size_t left = kernel.command_length - command_read_to;
  size_t count = left < capacity ? left : capacity;
  if (count > 100)
    count = 100;
  if (count > 0)
    memcpy(bytes, kernel.command + command_read_to, count);
  command_read_to += count;
  return (ssize_t)count;
}

/* The file of the program: of an ordinary length, of one that has no room, or not to be had. */
ssize_t world_readlink(const char *path, char *bytes, size_t capacity)
{
  MUST(strcmp(path, "/proc/self/exe") == 0);
  if (script_fails(PLACE_COMMAND))
    return -1;
  const size_t length = kernel.command_length % 2 == 0 ? strlen("/usr/bin/sudo") : capacity;
  memset(bytes, '/', length);
  return (ssize_t)length;
}

char *world_getenv(const char *name) { return strcmp(name, "LC_ALL") == 0 ? (char *)(uintptr_t)kernel.locale : NULL; }

char *world_secure_getenv(const char *name)
{
  return strcmp(name, "GDM_SUPPORTED_PAM_EXTENSIONS") == 0 ? (char *)(uintptr_t)kernel.extensions : NULL;
}

pid_t world_getpid(void) { return kernel.in_copy ? 101 : 100; }

uid_t world_getuid(void) { return kernel.host_is_root ? 0 : 1000; }

uid_t world_geteuid(void) { return kernel.another_caller ? 1000 : 0; }
