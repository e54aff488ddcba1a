import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// What the log contains, compared with the manual page.
///
/// In each test of this target, ``RecordedLog`` checks that every line follows the grammar.
@Suite struct LogShapeTests {
  private static let manual: String? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
    return try? String(contentsOf: root.appendingPathComponent("man/pam_uaf.8"), encoding: .utf8)
  }()

  /// The terms of one list in the manual page, in their order.
  private func documented(_ list: String) throws -> [String] {
    let text = try #require(Self.manual)
    let lines = text.components(separatedBy: "\n")
    let first = try #require(lines.firstIndex(of: ".\\\" \(list): begin"))
    let last = try #require(lines.firstIndex(of: ".\\\" \(list): end"))
    return lines[first..<last].filter { $0.hasPrefix(".It Li ") }
      .flatMap { $0.dropFirst(".It Li ".count).components(separatedBy: " , ") }
  }

  @Test func `the manual page lists the keys of the log in the order in which a line contains them`() throws {
    #expect(try documented("keys") == LogKey.allCases.map(\.rawValue))
  }

  @Test func `the manual page lists all events of the log, those of calls and the others`() throws {
    let calls = try documented("events of calls")
    #expect(Set(calls) == Set(UAFWire.Operation.allCases.map { LogEvent($0).rawValue }))
    #expect(Set(calls + (try documented("other events"))) == Set(LogEvent.allCases.map(\.rawValue)))
    #expect(calls.count + (try documented("other events")).count == LogEvent.allCases.count)
  }

  @Test func `each key and each event in the manual page occurs in the log, with the keys in its order`() throws {
    let lines = try (everyLine() + otherLines()).map { try #require(ParsedLine($0)) }
    let order = ["event"] + LogKey.allCases.map(\.rawValue)
    for line in lines {
      let places = line.parts.compactMap { order.firstIndex(of: $0.key) }
      #expect(places.count == line.parts.count && places == places.sorted(), "\(line.parts)")
    }
    let keys = Set(lines.flatMap { $0.parts.map(\.key) })
    #expect(keys == Set(order), "missing: \(Set(order).subtracting(keys))")
    let events = Set(lines.compactMap { $0["event"] })
    let all = Set(LogEvent.allCases.map(\.rawValue))
    #expect(events == all, "missing: \(all.subtracting(events))")
  }

  /// The log lines over the lifetime of one account.
  private func everyLine() throws -> [String] {
    let bench = try HelperBench.registered("[general]\noffline = \"allow\"\noffline_max_age = 60")
    var begin = bench.begin()
    begin.tty = Array("/dev/tty1".utf8)
    begin.remoteHost = Array("192.0.2.1".utf8)
    try bench.run(begin, ["correct"])
    let configuration = bench.configuration
    bench.configuration = configuration.replacing("[server]", with: "[server]\naccept_transaction = \"any\"")
    bench.server.slippedText = "a text of the server's"
    try bench.run(begin, ["correct"])
    bench.server.slippedText = nil
    bench.configuration = configuration
    bench.server.lateFailure = .noHandshake(.refused)
    try bench.run(begin, ["correct"])
    bench.server.lateFailure = nil
    var denial = bench.begin()
    denial.payload = Array(bench.server.payload(operation: .authentication).encoded.utf8)
    denial.denies = true
    try bench.run(denial)
    bench.server.onRespond = { [unowned bench] in bench.hangUp() }
    try bench.run(bench.begin(), ["correct"])
    bench.server.onRespond = nil
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    try bench.run(bench.begin())
    bench.now.nanoseconds += 60_000_000_000
    try bench.run(bench.begin(), ["wrong4"])
    bench.configuration = bench.configuration.replacing("retry_count_to_lock = 3", with: "retry_count_to_lock = 9")
    try bench.run(bench.begin(), ["wrong5"])
    try bench.run(bench.begin(.unlock))
    var unprivileged = Begin(.status)
    unprivileged.service = Array("uafctl".utf8)
    try bench.run(unprivileged, peer: 4242)
    try bench.run(bench.begin(.forget), peer: 4242)
    try bench.run(bench.begin(.change), ["correct", "another", "another"])
    try bench.run(bench.begin(.authenticate, "nonsense"))
    try bench.run(bench.begin(.deregister), ["another"])
    try bench.run(bench.begin(.deregisterAll))
    try bench.run(bench.begin(.reset))
    try bench.run(bench.begin(.initialise))
    for operation in [UAFWire.Operation.seal, .unseal, .recover, .account] { try bench.run(bench.begin(operation)) }
    for operation in [UAFWire.Operation.trust, .join, .leave, .repair, .checkIn, .rename] {
      try bench.run(bench.begin(operation))
    }
    try bench.run(bench.registration(), ["correct", "correct"])
    bench.configuration += "\n[keyring]\nunlock = true"
    try bench.run(bench.begin(.keyringSet), ["correct", "the ring's password"])
    try bench.run(bench.begin(.keyringForget))
    try Database(path: bench.folder + "/state/accounts/4242.db").execute("UPDATE record SET mac = zeroblob(32)")
    try bench.run(bench.begin())
    try bench.run(bench.begin(.forget))
    bench.configuration = bench.configuration.replacing("[state]", with: "tls_verify = false\n[state]")
    try bench.run(bench.begin(.status))
    return bench.log.lines
  }

  /// The log lines that the core writes about itself.
  private func otherLines() throws -> [String] {
    let log = RecordedLog()
    log.write(.memory, HelperProgram.memoryNotice, .warning)
    log.write(.start, "not started as root", .error)
    log.write(.conversation, "\(PacketSocketError.closed)", .warning)
    log.write(.state, "the authenticator that was used could not be recorded: \(StateError.damaged)", .warning)
    log.write(Seclusion.notice("landlock:38,seccomp:38", of: "uaf-helper"), .warning)
    log.write(.binding, "an index was left in the chip: the chip is gone", .warning)
    log.write(.fingerprint, "refused while locked", .notice)
    log.write(.face, "7004: no touch matched; the value is asked for instead", .notice)
    log.write(.helpdesk, "unlocked by the helpdesk's payload AAECAwQFBgcICQoLDA0ODw", .notice)
    log.write(.serverPolicy, "policy 7 has expired; it stays in force until the server sends another one", .warning)
    log.write(.serverKeys, "the server's keys and authorities: accepted 0123456789abcdef", .notice)
    var login = LogLine(.authenticate)
    login.add(.policy, "7")
    log.write(login, .notice)
    log.write(.audit, "the kernel accepts no audit records (errno 111)", .debug)
    return log.lines
  }

  @Test
  func `a lock, a login that it refuses and its end have log lines of their own, before that of the call`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2"] { try bench.run(bench.begin(), [wrong]) }
    #expect(!bench.log.lines.contains { $0.hasPrefix("event=lock") })
    let who = "account=mina uid=4242 service=login origin=local via=root type=passcode"
    try bench.run(bench.begin(), ["wrong3"])
    #expect(bench.log.lines.suffix(2).first == "event=lock \(who) lock=temporary seconds=60")
    bench.now.nanoseconds += 1_000_000_000
    try bench.run(bench.begin())
    #expect(bench.log.lines.suffix(2).first == "event=locked \(who) lock=temporary seconds=59")
    #expect(bench.log.lines.last?.hasPrefix("event=authenticate result=3013 ") == true)
    bench.now.nanoseconds += 59_000_000_000
    try bench.run(bench.begin(), ["correct"])
    #expect(bench.log.lines.suffix(2).first == "event=unlocked \(who) lock=temporary detail=\"the lock is over\"")
    try bench.run(bench.begin(), ["correct"])
    #expect(bench.log.lines.count { $0.hasPrefix("event=unlocked ") } == 1, "told once")
  }

  @Test func `only calls that do not check the server's certificate log a warning about it`() throws {
    let bench = try HelperBench.registered()
    #expect(!bench.log.lines.joined().contains("tls="))
    bench.configuration = bench.configuration.replacing("[state]", with: "tls_verify = false\n[state]")
    let before = bench.log.lines.count
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    try bench.run(bench.begin())
    try bench.run(bench.begin(.unlock))
    try bench.run(bench.begin(), ["correct"])
    let lines = bench.log.lines.dropFirst(before)
    #expect(lines.count >= 8)
    for line in lines { #expect(ParsedLine(line)?["tls"] == "unverified", "\(line)") }
  }

  @Test func `the log says of a permanent lock, and of a login that it refuses, that the lock is permanent`()
    throws
  {
    let bench = try HelperBench.registered("max_lock_count = 0")
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    let who = "account=mina uid=4242 service=login origin=local via=root type=passcode"
    #expect(bench.log.lines.contains("event=lock \(who) lock=permanent"))
    try bench.run(bench.begin())
    #expect(bench.log.lines.contains("event=locked \(who) lock=permanent"))
  }

  @Test func `with hide_state the log names the lock about which the person is not told`() throws {
    let bench = try HelperBench.registered("[general]\nhide_state = true")
    for wrong in ["wrong1", "wrong2", "wrong3", "correct"] { try bench.run(bench.begin(), [wrong]) }
    #expect(bench.log.lines.count { $0.hasPrefix("event=lock ") } == 1)
    #expect(bench.log.lines.count { $0.hasPrefix("event=locked ") } == 1)
  }

  @Test func `a correct entry at the last try logs no lock`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "correct"] { try bench.run(bench.begin(), [wrong]) }
    #expect(!bench.log.lines.contains { $0.hasPrefix("event=lock") })
    #expect(bench.audit.records.isEmpty)
  }

  @Test func `no text from outside can forge a field of a log line`() throws {
    let bench = try HelperBench.registered()
    let forgery = Array("x\" event=authenticate result=0 pam=0\nevent=unlock".utf8)
    var begin = bench.begin()
    (begin.account, begin.typedName, begin.service) = (forgery, forgery, forgery)
    (begin.tty, begin.remoteHost) = (forgery, forgery)
    try bench.run(begin)
    bench.server.respondStatus = .init(rawValue: 10_001)
    bench.server.description = "\" event=unlock result=0"
    try bench.run(bench.begin(), ["correct"])
    try bench.run(bench.begin(.authenticate, "tries=0 result=0"))
    for line in bench.log.lines.suffix(4) {
      let parsed = try #require(ParsedLine(line))
      #expect(parsed["result"] != "0")
      #expect(line.components(separatedBy: "event=").count == 2 && !line.contains(" result=0"))
    }
  }
}
