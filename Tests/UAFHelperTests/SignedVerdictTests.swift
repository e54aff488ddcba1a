import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Logins at a server whose yes has to be signed.
@Suite final class SignedVerdictTests {
  private let signer: VerdictSigner

  init() throws { signer = try VerdictSigner() }

  /// A registered account whose root has since asked for signed verdicts.
  private func bench(_ pem: String? = nil, mode: mode_t = 0o644) throws -> HelperBench {
    let bench = try HelperBench.registered()
    try demandSignature(bench, pem, mode: mode)
    return bench
  }

  /// Has root ask for verdicts that are signed with this key, or with another one than before.
  private func demandSignature(_ bench: HelperBench, _ pem: String? = nil, mode: mode_t = 0o644) throws {
    try bench.demandSignature(pem ?? signer.pem, mode: mode)
  }

  /// What the fake server's challenge is answered with.
  private func token(_ bench: HelperBench, operation: String = "Auth", account: String = "mina") throws -> String {
    try signer.token(operation, account: account, at: bench.now.wallSeconds)
  }

  @Test func `a signed success logs in`() throws {
    let bench = try bench()
    bench.server.token = try token(bench)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a success that is unsigned, or for somebody else, is refused with AUTH_ERR`() throws {
    let bench = try bench()
    let other = try SignedVerdictTests()
    for token in [nil, "x.y.z", try other.token(bench), try token(bench, account: "bob")] {
      bench.server.token = token
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 1002)
      #expect(transcript.pamCode == 7)
      #expect(transcript.finished.token == nil)
    }
  }

  @Test func `a success signed at another time is not believed`() throws {
    let bench = try bench()
    bench.server.token = try token(bench)
    bench.now.wallSeconds += 121
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1002)
    #expect(bench.log.lines.last?.contains("compare the clocks") == true)
  }

  @Test func `without the server, only a success signed with today's key counts`() throws {
    let bench = try HelperBench.registered("[general]\noffline = \"allow\"\noffline_max_age = 3600")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    try demandSignature(bench)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "a yes of before")
    (bench.server.lateFailure, bench.server.token) = (nil, try token(bench))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    try demandSignature(bench, SignedVerdictTests().signer.pem)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "another key")
    try demandSignature(bench)
    (bench.server.lateFailure, bench.server.token) = (nil, "x.y.z")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1002)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "the last yes was not signed")
  }

  @Test func `a registration is stored only with a signed success`() throws {
    let bench = try bench()
    #expect(try bench.run(bench.begin(.forget)).result == 0)
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 1002)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1009)
    bench.server.token = try token(bench, operation: "Reg")
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
  }

  @Test(arguments: [
    "", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "-----BEGIN CERTIFICATE-----\nMAA=\n",
  ])
  func `a key that cannot be read is a configuration error before anyone is asked`(_ pem: String) throws {
    let bench = try bench(pem)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001)
    #expect(transcript.prompts.isEmpty)
    #expect(bench.log.lines.last?.contains("server.verdict_key: ") == true)
  }

  @Test func `a key that others could have written is a configuration error`() throws {
    let bench = try bench(mode: 0o666)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001)
    #expect(transcript.prompts.isEmpty)
  }
}
