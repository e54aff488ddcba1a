import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// The server's signature under its yes.
@Suite final class SignedVerdictTests {
  private static let now: Int64 = 1_800_000_000
  private static let challenge = Base64URL.encode(Array(repeating: 7, count: 32))

  /// What a token says, and how it is signed, where the test wants it otherwise.
  struct Making {
    var header = #"{"alg":"ES256","typ":"JWT"}"#
    var subject = "alice"
    var operation = "Auth"
    var challenge = SignedVerdictTests.challenge
    var issuedAt = SignedVerdictTests.now
    var expiresAt = SignedVerdictTests.now + 60
    var omitting: String?
  }

  private let keyPair: P256.KeyPair

  init() throws { keyPair = try P256.generate() }

  private func token(_ making: Making = Making()) throws -> String {
    let hash = try SHA256.hash(Base64URL.decode(making.challenge, maximumCount: 64))
    var claims = JSONObject()
    for (name, value) in [
      ("iss", JSONValue.string("https://a.test")), ("sub", .string(making.subject)), ("op", .string(making.operation)),
      ("challenge", .string(Base64URL.encode(hash))), ("iat", .integer(making.issuedAt)),
      ("exp", .integer(making.expiresAt)),
    ] where name != making.omitting { claims.set(name, value) }
    let signed = Base64URL.encode(Array(making.header.utf8)) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
    return signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: keyPair.privateKey))
  }

  private func acceptance(_ tokens: String..., type: String = Token.jwt) -> Acceptance {
    Acceptance(
      tokens: tokens.map { Token(type: type, value: $0) }, username: "alice", operation: .authentication,
      challenge: Self.challenge)
  }

  /// What is found wrong; nil for a yes that is believed.
  private func fault(_ acceptance: Acceptance, now: Int64 = now) -> SignedVerdict.Fault? {
    do throws(SignedVerdict.Fault) {
      try SignedVerdict.check(acceptance, publicKeys: [keyPair.publicKey], now: now)
      return nil
    } catch { return error }
  }

  @Test func `is believed for this account, operation and challenge`() throws {
    #expect(try fault(acceptance(token())) == nil)
    // Whatever stands beside it.
    #expect(try fault(acceptance("x", token(Making(subject: "bob")), token())) == nil)
  }

  @Test func `one of several keys is enough, in any order, and none of them is not`() throws {
    let (other, third) = try (P256.generate().publicKey, P256.generate().publicKey)
    let acceptance = try acceptance(token())
    for keys in [[other, keyPair.publicKey], [keyPair.publicKey, other], [other, third, keyPair.publicKey]] {
      try SignedVerdict.check(acceptance, publicKeys: keys, now: Self.now)
    }
    #expect(throws: SignedVerdict.Fault.missing) {
      try SignedVerdict.check(acceptance, publicKeys: [other, third], now: Self.now)
    }
    #expect(throws: SignedVerdict.Fault.missing) {
      try SignedVerdict.check(acceptance, publicKeys: [], now: Self.now)
    }
  }

  @Test func `the name of a key in the token chooses none`() throws {
    let named = try token(Making(header: #"{"alg":"ES256","kid":"another","typ":"JWT"}"#))
    #expect(fault(acceptance(named)) == nil)
  }

  @Test func `is not believed if it is missing, or not in our form`() throws {
    #expect(fault(acceptance()) == .missing)
    #expect(fault(acceptance("", "a.b", "a.b.c", "..", String(repeating: "a", count: 9000))) == .missing)
    #expect(try fault(acceptance(token(), type: "OAUTH2")) == .missing)
    let other = try SignedVerdictTests()
    #expect(try fault(acceptance(other.token())) == .missing)
  }

  @Test func `is not believed for another account, operation or challenge`() throws {
    let challenge = Base64URL.encode(Array(repeating: 8, count: 32))
    for making in [
      Making(subject: "bob"), Making(subject: "Alice"), Making(operation: "Reg"), Making(challenge: challenge),
      Making(omitting: "sub"), Making(omitting: "op"), Making(omitting: "challenge"),
    ] {
      #expect(try fault(acceptance(token(making))) == .otherLogin)
    }
  }

  @Test(
    arguments: [
      (-61, nil), (0, nil), (120, nil), (-62, .stale), (121, .stale), (1_000_000, .stale), (Int64.min / 2, .stale),
    ] as [(Int64, SignedVerdict.Fault?)])
  func `is believed while it is fresh, by clocks a minute apart`(later: Int64, expected: SignedVerdict.Fault?) throws {
    // One second inside the limit and outside it, at both ends.
    let shift: Int64 = later < 0 && later > -100 ? 1 : 0
    #expect(try fault(acceptance(token()), now: Self.now + later + shift) == expected)
  }

  @Test(arguments: [
    Making(expiresAt: now - 1), Making(expiresAt: now + 301), Making(issuedAt: .min), Making(expiresAt: .max),
    Making(issuedAt: .min, expiresAt: .max), Making(omitting: "iat"), Making(omitting: "exp"),
  ])
  func `is not believed with invalid times`(_ making: Making) throws {
    #expect(try fault(acceptance(token(making))) == .stale)
  }

  @Test(arguments: [
    #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES256","crit":["x"]}"#, #"{"alg":"ES256","b64":false}"#, "{}",
    #"{"alg":"es256"}"#, "[]", #"{"alg":"ES256","alg":"none"}"#,
  ])
  func `is not believed in any other form`(_ header: String) throws {
    #expect(try fault(acceptance(token(Making(header: header)))) == .missing)
  }

  @Test func `is not believed with a changed character or a lost end`() throws {
    let token = try token()
    let characters = Array(token)
    for index in characters.indices {
      var changed = characters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(fault(acceptance(String(changed))) != nil, "character \(index)")
      #expect(fault(acceptance(String(characters[..<index]))) != nil, "cut to \(index)")
    }
    #expect(fault(acceptance(token + "=")) != nil)
    #expect(fault(acceptance(token + ".")) != nil)
  }
}
