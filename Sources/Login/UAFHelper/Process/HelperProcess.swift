import Authenticator
import CProcess
import FidoResults
import Glibc
import SecretMemory
import UAFCrypto
import UAFWire

/// The precautions that this process takes before it reads the first byte.
enum HelperProcess {
  /// Prevents core dumps, tracing and new privileges, and raises resource limits that would end the call too early.
  ///
  /// - Throws: ``Ending`` if a limit is too low and cannot be raised. The call is then refused before the first prompt.
  static func prepare() throws(Ending) {
    umask(0o077)
    _ = signal(SIGPIPE, SIG_IGN)
    // With this signal ignored, a write beyond the file size limit fails with EFBIG, which is reported, instead of killing the
    // process.
    _ = signal(SIGXFSZ, SIG_IGN)
    guard process_control(PR_SET_DUMPABLE, 0) == 0, process_control(PR_SET_NO_NEW_PRIVS, 1) == 0 else {
      throw Ending(.cannotUse, log: "prctl: errno \(errno)")
    }
    try limit(resource(RLIMIT_CORE), to: 0)
    try require(resource(RLIMIT_FSIZE), atLeast: 16 << 20, "file size")
    try require(resource(RLIMIT_AS), atLeast: 1 << 30, "address space")
    try require(resource(RLIMIT_NOFILE), atLeast: 32, "open files")
  }

  /// Opens the descriptors 0, 1 and 2 if they are closed, so that no file that is opened later becomes one of them.
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

  // In Swift's Glibc module, the constants are an enumeration, but the functions take plain integers.
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

/// The version of uaf-helper.
enum HelperVersion {
  /// The version that `--version` and *status* report.
  static let current = "0.2.0"
}

/// The folder that contains the programs that belong together.
enum ProgramPath {
  /// The path of this program, as the kernel reports it; nil if it cannot be read.
  static func own() -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: at most as many bytes as the array has are written.
    let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of `name` in the folder of this program.
  ///
  /// - Throws: ``Ending`` (1006) if that folder is not known.
  static func beside(_ name: String) throws(Ending) -> String {
    guard let path = own(), let slash = path.lastIndex(of: "/") else {
      throw Ending(.clientMismatch, log: "/proc/self/exe cannot be read")
    }
    return "\(path[...slash])\(name)"
  }
}

/// The kernel's boot clock.
struct SystemClock {
  private let bootID: [UInt8]

  /// Reads the kernel's ID of this boot, once.
  ///
  /// - Throws: ``Ending`` if it cannot be read: without it, the times of locks cannot be trusted.
  init() throws(Ending) {
    let path = "/proc/sys/kernel/random/boot_id"
    // SAFETY: the path lives for the call; the descriptor is closed below.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    var bytes = [UInt8](repeating: 0, count: 36)
    // SAFETY: the array has room for the number of bytes asked for.
    let count = file < 0 ? -1 : unsafe read(file, &bytes, bytes.count)
    if file >= 0 { close(file) }
    guard count == bytes.count else { throw Ending(.cannotUse, log: "\(path): cannot be read") }
    bootID = bytes
  }

  /// The current time.
  var now: BootTime {
    BootTime(
      bootID: bootID, nanoseconds: Self.nanoseconds(CLOCK_BOOTTIME),
      wallSeconds: Self.nanoseconds(CLOCK_REALTIME) / 1_000_000_000)
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
