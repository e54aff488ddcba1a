import Authenticator
import Glibc
import Testing
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Texts that a server has waiting, approved with a payload.
@Suite struct ApprovalTests {
  private static let text = "Log in to the bastion as mina, from 192.0.2.7"

  private func bench(_ more: String = "") throws -> HelperBench {
    let bench = try HelperBench.registered(more)
    bench.server.slippedText = Self.text
    return bench
  }

  private func begin(_ bench: HelperBench, _ payload: EnrolmentPayload? = nil) -> Begin {
    var begin = bench.begin()
    begin.service = Array("uafctl".utf8)
    begin.payload = Array((payload ?? bench.server.payload(operation: .authentication)).encoded.utf8)
    return begin
  }

  @Test func `shows the server's text with the prompt, and signs it`() throws {
    let bench = try bench("[service.uafctl]\ntransaction = true")
    let transcript = try bench.run(begin(bench), ["correct"])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(transcript.prompts.map(\.reason) == [Self.text])
    #expect(transcript.prompts.first?.text.contains(Self.text) == true)
    let context = try #require(bench.server.asked.last?.context)
    #expect(context.authCode == "code" && context.transaction == nil && context.proofFor == nil)
    #expect(bench.server.confirmed.last == (try SHA256.hash(Array(Self.text.utf8))))
  }

  @Test func `asks nobody where the server has no text, or one that cannot be shown whole`() throws {
    for text in [nil, "a\u{7}b"] {
      let bench = try bench()
      bench.server.slippedText = text
      let transcript = try bench.run(begin(bench), ["correct"])
      #expect(transcript.result == 1001)
      #expect(transcript.prompts.isEmpty && bench.server.confirmed.isEmpty)
    }
  }

  @Test func `refuses a payload of another account, server, authority, operation or time, and asks nobody`() throws {
    let bench = try bench()
    let server = bench.server
    let payloads: [(EnrolmentPayload, UInt32)] = [
      (server.payload(username: "root", operation: .authentication), 1001),
      (server.payload(server: "https://evil.example", operation: .authentication), 1001),
      (server.payload(operation: .authentication, ca: "-----BEGIN CERTIFICATE-----"), 1001),
      (server.payload(operation: .registration), 1001), (server.payload(operation: .deregistration), 1001),
      (server.payload(operation: .authentication, expires: 1_799_999_999), 1100),
    ]
    let asked = server.asked.count
    for (payload, result) in payloads {
      let transcript = try bench.run(begin(bench, payload), ["correct"])
      #expect(transcript.result == result)
      #expect(transcript.prompts.isEmpty)
    }
    #expect(server.asked.count == asked)
  }

  @Test func `signs no other text than the one that was shown`() throws {
    let bench = try bench()
    // The answer to the first request is too late; the next request comes with another text.
    bench.server.respondStatus = UAFStatusCode(rawValue: 1491)
    var turns = 0
    func change() {
      turns += 1
      if turns == 2 { bench.server.slippedText = "pay 1000" }
      bench.server.onGet = change
    }
    bench.server.onGet = change
    let transcript = try bench.run(begin(bench), ["correct"])
    #expect(transcript.result == 1001)
    #expect(bench.server.confirmed == [try SHA256.hash(Array(Self.text.utf8))])
  }

  @Test func `holds nothing against the keys where the code is refused`() throws {
    let bench = try bench()
    for (status, isMarked) in [(1401, false), (1481, true)] as [(UInt32, Bool)] {
      bench.server.respondStatus = UAFStatusCode(rawValue: status)
      let transcript = try bench.run(begin(bench), ["correct"])
      #expect(transcript.result == 13_006)
      let says = transcript.finished.text?.contains("does not accept the payload's code") ?? false
      #expect(says == !isMarked)
      let directory = try StateDirectory(bench.folder + "/state", owner: getuid())
      let account = try AccountFile.open(in: directory, uid: 4242, name: Array("mina".utf8)) { _ in "mina" }
      #expect(try account?.keys().map(\.serverStatus) == [isMarked ? status : 0])
    }
  }

  @Test func `counts a wrong value as ever, and confirms nothing`() throws {
    let bench = try bench()
    let left = try bench.triesLeft()
    #expect(try bench.run(begin(bench), ["wrong123", nil]).result == 999)
    #expect(try bench.triesLeft() == left - 1)
    #expect(bench.server.confirmed.isEmpty)
  }
}
