/* Settings of a process that a caller can change without privileges, and that are inherited through fork and exec, even by su
   and sudo. The code runs in the child after fork, so it must only call async-signal-safe functions. */
#include "shed.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limits.h"

/* This constant is newer than the oldest headers with which the module is built. */
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif
#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67
#endif
enum { SHARE_FROM = 2, ONE_THREAD = 0, FIRST_PROCESS = 1, JOIN_SESSION_KEYRING = 1, DEFAULT_POLICY = 0 };

/* struct sched_attr of linux/sched/types.h, which on some systems cannot be included together with sched.h. */
struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
  uint32_t least, most;
};
enum { KEEP_POLICY = 0x08, KEEP_PARAMETERS = 0x10, CLAMP_LEAST = 0x20, CLAMP_MOST = 0x40 };

static void write_setting(const char *path, char value)
{
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  /* This fails in a container for which root has set that its processes are killed first when memory runs out. */
  const ssize_t ignored = write(file, &value, 1);
  (void)ignored;
  close(file);
}

/* Resets settings that could make the core late or slow, or leave it without a processor. */
static void shed_delays(void)
{
  /* All ones mean the system's default. */
  const struct attributes unclamped = {.size = sizeof unclamped,
                                       .flags = KEEP_POLICY | KEEP_PARAMETERS | CLAMP_LEAST | CLAMP_MOST,
                                       .least = UINT32_MAX,
                                       .most = UINT32_MAX};
  syscall(SYS_sched_setattr, 0, &unclamped, 0);
  /* Leaves the caller's core scheduling group (processes that may share a processor's threads), by copying that of process 1,
     which is in none. */
  prctl(PR_SCHED_CORE, SHARE_FROM, FIRST_PROCESS, ONE_THREAD, 0UL);
  /* 0 would set the slack with which the process started, which is the caller's. */
  prctl(PR_SET_TIMERSLACK, UAF_TIMER_SLACK_NANOSECONDS);
}

/* Resets settings that change where the core's memory is, or what others can learn about it. */
static void shed_memory(void)
{
  syscall(SYS_set_mempolicy, DEFAULT_POLICY, NULL, 0UL);
  /* If the core's pages were merged with identical pages of other processes, the time that a write takes would reveal their
     content. */
  prctl(PR_SET_MEMORY_MERGE, 0UL, 0UL, 0UL, 0UL);
  prctl(PR_SET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL);
  prctl(PR_MCE_KILL, (unsigned long)PR_MCE_KILL_CLEAR, 0UL, 0UL, 0UL);
  write_setting("/proc/self/coredump_filter", '0');
  write_setting("/proc/self/oom_score_adj", '0');
}

void shed_settings(void)
{
  /* From the next exec on, addresses are random again, and uname reports the real version of the kernel. */
  personality(PER_LINUX);
  /* If the caller has forbidden the time stamp counter (only on x86), reading the clock would kill the core with a signal. */
  prctl(PR_SET_TSC, (unsigned long)PR_TSC_ENABLE, 0UL, 0UL, 0UL);
  /* Joins a new session keyring without a name, instead of the caller's. */
  syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL, 0UL, 0UL, 0UL);
  shed_delays();
  shed_memory();
}
