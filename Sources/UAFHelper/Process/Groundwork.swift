import FidoResults
import SecretMemory
import UAFCrypto
import UAFWire

/// What a core does before it knows its call: at the beginning of a call, or earlier, while it waits for one.
final class Groundwork {
  /// Whether the limits of this process are those that a core needs.
  let limits: Result<Void, Ending>
  /// The kernel's audit.
  let audit = KernelAudit(program: ProgramPath.own() ?? "?")
  /// uaf-fetch, or why it could not be started; nil if it was not started.
  private(set) var fetch: Result<FetchProcess, Ending>?
  /// How leaving the machine's network went: an error number, or 0; nil while this process is in it.
  private var networkFailure: CInt?

  /// Does what has to come before a byte of a call is read.
  init() { limits = Result { () throws(Ending) in try HelperProcess.prepare() } }

  /// Starts uaf-fetch if it was not started.
  ///
  /// Its own start takes longer than everything that the core reads meanwhile. It asks nobody before it knows whom.
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

  /// Leaves the machine's network, once; what is started afterwards has none either.
  ///
  /// - Returns: the system's error number, or 0.
  func leaveNetwork() -> CInt {
    let failure = networkFailure ?? HelperSandbox.leaveNetwork()
    networkFailure = failure
    return failure
  }

  /// Does what every call that asks a server needs, and waits for such a call.
  ///
  /// What depends on the machine's files is left to the call, but for openssl.cnf. So is the start of the random number
  /// generators: a copy of this process, as in a copy of a virtual machine, must not give out the same numbers.
  ///
  /// - Parameter socket: where the call comes from.
  /// - Returns: false if none can be served: uaf-fetch cannot be started, or has ended. No other could be started from here.
  func awaitCall(on socket: borrowing PacketSocket) -> Bool {
    startFetch()
    guard let fetch = try? fetch?.get() else { return false }
    OpenSSLConfiguration.prepare()
    _ = leaveNetwork()
    ProgramPages.map()
    // Where there is no memory for secrets, the call will say so.
    try? Secret.prepare()
    LoginRehearsal.run()
    return fetch.awaitPacket(of: socket)
  }
}
