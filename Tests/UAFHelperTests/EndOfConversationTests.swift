import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// How a call ends, and what the front end has received by then.
@Suite struct EndOfConversationTests {
  @Test(arguments: UAFWire.Operation.allCases, ["correct", "wrong", nil])
  func `each operation ends with exactly one finished message, whatever is entered`(
    _ operation: UAFWire.Operation, _ entry: String?
  ) throws {
    let bench = try HelperBench.registeredTwice()
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    let transcript = try bench.run(begin, Array(repeating: entry, count: 16))
    #expect(transcript.messages.count { $0.type == .finished } == 1)
    #expect(transcript.messages.last?.type == .finished)
  }

  @Test func `a call that could not begin also ends with exactly one finished message`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.account = Array("mina\n".utf8)
    begin.typedName = begin.account
    begin.uid = nil
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.messages.map(\.type).filter { $0 != .error } == [.finished])
    #expect(transcript.pamCode != 0)
  }

  @Test(arguments: [1400, 1401, 1408, 1490, 1496, 1498, 12_345] as [UInt32])
  func `shows a refusal with the server's own text, without its control characters`(_ status: UInt32) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = UAFStatusCode(rawValue: status)
    bench.server.description = "Ask\u{202e} Mina\u{1b}[31m\r\n!"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.pamCode == 7)
    #expect(transcript.errors == ["Refused by the server: Ask Mina[31m !"])
  }

  @Test func `shows a text of its own if nothing printable is left of the server's text`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = UAFStatusCode(rawValue: 1496)
    bench.server.description = "\u{1b}\u{7}\u{202e}"
    #expect(try bench.run(bench.begin(), ["correct"]).errors == ["The server replied with status 1496."])
  }

  @Test func `with PAM_SILENT a lock and a refusal are still shown to the person`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.pamFlags = 0x8000
    bench.server.respondStatus = UAFStatusCode(rawValue: 1496)
    #expect(try bench.run(begin, ["correct"]).errors == ["The server replied with status 1496."])
    bench.server.respondStatus = UAFStatusCode(rawValue: 1200)
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(begin, [wrong]) }
    let locked = try bench.run(begin)
    #expect(locked.errors == ["Locked after wrong entries: try again in 60 seconds."])
    #expect(locked.prompts.isEmpty && locked.pamCode == 11)
  }

  @Test func `status contains the version, and which types are available, registered, locked and usable`()
    throws
  {
    let bench = try HelperBench.registered()
    func types() throws -> [Int?] {
      let document = try document()
      return ["availableTypes", "registeredTypes", "lockedTypes", "usableTypes"].map { document[$0] as? Int }
    }
    func document() throws -> [String: Any] {
      let text = try #require(try bench.run(bench.begin(.status)).finished.document)
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    #expect(try document()["version"] as? String == HelperVersion.current)
    // USER_VERIFY_PASSCODE_INTERNAL and USER_VERIFY_PATTERN_INTERNAL of the FIDO Registry. The pattern is available, but not
    // registered.
    #expect(try types() == [0x84, 0x04, 0, 0x04])
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(try types() == [0x84, 0x04, 0x04, 0])
    bench.configuration = "authenticators = [\"pattern\", \"face\"]\n" + bench.configuration
    #expect(try types() == [0x80, 0, 0, 0])
  }
}
