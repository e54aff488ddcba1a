import Authenticator
import FidoResults
import Glibc
import Sandbox
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFWire

/// The sandbox of the core: in it, the core can only use its state folder and its open sockets, compute, and exit.
enum HelperSandbox {
  /// Leaves the machine's network permanently; this first part of the sandbox does not depend on the call.
  ///
  /// - Returns: the system's error number, or 0.
  static func leaveNetwork() -> CInt { NetworkNamespace.leave() }

  /// Gives up everything else that the core does not need, permanently.
  ///
  /// - Parameters:
  ///   - stateDirectory: the folder beneath which files can still be opened, read, written, made and removed.
  ///   - prints: other files and folders that can still be read.
  ///   - networkFailure: the result of leaving the network: an error number, or 0.
  /// - Returns: the parts that this kernel or container does not support.
  static func enter(
    keeping stateDirectory: String, reading prints: [String], network networkFailure: CInt
  ) -> SandboxReport {
    // Reads the time zone's file now: the log needs it, and it cannot be read in the sandbox.
    tzset()
    var report = SandboxReport()
    report.note(.network, networkFailure)
    var paths = PathRules(mayConnect: false)
    paths.allow(.keeping, stateDirectory)
    for path in prints { paths.allow(.reading, path) }
    report.note(.landlock, paths.enter())
    // The filter comes last, because it forbids the calls that the other parts need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The system calls, each with its purpose.
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
      // If an address were allowed, the log's socket could be used to send to any socket of the machine. sendmsg is not allowed
      // at all, because a filter cannot read its address.
      .allowedIf("sendto", [CallCondition(4, is: 0)], why: "packets, and lines of the log"),
    ]
}

/// Enters the sandbox of the core.
///
/// Before that, it starts and reads everything that cannot be started or read in the sandbox.
final class Seclusion {
  private let groundwork: Groundwork
  private let log: SystemLog
  private var reported: Set<Substring> = []
  /// The files and folders of stored fingerprints that stay readable.
  private var prints: [String] = []

  /// - Parameter groundwork: the work that has already been done.
  init(on groundwork: Groundwork, log: SystemLog) {
    self.groundwork = groundwork
    self.log = log
  }

  /// Tells uaf-fetch which hosts and ports it may connect to, or ends it if the call will not use a server.
  ///
  /// Reads the files that can only be read now, and enters the sandbox.
  func enter(asking places: FetchPlaces?, keeping stateDirectory: String) {
    if let places { groundwork.allow(places) } else { groundwork.endFetch() }
    OpenSSLConfiguration.load()
    StateDirectory.prepare()
    let sandbox = HelperSandbox.enter(keeping: stateDirectory, reading: prints, network: groundwork.leaveNetwork())
    if let missing = sandbox.text { report(missing, of: "uaf-helper") }
  }

  /// Starts uaf-finger, and has the stored fingerprints stay readable.
  ///
  /// - Throws: ``Ending`` if uaf-finger cannot be started.
  func finger(reading paths: [String]) throws(Ending) -> FingerProcess {
    prints = paths
    return try FingerProcess(ProgramPath.beside("uaf-finger"))
  }

  /// The transport to a server.
  ///
  /// - Throws: ``Ending`` with the reason if uaf-fetch could not be started before the sandbox was entered.
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

  /// Logs the missing parts once: if several programs lack the same part, the reason is the kernel.
  private func report(_ missing: String, of name: String) {
    let parts = missing.split(separator: ",")
    guard !reported.isSuperset(of: parts) else { return }
    reported.formUnion(parts)
    log.write(Self.notice(missing, of: name), .warning)
  }

  /// The line of the log about missing parts of a sandbox.
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
