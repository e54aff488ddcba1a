/* What the child does between fork and exec: it resets everything that the caller could have prepared, and becomes the core.
   Only functions that do nothing but a system call are allowed in this file: the host may have threads, and the child may have
   been created without the C library's help (birth.h). */
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limits.h"
#include "shed.h"

#define HELPER_SOCKET 3
#define MEBIBYTE ((rlim_t)1024 * 1024)

/* Exit statuses for people who trace the process; the parent does not use them. */
enum { EXIT_NOT_PREPARED = 126, EXIT_NOT_STARTED = 127 };

/* The resource limits that the core needs. A caller can lower them so far that an attempt could not be counted. So if a limit
   cannot be raised to its minimum, the call is refused. */
static const struct {
  __rlimit_resource_t resource;
  rlim_t wanted, least;
} limits[] = {
  {RLIMIT_NOFILE, 1024, 64},
  {RLIMIT_FSIZE, RLIM_INFINITY, 64 * MEBIBYTE},
  {RLIMIT_CPU, RLIM_INFINITY, 60},
  {RLIMIT_AS, RLIM_INFINITY, 512 * MEBIBYTE},
  {RLIMIT_DATA, RLIM_INFINITY, 512 * MEBIBYTE},
  {RLIMIT_STACK, 8 * MEBIBYTE, MEBIBYTE},
  {RLIMIT_MEMLOCK, 64 * MEBIBYTE, 64 * 1024},
  {RLIMIT_NPROC, RLIM_INFINITY, 0},
  {RLIMIT_CORE, 0, 0},
};

static bool raise_limits(void)
{
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct rlimit limit = {limits[i].wanted, limits[i].wanted};
    if (setrlimit(limits[i].resource, &limit) == 0)
      continue;
    if (getrlimit(limits[i].resource, &limit) != 0)
      return false;
    limit.rlim_cur = limit.rlim_max;
    if (limit.rlim_max < limits[i].least || setrlimit(limits[i].resource, &limit) != 0)
      return false;
  }
  return true;
}

/* exec resets handlers, but signals that the host ignores or blocks would stay ignored or blocked. Timers have already been
   removed by fork. The system call is made directly, because sigaction(2) refuses the two signals that the C library reserves
   for threads. A structure of zeros means the default action in every architecture's layout. */
static bool reset_signals(void)
{
  static const unsigned long standard[16];
  sigset_t none;
  for (int number = 1; number < NSIG; number++)
    syscall(SYS_rt_sigaction, number, standard, NULL,
            NSIG / 8); /* fails for KILL and STOP, which have no other disposition */
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

/* Closes the descriptors above the socket. Kernels before 5.9 have no close_range. There, a loop closes them; it does not rely
   on the limit of descriptors, because the caller may have lowered the limit after opening some. */
static void close_the_rest(void)
{
  if (syscall(SYS_close_range, HELPER_SOCKET + 1, ~0U, 0) == 0)
    return;
  for (int descriptor = HELPER_SOCKET + 1; descriptor < 65536; descriptor++)
    close(descriptor);
}

static bool arrange_descriptors(int socket)
{
  const bool placed = socket == HELPER_SOCKET ? fcntl(socket, F_SETFD, 0) == 0 : dup2(socket, HELPER_SOCKET) >= 0;
  if (!placed)
    return false;
  close_the_rest();
  const int null = open("/dev/null", O_RDWR);
  if (null < 0)
    return false;
  for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
    if (dup2(null, standard) < 0)
      return false;
  if (null > STDERR_FILENO)
    close(null);
  return true;
}

/* 32-bit architectures also have older versions of these calls, with 16-bit IDs; the newer ones are used. */
#ifdef SYS_setresuid32
#define SET_GROUPS SYS_setgroups32
#define SET_GROUP SYS_setresgid32
#define SET_USER SYS_setresuid32
#else
#define SET_GROUPS SYS_setgroups
#define SET_GROUP SYS_setresgid
#define SET_USER SYS_setresuid
#endif

/* The real and saved IDs are set too: as long as they are the caller's (su, sudo), the caller may stop or kill the process. The
   system calls are made directly: the C library's functions would notify the host's other threads, which this process does not
   have, and might wait for a lock of theirs for ever. */
static bool become_root(void)
{
  return syscall(SET_GROUPS, 0, NULL) == 0 && syscall(SET_GROUP, 0, 0, 0) == 0 && syscall(SET_USER, 0, 0, 0) == 0;
}

/* A person may own the session's cgroup (systemd delegates it), and could freeze or starve the core there while it holds locks
   that others wait for. Once the core is in the root of the hierarchy, the person cannot move it back. If the root cannot be
   written, as in some containers, the core stays where it is: it works there too. */
static void leave_cgroup(void)
{
  static const char *const roots[] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"};
  for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
    const int procs = open(roots[i], O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (procs < 0)
      continue;
    const bool moved = write(procs, "0", 1) == 1;
    close(procs);
    if (moved)
      return;
  }
}

/* su passes on the caller's niceness, scheduling policy and processors, with which a caller could make the core barely run. If
   these cannot be changed, as in some containers, they stay. */
static void run_as_others_do(void)
{
  static const struct sched_param normal;
  unsigned long all[128];
  memset(all, 0xff, sizeof all);
  sched_setscheduler(0, SCHED_OTHER, &normal);
  setpriority(PRIO_PROCESS, 0, 0);
  syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 0);
  syscall(SYS_sched_setaffinity, 0, sizeof all, all);
}

_Noreturn void child_become_helper(int socket, bool at_root)
{
  static char name[] = "uaf-helper";
  static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  static char locale[] = "LC_ALL=C.UTF-8";
  static char backtrace[] = "SWIFT_BACKTRACE=enable=no";
  static char *const arguments[] = {name, NULL};
  static char *const environment[] = {path, locale, backtrace, NULL};
  umask(077);
  if (setsid() < 0 || chdir("/") != 0 || !become_root() || !raise_limits() || !arrange_descriptors(socket) ||
      !reset_signals())
    _exit(EXIT_NOT_PREPARED);
  if (!at_root)
    leave_cgroup();
  run_as_others_do();
  shed_settings();
  execve(UAF_HELPER_PATH, arguments, environment);
  _exit(EXIT_NOT_STARTED);
}
