import Authenticator
import CProcess
import FidoResults
import Glibc
import SecretMemory
import UAFCrypto
import UAFWire

/// The work that a core does before it knows what the call is: at the start of the call, or earlier, while the core waits for
/// one.
final class Groundwork {
  /// Success if this process has the resource limits and other properties that a core needs; otherwise why it does not.
  let limits: Result<Void, Ending>
  /// The connection to the kernel's audit.
  let audit = KernelAudit(program: ProgramPath.own() ?? "?")
  /// uaf-fetch, or why it could not be started; nil if nobody tried.
  private(set) var fetch: Result<FetchProcess, Ending>?
  /// The result of leaving the machine's network: an error number, or 0; nil while this process is still in it.
  private var networkFailure: CInt?

  /// Does what must be done before the first byte of a call is read.
  init() { limits = Result { () throws(Ending) in try HelperProcess.prepare() } }

  /// Starts uaf-fetch, unless it was started before.
  ///
  /// It is started early because its start takes longer than everything that the core reads meanwhile. It connects to nothing
  /// before it is told the server.
  func startFetch() {
    guard fetch == nil else { return }
    fetch = Result { () throws(Ending) in try FetchProcess(ProgramPath.beside("uaf-fetch")) }
  }

  /// Ends uaf-fetch, because the call will not use a server.
  func endFetch() { fetch = nil }

  /// Tells uaf-fetch which hosts and ports it may connect to.
  func allow(_ places: FetchPlaces) {
    startFetch()
    do throws(Ending) { try fetch?.get().allow(places) } catch { fetch = .failure(error) }
  }

  /// Leaves the machine's network, unless that was done before; programs that are started afterwards have no network either.
  ///
  /// - Returns: the system's error number, or 0.
  func leaveNetwork() -> CInt {
    let failure = networkFailure ?? HelperSandbox.leaveNetwork()
    networkFailure = failure
    return failure
  }

  /// Does the work that every call with a server needs, and waits for a call.
  ///
  /// Work that depends on the machine's files is done only in the call, except for openssl.cnf. The random number generators
  /// are also started only in the call: if this process is copied together with its virtual machine, the copy must not produce
  /// the same numbers.
  ///
  /// - Parameter socket: the socket from which the call will come.
  /// - Returns: false if no call can be served, because uaf-fetch cannot be started or has ended. Another one cannot be started
  ///   at this point.
  func awaitCall(on socket: borrowing PacketSocket) -> Bool {
    startFetch()
    guard let fetch = try? fetch?.get() else { return false }
    OpenSSLConfiguration.prepare()
    _ = leaveNetwork()
    ProgramPages.map()
    // If there is no memory for secrets, the error is only reported in the call.
    try? Secret.prepare()
    LoginRehearsal.run()
    return fetch.awaitPacket(of: socket)
  }
}

/// The pages of this program and its libraries that are only read.
enum ProgramPages {
  /// Has the kernel map all of these pages now.
  ///
  /// Otherwise, each first read causes a page fault that maps the page and some of its neighbours, which makes a hundred faults
  /// in a login. Linux before 5.14 cannot do this; the faults then still occur.
  static func map() {
    // SAFETY: each object is lent for its call.
    unsafe dl_iterate_phdr(
      { object, _, _ in
        if let object = unsafe object?.pointee { unsafe ProgramPages.map(object) }
        return 0
      }, nil)
  }

  /// Maps the segments of a program or library that are not writable.
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
