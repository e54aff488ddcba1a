import Authenticator
import CProcess
import FidoResults
import Glibc
import SecretMemory
import UAFCrypto
import UAFWire

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
