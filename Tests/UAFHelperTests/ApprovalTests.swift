import FidoResults
import Testing
import UAFClient
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

  @Test func `an approval shows the waiting text before it asks for the secret, and signs the text`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    let transcript = try bench.run(approval(bench), ["correct"], peer: 4242)
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.text) == ["Your passcode confirms: Sign in at the till\nPasscode for mina: "])
    #expect(transcript.prompts[0].reason == "Sign in at the till")
    #expect(bench.server.asked.last?.context.authCode == "code")
    #expect(bench.server.confirmed.last != .some(nil))
  }

  @Test func `an approval asks for no secret if no text is waiting`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(approval(bench), peer: 4242)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `an approval with a wrong secret approves nothing`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    let before = bench.server.answered
    #expect(try bench.run(approval(bench), ["wrong1", "wrong2", nil], peer: 4242).result == 999)
    #expect(bench.server.answered == before)
  }

  @Test
  func `an approval with an expired payload, or one for another account, server or operation, approves nothing`() throws
  {
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

  @Test func `with only the code a person denies a waiting text, and is not logged in`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    var begin = approval(bench)
    begin.denies = true
    // A locked account can deny too, because a denial grants nothing.
    let transcript = try bench.run(begin, peer: 4242)
    #expect(transcript.result == 999 && transcript.pamCode == 19 && transcript.prompts.isEmpty)
    #expect(transcript.finished.text == "Denied: it can no longer be approved.")
    let asked = try #require(bench.server.asked.last)
    #expect(asked.op == .authentication && asked.context.denies == true && asked.context.authCode == "code")
    #expect(bench.log.lines.contains { $0.contains("event=approval") })
  }

  @Test func `a person denies a text at the prompt, after it was shown`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    let answered = bench.server.answered
    let transcript = try bench.run(approval(bench), entries: [.denied], peer: 4242)
    #expect(transcript.result == 999 && transcript.finished.text == "Denied: it can no longer be approved.")
    #expect(transcript.prompts.count == 1 && bench.server.answered == answered)
    #expect(bench.server.asked.last?.context.denies == true)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `a denial that the server refuses or never receives is not reported as a success`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    var begin = approval(bench)
    begin.denies = true
    bench.server.knowsDenials = false
    #expect(try bench.run(begin, peer: 4242).result == 1001)
    bench.server.knowsDenials = true
    bench.server.denialStatus = .init(rawValue: 1401)
    let refused = try bench.run(begin, peer: 4242)
    #expect(
      refused.result == 13_006 && refused.finished.text == "There is no pending approval for this code.")
    bench.server.failure = .noHandshake(.refused)
    #expect(try bench.run(begin, peer: 4242).result == 4001)
    #expect(!bench.log.lines.contains { $0.contains("event=approval") })
  }

  @Test func `a denial is refused in any operation except an approval`() throws {
    let bench = try HelperBench.registered()
    let asked = bench.server.asked.count
    var begin = bench.begin()
    begin.denies = true
    #expect(try bench.run(begin, ["correct"]).result == 1001)
    begin = approval(bench, bench.server.payload())
    begin.denies = true
    #expect(try bench.run(begin, peer: 4242).result == 1001)
    #expect(bench.server.asked.count == asked)
    // A denial at the prompt of a login counts as cancelling it.
    let login = try bench.run(bench.begin(), entries: [.denied])
    #expect(login.result == 999 && bench.server.asked.last?.context.denies == nil)
  }

  @Test func `an approval whose code was already used sends no second request`() throws {
    let bench = try HelperBench.registered()
    bench.server.slippedText = "Sign in at the till"
    bench.server.respondStatus = .init(rawValue: 1491)
    let before = bench.server.asked.count
    #expect(try bench.run(approval(bench), ["correct"], peer: 4242).result == 1100)
    #expect(bench.server.asked.count == before + 1)
  }
}
