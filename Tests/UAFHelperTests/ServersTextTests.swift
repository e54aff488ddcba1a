import Authenticator
import FidoResults
import Glibc
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// A transaction text that the server adds on its own (`accept_transaction`).
@Suite struct ServersTextTests {
  private static let text = "Pay 5 EUR to Mina's shop"

  private func bench(_ accepted: String? = "any", text: String? = Self.text) throws -> HelperBench {
    let bench = try HelperBench.registered()
    if let accepted {
      bench.configuration = bench.configuration.replacing(
        "[state]", with: "accept_transaction = \"\(accepted)\"\n[state]")
    }
    bench.server.slippedText = text
    return bench
  }

  private func lines(_ bench: HelperBench) -> [String] {
    bench.log.lines.filter { $0.contains("event=confirmed") }
  }

  @Test(arguments: [nil, "ours"]) func `refuses a text that the server adds, unless root allows it, and signs nothing`(
    _ accepted: String?
  ) throws {
    let bench = try bench(accepted)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001 && !transcript.prompts[0].text.contains(Self.text))
    #expect(bench.server.confirmed.isEmpty && lines(bench).isEmpty)
  }

  @Test func `a text that the server adds is shown before the secret is asked for, signed and logged`() throws {
    let bench = try bench()
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0)
    #expect(
      transcript.prompts.map(\.text) == ["Your passcode confirms: \(Self.text)\nPasscode for mina (login): "])
    #expect(transcript.prompts[0].reason == Self.text)
    #expect(bench.server.confirmed.count == 1 && bench.server.confirmed.last != .some(nil))
    #expect(bench.server.asked.last?.context.transaction == nil, "it is not ours to send")
    #expect(lines(bench).count == 1 && lines(bench)[0].contains("detail=\"\(Self.text)\""))
  }

  @Test func `with accept_transaction, a login to which the server adds no text is as usual`() throws {
    let bench = try bench(text: nil)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.text) == ["Passcode for mina (login): "])
    #expect(bench.server.confirmed == [nil] && lines(bench).isEmpty)
  }

  @Test(arguments: ["two\nlines", "bell\u{7}", "a\\b", "\u{1B}[2J"])
  func `refuses a text of the server that cannot be shown as it is signed, and signs nothing`(_ text: String)
    throws
  {
    let bench = try bench(text: text)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.map(\.text) == ["Passcode for mina (login): "])
    #expect(bench.server.confirmed.isEmpty && lines(bench).isEmpty)
  }

  @Test func `with a wrong secret, a text that the server adds is not confirmed`() throws {
    let bench = try bench()
    #expect(try bench.run(bench.begin(), ["wrong1"]).result == 3012)
    #expect(bench.server.confirmed.isEmpty && lines(bench).isEmpty)
  }

  @Test func `a text that the server adds does not replace the machine's own text`() throws {
    let bench = try bench()
    bench.configuration += "\n[service.login]\ntransaction = true"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001 && bench.server.confirmed.isEmpty)
    #expect(!transcript.prompts[0].text.contains(Self.text))
  }

  @Test(arguments: [(text, text, UInt32(0)), (text, "Pay 500 EUR to Mina's shop", 1001), (nil, text, 1001)])
  func `if the challenge was used and a new one comes, only the text that was shown is signed`(
    _ first: String?, _ second: String, _ result: UInt32
  ) throws {
    let bench = try bench(text: first)
    bench.server.respondStatus = .requestInvalid
    bench.server.onGet = {
      bench.server.onGet = {
        bench.server.respondStatus = .ok
        bench.server.slippedText = second
      }
    }
    #expect(try bench.run(bench.begin(), ["correct"]).result == result)
    #expect(bench.server.asked.suffix(2).map(\.op) == [.authentication, .authentication])
    #expect(bench.server.confirmed.count == (result == 0 ? 2 : 1))
  }

  @Test func `refuses a text that the server adds to a further request, because nobody has seen it`() throws {
    let bench = try bench(text: nil)
    bench.server.furtherRequests = 1
    bench.server.furtherText = Self.text
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1001)
    #expect(bench.server.confirmed == [nil])
  }

  @Test func `a deregistration shows the text that the server adds to the request for a proof`() throws {
    for (accepted, result) in [("ours", UInt32(1001)), ("any", 0)] {
      let bench = try bench(accepted)
      var begin = bench.begin(.deregister)
      begin.service = Array("uafctl".utf8)
      let transcript = try bench.run(begin, ["correct"])
      #expect(transcript.result == result)
      #expect(transcript.prompts[0].text.hasPrefix("Your passcode confirms: \(Self.text)\n") == (result == 0))
    }
  }

  @Test func `with hidden registrations, the server's text is shown for unknown names as well`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.service = Array("sshd".utf8)
    begin.isRemote = true
    begin.remoteHost = Array("192.0.2.1".utf8)
    let known = try bench.run(begin, ["wrong1"])
    begin.uid = nil
    begin.account = nil
    let unknown = try bench.run(begin, ["wrong1"])
    #expect(known.prompts.map(\.text) == unknown.prompts.map(\.text) && known.errors == unknown.errors)
    #expect(known.prompts[0].text.contains(Self.text))
  }

  @Test func `sudo shows the server's text in a separate message`() throws {
    let bench = try bench()
    var begin = bench.begin()
    begin.service = Array("sudo".utf8)
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts[0].confirmed == "Your passcode confirms: \(Self.text)")
  }

  @Test func `if the server cannot be reached, the usual prompt is shown and the login refused`() throws {
    let bench = try bench()
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["wrong1"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001)
  }
}
