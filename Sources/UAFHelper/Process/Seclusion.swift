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
  private let program: String
  private let log: SystemLog
  private var network: Result<FetchProcess, Ending>?
  private var reported: Set<Substring> = []

  /// - Parameter program: the path of uaf-fetch.
  init(starting program: String, log: SystemLog) {
    self.program = program
    self.log = log
  }

  /// Starts uaf-fetch.
  ///
  /// Its own start takes longer than everything that the core reads meanwhile. It asks nobody before it knows whom.
  func startNetwork() {
    do throws(Ending) { network = .success(try FetchProcess(program)) } catch { network = .failure(error) }
  }

  /// Tells uaf-fetch what it may connect to, or ends it where no server will be asked; reads what is read once, and enters the
  /// sandbox.
  func enter(asking places: FetchPlaces?, keeping stateDirectory: String) {
    if let places { allow(places) } else { network = nil }
    OpenSSLConfiguration.load()
    StateDirectory.prepare()
    if let missing = HelperSandbox.enter(keeping: stateDirectory).text { report(missing, of: "uaf-helper") }
  }

  private func allow(_ places: FetchPlaces) {
    if network == nil { startNetwork() }
    do throws(Ending) { try network?.get().allow(places) } catch { network = .failure(error) }
  }

  /// The transport to a server.
  ///
  /// - Throws: ``Ending``: why uaf-fetch could not be started before the sandbox.
  func network(
    _ server: ServerSettings, _ authorities: String?, _ waiter: ExchangeWaiter
  ) throws(Ending) -> Network {
    guard let network else { throw Ending(.cannotUse, log: "uaf-fetch was not started: no server was to be asked") }
    let fetch = FetchTransport(server, over: try network.get(), authorities: authorities, waiter: waiter) {
      [self] missing in report(missing, of: "uaf-fetch")
    }
    return Network(
      begin: { (request) throws(TransportFailure) in try fetch.begin(request) },
      finish: { () throws(TransportFailure) in try fetch.finish() })
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
