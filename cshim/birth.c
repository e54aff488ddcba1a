/* Moving a process to a cgroup takes long, because the kernel waits for an RCU grace period: 8 ms at the median, and 15 ms or
   more in one case of ten. A process that is created in its cgroup need not be moved. But Linux 6.18 compares the wrong
   counters, and kills such a process if its parent's cgroup was ever killed. helper.c then starts another process, which is
   moved. */
#include "birth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined SYS_clone3 && defined CLONE_INTO_CGROUP
/* Opens the root of the cgroups of version 2. The type of the folder is checked because the kernel would refuse any other one
   only after it has copied the process. */
static int open_root(const char *folder)
{
  const int root = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct statfs system;
  if (root < 0 || (fstatfs(root, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC))
    return root;
  close(root);
  return -1;
}

/* Calls clone3(2) like fork(2), but with a cgroup. No pthread_atfork handlers run, and the C library's state is not repaired,
   so the child must only make system calls. The call fails on kernels before 5.7, and in sandboxes without clone3. */
static pid_t born_in(const char *folder)
{
  const int cgroup = open_root(folder);
  if (cgroup < 0)
    return -1;
  struct clone_args arguments = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (__u64)cgroup};
  const pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  /* The child closes all its descriptors later. */
  if (child != 0)
    close(cgroup);
  return child;
}
#else
static pid_t born_in(const char *folder)
{
  (void)folder;
  return -1;
}
#endif

static pid_t born_at_root(void)
{
  static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
  pid_t child = -1;
  for (size_t i = 0; i < sizeof roots / sizeof roots[0] && child < 0; i++)
    child = born_in(roots[i]);
  return child;
}

pid_t birth(bool may_be_born, bool *at_root)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = may_be_born ? born_at_root() : -1;
  *at_root = child >= 0;
  if (child < 0)
    child = fork();
  if (child == 0)
    return child;
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return child;
}
