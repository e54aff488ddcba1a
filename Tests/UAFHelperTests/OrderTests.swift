import Authenticator
import FidoResults
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// A secret that was verified here decides first, whatever the server, a list or another call does.
@Suite struct OrderTests {
  @Test func `even after a choice from a list, an unreachable server is reported only after a correct secret`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.lateFailure = .noHandshake(.refused)
    let right = try bench.run(bench.begin(), ["2", "12369"])
    #expect(right.result == 4001 && right.pamCode == 9 && right.prompts.map(\.check) == ["choice", "pattern"])
    let wrong = try bench.run(bench.begin(), ["1", "wrong1"])
    #expect(wrong.result == 3012 && wrong.pamCode == 7)
    #expect(try bench.triesLeft() == 2)
    #expect(try bench.run(bench.begin(), [nil]).result == 999)
  }

  @Test func `even with offer_reset, an unreachable server is reported only after a correct secret`() throws {
    let bench = try HelperBench.registered("[prompt]\noffer_reset = true", signed: true)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["1", "wrong1"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 4001)
  }

  /// Faults because of which the server gives no valid request.
  private static let noRequests: [@Sendable (FakeServer) -> Void] = [
    { $0.lateFailure = .noHandshake(.refused) }, { $0.failure = .noHandshake(.dns) }, { $0.httpStatus = 500 },
    { $0.lateFailure = .afterHandshake(.connectionLost) },
  ]

  @Test(arguments: noRequests.indices)
  func `a divided login without a valid request ends before it asks for a secret, with one text for each fault`(
    _ index: Int
  ) throws {
    let bench = try HelperBench.registered()
    Self.noRequests[index](bench.server)
    var begin = bench.begin()
    begin.isDivided = true
    for entries in [[], [.resume], [.resume, .answer("correct")]] as [[HelperBench.Entry]] {
      let transcript = try bench.run(begin, entries: entries)
      #expect(transcript.result == 1100 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
      #expect(!transcript.messages.map(\.type).contains(.ready))
      #expect(transcript.errors == ["The login could not be prepared. Try again."])
    }
    #expect(try bench.triesLeft() == 3)
  }

  @Test(arguments: noRequests.indices)
  func `with hidden registrations, a divided login without a request is the same for known and unknown names`(
    _ index: Int
  ) throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    (begin.service, begin.isRemote, begin.isDivided) = (Array("greeter".utf8), true, true)
    Self.noRequests[index](bench.server)
    for entries in [[.cancelled], [.resume, .answer("wrong1")]] as [[HelperBench.Entry]] {
      (begin.uid, begin.account) = (4242, Array("mina".utf8))
      let known = try bench.run(begin, entries: entries)
      (begin.uid, begin.account) = (nil, nil)
      let unknown = try bench.run(begin, entries: entries)
      #expect(known.messages == unknown.messages, "\(known.messages) \(unknown.messages)")
    }
  }

  @Test func `with hidden registrations, a divided login of an unknown name waits for resume like any other`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.service = Array("greeter".utf8)
    begin.isRemote = true
    begin.isDivided = true
    let known = try bench.run(begin, entries: [.cancelled])
    begin.uid = nil
    let unknown = try bench.run(begin, entries: [.cancelled])
    #expect(known.prompts.isEmpty && unknown.prompts.isEmpty)
    #expect(known.result == unknown.result && known.pamCode == unknown.pamCode)
  }

  @Test func `if the front end disappears before the first prompt, no request is sent to the server`() throws {
    let bench = try HelperBench.registered()
    let begin = bench.begin()
    let before = bench.server.asked.count
    bench.onceOpen = { [weak bench] in bench?.hangUp() }
    try bench.run(begin, ["correct"])
    #expect(bench.server.asked.count == before)
    try bench.run(begin, ["correct"])
    #expect(bench.server.asked.count == before + 1)
  }

  @Test func `a request that cannot be sent is reported only after a correct secret`() throws {
    let bench = try HelperBench.registered()
    bench.server.failure = .unavailable
    let wrong = try bench.run(bench.begin(), ["wrong1"])
    #expect(wrong.result == 3012 && wrong.prompts.count == 1)
    let right = try bench.run(bench.begin(), ["correct"])
    #expect(right.result != 0 && right.result != 3012 && right.prompts.count == 1)
  }

  @Test func `if each answer of the server takes more than a minute, at most two requests are sent`() throws {
    let bench = try HelperBench.registered()
    let before = bench.server.asked.count
    bench.server.onEachGet = { [weak bench] in bench?.now.nanoseconds += 61_000_000_000 }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(bench.server.asked.count == before + 2)
  }

  @Test func `leaving a prompt and coming back gives no new tries, and counts no wrong secret twice`() throws {
    let bench = try HelperBench.registeredTwice("[prompt]\ntries = 2")
    let transcript = try bench.run(bench.begin(), ["1", "wrong1", "", "1", "wrong1"])
    #expect(transcript.result == 3012 && transcript.prompts.count == 5)
    #expect(try bench.triesLeft() == 2)
  }

  // MARK: Codes that the server does not check

  /// A bench whose server never checks enrolment codes.
  private func plain(_ more: String = "") throws -> HelperBench {
    let bench = try HelperBench.registered(more, signed: true)
    bench.configuration = bench.configuration.replacing("[server]", with: "[server]\ndialect = \"plain\"")
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    return bench
  }

  @Test func `if the server checks no codes, no code sets the secret of an account in use`() throws {
    let bench = try plain()
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("pattern".utf8)
    begin.payload = Array(bench.server.payload().encoded.utf8)
    let transcript = try bench.run(begin, peer: 4242)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty && bench.server.keys.count == 1)
  }

  @Test func `if the server checks no codes, a login does not offer to register again`() throws {
    let bench = try plain("[prompt]\noffer_reset = true")
    let transcript = try bench.run(bench.begin(), ["wrong1"])
    #expect(transcript.result == 3012 && transcript.prompts.map(\.check) == ["passcode"])
  }

  // MARK: Only the named authenticator is affected

  @Test func `a forced change of a stale passcode is not satisfied by a change of the pattern`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.configuration += "\n[passcode]\nmin_length = 10"
    var begin = bench.begin(.change)
    begin.pamFlags = 0x20
    let transcript = try bench.run(begin, ["2", "12369", "correct", "longbattery", "longbattery"])
    #expect(transcript.result == 7110)
    #expect(transcript.errors == ["Your pattern meets the rules: only the passcode must be changed."])
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
    begin.authenticator = Array("pattern".utf8)
    #expect(try bench.run(begin, ["12369"]).result == 7111)
  }

  @Test func `deregistering one authenticator keeps the other, whatever the server's order names`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.order = [.everything]
    var begin = bench.begin(.deregister)
    begin.authenticator = Array("pattern".utf8)
    #expect(try bench.run(begin, ["12369"]).result == 0)
    bench.server.accepted = [["5541#0001"]]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern")).result == 1009)
  }
}
