import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Logins on a machine where root demands that the server signs its successes.
@Suite final class SignedVerdictTests {
  private let signer: VerdictSigner

  init() throws { signer = try VerdictSigner() }

  /// An account that was registered before root demanded signed verdicts.
  private func bench(_ pem: String? = nil, mode: mode_t = 0o644) throws -> HelperBench {
    let bench = try HelperBench.registered()
    try demandSignature(bench, pem, mode: mode)
    return bench
  }

  /// Makes root demand verdicts signed with this key, or with a new one.
  private func demandSignature(_ bench: HelperBench, _ pem: String? = nil, mode: mode_t = 0o644) throws {
    try bench.demandSignature(pem ?? signer.pem, mode: mode)
  }

  /// Makes the server sign each of its successes, or the change of it that the test makes, with the time of this call.
  private func signing(
    _ bench: HelperBench, use: [UAFOperation]? = nil, _ change: @escaping (inout FakeServer.Yes) -> Void = { _ in }
  ) -> (FakeServer.Yes) throws -> String {
    { [signer, now = bench.now.wallSeconds] yes in
      var yes = yes
      change(&yes)
      return try signer.token(for: yes, at: now, use: use)
    }
  }

  @Test func `a login succeeds if the server has signed its success`() throws {
    let bench = try bench()
    bench.server.signed = signing(bench)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a success that is unsigned or for somebody else gives PAM_AUTH_ERR`() throws {
    let bench = try bench()
    let other = try SignedVerdictTests()
    let wrong: [((FakeServer.Yes) throws -> String)?] = [
      nil, { _ in "x.y.z" }, other.signing(bench), signing(bench) { $0.username = "bob" },
    ]
    for signed in wrong {
      (bench.server.signed, bench.server.token) = (signed, nil)
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 1002)
      #expect(transcript.pamCode == 7)
      #expect(transcript.finished.token == nil)
      try tellsNoCertificate(transcript)
    }
  }

  /// Expects no text about a certificate: the connection was right.
  private func tellsNoCertificate(_ transcript: Transcript) throws {
    let text = try #require(transcript.finished.text)
    #expect(text.contains("signed success") || text.contains("not signed"), "\(text)")
    #expect(!text.contains("certificate") && !text.contains("channel"), "\(text)")
  }

  @Test
  func `a signed success for another purpose, key, text or machine, or for more, is refused and logged as an attack`()
    throws
  {
    let bench = try bench()
    let cases: [((FakeServer.Yes) throws -> String, String)] = [
      (signing(bench) { $0.purpose = .approval }, "different purpose"),
      (signing(bench) { $0.keyIDs = [] }, "keys other than"),
      (signing(bench) { $0.text = "sudo" }, "a text other than"),
      (signing(bench) { $0.deviceID = "d2" }, "a different machine"),
      (signing(bench, use: [.registration]), "authorises more"),
      (signing(bench, use: [.deregistration]), "authorises more"),
    ]
    for (signed, word) in cases {
      bench.server.signed = signed
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 1002 && transcript.pamCode == 7)
      try tellsNoCertificate(transcript)
      #expect(bench.log.lines.contains { $0.contains("attack: ") && $0.contains(word) }, "\(word)")
    }
  }

  @Test(arguments: ChallengePurpose.allCases.filter { $0 != .login })
  func `in a login no challenge of a different purpose is signed, and only the attempt is counted`(
    purpose: ChallengePurpose
  ) throws {
    for bench in [try bench(), try HelperBench.registered()] {
      bench.server.signed = signing(bench)
      bench.server.markedPurpose = purpose
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 1001 && transcript.pamCode != 0)
      #expect(bench.server.counters.isEmpty, "nothing was signed")
      #expect(bench.log.lines.contains { $0.contains("attack: ") && $0.contains(purpose.word) })
      bench.server.markedPurpose = nil
      #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    }
  }

  @Test func `a challenge without a purpose is signed only if root does not demand signed verdicts`() throws {
    let bench = try bench()
    bench.server.signed = signing(bench)
    bench.server.marks = false
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1001)
    #expect(bench.server.counters.isEmpty)
    let foreign = try HelperBench.registered()
    foreign.server.marks = false
    #expect(try foreign.run(foreign.begin(), ["correct"]).result == 0)
  }

  @Test func `a success that was signed at another time is not believed`() throws {
    let bench = try bench()
    bench.server.signed = signing(bench)
    bench.now.wallSeconds += 121
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1002)
    try tellsNoCertificate(transcript)
    #expect(bench.log.lines.last?.contains("compare the clocks") == true)
  }

  @Test func `an offline login counts only on a success that was signed with the current verdict key`() throws {
    let bench = try HelperBench.registered("[general]\noffline = \"allow\"\noffline_max_age = 3600")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    try demandSignature(bench)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "a yes of before")
    (bench.server.lateFailure, bench.server.signed) = (nil, signing(bench))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    try demandSignature(bench, SignedVerdictTests().signer.pem)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "another key")
    try demandSignature(bench)
    (bench.server.lateFailure, bench.server.signed) = (nil, { _ in "x.y.z" })
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1002)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "the last yes was not signed")
  }

  @Test func `a registration is stored only after a signed success of the server`() throws {
    let bench = try bench()
    #expect(try bench.run(bench.begin(.forget)).result == 0)
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 1002)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1009)
    bench.server.signed = signing(bench)
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
  }

  @Test(arguments: [
    "", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "-----BEGIN CERTIFICATE-----\nMAA=\n",
  ])
  func `a verdict key that cannot be read is reported as root's mistake before anybody is asked`(_ pem: String) throws {
    let bench = try bench(pem)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001)
    #expect(transcript.prompts.isEmpty)
    #expect(bench.log.lines.last?.contains("server.verdict_key: ") == true)
  }

  @Test func `a verdict key that others could have written is reported as root's mistake`() throws {
    let bench = try bench(mode: 0o666)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1001)
    #expect(transcript.prompts.isEmpty)
  }
}
