import Authenticator
import FidoResults
import Glibc
import Sandbox
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire

/// The sandbox of the core: it can use its state folder and its open sockets, compute, and end.
enum HelperSandbox {
  /// Leaves the machine's network permanently; this first part needs nothing from a call.
  ///
  /// - Returns: the system's error number, or 0.
  static func leaveNetwork() -> CInt { NetworkNamespace.leave() }

  /// Gives up everything else permanently.
  ///
  /// - Parameters:
  ///   - stateDirectory: the folder beneath which files can still be opened, read, written, made and removed.
  ///   - prints: a folder that can still be read; nil for none.
  ///   - networkFailure: the result of leaving the network.
  /// - Returns: the parts that this kernel or container does not support.
  static func enter(
    keeping stateDirectory: String, reading prints: String?, network networkFailure: CInt
  ) -> SandboxReport {
    // Reads the time zone's file now, because it cannot be read later and the log needs it.
    tzset()
    var report = SandboxReport()
    report.note(.network, networkFailure)
    var paths = PathRules(mayConnect: false)
    paths.allow(.keeping, stateDirectory)
    if let prints { paths.allow(.reading, prints) }
    report.note(.landlock, paths.enter())
    // This comes last, because it forbids the calls that the other parts need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The calls, each with what it is needed for.
  static let calls: [CallRule] =
    CommonCalls.ofItself + [
      CommonCalls.reading, CommonCalls.waiting,
      .allowedIf(
        "mmap", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)],
        why: "memory; nothing is loaded any more, so that no page becomes code"),
      .allowed(
        ["write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fallocate", "flock"],
        why: "the account's file, SQLite's journal, the slots"),
      .allowed(
        ["unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat"],
        why: "a file that is there whole or not at all, what is forgotten, the folders of init"),
      .allowed(["fchown", "fchmod", "umask"], why: "SQLite gives its journal the owner and the mode of the file"),
      .allowed(["recvfrom", "recvmsg", "getsockopt", "shutdown"], why: "packets of the front end and of uaf-fetch"),
      // With an address, the log's socket could send to any socket of the machine. The same is true for sendmsg, whose address
      // a filter cannot read.
      .allowedIf("sendto", [CallCondition(4, is: 0)], why: "packets, and lines of the log"),
    ]
}

/// Enters the sandbox of the core.
///
/// Everything that cannot be started or read inside it is started or read before.
final class Seclusion {
  private let groundwork: Groundwork
  private let log: SystemLog
  private var reported: Set<Substring> = []
  /// A folder of stored prints that stays readable.
  private var prints: String?

  /// - Parameter groundwork: the work that was already done.
  init(on groundwork: Groundwork, log: SystemLog) {
    self.groundwork = groundwork
    self.log = log
  }

  /// Tells uaf-fetch what it may connect to, or ends it if no server will be asked; reads what is read only once, and enters the
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
  /// - Throws: ``Ending`` if it cannot be started.
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
      throw Ending(.cannotUse, log: "uaf-fetch was not started, because no server was needed")
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

  /// Logs the missing parts once: if both programs lack the same part, the kernel does not have it.
  private func report(_ missing: String, of name: String) {
    let parts = missing.split(separator: ",")
    guard !reported.isSuperset(of: parts) else { return }
    reported.formUnion(parts)
    log.write(Self.notice(missing, of: name), .warning)
  }

  /// The log's text about missing parts.
  static func notice(_ missing: String, of program: String) -> LogLine {
    var line = LogLine(.sandbox)
    line.add(.program, program)
    line.add(.missing, missing)
    line.add(
      .detail,
      "the kernel refuses these parts of the sandbox, with these error numbers; the call continues without them")
    return line
  }
}
