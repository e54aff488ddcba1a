// A session without a login: a person's shell, as that person, at a terminal of its own. Whatever it started ends with it.

#pragma once

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What a session starts with.
struct session_start {
  const char *program;
  // Both lists end with NULL.
  char *const *arguments;
  char *const *environment;
  // A person without this folder starts in the root folder, as login(1) does it.
  const char *home;
  const char *name;
  uid_t user;
  gid_t group;
  const gid_t *groups;
  size_t group_count;
  // A service whose session lines are opened first, and the folder that has it; NULL if there are none.
  const char *service;
  const char *folder;
};

// A session that was started.
struct session_running {
  // Our end of the terminal.
  int terminal;
  // Everything ends when this is closed.
  int guard;
  // The process that ends everything.
  pid_t guardian;
};

static inline int session_accept(int count, const struct pam_message **messages, struct pam_response **responses,
                                 void *data)
{
  (void)messages;
  (void)data;
  *responses = count > 0 ? calloc((size_t)count, sizeof **responses) : NULL;
  return *responses == NULL ? PAM_CONV_ERR : PAM_SUCCESS;
}

// Adds the variables of the service's session lines to the environment, and lets them set limits for this process.
static inline char *const *session_open_pam(const struct session_start *start)
{
  const struct pam_conv conversation = {session_accept, NULL};
  pam_handle_t *handle = NULL;
  if (start->service == NULL ||
      pam_start_confdir(start->service, start->name, &conversation, start->folder, &handle) != PAM_SUCCESS)
    return start->environment;
  for (char *const *variable = start->environment; *variable != NULL; variable++)
    pam_putenv(handle, *variable);
  pam_open_session(handle, PAM_SILENT);
  // The handle stays open: closing it would undo what the lines did.
  char **all = pam_getenvlist(handle);
  return all == NULL ? start->environment : all;
}

// The shell's process. `terminal` is the shell's end of the terminal. Does not return.
static inline void session_become(const struct session_start *start, int terminal)
{
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  if (setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) < 0)
    _exit(126);
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
    dup2(terminal, descriptor);
  closefrom(STDERR_FILENO + 1);
  char *const *environment = session_open_pam(start);
  closefrom(STDERR_FILENO + 1);
  // Anybody else but root has no rights to give up, and starts only a shell of their own.
  if ((geteuid() == 0 && setgroups(start->group_count, start->groups) != 0) || setgid(start->group) != 0 ||
      setuid(start->user) != 0)
    _exit(126);
  if (chdir(start->home) != 0 && chdir("/") != 0)
    _exit(126);
  umask(022);
  // Without a keyring of its own the shell would have that of root's session, and what is in it. Where the call is not permitted,
  // such as in a container, the shell cannot use keyrings either.
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM)
    _exit(126);
  execve(start->program, start->arguments, environment);
  // Of somebody without the right to run it, or of a file that is no program.
  _exit(127);
}

// Kills the children of this process, which are also those that lost their parent, until there are none.
static inline void session_end_children(void)
{
  // A program that the kernel cannot end, for example because it waits for a disk, is left to init. Without a namespace, so are
  // programs that multiply faster.
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const time_t end = now.tv_sec + 5;
  while (now.tv_sec < end) {
    FILE *children = fopen("/proc/thread-self/children", "re");
    int child = 0;
    while (children != NULL && fscanf(children, "%d", &child) == 1)
      if (child > 1)
        kill(child, SIGKILL);
    if (children != NULL)
      fclose(children);
    pid_t ended;
    do
      ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    if (ended < 0 && errno == ECHILD)
      return;
    const struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  }
}

// The first process of a PID namespace: waits for the processes that lost their parent. Does not return.
static inline void session_reap(void)
{
  for (;;)
    if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
      _exit(0);
}

// Moves the children of this process into a PID namespace, whose processes the kernel ends all at once, however fast they
// multiply. Returns 0, or -1 where that is not permitted, such as in some containers.
static inline int session_separate(void)
{
  return (int)syscall(SYS_unshare, 0x20000000UL | 0x00020000UL /* CLONE_NEWPID | CLONE_NEWNS */);
}

// Replaces a folder of sockets with an empty one of the same owner and mode, unless the person's home is in it.
static inline void session_hide(const char *folder, const char *home)
{
  struct stat state;
  char options[96];
  const size_t length = strlen(folder);
  if (strncmp(home, folder, length) == 0 && (home[length] == '/' || home[length] == 0))
    return;
  if (stat(folder, &state) != 0 || !S_ISDIR(state.st_mode))
    return;
  snprintf(options, sizeof options, "size=64m,mode=%o,uid=%u,gid=%u", (unsigned)(state.st_mode & 07777),
           (unsigned)state.st_uid, (unsigned)state.st_gid);
  mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

// Shows the namespace's own processes in /proc, for programs such as ps(1), and hides the sockets at which programs of an earlier
// login answer: a profile that attaches to a running tmux or screen would have the trial type into that.
static inline void session_arrange_files(const struct session_start *start)
{
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return;
  mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  char own[64];
  snprintf(own, sizeof own, "/run/user/%u", (unsigned)start->user);
  session_hide("/tmp", start->home);
  session_hide("/run/screen", start->home);
  session_hide(own, start->home);
}

// The guardian's process: starts the shell, and ends everything once `guard` is closed. It keeps `own`, our end of the terminal:
// a shell that loses its terminal before it is killed would write down the commands that it was given. Does not return.
static inline void session_guard(const struct session_start *start, int own, int terminal, int guard)
{
  // A signal from the terminal that uafctl was called from must not end it before its children.
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
  const int is_separate = session_separate() == 0;
  const pid_t first = fork();
  if (first == 0) {
    if (is_separate) {
      session_arrange_files(start);
      // The namespace's first process ignores most signals, which a shell must not.
      const pid_t shell = fork();
      if (shell != 0) {
        closefrom(STDERR_FILENO + 1);
        session_reap();
      }
    }
    session_become(start, terminal);
  }
  if (first > 0) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
      if (nothing >= 0)
        dup2(nothing, descriptor);
    // Nothing else remains: a lock or a pipe of uafctl's must not stay open here.
    const int upper = guard > own ? guard : own;
    for (int descriptor = STDERR_FILENO + 1; descriptor < upper; descriptor++)
      if (descriptor != guard && descriptor != own)
        close(descriptor);
    closefrom(upper + 1);
    char byte;
    while (read(guard, &byte, 1) < 0 && errno == EINTR)
      ;
    kill(first, SIGKILL);
    session_end_children();
  }
  _exit(0);
}

// Our end of a new terminal of 24 lines and 80 columns, which belongs to `owner`; its other end in `other`. Returns -1 with
// errno if there is none.
static inline int session_terminal(uid_t owner, int *other)
{
  const int own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (own < 0)
    return -1;
  const struct winsize size = {24, 80, 0, 0};
  const int unlocked = 0;
  *other = -1;
  if (ioctl(own, TIOCSPTLCK, &unlocked) == 0 && ioctl(own, TIOCSWINSZ, &size) == 0)
    *other = ioctl(own, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  // tmux and others open it again by its name, as the person. Only root can give it away.
  if (*other >= 0 && (geteuid() != 0 || fchown(*other, owner, (gid_t)-1) == 0))
    return own;
  const int error = errno;
  if (*other >= 0)
    close(*other);
  close(own);
  errno = error;
  return -1;
}

// Starts a session. Returns 0, or -1 with errno.
static inline int session_begin(const struct session_start *start, struct session_running *running)
{
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  for (int end = 0; end < 2; end++)
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
  int other = -1;
  running->terminal = session_terminal(start->user, &other);
  running->guard = ends[1];
  running->guardian = running->terminal < 0 ? -1 : fork();
  if (running->guardian == 0) {
    close(running->guard);
    session_guard(start, running->terminal, other, ends[0]);
  }
  const int error = errno;
  close(ends[0]);
  if (other >= 0)
    close(other);
  if (running->guardian > 0)
    return 0;
  close(running->guard);
  if (running->terminal >= 0)
    close(running->terminal);
  errno = error;
  return -1;
}

// Ends everything that the session started, and waits until it has ended.
static inline void session_finish(const struct session_running *running)
{
  close(running->guard);
  while (waitpid(running->guardian, NULL, 0) < 0 && errno == EINTR)
    ;
  // Only now: a shell that loses its terminal would write down the commands that it was given.
  close(running->terminal);
}
