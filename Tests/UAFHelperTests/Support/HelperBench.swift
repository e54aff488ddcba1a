import FidoResults
import Foundation
import SecretMemory
import Testing
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import AuthenticatorTypes
@testable import UAFHelper

/// Everything around one call of the core, in a folder of its own: a front end that makes the entries of the test, a server
/// that answers by rules, a clock that stands still, and a log that is kept.
final class HelperBench {
  let folder: String
  let log = RecordedLog()
  let audit = RecordedAudit()
  let server = FakeServer()
  var now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 1_800_000_000)
  /// Called when the core first reads the time; the account's file was opened and checked before.
  var onceOpen: (() -> Void)?
  /// Whether the server's answer arrives before the person has entered anything.
  var answersWhileTyping = false
  /// Whether the server's answer has arrived once a secret was found right.
  var answersWhileChecking = false
  var configuration = ""
  var device = DeviceDescription()
  /// The next layouts of the shuffled keypad: for each digit the key that shows it.
  var layouts: [[UInt8]] = []
  /// Closes the front end of the running call, as the kernel does if the host is killed.
  private(set) var hangUp: () -> Void = {}
  /// For each connection to the server, the time after which the person is first told to wait.
  private(set) var firstNotices: [Int64?] = []
  /// The authorities, PEM, with which each way to the server was made.
  private(set) var usedAuthorities: [String?] = []
  /// Starts uaf-chip; fails in a test without a chip.
  var chip: DeviceKeySource.Starting = { () throws(Ending) in
    throw Ending(.clientMismatch, log: "this test has no chip")
  }
  /// Starts uaf-finger; fails in a test without a sensor.
  var finger: ([String]) throws(Ending) -> FingerProcess = { (_) throws(Ending) in
    throw Ending(.biometryNotSupported, log: "this test has no sensor")
  }
  /// Whether the front end has started the core, and waits for its end.
  var isAwaited = false
  /// Called when the core waits a moment for another call.
  var onPause: () -> Void = {}
  /// Whether the core knows that the person is not at the machine.
  var isElsewhere = false
  /// The folder in which the fingerprint service stores prints.
  var printsFolder: String { folder + "/prints" }
  /// The content of /etc/passwd.
  var passwd = "mina:x:4242:4242::/:/bin/sh\n"
  /// What the name services return for a uid.
  var directory: (UInt32) -> DirectoryName = { _ in .unknown }
  private(set) var askedNames: [UInt32] = []

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/pam-uaf-helper.\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    configuration = """
      [server]
      request_url = "https://localhost/uaf/get"
      response_url = "https://localhost/uaf/respond"
      [state]
      directory = "\(folder)/state"
      kdf_cost = 10
      [lock]
      retry_count_to_lock = 3
      lock_time = 60
      """
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// A bench with a state folder, whose account mina (uid 4242) has the passcode "correct".
  ///
  /// With `signed`, the server signs each success, and root demands signed verdicts.
  static func registered(_ more: String = "", signed: Bool = false) throws -> HelperBench {
    let bench = try HelperBench()
    bench.configuration += "\n" + more
    if signed {
      let signer = try VerdictSigner()
      try bench.demandSignature(signer.pem)
      bench.server.signed = { [unowned bench] yes in
        try signer.token(for: yes, at: bench.now.wallSeconds)
      }
    }
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    return bench
  }

  /// The same, but mina has the pattern 12369 in addition to the passcode, and the server accepts either.
  static func registeredTwice(_ more: String = "", signed: Bool = false) throws -> HelperBench {
    let bench = try registered(more, signed: signed)
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    #expect(try bench.run(bench.registration("pattern"), ["12369", "12369"]).result == 0, "\(bench.log.lines)")
    return bench
  }

  /// The certificate of a test CA, as PEM.
  static func authority() throws -> [UInt8] {
    try DevelopmentCertificate.make(
      commonName: "test", dnsNames: ["localhost"], ipAddresses: [], notBefore: 1_700_000_000, notAfter: 1_900_000_000
    ).authorityPEM
  }

  /// Makes the configuration trust the CAs in a file with this content.
  func trust(_ content: [UInt8]) throws {
    let path = folder + "/ca.pem"
    try Data(content).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    guard !configuration.contains("ca_file") else { return }
    configuration = configuration.replacing("[state]", with: "ca_file = \"\(path)\"\n[state]")
  }

  /// Makes root demand verdicts signed with the key in `pem`.
  func demandSignature(_ pem: String, mode: mode_t = 0o644) throws {
    let path = folder + "/verdict.pub"
    try pem.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: path)
    guard !configuration.contains("verdict_key") else { return }
    configuration = configuration.replacing(
      "[state]", with: "require_signed_verdict = true\nverdict_key = \"\(path)\"\n[state]")
  }

  func begin(_ operation: UAFWire.Operation = .authenticate, _ arguments: String...) -> Begin {
    var begin = Begin(operation)
    begin.uid = 4242
    begin.account = Array("mina".utf8)
    begin.typedName = Array("mina".utf8)
    begin.service = Array("login".utf8)
    begin.arguments = (["conf=\(folder)/conf"] + arguments).map { Array($0.utf8) }
    return begin
  }

  func registration(_ type: String = "passcode") -> Begin {
    var begin = begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array(type.utf8)
    begin.payload = Array(server.payload().encoded.utf8)
    return begin
  }

  /// What a front end sends in response to a prompt.
  enum Entry: Equatable {
    case answer(String)
    case cancelled, noConversation, resume, denied
    /// Nothing: the front end disappears.
    case gone
  }

  /// Runs one call, in which the front end enters `entries` one after the other (nil cancels).
  @discardableResult
  func run(_ begin: Begin, _ entries: [String?] = [], peer: UInt32 = 0) throws -> Transcript {
    try run(begin, entries: entries.map { $0.map(Entry.answer) ?? .cancelled }, peer: peer)
  }

  /// Runs one call with these responses of the front end.
  @discardableResult
  func run(_ begin: Begin, entries: [Entry], peer: UInt32 = 0) throws -> Transcript {
    let ends = try PacketSocket.pair()
    let mine = try PacketSocket(takingOver: ends.mine)
    let frontEnd = try FrontEnd(PacketSocket(takingOver: ends.theirs))
    try mine.send(begin.packet())
    for entry in entries {
      switch entry {
      case .answer(let text): try mine.send(Answer.packet(Secret(copying: Array(text.utf8).span)))
      case .cancelled: try mine.send(FrontEndSignal.cancelled.packet)
      case .noConversation: try mine.send(FrontEndSignal.noConversation.packet)
      case .resume: try mine.send(FrontEndSignal.resume.packet)
      case .denied: try mine.send(FrontEndSignal.denied.packet)
      case .gone: break
      }
    }
    var isHungUp = false
    hangUp = {
      isHungUp = true
      _ = shutdown(ends.mine, CInt(SHUT_RDWR))
    }
    // A prompt for which no entry is left meets the end of the stream, so that the core does not wait forever.
    _ = shutdown(ends.mine, CInt(SHUT_WR))
    try converse(over: frontEnd, peer: peer)
    return try Transcript(mine, unused: entries.count, isHeardOut: !entries.contains(.gone) && !isHungUp)
  }

  /// Runs the core's side of a call, with the current configuration.
  func converse(over frontEnd: FrontEnd, peer: UInt32 = 0) throws {
    try configuration.write(toFile: folder + "/conf", atomically: false, encoding: .utf8)
    _ = unsafe chmod(folder + "/conf", 0o600)
    converse(try frontEnd.receiveBegin(), frontEnd, peer: peer)
  }

  private func converse(_ begin: Begin, _ frontEnd: FrontEnd, peer: UInt32) {
    var asking: CallerIdentity?
    do throws(Ending) {
      let caller = try CallerIdentity(
        begin, peer: peer, passwd: { Array(passwd.utf8) },
        directory: {
          askedNames.append($0)
          return directory($0)
        })
      asking = caller
      let session = try Session(begin, frontEnd, caller: caller, in: environment())
      let success: Success
      do throws(Ending) { success = try session.run() } catch {
        defer { session.checkIn(after: error) }
        return try session.reporter.finish(error)
      }
      try session.reporter.finish(success)
      session.checkIn(after: success)
    } catch {
      // The log line that HelperProgram writes if a call could not begin.
      HelperProgram.logRefusal(error, of: begin.operation, for: asking, log)
      try? frontEnd.send(.finished(HelperProgram.finished(error, of: begin)))
    }
  }

  private func environment() -> SessionEnvironment {
    SessionEnvironment(
      configurationPath: folder + "/conf", owner: getuid(),
      now: {
        self.onceOpen?()
        self.onceOpen = nil
        return self.now
      },
      pause: {
        self.now.nanoseconds += Int64($0) * 1_000_000
        self.onPause()
      }, derivationSlots: 3, log: log, audit: audit,
      finger: finger, printsFolder: printsFolder, isAwaited: isAwaited,
      isAtSeat: !isElsewhere,
      network: { [server] _, authorities, waiter in
        self.usedAuthorities.append(authorities)
        self.firstNotices.append(waiter.firstNoticeMilliseconds)
        server.connect()
        return Network(
          begin: { (request) throws(TransportFailure) in try server.begin(request) },
          finish: { () throws(TransportFailure) in try server.finish() },
          comingFirst: { (_, limit) throws(PacketSocketError) in
            server.hasAnswer && (self.answersWhileTyping || limit == 0 && self.answersWhileChecking)
          })
      },
      chip: chip, device: device,
      keypad: { () throws(CryptoError) in
        guard !self.layouts.isEmpty, let keypad = ShuffledKeypad(keys: self.layouts.removeFirst()) else {
          throw .unavailable(.random)
        }
        return keypad
      })
  }

  /// How many tries the account has left before a local lock.
  func triesLeft() throws -> Int {
    let document = try #require(try run(begin(.status)).finished.document)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let entries = try #require(json["authenticators"] as? [[String: Any]])
    return try #require(entries.first?["remainingTries"] as? Int)
  }
}
