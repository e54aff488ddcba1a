import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

@Suite struct FinalChallengeTests {
  private func binding(_ certificate: [UInt8]) throws -> ChannelBinding {
    let challenge = try FinalChallenge(
      appID: Scene.appID, challenge: Scene.challenge(), facetID: Scene.facetID, certificate: certificate)
    #expect(challenge.hash == (try SHA256.hash(Array(challenge.text.utf8))))
    return try FinalChallengeParams(encoded: challenge.text).channelBinding
  }

  @Test func `the channel binding contains the certificate's hash, by the hash function of its signature`() throws {
    let short = try binding(TestCertificate.sha256)
    #expect(short.serverEndPoint == Base64URL.encode(try SHA256.hash(TestCertificate.sha256)))
    #expect(short.tlsServerCertificate == Base64URL.encode(TestCertificate.sha256))
    let long = try binding(TestCertificate.sha384)
    #expect(try Base64URL.decode(long.serverEndPoint ?? "", maximumCount: 64).count == 48)
  }

  @Test func `the channel binding hashes a certificate signed with SHA-1 with SHA-256`() throws {
    let binding = try binding(TestCertificate.sha1)
    #expect(binding.serverEndPoint == Base64URL.encode(try SHA256.hash(TestCertificate.sha1)))
  }

  @Test func `a certificate whose signature has no hash function is sent whole, without a hash`() throws {
    let binding = try binding(TestCertificate.ed25519)
    #expect(binding.serverEndPoint == nil)
    #expect(binding.tlsServerCertificate == Base64URL.encode(TestCertificate.ed25519))
  }

  @Test func `without a certificate the channel binding is empty`() throws {
    #expect(try binding([]) == ChannelBinding())
  }

  @Test(arguments: [
    [0x30], [0x30, 0x03, 0x02, 0x01, 0x05], TestCertificate.sha256 + [0], Array(TestCertificate.sha256.dropLast()),
  ])
  func `refuses to bind to bytes that are not a certificate`(_ bytes: [UInt8]) {
    #expect(throws: CryptoError.invalidCertificate) { try binding(bytes) }
  }
}
