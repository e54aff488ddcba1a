import CSeccomp
import Glibc

/// The system calls that the process can still make once it has entered the filter (seccomp).
///
/// A call that no rule names fails with ENOSYS, as on a kernel that lacks it: a newer libc then falls back to an older call.
/// The process is never killed for a call, so that an update of libc does not break logins.
public struct SystemCallFilter {
  private var rules: [CallRule] = []

  /// Makes a filter of these rules.
  ///
  /// If several rules name the same call, it is allowed whenever one of them allows it.
  public init(_ rules: [CallRule]) { self.rules = rules }

  /// Enters the filter permanently.
  ///
  /// The process needs no privilege for this, provided that it has set `no_new_privs`.
  ///
  /// - Returns: the system's error number, or 0.
  public func enter() -> CInt {
    // SAFETY: the filter is ours from here until it is released, in all the calls below.
    guard let filter = unsafe seccomp_init(filter_error(UInt16(ENOSYS))) else { return ENOMEM }
    defer { unsafe seccomp_release(filter) }
    // Calls with the numbers of a different architecture fail with ENOSYS too.
    var failure = unsafe seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, filter_error(UInt16(ENOSYS)))
    // The filter is a binary tree instead of a list: the kernel runs it for every call number when it loads it, so a list would
    // be slow.
    if failure == 0 { failure = unsafe seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) }
    for rule in rules where failure == 0 { failure = unsafe Self.add(rule, to: filter) }
    if failure == 0 { failure = unsafe seccomp_load(filter) }
    return failure < 0 ? -failure : failure
  }

  private static func add(_ rule: CallRule, to filter: UnsafeMutableRawPointer) -> CInt {
    // SAFETY: the caller's filter, which lives until the caller releases it.
    switch rule {
    case .allowed(let names, _): unsafe add(names, [], to: filter)
    case .allowedIf(let name, let conditions, _): unsafe add([name], conditions, to: filter)
    }
  }

  /// Adds calls to the filter.
  ///
  /// A call that libseccomp or the architecture does not know is skipped, so it fails with ENOSYS.
  private static func add(
    _ names: [String], _ conditions: [CallCondition], to filter: UnsafeMutableRawPointer
  ) -> CInt {
    let comparisons = conditions.map {
      scmp_arg_cmp(arg: $0.argument, op: SCMP_CMP_MASKED_EQ, datum_a: $0.mask, datum_b: $0.value)
    }
    for name in names {
      // SAFETY: the name lives for the call, and the number of comparisons passed is the number that is given.
      let number = unsafe seccomp_syscall_resolve_name(name)
      guard number >= 0 else { continue }
      let failure = unsafe seccomp_rule_add_array(
        filter, filter_allow(), number, UInt32(comparisons.count), comparisons)
      if failure != 0 { return failure }
    }
    return 0
  }
}

/// One line of a table of system calls.
public enum CallRule: Sendable {
  /// The calls are allowed.
  case allowed([String], why: String)
  /// The call is allowed if every condition holds. Otherwise it fails like a call that no rule names.
  case allowedIf(String, [CallCondition], why: String)
}

/// A condition on an argument of a system call.
public struct CallCondition: Sendable {
  let argument: UInt32
  let mask: UInt64
  let value: UInt64

  /// The bits of `mask` in an argument must be `value`.
  public init(_ argument: UInt32, mask: UInt64, is value: UInt64) {
    self.argument = argument
    self.mask = mask
    self.value = value
  }

  /// An argument must equal `value` in all 64 bits; for pointers and numbers of that size.
  public init(_ argument: UInt32, is value: UInt64) { self.init(argument, mask: .max, is: value) }

  /// An argument of 32 bits must equal `value`; the upper half of its register is ignored.
  public init(_ argument: UInt32, isWord value: UInt32) {
    self.init(argument, mask: 0xFFFF_FFFF, is: UInt64(value))
  }
}

/// System calls that each of our programs needs.
///
/// clone3 must not be among them: if it fails with ENOSYS, libc uses clone, whose flags the filter can check.
public enum CommonCalls {
  /// Calls that affect only the process itself and its memory.
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

  /// Reading files, as far as Landlock allows that.
  public static let reading = CallRule.allowed(
    [
      "open", "openat", "close", "read", "pread64", "readv", "lseek", "fstat", "stat", "lstat", "newfstatat", "statx",
      "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "fcntl",
    ],
    why: "files; which ones is for Landlock to say, and for the user number")

  /// Waiting for a descriptor.
  public static let waiting = CallRule.allowed(["poll", "ppoll"], why: "waiting for a packet, with a deadline")

  /// Memory, and the code of the NSS plug-ins that are loaded when a name is looked up.
  ///
  /// So a file may be mapped as executable, but only if the mapping is not writable; anonymous memory may not. The process
  /// cannot make files, so an attacker cannot bring in code.
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
