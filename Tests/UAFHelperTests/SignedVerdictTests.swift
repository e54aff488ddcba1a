import Authenticator
import FidoResults
import Foundation
import SecretMemory
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Logins at a server whose yes has to be signed.
@Suite final class SignedVerdictTests {
  private let key: P256.KeyPair

  init() throws { key = try P256.generate() }

  private static func pem(_ publicKey: [UInt8]) throws -> String {
    let info = try P256.subjectPublicKeyInfo(publicKey: publicKey)
    return "-----BEGIN PUBLIC KEY-----\n\(Data(info).base64EncodedString())\n-----END PUBLIC KEY-----\n"
  }

  /// A registered account whose root has since asked for signed verdicts.
  private func bench(_ pem: String? = nil, mode: mode_t = 0o644) throws -> HelperBench {
    let bench = try HelperBench.registered()
    try demandSignature(bench, pem, mode: mode)
    return bench
  }

  /// Has root ask for verdicts that are signed with this key, or with another one than before.
  private func demandSignature(_ bench: HelperBench, _ pem: String? = nil, mode: mode_t = 0o644) throws {
    let path = bench.folder + "/verdict.pub"
    try (pem ?? Self.pem(key.publicKey)).write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: path)
    guard !bench.configuration.contains("verdict_key") else { return }
    bench.configuration = bench.configuration.replacing(
      "[state]", with: "require_signed_verdict = true\nverdict_key = \"\(path)\"\n[state]")
  }

  /// What the fake server's challenge is answered with.
  private func token(_ bench: HelperBench, operation: String = "Auth", account: String = "mina") throws -> String {
    let hash = Base64URL.encode(try SHA256.hash(Array(repeating: 7, count: 32)))
    let now = bench.now.wallSeconds
    let claims: JSONObject = [
      "sub": .string(account), "op": .string(operation), "challenge": .string(hash), "iat": .integer(now),
      "exp": .integer(now + 60),
    ]
    let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8))
    let signed = header + "." + Base64URL.encode(JSONValue.object(claims).bytes)
    return signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: key.privateKey))
  }

  @Test func `a signed yes lets in`() throws {
    let bench = try bench()
    bench.server.token = try token(bench)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a yes that is not signed, or for somebody else, is a refusal no stack may fall back on`() throws {
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

  @Test func `a yes of another time is not believed`() throws {
    let bench = try bench()
    bench.server.token = try token(bench)
    bench.now.wallSeconds += 121
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1002)
    #expect(bench.log.lines.last?.contains("compare the clocks") == true)
  }

  @Test func `without the server, only a yes that today's key has signed counts`() throws {
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
    try demandSignature(bench, Self.pem(SignedVerdictTests().key.publicKey))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "another key")
    try demandSignature(bench)
    (bench.server.lateFailure, bench.server.token) = (nil, "x.y.z")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1002)
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001, "the last yes was not signed")
  }

  @Test func `a registration is kept only with a signed yes`() throws {
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
