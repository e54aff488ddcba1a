import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// `uafctl repair`: a new key under the same value, for a machine whose state is older than what the server has seen.
@Suite struct RepairTests {
  private static let done = "The passcode of mina has a new key. The server has forgotten the old one."

  /// A machine whose account's file is restored to its state of nine logins ago.
  ///
  /// Each right entry counts a signature, so a machine that is only a few behind catches up by being refused.
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

  /// A login of a machine in that state is refused, and names the command.
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
  func `a code and the value make a new key, and the server forgets the old key`(_ hasTried: Bool) throws {
    let bench = try restored()
    let old = try #require(bench.server.registered)
    if hasTried { try expectRefused(bench) }
    let before = bench.server.asked.count
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 0 && transcript.finished.text == Self.done, "\(bench.log.lines)")
    #expect(transcript.prompts.map(\.check) == ["passcode"] && transcript.prompts.map(\.step) == [.current])
    // No signature by the old key: the server could not distinguish it from a copy's signature.
    #expect(bench.server.asked.dropFirst(before).map(\.op) == [.registration])
    #expect(bench.server.asked.last?.context.lostKeyIDs == [old])
    #expect(bench.server.asked.last?.context.codeProof != nil)
    #expect(bench.server.knownKeys.isEmpty && bench.server.registered != old)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `says in Korean, too, that the server has forgotten the old key`() throws {
    let bench = try restored()
    var begin = repair(bench)
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, ["correct"]).finished.text == "mina: 패스코드에 새 키를 등록했습니다. 서버에서도 이전 키를 지웠습니다.")
  }

  @Test func `says that the server keeps the old key, as it does for a copied machine`() throws {
    let bench = try restored()
    bench.server.forgetsLostKeys = false
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 0)
    #expect(transcript.finished.text?.contains("has not said that it deleted the old one") == true)
  }

  @Test func `a second repair renews a valid key, and leaves nothing behind at the server`() throws {
    let bench = try restored()
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
    let first = try #require(bench.server.registered)
    bench.server.knownKeys = [first]
    #expect(try bench.run(repair(bench), ["correct"]).finished.text == Self.done)
    #expect(bench.server.asked.last?.context.lostKeyIDs.contains(first) == true && bench.server.knownKeys.isEmpty)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `status names the key that is behind, until a login succeeds`() throws {
    let bench = try restored()
    #expect(try !status(bench).contains("atServer"))
    try expectRefused(bench)
    #expect(try status(bench).contains(#""atServer":"ahead""#))
    try ResultTests.expectUnusable(try status(bench))
    #expect(try bench.run(repair(bench), ["correct"]).result == 0)
    #expect(try !status(bench).contains("atServer"))
  }

  @Test func `status does not show a key as behind because other logins overtook a login`() throws {
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

  @Test func `repairs the authenticator that the server refused, and keeps the key of the other authenticator`() throws
  {
    let bench = try restored { try HelperBench.registeredTwice() }
    let passcode = try #require(bench.server.keys.first?.keyID)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 1100)
    #expect(try bench.run(repair(bench), ["correct"]).finished.text == Self.done)
    #expect(bench.server.asked.last?.context.lostKeyIDs == [passcode])
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  @Test func `asks which of several authenticators to repair if none was refused yet`() throws {
    let bench = try restored { try HelperBench.registeredTwice() }
    let transcript = try bench.run(repair(bench), ["1", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "passcode"])
  }

  @Test func `a different authenticator that the server accepts may replace the code`() throws {
    let bench = try restored { try HelperBench.registeredTwice() }
    bench.server.comparesCounters = false
    let transcript = try bench.run(withoutCode(bench, "passcode"), ["12369", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["pattern", "passcode"], "\(bench.log.lines)")
    #expect(bench.server.asked.suffix(2).map(\.context.proofFor) == [.registration, nil])
    #expect(bench.server.asked.last?.context.proof == "token-of-the-server")
  }

  // MARK: Refusals, after which the machine is as it was

  @Test func `the key to be repaired cannot replace the code, and nothing is asked`() throws {
    let bench = try restored()
    let before = bench.server.asked.count
    let transcript = try bench.run(withoutCode(bench), ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty && bench.server.asked.count == before)
    try expectRefused(bench)
  }

  @Test func `a wrong value counts as in a login, and makes no key`() throws {
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
  func `refuses an expired code, and a code for a different person, server or operation, before anything is asked`()
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

  @Test func `a code that the server refuses is reported before the value is asked for`() throws {
    let bench = try restored()
    bench.server.registrationStatus = .unauthorized
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 13_006 && transcript.prompts.isEmpty)
    try expectRefused(bench)
  }

  @Test(arguments: [0, 1])
  func `a server that disappears at any point leaves the machine as it was`(_ answers: Int) throws {
    let bench = try restored()
    try expectRefused(bench)
    (bench.server.answersLeft, bench.server.forgetsLostKeys) = (answers, false)
    let transcript = try bench.run(repair(bench), ["correct"])
    #expect(transcript.result == 4001 && transcript.prompts.count == answers, "\(transcript.result)")
    (bench.server.answersLeft, bench.server.forgetsLostKeys) = (nil, true)
    try expectRefused(bench)
    #expect(try bench.run(repair(bench), ["correct"]).finished.text == Self.done)
  }

  @Test func `a server that fails at the end leaves the machine as it was`() throws {
    let bench = try restored()
    bench.server.respondStatus = .init(rawValue: 1500)
    #expect(try bench.run(repair(bench), ["correct"]).result == 9000)
    bench.server.respondStatus = .ok
    try expectRefused(bench)
  }

  @Test func `the next repair replaces a key whose success message was lost`() throws {
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

  @Test func `a front end that disappears after the value makes no key`() throws {
    let bench = try restored()
    bench.server.onFinish = { [unowned bench] in bench.hangUp() }
    try bench.run(repair(bench), entries: [.answer("correct"), .gone])
    bench.server.onFinish = nil
    #expect(bench.server.keys.count == 1)
    try expectRefused(bench)
  }

  @Test func `cancelling makes no key`() throws {
    let bench = try restored()
    #expect(try bench.run(repair(bench), [nil]).result == 999)
    #expect(bench.server.keys.count == 1)
  }

  @Test func `there is nothing to repair if nothing is registered, or if the named type is not`() throws {
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
