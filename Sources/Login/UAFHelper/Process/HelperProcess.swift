import Authenticator
import CProcess
import FidoResults
import Glibc
import SecretMemory
import UAFCrypto
import UAFWire

/// The precautions that this process takes before it reads a byte.
enum HelperProcess {
  /// Prevents core dumps, tracing and new privileges, and raises limits that would end the call too early.
  ///
  /// - Throws: ``Ending`` if a limit is too low and cannot be raised: the call is refused before anything is asked.
  static func prepare() throws(Ending) {
    umask(0o077)
    _ = signal(SIGPIPE, SIG_IGN)
    // If this signal is ignored, a write above the size limit fails with EFBIG and is reported; it does not kill the process.
    _ = signal(SIGXFSZ, SIG_IGN)
    guard process_control(PR_SET_DUMPABLE, 0) == 0, process_control(PR_SET_NO_NEW_PRIVS, 1) == 0 else {
      throw Ending(.cannotUse, log: "prctl: errno \(errno)")
    }
    try limit(resource(RLIMIT_CORE), to: 0)
    try require(resource(RLIMIT_FSIZE), atLeast: 16 << 20, "file size")
    try require(resource(RLIMIT_AS), atLeast: 1 << 30, "address space")
    try require(resource(RLIMIT_NOFILE), atLeast: 32, "open files")
  }

  /// Opens 0, 1 and 2 if they are closed: the next file that is opened must not become one of them.
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

/// The version of uaf-helper.
enum HelperVersion {
  /// The version that `--version` and *status* report.
  static let current = "0.2.0"
}

/// The work that a core does before it knows its call: at the beginning of a call, or earlier, while it waits for one.
final class Groundwork {
  /// Whether the limits of this process are those that a core needs.
  let limits: Result<Void, Ending>
  /// The kernel's audit.
  let audit = KernelAudit(program: ProgramPath.own() ?? "?")
  /// uaf-fetch, or why it could not be started; nil if it was not started.
  private(set) var fetch: Result<FetchProcess, Ending>?
  /// The result of leaving the machine's network: an error number, or 0; nil while this process is still in it.
  private var networkFailure: CInt?

  /// Does what must happen before a byte of a call is read.
  init() { limits = Result { () throws(Ending) in try HelperProcess.prepare() } }

  /// Starts uaf-fetch if it was not started.
  ///
  /// Its own start takes longer than everything that the core reads in the meantime. It asks no server before it knows which one.
  func startFetch() {
    guard fetch == nil else { return }
    fetch = Result { () throws(Ending) in try FetchProcess(ProgramPath.beside("uaf-fetch")) }
  }

  /// Ends uaf-fetch, because no server will be asked.
  func endFetch() { fetch = nil }

  /// Tells uaf-fetch what it may connect to.
  func allow(_ places: FetchPlaces) {
    startFetch()
    do throws(Ending) { try fetch?.get().allow(places) } catch { fetch = .failure(error) }
  }

  /// Leaves the machine's network, once; programs that are started afterwards have no network either.
  ///
  /// - Returns: the system's error number, or 0.
  func leaveNetwork() -> CInt {
    let failure = networkFailure ?? HelperSandbox.leaveNetwork()
    networkFailure = failure
    return failure
  }

  /// Does what every call that asks a server needs, and waits for such a call.
  ///
  /// Work that depends on the machine's files is left to the call, except for openssl.cnf. So is the start of the random number
  /// generators: a copy of this process, as in a copy of a virtual machine, must not give out the same numbers.
  ///
  /// - Parameter socket: the socket that the call comes from.
  /// - Returns: false if no call can be served: uaf-fetch cannot be started, or has ended. Another one could not be started from
  ///   here.
  func awaitCall(on socket: borrowing PacketSocket) -> Bool {
    startFetch()
    guard let fetch = try? fetch?.get() else { return false }
    OpenSSLConfiguration.prepare()
    _ = leaveNetwork()
    ProgramPages.map()
    // If there is no memory for secrets, the call reports it.
    try? Secret.prepare()
    LoginRehearsal.run()
    return fetch.awaitPacket(of: socket)
  }
}

/// The pages of this program and its libraries that are never written.
enum ProgramPages {
  /// Makes the kernel map all of them now.
  ///
  /// Otherwise, a page fault maps each page and some of its neighbours at the first read: a hundred faults in a login.
  /// Linux before 5.14 cannot do this, and still maps them by faults.
  static func map() {
    // SAFETY: each object is lent for its call.
    unsafe dl_iterate_phdr(
      { object, _, _ in
        if let object = unsafe object?.pointee { unsafe ProgramPages.map(object) }
        return 0
      }, nil)
  }

  /// Maps the parts of a program or library that are read and never written.
  @unsafe private static func map(_ object: dl_phdr_info) {
    // SAFETY: the dynamic linker's list has that many segments, and stays as long as the object is loaded.
    for segment in unsafe Array(UnsafeBufferPointer(start: object.dlpi_phdr, count: Int(object.dlpi_phnum))) {
      guard segment.p_type == PT_LOAD, segment.p_flags & UInt32(PF_W) == 0 else { continue }
      // SAFETY: only numbers are read.
      map(at: unsafe UInt(object.dlpi_addr) + UInt(segment.p_vaddr), UInt(segment.p_memsz))
    }
  }

  private static func map(at address: UInt, _ size: UInt) {
    let page = UInt(getpagesize())
    let start = address / page * page
    // SAFETY: the segment is mapped as long as its program is.
    unsafe madvise(UnsafeMutableRawPointer(bitPattern: start), Int(address - start + size), MADV_POPULATE_READ)
  }
}

/// The folder in which the programs that belong together are.
enum ProgramPath {
  /// The path of this program, from the kernel; nil if that fails.
  static func own() -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: at most as many bytes as the array has are written.
    let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of `name` in the folder of this program.
  ///
  /// - Throws: ``Ending`` (1006) if that is not known.
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

  /// Reads the boot's id, once.
  ///
  /// - Throws: ``Ending`` if /proc is missing: without it, no lock can be trusted.
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

  /// The time now.
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
