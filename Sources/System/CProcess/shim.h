// The system calls that Swift cannot call itself, mostly for dropping privileges: prctl takes variable
// arguments, libc has capset without a declaration, and Glibc's module leaves the GNU calls out. Nothing is
// decided here.

#pragma once

#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/types.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <unistd.h>

// Since glibc 2.34.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// The first fields of the dynamic linker's description of a program or library; <link.h> declares them only for GNU sources.
struct dl_phdr_info {
  Elf64_Addr dlpi_addr;
  const char *dlpi_name;
  const Elf64_Phdr *dlpi_phdr;
  Elf64_Half dlpi_phnum;
};
int dl_iterate_phdr(int (*each)(struct dl_phdr_info *object, size_t size, void *data), void *data);

int setresuid(uid_t real, uid_t effective, uid_t saved);
int setresgid(gid_t real, gid_t effective, gid_t saved);
int getresuid(uid_t *real, uid_t *effective, uid_t *saved);
int getresgid(gid_t *real, gid_t *effective, gid_t *saved);

static inline int process_control(int option, unsigned long argument) { return prctl(option, argument, 0UL, 0UL, 0UL); }

// Empties the effective, permitted and inheritable sets.
static inline int process_clear_capabilities(void)
{
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, none);
}

static inline void *process_idle_thread(void *nothing) { return nothing; }

// Starts a thread that does nothing and waits for its end. Returns 0, or the error number if no thread can be started. For
// uaf-fetch: libcurl needs a thread for each look-up of a name.
static inline int process_try_thread(void)
{
  pthread_t thread;
  const int error = pthread_create(&thread, NULL, process_idle_thread, NULL);
  return error != 0 ? error : pthread_join(thread, NULL);
}

// A copy of this process, which must have one thread: returns 0 in the copy, its process ID in the original, -1 on failure.
static inline pid_t process_copy(void) { return fork(); }

// A descriptor of a child that was not waited for; it can be read once the child has ended. -1 on failure.
static inline int process_descriptor(pid_t child) { return (int)syscall(SYS_pidfd_open, child, 0U); }

// Whether the permitted, effective and inheritable sets are empty: 1, 0, or -1 if that cannot be determined.
static inline int process_has_no_capabilities(void)
{
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0)
    return -1;
  __u32 any = 0;
  for (int part = 0; part < _LINUX_CAPABILITY_U32S_3; part++)
    any |= sets[part].effective | sets[part].permitted | sets[part].inheritable;
  return any == 0;
}

// Gives up CAP_AUDIT_CONTROL and CAP_AUDIT_READ, and nothing else.
static inline int process_drop_audit_control(void)
{
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0)
    return -1;
  const int dropped[] = {CAP_AUDIT_CONTROL, CAP_AUDIT_READ};
  for (int index = 0; index < 2; index++) {
    struct __user_cap_data_struct *part = &sets[dropped[index] / 32];
    const __u32 kept = ~(1U << dropped[index] % 32);
    part->effective &= kept;
    part->permitted &= kept;
    part->inheritable &= kept;
  }
  return (int)syscall(SYS_capset, &header, sets);
}

// Moves this process into an empty network namespace, in which not even the loopback interface is up.
static inline int process_leave_network(void) { return (int)syscall(SYS_unshare, 0x40000000UL /* CLONE_NEWNET */); }

// Landlock (Documentation/userspace-api/landlock.rst). The kernel's header of the machine that builds may be older than
// the kernel of the one that runs this, so structures and numbers are defined here; they are the same on every architecture.

struct landlock_rules {
  __u64 files, network, scope;
};

struct landlock_beneath {
  __u64 allowed;
  __s32 folder;
} __attribute__((packed));

// Whether a program keeps the kernel's clock synchronised; -1 if the kernel does not report it.
static inline int clock_is_synchronised(void)
{
  struct timex state = {0};
  return adjtimex(&state) < 0 ? -1 : (state.status & STA_UNSYNC) == 0;
}

// The Landlock version that the kernel supports, or -1.
static inline int landlock_version(void) { return (int)syscall(444, NULL, 0UL, 1U); }

// Fields of the structure that an older kernel does not know must be zero; it then accepts the structure.
static inline int landlock_make_rules(const struct landlock_rules *rules)
{
  return (int)syscall(444, rules, sizeof *rules, 0U);
}

static inline int landlock_allow_beneath(int rules, int folder, __u64 allowed)
{
  const struct landlock_beneath beneath = {allowed, folder};
  return (int)syscall(445, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &beneath, 0U);
}

static inline int landlock_enter(int rules) { return (int)syscall(446, rules, 0U); }

// Renames inside a folder, unless the new name exists (RENAME_NOREPLACE; EINVAL if the file system does not support it).
static inline int file_rename_to_new(int folder, const char *name, const char *other)
{
  return (int)syscall(SYS_renameat2, folder, name, folder, other, 1U);
}
