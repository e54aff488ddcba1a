import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// A state folder that is older than what the server has seen, because a backup was restored or the machine was copied.
@Suite struct RestoredStateTests {
  private static let text =
    "The server has seen more signatures by this key than this machine has made: an older copy was restored, or another machine has the key. Ask the administrator for an enrolment code, then run 'uafctl repair --code FILE'."

  /// A machine whose account file was restored to the state before its last three logins.
  private func restored() throws -> HelperBench {
    let bench = try HelperBench.registered()
    bench.server.comparesCounters = true
    let file = bench.folder + "/state/accounts/4242.db"
    let kept = try Data(contentsOf: URL(fileURLWithPath: file))
    for _ in 0..<3 { #expect(try bench.run(bench.begin(), ["correct"]).result == 0) }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.write(contentsOf: kept)
    try handle.truncate(atOffset: UInt64(kept.count))
    try handle.close()
    return bench
  }

  @Test func `on a restored machine each refused login names the cause and the remedy, and is not repeated`()
    throws
  {
    let bench = try restored()
    for _ in 0..<2 {
      let before = bench.server.asked.count
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 1100 && transcript.pamCode == 7 && transcript.errors == [Self.text])
      #expect(bench.server.asked.count == before + 1)
    }
    #expect(bench.log.lines.last?.contains("the server has seen signature 3 of the key") == true)
  }

  @Test func `on a restored machine a refused login names the cause and the remedy in Korean too`() throws {
    let bench = try restored()
    var begin = bench.begin()
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(try bench.run(begin, ["correct"]).errors.first?.contains("uafctl repair --code FILE") == true)
  }

  @Test func `on a restored machine a refused deregistration names the cause and the remedy too`() throws {
    let bench = try restored()
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    let transcript = try bench.run(begin, ["correct"])
    // This text is for root, so its command names the account.
    let text = Self.text.replacing("uafctl repair", with: "uafctl repair mina")
    #expect(transcript.result == 1100 && transcript.finished.text == text)
  }

  @Test func `a restored machine works again after a reset and a registration`() throws {
    let bench = try restored()
    var begin = bench.begin(.reset)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).result == 7100)
    bench.server.comparesCounters = false
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a login that was overtaken by one other login is repeated once, and shows no text`() throws {
    let bench = try HelperBench.registered()
    var isFirst = true
    bench.server.onRespond = { [unowned bench] in
      bench.server.comparesCounters = isFirst
      if isFirst { bench.server.overtake(by: 1) }
      isFirst = false
    }
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0 && transcript.errors.isEmpty)
  }

  @Test(arguments: [(UInt32(3), UInt32(0)), (4, 1100)])
  func `a login that is overtaken again and again is repeated three times, and then ends`(
    _ times: UInt32, _ result: UInt32
  )
    throws
  {
    let bench = try HelperBench.registered()
    bench.server.comparesCounters = true
    var answers: UInt32 = 0
    bench.server.onRespond = { [unowned bench] in
      answers += 1
      if answers <= times { bench.server.overtake(by: answers) }
    }
    #expect(try bench.run(bench.begin(), ["correct"]).result == result)
    #expect(answers == 4)
  }

  @Test func `if the server does not report its counter, no text says that the machine's state is older`() throws {
    let bench = try restored()
    bench.server.tellsCounters = false
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1100 && transcript.errors != [Self.text])
  }
}
