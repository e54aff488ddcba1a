import CProcess
import Glibc

/// What the process gives up beside its sandbox.
enum ChipPrivileges {
  /// Drops the environment, dumps, new privileges and the machine's network, and locks what memory it can.
  ///
  /// - Returns: how leaving the network went: an error number, or 0; nil if the process cannot be confined at all.
  static func prepare() -> CInt? {
    // tpm2-tss reads TSS2_LOG and TSS2_LOGFILE, OpenSSL OPENSSL_CONF.
    clearenv()
    // SAFETY: the texts are copied.
    _ = unsafe setenv("TSS2_LOG", "all+NONE", 1)
    umask(0o077)
    _ = signal(SIGPIPE, SIG_IGN)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
      process_control(PR_SET_DUMPABLE, 0) == 0, process_control(PR_SET_NO_NEW_PRIVS, 1) == 0, prepareCopy()
    else { return nil }
    return process_leave_network() == 0 ? 0 : errno
  }

  /// Does what a copy of this process does not inherit: it ends with the one that started it, and locks its memory.
  ///
  /// - Returns: whether it would end.
  static func prepareCopy() -> Bool {
    guard process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else { return false }
    lockMemory()
    return true
  }

  /// Keeps the key from the swap while the libraries hold it; a system that refuses that is no reason to stop.
  ///
  /// Without the limit, memory that is to be locked could not be had at all.
  private static func lockMemory() {
    var all = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
    // RLIMIT_MEMLOCK is 8. SAFETY: `all` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(8), &all) == 0 else { return }
    // MCL_CURRENT, MCL_FUTURE and MCL_ONFAULT: only pages that are used are read in.
    _ = mlockall(7)
  }

  /// Drops every capability, once the chip is open: its device belongs to another user.
  ///
  /// The user number stays: a number that other programs have would allow those to reach this process.
  ///
  /// - Returns: whether none is left.
  static func dropCapabilities() -> Bool {
    guard process_control(PR_CAP_AMBIENT, UInt(PR_CAP_AMBIENT_CLEAR_ALL)) == 0, process_clear_capabilities() == 0 else {
      return false
    }
    return process_has_no_capabilities() == 1
  }
}
