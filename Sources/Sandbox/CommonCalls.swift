import Glibc

/// System calls that each of our programs needs.
///
/// clone3 must not be among them: when it does not exist, libc uses clone, whose flags a filter can check.
public enum CommonCalls {
  /// Calls that concern only the process itself and its memory.
  public static let ofItself: [CallRule] = [
    .allowed(
      ["brk", "munmap", "mremap", "madvise", "mlock", "mlock2", "munlock"],
      why: "the allocator, and the pages of secrets"),
    .allowedIf(
      "mprotect", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)],
      why: "the allocator; no page that was ever written becomes code"),
    .allowed(
      ["rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall"],
      why: "a debugger or a stop must not end a login"),
    .allowedIf("tgkill", [CallCondition(0, isWord: UInt32(bitPattern: getpid()))], why: "abort"),
    .allowed(["exit", "exit_group"], why: "the end"),
    .allowed(
      ["getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo"],
      why: "asked by libc, OpenSSL and SQLite; they change nothing"),
    .allowed(["getrandom"], why: "keys, nonces, TLS"),
    .allowed(["futex", "sched_yield", "sched_getaffinity", "getcpu"], why: "libc's locks"),
    .allowedIf(
      "prlimit64", [CallCondition(0, isWord: 0), CallCondition(2, is: 0)], why: "reading its own limits; sysconf asks"),
    .allowed(
      ["clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep"],
      why: "deadlines and locks"),
  ]

  /// Looking at files, those that Landlock leaves.
  public static let reading = CallRule.allowed(
    [
      "open", "openat", "close", "read", "pread64", "readv", "lseek", "fstat", "stat", "lstat", "newfstatat", "statx",
      "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "fcntl",
    ],
    why: "files; which ones is for Landlock to say, and for the user number")

  /// Waiting on a descriptor.
  public static let waiting = CallRule.allowed(["poll", "ppoll"], why: "waiting for a packet, with a deadline")

  /// Memory, and the code of plug-ins, which are loaded when a name is looked up.
  ///
  /// So a file may be mapped as code if it cannot be written through that mapping; memory may not. No file can be made
  /// here, so an attacker cannot bring in code.
  public static let plugIns: [CallRule] = [
    .allowedIf("mmap", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)], why: "memory"),
    .allowedIf(
      "mmap",
      [
        CallCondition(2, mask: UInt64(PROT_EXEC | PROT_WRITE), is: UInt64(PROT_EXEC)),
        CallCondition(3, mask: UInt64(MAP_ANONYMOUS), is: 0),
      ], why: "the code of plug-ins"),
  ]
}
