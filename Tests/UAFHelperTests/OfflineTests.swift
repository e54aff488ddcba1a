import FidoResults
import Foundation
import Testing
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// Logins that find no server.
@Suite struct OfflineTests {
  private static let allowed = "[general]\noffline = \"allow\"\noffline_max_age = 3600"

  /// An account whose last login the server accepted, with the server away since.
  private func bench(_ more: String = allowed) throws -> HelperBench {
    let bench = try HelperBench.registered(more)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "\(bench.log.lines)")
    bench.server.lateFailure = .noHandshake(.refused)
    return bench
  }

  /// The end of a login that is not let in without the server: as if offline logins did not exist.
  private func expectRefusal(_ transcript: Transcript, code: UInt8 = 9) {
    #expect(transcript.result == 4001 && transcript.pamCode == code)
    #expect(transcript.errors.count == 1 && transcript.infos.isEmpty)
  }

  private func advance(_ bench: HelperBench, _ seconds: Int64) {
    bench.now.nanoseconds += seconds * 1_000_000_000
    bench.now.wallSeconds += seconds
  }

  // MARK: The only accepted case

  @Test func `while the server is away the secret is enough to log in, with a text and without a token`() throws {
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

  @Test func `the text about the missing server is in the person's language`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, ["correct"]).infos == ["서버에 연결할 수 없어 서버 확인 없이 허용했습니다."])
  }

  @Test func `a service's section allows offline logins only for that service`() throws {
    let bench = try bench("[service.login]\noffline = \"allow\"\noffline_max_age = 60")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    var begin = bench.begin()
    begin.service = Array("su".utf8)
    expectRefusal(try bench.run(begin, ["correct"]))
  }

  @Test func `a divided login without the server succeeds too`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.isDivided = true
    #expect(try bench.run(begin, entries: [.resume, .answer("correct")]).result == 0)
  }

  @Test func `without the server a wrong secret is refused and counted, and a correct secret clears the count`() throws
  {
    let bench = try bench()
    #expect(try bench.run(bench.begin(), ["wrong1"]).result == 3012)
    #expect(try bench.triesLeft() == 2)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.triesLeft() == 3)
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    let locked = try bench.run(bench.begin())
    #expect(locked.result == 3013 && locked.pamCode == 11)
  }

  // MARK: What is not that case

  @Test func `refuses unless root allows it, and ignores successes from before that`() throws {
    let bench = try bench("[general]\noffline = \"deny\"")
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    bench.configuration = bench.configuration.replacing("[general]\noffline = \"deny\"", with: Self.allowed)
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(
      bench.log.lines.last?.contains(
        "not accepted without the server: the server's last verdict was not a success") == true)
  }

  @Test func `refuses if the server has never answered a login`() throws {
    let bench = try HelperBench.registered(Self.allowed)
    bench.server.lateFailure = .noHandshake(.timeOut)
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
  }

  @Test func `refuses after a reboot`() throws {
    let bench = try bench()
    bench.now.bootID = [2]
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(bench.log.lines.last?.contains("since the machine was started") == true)
  }

  @Test func `refuses once the success is too old by the boot clock or the wall clock`() throws {
    let bench = try bench()
    bench.now.nanoseconds += 3600 * 1_000_000_000
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    let other = try self.bench()
    other.now.wallSeconds += 3600
    expectRefusal(try other.run(other.begin(), ["correct"]))
    #expect(other.log.lines.last?.contains("too old") == true)
  }

  @Test func `refuses while the wall clock is behind a time that the machine has seen`() throws {
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
      // A revoked person is asked for a key that nobody has.
      { $0.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))] }, { $0.accepted = [["5541#0002"]] },
      { $0.furtherRequests = 9 },
    ] as [@Sendable (FakeServer) throws -> Void])
  func `refuses after a refusal by the server, until the server's next success`(
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

  @Test func `a server's refusal counts until the next success, even if a second call holds the account's file`() throws
  {
    let bench = try bench()
    (bench.server.lateFailure, bench.server.respondStatus) = (nil, .init(rawValue: 1480))
    var stopped: Database?
    // Stopped in the middle of a write, when this process has nothing left to write except the refusal.
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

  @Test func `a server's refusal ends offline logins of every service, even if it came to one that denies them`() throws
  {
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

  @Test func `the person's own actions, and silence after the handshake, do not end offline logins`() throws {
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
  func `refuses if a connection to the server was established`(_ failure: TransportFailure) throws {
    let bench = try bench()
    bench.server.lateFailure = failure
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result != 0 && transcript.pamCode != 0 && transcript.infos.isEmpty)
  }

  @Test(arguments: [false, true])
  func `refuses without AUTHINFO_UNAVAIL if the server was reached earlier in the same call`(
    _ isSlow: Bool
  ) throws {
    let bench = try bench()
    (bench.server.lateFailure, bench.server.answersLeft) = (nil, 1)
    // The earlier request has expired, and the next one is not answered.
    if isSlow { bench.server.onGet = { [unowned bench] in bench.now.nanoseconds += 61_000_000_000 } }
    expectRefusal(try bench.run(bench.begin(), ["correct"]), code: 7)
  }

  @Test func `refuses a login for a service with a text to be confirmed`() throws {
    let bench = try bench(Self.allowed + "\n[service.su]\ntransaction = true")
    var begin = bench.begin()
    begin.service = Array("su".utf8)
    expectRefusal(try bench.run(begin, ["correct"]))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `refuses for peers without root`() throws {
    let bench = try bench()
    var begin = Begin(.authenticate)
    begin.service = Array("login".utf8)
    expectRefusal(try bench.run(begin, ["correct"], peer: 4242))
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 4001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `refuses an approval, a proof and a registration`() throws {
    let bench = try bench()
    var approval = bench.begin()
    approval.payload = Array(bench.server.payload(operation: .authentication).encoded.utf8)
    #expect(try bench.run(approval, ["correct"]).result == 4001)
    #expect(try bench.run(bench.begin(.deregister), ["correct"]).result == 4001)
    #expect(try bench.run(bench.registration(), ["correct"]).result == 4001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `refuses after a different server address was configured`() throws {
    let bench = try bench()
    bench.configuration = bench.configuration.replacing("/uaf/get", with: "/uaf2/get")
    expectRefusal(try bench.run(bench.begin(), ["correct"]))
    #expect(bench.log.lines.last?.contains("from different addresses") == true)
  }

  @Test func `refuses after different CAs were configured, and not after a comment in their file`() throws {
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

  @Test func `refuses an authenticator that the server did not accept, or accepted only together with a second one`()
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

  @Test func `refuses if the record was edited or removed, and counts and successes work as before`() throws {
    for edit in ["UPDATE record SET mac = zeroblob(32)", "DELETE FROM record"] {
      let bench = try bench()
      try Database(path: bench.folder + "/state/accounts/4242.db")
        .execute("\(edit) WHERE kind = CAST('lastAnswer' AS BLOB)")
      expectRefusal(try bench.run(bench.begin(), ["correct"]))
      bench.server.lateFailure = nil
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    }
  }

  @Test func `with hidden states all refusals are alike, and a success stays a success`() throws {
    let bench = try bench(Self.allowed + "\nhide_state = true")
    let wrong = try bench.run(bench.begin(), ["wrong1"])
    #expect(wrong.result == 3012 && wrong.errors == ["Wrong passcode or pattern."])
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.now.bootID = [2]
    let away = try bench.run(bench.begin(), ["correct"])
    expectRefusal(away)
  }
}
