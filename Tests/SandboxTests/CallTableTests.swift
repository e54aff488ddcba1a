import CSeccomp
import Sandbox
import Testing

@testable import UAFChip
@testable import UAFFetch
@testable import UAFFinger
@testable import UAFHelper
@testable import UAFName

/// Which system calls the sandboxes of a login's programs allow.
@Suite struct CallTableTests {
  private static let core = allowed(HelperSandbox.calls)
  private static let network = allowed(FetchSandbox.calls)
  private static let chip = allowed(ChipSandbox.calls)
  private static let finger = allowed(FingerSandbox.calls)
  private static let name = allowed(NameSandbox.calls)
  private static let all = [core, network, chip, finger, name]
  /// System calls that open or change a file by its name.
  private static let opening: Set<String> = ["open", "openat", "openat2", "creat", "unlink", "rename"]

  /// System calls that are known to lead to more privileges, in addition to those of ``escapes``.
  private static let dangerous: Set<String> = [
    "execve", "execveat", "fork", "vfork", "listen", "accept", "accept4",
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "kcmp", "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "setns", "unshare",
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl",
    "add_key", "request_key", "open_by_handle_at", "name_to_handle_at", "memfd_create", "memfd_secret",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "acct", "quotactl", "syslog", "iopl", "ioperm", "modify_ldt", "settimeofday", "clock_settime", "clock_adjtime",
    "adjtimex", "sethostname", "setdomainname", "vhangup",
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups",
    "capset", "personality", "seccomp", "setrlimit", "setsid", "setpgid", "setpriority", "sched_setscheduler",
    "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmodat", "chown", "lchown", "fchownat", "truncate",
    "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "utimensat", "utime",
    "utimes", "futimesat",
    "shmget", "shmat", "shmctl", "semget", "msgget", "mq_open", "remap_file_pages", "pkey_mprotect",
  ]
  /// System calls that could lead out of a sandbox, and of which the network program needs some.
  private static let escapes: Set<String> = [
    "socket", "socketpair", "connect", "bind", "sendmsg", "sendmmsg", "clone", "prctl", "ioctl",
  ]

  private static func allowed(_ rules: [CallRule]) -> Set<String> {
    rules.reduce(into: []) { names, rule in
      switch rule {
      case .allowed(let some, _): names.formUnion(some)
      case .allowedIf(let name, _, _): names.insert(name)
      }
    }
  }

  @Test func `libseccomp knows the name of each system call in the tables`() {
    // SAFETY: the name is lent for the call. -1 is an unknown name; other numbers below 0 are calls of other architectures.
    let names = Self.all.reduce(Self.dangerous.union(Self.escapes).union(Self.opening)) { $0.union($1) }
    #expect(names.filter { unsafe seccomp_syscall_resolve_name($0) == -1 } == [])
  }

  @Test func `no sandbox allows a system call that leads to more privileges`() {
    for table in Self.all { #expect(table.intersection(Self.dangerous) == []) }
  }

  @Test func `the core's sandbox allows no system call that leads out of it`() {
    #expect(Self.core.intersection(Self.escapes) == [])
  }

  @Test func `the chip's program can open nothing, and talks only over what is already open`() {
    #expect(Self.chip.intersection(Self.escapes.union(Self.opening)) == [])
  }

  @Test func `the sensor's program can open nothing, and talks only over what is already open`() {
    #expect(Self.finger.intersection(Self.escapes.union(Self.opening)) == ["sendmsg"])
    #expect(Self.finger.isDisjoint(with: ["read", "write"]))
  }

  @Test func `the name program can start no program, accept no connection and change no file`() {
    #expect(Self.name.intersection(Self.escapes) == ["socket", "connect", "sendmsg", "ioctl"])
    let changing = ["mkdir", "rename", "unlink", "link", "ftruncate", "pwrite64", "fchmod", "fchown"]
    #expect(Self.name.isDisjoint(with: changing))
  }

  @Test(arguments: ["mkdir", "rename", "unlink", "link", "ftruncate", "pwrite64", "flock", "fchmod", "fchown"])
  func `the network program can change no file`(_ name: String) {
    #expect(!Self.network.contains(name))
  }

  @Test func `clone3 fails as an unknown system call, so that libc falls back to clone`() {
    for table in Self.all { #expect(!table.contains("clone3")) }
  }
}
