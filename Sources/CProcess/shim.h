// The system calls by which a process gives up power, which Swift cannot call itself: prctl takes variable
// arguments, libc has capset without a declaration, and Glibc's module leaves the GNU calls out. Nothing is
// decided here.

#pragma once

#include <linux/capability.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// glibc 2.34.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

int setresuid(uid_t real, uid_t effective, uid_t saved);
int setresgid(gid_t real, gid_t effective, gid_t saved);
int getresuid(uid_t *real, uid_t *effective, uid_t *saved);
int getresgid(gid_t *real, gid_t *effective, gid_t *saved);

static inline int process_control(int option, unsigned long argument) { return prctl(option, argument, 0UL, 0UL, 0UL); }

// Empties the effective, permitted and inheritable sets.
static inline int process_clear_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, none);
}

// Whether the permitted, effective and inheritable sets are empty: 1, 0, or -1 if that cannot be told.
static inline int process_has_no_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0) return -1;
  __u32 any = 0;
  for (int part = 0; part < _LINUX_CAPABILITY_U32S_3; part++)
    any |= sets[part].effective | sets[part].permitted | sets[part].inheritable;
  return any == 0;
}
