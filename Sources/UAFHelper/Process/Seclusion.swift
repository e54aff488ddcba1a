import Authenticator
import FidoResults
import Sandbox
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire

/// Enters the sandbox of the core.
///
/// What cannot be started or read inside it is started and read before.
final class Seclusion {
  private let groundwork: Groundwork
  private let log: SystemLog
  private var reported: Set<Substring> = []
  /// A folder of stored prints that stays readable.
  private var prints: String?

  /// - Parameter groundwork: what was done already.
  init(on groundwork: Groundwork, log: SystemLog) {
    self.groundwork = groundwork
    self.log = log
  }

  /// Tells uaf-fetch what it may connect to, or ends it where no server will be asked; reads what is read once, and enters the
  /// sandbox.
  func enter(asking places: FetchPlaces?, keeping stateDirectory: String) {
    if let places { groundwork.allow(places) } else { groundwork.endFetch() }
    OpenSSLConfiguration.load()
    StateDirectory.prepare()
    let sandbox = HelperSandbox.enter(keeping: stateDirectory, reading: prints, network: groundwork.leaveNetwork())
    if let missing = sandbox.text { report(missing, of: "uaf-helper") }
  }

  /// Starts uaf-finger, and keeps a folder of stored prints readable.
  ///
  /// - Throws: ``Ending`` where it cannot be started.
  func finger(reading folder: String) throws(Ending) -> FingerProcess {
    prints = folder
    return try FingerProcess(ProgramPath.beside("uaf-finger"))
  }

  /// The transport to a server.
  ///
  /// - Throws: ``Ending``: why uaf-fetch could not be started before the sandbox.
  func network(
    _ server: ServerSettings, _ authorities: String?, _ waiter: ExchangeWaiter
  ) throws(Ending) -> Network {
    guard let process = groundwork.fetch else {
      throw Ending(.cannotUse, log: "uaf-fetch was not started: no server was to be asked")
    }
    let fetch = FetchTransport(server, over: try process.get(), authorities: authorities, waiter: waiter) {
      [self] missing in report(missing, of: "uaf-fetch")
    }
    return Network(
      begin: { (request) throws(TransportFailure) in try fetch.begin(request) },
      finish: { () throws(TransportFailure) in try fetch.finish() },
      comingFirst: { (frontEnd, limit) throws(PacketSocketError) in
        try fetch.comesFirst(beside: frontEnd, timeoutMilliseconds: limit)
      })
  }

  /// Logs the missing parts once: where both programs lack the same, the kernel does not have it.
  private func report(_ missing: String, of name: String) {
    let parts = missing.split(separator: ",")
    guard !reported.isSuperset(of: parts) else { return }
    reported.formUnion(parts)
    log.write(Self.notice(missing, of: name), .warning)
  }

  /// What the log says of parts that are missing.
  static func notice(_ missing: String, of program: String) -> LogLine {
    var line = LogLine(.sandbox)
    line.add(.program, program)
    line.add(.missing, missing)
    line.add(.detail, "the kernel refuses these parts of the sandbox, by these error numbers; going on without")
    return line
  }
}
