import CProcess
import Glibc

/// What this process makes sure of about itself before it reads a key.
enum ServerProcess {
  /// Lets nobody have the process's memory: no core dump, and no tracing by others of the same user.
  ///
  /// - Throws: ``ServerError/unprotectedMemory(errorNumber:)``.
  static func forbidDumps() throws(ServerError) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
      process_control(PR_SET_DUMPABLE, 0) == 0
    else { throw .unprotectedMemory(errorNumber: errno) }
  }
}
