import CProcess
import Glibc

/// Settings of the server's own process.
enum ServerProcess {
  /// Protects the process's memory: no core dump, and no tracing by other processes of the same user.
  ///
  /// - Throws: ``ServerError/unprotectedMemory(errorNumber:)``.
  static func forbidDumps() throws(ServerError) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
      process_control(PR_SET_DUMPABLE, 0) == 0
    else { throw .unprotectedMemory(errorNumber: errno) }
  }

  /// Lets SIGHUP not end a server that has just been started; one that runs reads its keys again then (``KeyReload``).
  static func ignoreHangup() { _ = signal(SIGHUP, SIG_IGN) }

  /// How many connections may be open at once: at most `wanted`, and at most half of the limit of open files.
  ///
  /// The other half is for connections that are being closed. The limit of open files is raised first, as far as is allowed.
  static func connections(atMost wanted: Int) -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    // SAFETY: `limit` is an rlimit.
    guard unsafe getrlimit(resource, &limit) == 0 else { return wanted }
    let needed = rlim_t(wanted * 4)
    if limit.rlim_cur < needed, limit.rlim_cur < limit.rlim_max {
      var raised = rlimit(rlim_cur: min(needed, limit.rlim_max), rlim_max: limit.rlim_max)
      // SAFETY: `raised` is an rlimit.
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return max(1, min(wanted, Int(clamping: limit.rlim_cur / 2)))
  }
}
