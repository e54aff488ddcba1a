import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// `uafctl repair` makes a new key for the same secret, on a machine whose state is older than what the server has seen.
@Suite struct RepairTests {
  private static let done = "The passcode of mina has a new key. The server has forgotten the old one."

  /// A machine whose account file was restored to the state before its last nine logins.
  ///
  /// Each right entry counts one signature, so a machine that is only a few signatures behind catches up through refused
  /// logins.
  private func restored(_ make: () throws -> HelperBench = { try HelperBench.registered() }) throws -> HelperBench {
    let bench = try make()
    bench.server.comparesCounters = true
    bench.server.knownKeys = bench.server.keys.map(\.keyID)
    let file = bench.folder + "/state/accounts/4242.db"
    let kept = try Data(contentsOf: URL(fileURLWithPath: file))
    for _ in 0..<9 {
      #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.write(contentsOf: kept)
    try handle.truncate(atOffset: UInt64(kept.count))
    try handle.close()
    return bench
  }

  private func repair(_ bench: HelperBench, _ type: String? = nil, code: EnrolmentPayload? = nil) -> Begin {
    var begin = bench.begin(.repair)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = type.map { Array($0.utf8) }
    begin.payload = Array((code ?? bench.server.payload()).encoded.utf8)
    return begin
  }

  private func withoutCode(_ bench: HelperBench, _ type: String? = nil) -> Begin {
    var begin = repair(bench, type)
    begin.payload = nil
    return begin
  }

  /// Expects that a login on such a machine is refused, and that the text names the command.
  private func expectRefused(_ bench: HelperBench) throws {
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1100)
    #expect(transcript.errors.first?.contains("'uafctl repair --code FILE'") == true, "\(transcript.errors)")
  }

  private func status(_ bench: HelperBench) throws -> String {
    try bench.run(bench.begin(.status)).finished.document ?? ""
  }

  // MARK: Effects

  @Test(arguments: [false, true])
  func `repair with a code and the secret makes a new key, and the server forgets the old one`(_ hasTried: Bool) throws
  {
    let bench = try restored()
    let old = try #require(bench.server.registered)
    if hasTried { try expectRefused(bench) }
    let before = bench.server.asked.count
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 0 && transcript.finished.text == Self.done, "\(bench.log.lines)")
    #expect(transcript.prompts.map(\.check) == ["passcode"] && transcript.prompts.map(\.step) == [.current])
    // The old key signs nothing, because the server could not tell its signature from that of a copied machine.
    #expect(bench.server.asked.dropFirst(before).map(\.op) == [.registration])
    #expect(bench.server.asked.last?.context.lostKeyIDs == [old])
    #expect(bench.server.asked.last?.context.codeProof != nil)
    #expect(bench.server.knownKeys.isEmpty && bench.server.registered != old)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `in Korean too, repair says that the server has forgotten the old key`() throws {
    let bench = try restored()
    var begin = repair(bench)
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, ["correct"]).finished.text == "mina: 패스코드에 새 키를 등록했습니다. 서버에서도 이전 키를 지웠습니다.")
  }

  @Test func `if the server keeps the old key, as it does for a copied machine, repair says so`() throws {
    let bench = try restored()
    bench.server.forgetsLostKeys = false
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 0)
    #expect(transcript.finished.text?.contains("has not said that it deleted the old one") == true)
  }

  @Test func `a second repair replaces the valid key, and the server keeps none of the old ones`() throws {
    let bench = try restored()
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
    let first = try #require(bench.server.registered)
    bench.server.knownKeys = [first]
    #expect(try bench.run(repair(bench), ["correct"]).finished.text == Self.done)
    #expect(bench.server.asked.last?.context.lostKeyIDs.contains(first) == true && bench.server.knownKeys.isEmpty)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `status names a key that is behind the server's counter, until a login succeeds`() throws {
    let bench = try restored()
    #expect(try !status(bench).contains("atServer"))
    try expectRefused(bench)
    #expect(try status(bench).contains(#""atServer":"ahead""#))
    try ResultTests.expectUnusable(try status(bench))
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
    #expect(try !status(bench).contains("atServer"))
  }

  @Test func `status does not call a key behind if other logins only overtook one login`() throws {
    let bench = try HelperBench.registered()
    bench.server.comparesCounters = true
    var answers: UInt32 = 0
    bench.server.onRespond = { [unowned bench] in
      answers += 1
      bench.server.overtake(by: answers)
    }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1100)
    #expect(try !status(bench).contains("ahead"))
  }

  // MARK: Several authenticators

  @Test func `repair renews the key that the server has refused, and keeps that of the other authenticator`() throws {
    let bench = try restored { try HelperBench.registeredTwice() }
    let passcode = try #require(bench.server.keys.first?.keyID)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 1100)
    #expect(try bench.run(repair(bench), ["correct"]).finished.text == Self.done)
    #expect(bench.server.asked.last?.context.lostKeyIDs == [passcode])
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  @Test func `repair asks which of several authenticators it should renew if the server has refused none yet`() throws {
    let bench = try restored { try HelperBench.registeredTwice() }
    let transcript = try bench.run(repair(bench), ["1", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "passcode"])
  }

  @Test func `for repair, another authenticator that the server accepts can take the place of the code`() throws {
    let bench = try restored { try HelperBench.registeredTwice() }
    bench.server.comparesCounters = false
    let transcript = try bench.run(withoutCode(bench, "passcode"), ["12369", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["pattern", "passcode"], "\(bench.log.lines)")
    #expect(bench.server.asked.suffix(2).map(\.context.proofFor) == [.registration, nil])
    #expect(bench.server.asked.last?.context.proof == "token-of-the-server")
  }

  // MARK: Refusals, which change nothing on the machine

  @Test func `the key that needs the repair cannot take the place of the code, and nobody is asked`() throws {
    let bench = try restored()
    let before = bench.server.asked.count
    let transcript = try bench.run(withoutCode(bench), ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty && bench.server.asked.count == before)
    try expectRefused(bench)
  }

  @Test func `in a repair a wrong secret counts as in a login, and makes no key`() throws {
    let bench = try restored()
    let transcript = try bench.run(repair(bench), ["wrong1", "wrong1", "wrong1"])
    #expect(transcript.result == 3012 && bench.server.keys.count == 1)
    #expect(try bench.triesLeft() == 2)
    try expectRefused(bench)
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
  }

  @Test func `a locked account is not repaired, and its code stays valid`() throws {
    let bench = try restored()
    for value in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [value]) }
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 3013 && transcript.prompts.isEmpty && bench.server.keys.count == 1)
    bench.now.nanoseconds += 61_000_000_000
    bench.now.wallSeconds += 61
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
  }

  @Test
  func `before any prompt, repair refuses an expired code, and one for another person, server or operation`()
    throws
  {
    let bench = try restored()
    let before = bench.server.asked.count
    let codes: [(EnrolmentPayload, UInt32)] = [
      (bench.server.payload(username: "nora"), 1001), (bench.server.payload(server: "https://other"), 1001),
      (bench.server.payload(operation: .authentication), 1001), (bench.server.payload(expires: 1), 1100),
    ]
    for (code, result) in codes {
      let transcript = try bench.run(repair(bench, code: code), ["correct"])
      #expect(transcript.result == result && transcript.prompts.isEmpty)
    }
    #expect(bench.server.asked.count == before)
    try expectRefused(bench)
  }

  @Test func `repair reports a code that the server refuses before it asks for the secret`() throws {
    let bench = try restored()
    bench.server.registrationStatus = .unauthorized
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 13_006 && transcript.prompts.isEmpty)
    try expectRefused(bench)
  }

  @Test(arguments: [0, 1])
  func `if the server becomes unreachable at any point of a repair, the machine stays as it was`(_ answers: Int) throws
  {
    let bench = try restored()
    try expectRefused(bench)
    (bench.server.answersLeft, bench.server.forgetsLostKeys) = (answers, false)
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 4001 && transcript.prompts.count == answers, "\(transcript.result)")
    (bench.server.answersLeft, bench.server.forgetsLostKeys) = (nil, true)
    try expectRefused(bench)
    #expect(try bench.run(repair(bench), ["correct"]).finished.text == Self.done)
  }

  @Test func `if the server fails at the end of a repair, the machine stays as it was`() throws {
    let bench = try restored()
    bench.server.respondStatus = .init(rawValue: 1500)
    #expect(try bench.run(repair(bench), ["correct"]).result == 9000)
    bench.server.respondStatus = .ok
    try expectRefused(bench)
  }

  @Test func `the next repair replaces a key whose success message from the server was lost`() throws {
    let bench = try restored()
    let old = try #require(bench.server.registered)
    bench.server.onRespond = { [unowned bench] in bench.server.lateFailure = .afterHandshake(.connectionLost) }
    #expect(try bench.run(repair(bench), ["correct"]).result == 4001)
    (bench.server.onRespond, bench.server.lateFailure) = (nil, nil)
    let lost = try #require(bench.server.registered)
    #expect(lost != old)
    bench.server.knownKeys = [lost]
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
    #expect(bench.server.asked.last?.context.lostKeyIDs.contains(lost) == true && bench.server.knownKeys.isEmpty)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `if the front end disappears after the secret was entered, repair makes no key`() throws {
    let bench = try restored()
    bench.server.onFinish = { [unowned bench] in bench.hangUp() }
    try bench.run(repair(bench), entries: [.answer("correct"), .gone])
    bench.server.onFinish = nil
    #expect(bench.server.keys.count == 1)
    try expectRefused(bench)
  }

  @Test func `a cancelled repair makes no key`() throws {
    let bench = try restored()
    #expect(try bench.run(repair(bench), [nil]).result == 999)
    #expect(bench.server.keys.count == 1)
  }

  @Test func `repair says that there is nothing to repair if nothing, or not the named type, is registered`() throws {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    let empty = try bench.run(repair(bench))
    #expect(empty.result == 1009 && empty.prompts.isEmpty && bench.server.asked.isEmpty)
    let other = try HelperBench.registered()
    let before = other.server.asked.count
    #expect(try other.run(repair(other, "pattern")).prompts.isEmpty)
    #expect(other.server.asked.count == before)
  }
}
