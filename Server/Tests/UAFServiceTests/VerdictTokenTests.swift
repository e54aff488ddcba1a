import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

struct VerdictTokenTests {
  let tokens: VerdictToken
  let claims: VerdictClaims = {
    var claims = VerdictClaims(
      issuer: "https://a.test/uaf/facets", subject: "alice", operation: .authentication, purpose: .removal,
      challengeHash: "aGFzaA", issuedAt: 1, expiresAt: 61, tokenID: "id")
    (claims.use, claims.proofSubject, claims.keyIDs) = ([.deregistration], "c3ViamVjdA", ["a2V5"])
    claims.revocationMark = [UInt8](repeating: 7, count: 32)
    (claims.textHash, claims.deviceID, claims.machineHash) = ("dGV4dA", "d1", "bWFjaGluZQ")
    return claims
  }()

  init() throws {
    tokens = VerdictToken(keys: try TestServer().environment.keys)
  }

  @Test func `the server reads back a verdict that it signed`() throws {
    #expect(try tokens.claims(of: tokens.sign(claims)) == claims)
  }

  @Test func `a verdict is a token that any ES256 verifier accepts`() throws {
    let parts = try tokens.sign(claims).split(separator: ".").map(String.init)
    let header = Array(#"{"alg":"ES256","kid":"\#(tokens.keys.verdictKey.id)","typ":"JWT"}"#.utf8)
    #expect(try Base64URL.decode(parts[0], maximumCount: 100) == header)
    let signature = try Base64URL.decode(parts[2], maximumCount: 64)
    #expect(
      P256.isValidSignature(
        signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: tokens.keys.verdictKey.publicKey))
  }

  @Test func `a verdict is refused with any changed character, and if it is cut anywhere`() throws {
    let token = try tokens.sign(claims)
    for index in token.indices {
      var changed = token
      changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
      #expect(tokens.claims(of: changed) == nil)
      #expect(tokens.claims(of: String(token[..<index])) == nil)
    }
    #expect(tokens.claims(of: token + ".") == nil)
    #expect(tokens.claims(of: token + "A") == nil)
  }

  @Test func `a verdict without a signature is refused, and one of a different server`() throws {
    let none = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
    let body = Base64URL.encode(claims.json.bytes)
    #expect(tokens.claims(of: "\(none).\(body).") == nil)
    let other = VerdictToken(keys: try TestServer().environment.keys)
    #expect(try tokens.claims(of: other.sign(claims)) == nil)
  }

  @Test(arguments: ["", ".", "..", "...", "a.b.c", String(repeating: ".", count: 10_000)])
  func `refuses a text that is not a verdict`(text: String) {
    #expect(tokens.claims(of: text) == nil)
  }
}
