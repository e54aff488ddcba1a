import FidoResults
import Foundation
import Testing
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// Logins for which no server can be reached.
@Suite struct OfflineTests {
  private static let allowed = "[general]\noffline = \"allow\"\noffline_max_age = 3600"

  /// An account whose last login the server accepted before it became unreachable.
  private func bench(_ more: String = allowed) throws -> HelperBench {
    let bench = try HelperBench.registered(more)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    bench.server.lateFailure = .noHandshake(.refused)
    return bench
  }

  /// Expects that a login without the server was refused exactly as if there were no offline logins.
  private func expectRefusal(_ transcript: Transcript, code: UInt8 = 9) {
    #expect(transcript.result == 4001 && transcript.pamCode == code)
    #expect(transcript.errors.count == 1 && transcript.infos.isEmpty)
  }

  private func advance(_ bench: HelperBench, _ seconds: Int64) {
    bench.now.nanoseconds += seconds * 1_000_000_000
    bench.now.wallSeconds += seconds
  }

  // MARK: What is accepted

  @Test func `an offline login needs only the secret, shows a text, and gives no token`() throws {
    let bench = try bench(Self.allowed + "\nexport_token = \"UAF_TOKEN\"")
    advance(bench, 3599)
    var begin = bench.begin()
    begin.wantsToken = true
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 0 && transcript.pamCode == 0)
    #expect(transcript.infos == ["The server could not be reached; you are logged in without it."])
    #expect(transcript.finished.token == nil)
    #expect(!transcript.messages.contains { $0.type == .setenv })
    let line = try #require(bench.log.lines.last)
    #expect(line.hasPrefix("event=authenticate result=0 name=RESULT_SUCCESS pam=0 account=mina "))
    #expect(line.contains(" offline=yes age=3599"))
  }

  @Test func `the text about an offline login is in the person's language`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, ["correct"]).infos == ["서버에 연결할 수 없어 서버 확인 없이 허용했습니다."])
  }

  @Test func `the section of a service allows offline logins for that service only`() throws {
    let bench = try bench("[service.login]\noffline = \"allow\"\noffline_max_age = 60")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    var begin = bench.begin()
    begin.service = Array("su".utf8)
    expectRefusal(try bench.run(begin, ["correct"]))
  }

  @Test func `a divided login can be an offline login too`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.isDivided = true
    #expect(try bench.run(begin, entries: [.resume, .answer("correct")]).result == 0)
  }

  @Test func `an offline login refuses and counts a wrong secret, and a correct one clears the count`() throws {
    let bench = try bench()
    #expect(try bench.run(bench.begin(), ["wrong1"]).result == 3012)
    #expect(try bench.triesLeft() == 2)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.triesLeft() == 3)
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    let locked = try bench.run(bench.begin())
    #expect(locked.result == 3013 && locked.pamCode == 11)
  }

  // MARK: What is refused

  @Test func `refuses an offline login unless root allows it, and ignores successes from before that`() throws {
    let bench = try bench("[general]\noffline = \"deny\"")
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    bench.configuration = bench.configuration.replacing("[general]\noffline = \"deny\"", with: Self.allowed)
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(
      bench.log.lines.last?.contains(
        "not accepted without the server: the server's last verdict was not a success") == true)
  }

  @Test func `refuses an offline login if the server has never accepted a login`() throws {
    let bench = try HelperBench.registered(Self.allowed)
    bench.server.lateFailure = .noHandshake(.timeOut)
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
  }

  @Test func `refuses an offline login after a reboot`() throws {
    let bench = try bench()
    bench.now.bootID = [2]
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(bench.log.lines.last?.contains("since the machine was started") == true)
  }

  @Test func `refuses an offline login once the last success is too old by the boot clock or the wall clock`() throws {
    let bench = try bench()
    bench.now.nanoseconds += 3600 * 1_000_000_000
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    let other = try self.bench()
    other.now.wallSeconds += 3600
    expectRefusal(try other.run(other.begin(), ["correct"]))
    #expect(other.log.lines.last?.contains("too old") == true)
  }

  @Test func `refuses an offline login while the wall clock shows an earlier time than before`() throws {
    let bench = try bench()
    advance(bench, 600)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.now.wallSeconds -= 1
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(bench.log.lines.last?.contains("a clock shows an earlier time") == true)
  }

  @Test(
    arguments: [
      { $0.respondStatus = .init(rawValue: 1480) }, { $0.respondStatus = .init(rawValue: 1500) }, { $0.garbage = "{" },
      // The server asks a person whose keys it revoked for a key that nobody has.
      { $0.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))] }, { $0.accepted = [["5541#0002"]] },
      { $0.furtherRequests = 9 },
    ] as [@Sendable (FakeServer) throws -> Void])
  func `refuses offline logins after the server has refused, until its next success`(
    _ refuse: @Sendable (FakeServer) throws -> Void
  ) throws {
    let bench = try bench()
    bench.server.lateFailure = nil
    try refuse(bench.server)
    #expect(try bench.run(bench.begin(), ["correct"]).result != 0)
    bench.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    (bench.server.lateFailure, bench.server.garbage, bench.server.policyKeys) = (nil, nil, nil)
    (bench.server.respondStatus, bench.server.accepted) = (.ok, [["5541#0001"]])
    bench.server.furtherRequests = 0
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a refusal of the server is stored even while another process holds the account's file`() throws {
    let bench = try bench()
    (bench.server.lateFailure, bench.server.respondStatus) = (nil, .init(rawValue: 1480))
    var stopped: Database?
    // The other process stops in the middle of a write, when this one has nothing left to write but the refusal.
    bench.server.onRespond = {
      stopped = try? Database(path: bench.folder + "/state/accounts/4242.db")
      try? stopped?.execute("BEGIN IMMEDIATE")
    }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 13_006)
    try #require(stopped).execute("ROLLBACK")
    (bench.server.onRespond, bench.server.lateFailure) = (nil, .noHandshake(.refused))
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    (bench.server.lateFailure, bench.server.respondStatus) = (nil, .ok)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test
  func `a refusal of the server ends offline logins for all services, even if it was for one without them`() throws {
    let bench = try bench("[service.login]\noffline = \"allow\"\noffline_max_age = 3600")
    bench.server.lateFailure = nil
    bench.server.respondStatus = .init(rawValue: 1480)
    var begin = Begin(.authenticate)
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 13_006)
    bench.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
  }

  @Test func `a refused code, and keys that the server has forgotten, end offline logins too`() throws {
    let refused = try bench()
    refused.server.lateFailure = nil
    refused.server.respondStatus = .init(rawValue: 1401)
    #expect(try refused.run(refused.registration(), ["correct", "correct"]).result == 13_006)
    refused.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try refused.run(refused.begin(), ["correct"]))

    let forgotten = try bench()
    forgotten.server.lateFailure = nil
    var begin = Begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(forgotten.server.payload(operation: .registration).encoded.utf8)
    #expect(try forgotten.run(begin, peer: 4242).result == 0, "\(forgotten.log.lines)")
    forgotten.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try forgotten.run(forgotten.begin(), ["correct"]))
  }

  @Test
  func `neither the person's own actions nor a server that stops answering after the handshake end offline logins`()
    throws
  {
    let bench = try bench()
    bench.server.lateFailure = nil
    #expect(try bench.run(bench.begin(), ["wrong1"]).result == 3012)
    #expect(try bench.run(bench.begin(), [nil]).result == 999)
    bench.server.lateFailure = .afterHandshake(.timeOut)
    expectRefusal(try bench.run(bench.begin(), ["correct"]), code: 7)
    bench.server.lateFailure = .certificateRefused
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1002)
    bench.server.lateFailure = .noHandshake(.dns)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(
    arguments: [.afterHandshake(.timeOut), .certificateRefused, .answerTooLarge, .unavailable] as [TransportFailure])
  func `refuses an offline login if a connection to the server was established`(_ failure: TransportFailure) throws {
    let bench = try bench()
    bench.server.lateFailure = failure
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result != 0 && transcript.pamCode != 0 && transcript.infos.isEmpty)
  }

  @Test(arguments: [false, true])
  func `an offline login that is refused because the server answered earlier in the call gives no AUTHINFO_UNAVAIL`(
    _ isSlow: Bool
  ) throws {
    let bench = try bench()
    (bench.server.lateFailure, bench.server.answersLeft) = (nil, 1)
    // The first request has expired, and the second gets no answer.
    if isSlow { bench.server.onGet = { [unowned bench] in bench.now.nanoseconds += 61_000_000_000 } }
    expectRefusal(try bench.run(bench.begin(), ["correct"]), code: 7)
  }

  @Test func `refuses an offline login for a service with a transaction text`() throws {
    let bench = try bench(Self.allowed + "\n[service.su]\ntransaction = true")
    var begin = bench.begin()
    begin.service = Array("su".utf8)
    expectRefusal(try bench.run(begin, ["correct"]))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `refuses an offline login to a peer without root`() throws {
    let bench = try bench()
    var begin = Begin(.authenticate)
    begin.service = Array("login".utf8)
    expectRefusal(try bench.run(begin, ["correct"], peer: 4242))
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 4001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `refuses an approval, a proof and a registration without the server`() throws {
    let bench = try bench()
    var approval = bench.begin()
    approval.payload = Array(bench.server.payload(operation: .authentication).encoded.utf8)
    #expect(try bench.run(approval, ["correct"]).result == 4001)
    #expect(try bench.run(bench.begin(.deregister), ["correct"]).result == 4001)
    #expect(try bench.run(bench.registration(), ["correct"]).result == 4001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `refuses an offline login after root has configured a different server address`() throws {
    let bench = try bench()
    bench.configuration = bench.configuration.replacing("/uaf/get", with: "/uaf2/get")
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(bench.log.lines.last?.contains("from different addresses") == true)
  }

  @Test
  func `refuses an offline login after root has changed the CAs, but not after a changed comment in their file`() throws
  {
    let bench = try HelperBench()
    let own = try HelperBench.authority()
    let latin: [UInt8] = [0x23, 0x20, 0xFC, 0x0A]
    try bench.trust(own)
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    bench.configuration += "\n" + Self.allowed
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    for file in [own, latin + own, own + latin, own.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }] {
      try bench.trust(file)
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    }
    for file in [try HelperBench.authority(), own + (try HelperBench.authority())] {
      try bench.trust(file)
      expectRefusal(try bench.run(bench.begin(), ["correct"]))
    }
  }

  @Test func `refuses an offline login by an authenticator that the server has not accepted by itself`()
    throws
  {
    let bench = try HelperBench.registeredTwice(Self.allowed)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]))
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
    bench.server.lateFailure = nil
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    #expect(try bench.run(bench.begin(), ["correct", "12369"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]))
  }

  @Test
  func `if the record for offline logins was edited or removed, they are refused, and all else works as before`() throws
  {
    for edit in ["UPDATE record SET mac = zeroblob(32)", "DELETE FROM record"] {
      let bench = try bench()
      try Database(path: bench.folder + "/state/accounts/4242.db")
        .execute("\(edit) WHERE kind = CAST('lastAnswer' AS BLOB)")
      expectRefusal(try bench.run(bench.begin(), ["correct"]))
      bench.server.lateFailure = nil
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    }
  }

  @Test
  func `with hidden registrations all offline refusals look alike, and an offline success is still a success`() throws {
    let bench = try bench(Self.allowed + "\nhide_state = true")
    let wrong = try bench.run(bench.begin(), ["wrong1"])
    #expect(wrong.result == 3012 && wrong.errors == ["Wrong passcode or pattern."])
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.now.bootID = [2]
    let away = try bench.run(bench.begin(), ["correct"])
    expectRefusal(away)
  }
}
