import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// A text that waits at the server, confirmed with a one-time code (`uafctl oob`).
@Suite struct ApprovalTests {
  private func approval(_ bench: HelperBench, _ payload: EnrolmentPayload? = nil) -> Begin {
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array((payload ?? bench.server.payload(operation: .authentication)).encoded.utf8)
    return begin
  }

  @Test func `the text that waits is shown before the value is asked for, and signed`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    let transcript = try bench.run(approval(bench), ["correct"], peer: 4242)
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.text) == ["Your passcode confirms: Sign in at the till\nPasscode for mina: "])
    #expect(transcript.prompts[0].reason == "Sign in at the till")
    #expect(bench.server.asked.last?.context.authCode == "code")
    #expect(bench.server.confirmed.last != .some(nil))
  }

  @Test func `without a text there is nothing to approve, and nobody is asked`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(approval(bench), peer: 4242)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `a wrong value approves nothing`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    let before = bench.server.answered
    #expect(try bench.run(approval(bench), ["wrong1", "wrong2", nil], peer: 4242).result == 999)
    #expect(bench.server.answered == before)
  }

  @Test func `a payload for another account, server or operation, or an old one, approves nothing`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    let payloads: [(EnrolmentPayload, UInt32)] = [
      (bench.server.payload(username: "nora", operation: .authentication), 1001),
      (bench.server.payload(server: "https://elsewhere.example", operation: .authentication), 1001),
      (bench.server.payload(operation: .registration), 1001),
      (bench.server.payload(operation: .authentication, expires: 1_799_999_999), 1100),
    ]
    let before = bench.server.asked.count
    for (payload, result) in payloads {
      let transcript = try bench.run(approval(bench, payload), peer: 4242)
      #expect(transcript.result == result && transcript.prompts.isEmpty)
    }
    #expect(bench.server.asked.count == before)
  }

  @Test func `a code that was used is not asked for a second time`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    bench.server.respondStatus = .init(rawValue: 1491)
    let before = bench.server.asked.count
    #expect(try bench.run(approval(bench), ["correct"], peer: 4242).result == 1100)
    #expect(bench.server.asked.count == before + 1)
  }
}
