import CProcess
import FidoResults
import Glibc

/// What this process ensures about itself before it reads a byte.
enum HelperProcess {
  /// Prevents core dumps, tracing and new privileges, and raises limits that would end the call too early.
  ///
  /// - Throws: ``Ending`` where a limit is too low and cannot be raised: refused before anything is asked.
  static func prepare() throws(Ending) {
    umask(0o077)
    _ = signal(SIGPIPE, SIG_IGN)
    // Ignored, a write above the size limit fails with EFBIG and is reported, instead of killing.
    _ = signal(SIGXFSZ, SIG_IGN)
    guard process_control(PR_SET_DUMPABLE, 0) == 0, process_control(PR_SET_NO_NEW_PRIVS, 1) == 0 else {
      throw Ending(.cannotUse, log: "prctl: errno \(errno)")
    }
    try limit(resource(RLIMIT_CORE), to: 0)
    try require(resource(RLIMIT_FSIZE), atLeast: 16 << 20, "file size")
    try require(resource(RLIMIT_AS), atLeast: 1 << 30, "address space")
    try require(resource(RLIMIT_NOFILE), atLeast: 32, "open files")
  }

  /// Opens 0, 1 and 2 where they are closed: the next file opened must not become one of them.
  static func openStandardDescriptors() {
    while true {
      // SAFETY: a literal path.
      let descriptor = unsafe open("/dev/null", O_RDWR)
      guard (0...2).contains(descriptor) else {
        if descriptor > 2 { close(descriptor) }
        return
      }
    }
  }

  // Glibc's module has the constants as an enumeration and the functions with plain integers.
  private static func resource(_ resource: __rlimit_resource) -> __rlimit_resource_t {
    __rlimit_resource_t(resource.rawValue)
  }

  private static func limit(_ resource: __rlimit_resource_t, to value: rlim_t) throws(Ending) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    // SAFETY: `limit` is an rlimit.
    guard unsafe setrlimit(resource, &limit) == 0 else { throw Ending(.cannotUse, log: "setrlimit: errno \(errno)") }
  }

  private static func require(_ resource: __rlimit_resource_t, atLeast least: rlim_t, _ name: String) throws(Ending) {
    var limit = rlimit()
    // SAFETY: `limit` is an rlimit.
    _ = unsafe getrlimit(resource, &limit)
    if limit.rlim_cur >= least { return }
    limit.rlim_cur = max(least, min(limit.rlim_max, least))
    limit.rlim_max = max(limit.rlim_max, least)
    guard unsafe setrlimit(resource, &limit) == 0 else {
      throw Ending(.cannotUse, log: "the limit on \(name) is too low and cannot be raised")
    }
  }
}
