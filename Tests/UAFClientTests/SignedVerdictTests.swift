import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// Which successes count as signed by the server.
@Suite final class SignedVerdictTests {
  private static let now: Int64 = 1_800_000_000
  private static let challenge = Base64URL.encode(Array(repeating: 7, count: 32))

  /// The contents and signature of a token, which tests change one by one.
  struct Making {
    var header = #"{"alg":"ES256","typ":"JWT"}"#
    var subject = "alice"
    var operation = "Auth"
    var challenge = SignedVerdictTests.challenge
    var issuedAt = SignedVerdictTests.now
    var expiresAt = SignedVerdictTests.now + 60
    var omitting: String?
    var purpose = "login"
    var use: [String] = []
    var keys = [SignedVerdictTests.keyID]
    var text: String?
    var device: String?
  }

  private static let keyID = Base64URL.encode(Array(repeating: 1, count: 32))
  private static let otherKeyID = Base64URL.encode(Array(repeating: 2, count: 32))

  private let keyPair: P256.KeyPair

  init() throws { keyPair = try P256.generate() }

  private func token(_ making: Making = Making()) throws -> String {
    let hash = try SHA256.hash(Base64URL.decode(making.challenge, maximumCount: 64))
    var claims = JSONObject()
    for (name, value) in [
      ("iss", JSONValue.string("https://a.test")), ("sub", .string(making.subject)), ("op", .string(making.operation)),
      ("challenge", .string(Base64URL.encode(hash))), ("iat", .integer(making.issuedAt)),
      ("exp", .integer(making.expiresAt)), ("purpose", .string(making.purpose)),
      ("use", .array(making.use.map(JSONValue.string))), ("keys", .array(making.keys.map(JSONValue.string))),
    ] where name != making.omitting { claims.set(name, value) }
    claims.set("text", making.text.map(JSONValue.string))
    claims.set("device", making.device.map(JSONValue.string))
    let signed = Base64URL.encode(Array(making.header.utf8)) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
    return signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: keyPair.privateKey))
  }

  private func acceptance(_ tokens: String..., type: String = Token.jwt) throws -> Acceptance {
    try acceptance(of: expectedVerdict(), tokens, type: type)
  }

  private func acceptance(of verdict: ExpectedVerdict, _ tokens: [String], type: String = Token.jwt) -> Acceptance {
    Acceptance(
      tokens: tokens.map { Token(type: type, value: $0) }, username: "alice", expected: verdict,
      challenge: Self.challenge)
  }

  /// The verdict that the core expects: by default that of a login with one key.
  private func expectedVerdict(
    _ operation: UAFOperation = .authentication, _ purpose: ChallengePurpose? = .login, _ keyIDs: [String] = [keyID],
    text: [UInt8]? = nil, device: String? = nil
  ) throws -> ExpectedVerdict {
    ExpectedVerdict(
      operation, for: purpose, keyIDs: try keyIDs.map { try KeyID(json: .string($0), path: "key") }, textHash: text,
      deviceID: device)
  }

  /// Why a success is not believed; nil if it is.
  private func fault(_ acceptance: Acceptance, now: Int64 = now) -> SignedVerdict.Fault? {
    do throws(SignedVerdict.Fault) {
      try SignedVerdict.check(acceptance, publicKeys: [keyPair.publicKey], now: now)
      return nil
    } catch { return error }
  }

  @Test func `a signed verdict is believed for the account, operation and challenge of this login`() throws {
    #expect(try fault(acceptance(token())) == nil)
    // Other tokens next to the right one do not matter.
    #expect(try fault(acceptance("x", token(Making(subject: "bob")), token())) == nil)
  }

  @Test
  func `a verdict needs the signature of one of the configured keys, in any order, and any other key's is refused`()
    throws
  {
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

  @Test func `the key's name in a token does not choose the key that checks the token`() throws {
    let named = try token(Making(header: #"{"alg":"ES256","kid":"another","typ":"JWT"}"#))
    #expect(try fault(acceptance(named)) == nil)
  }

  @Test func `a success is not believed if its verdict is missing or in another format`() throws {
    #expect(try fault(acceptance()) == .missing)
    #expect(try fault(acceptance("", "a.b", "a.b.c", "..", String(repeating: "a", count: 9000))) == .missing)
    #expect(try fault(acceptance(token(), type: "OAUTH2")) == .missing)
    let other = try SignedVerdictTests()
    #expect(try fault(acceptance(other.token())) == .missing)
  }

  @Test func `a verdict is not believed for a different account, operation or challenge`() throws {
    let challenge = Base64URL.encode(Array(repeating: 8, count: 32))
    for making in [
      Making(subject: "bob"), Making(subject: "Alice"), Making(operation: "Reg"), Making(challenge: challenge),
      Making(omitting: "sub"), Making(omitting: "op"), Making(omitting: "challenge"),
    ] {
      #expect(try fault(acceptance(token(making))) == .otherLogin)
    }
  }

  @Test
  func `a verdict is not believed for a purpose, key, text or machine other than those of the core's request`() throws {
    let text = [UInt8](repeating: 9, count: 32)
    let cases: [(Making, ExpectedVerdict, SignedVerdict.Fault?)] = [
      (Making(purpose: "console sign-in"), try expectedVerdict(), .otherPurpose),
      (Making(omitting: "purpose"), try expectedVerdict(), .otherPurpose),
      (Making(), try expectedVerdict(.authentication, .approval), .otherPurpose),
      (Making(), try expectedVerdict(.authentication, nil), .otherPurpose),
      (Making(keys: [Self.otherKeyID]), try expectedVerdict(), .otherKeys),
      (Making(keys: []), try expectedVerdict(), .otherKeys),
      (Making(keys: [Self.keyID, Self.otherKeyID]), try expectedVerdict(), .otherKeys),
      (Making(keys: [Self.keyID, Self.keyID]), try expectedVerdict(), .otherKeys),
      (Making(omitting: "keys"), try expectedVerdict(), .otherKeys),
      (Making(text: Base64URL.encode(text)), try expectedVerdict(), .otherText),
      (Making(), try expectedVerdict(text: text), .otherText),
      (Making(text: Base64URL.encode(text)), try expectedVerdict(text: text), nil),
      (Making(device: "d1"), try expectedVerdict(), .otherMachine),
      (Making(device: "d2"), try expectedVerdict(device: "d1"), .otherMachine),
      (Making(device: "d1"), try expectedVerdict(device: "d1"), nil),
    ]
    for (making, verdict, expected) in cases {
      #expect(try fault(acceptance(of: verdict, [token(making)])) == expected, "\(making)")
    }
  }

  @Test func `a verdict is not believed if it authorises more than the core requested`() throws {
    let proof = try expectedVerdict(.authentication, .furtherKeys)
    let cases: [(Making, ExpectedVerdict, SignedVerdict.Fault?)] = [
      (Making(use: ["Reg"]), try expectedVerdict(), .widerUse),
      (Making(use: ["Dereg"]), try expectedVerdict(), .widerUse),
      (Making(omitting: "use"), try expectedVerdict(), .widerUse),
      (Making(purpose: "further keys", use: ["Reg"]), proof, nil),
      (Making(purpose: "further keys"), proof, nil),
      (Making(purpose: "further keys", use: ["Dereg"]), proof, .widerUse),
      (Making(purpose: "further keys", use: ["Reg", "Dereg"]), proof, .widerUse),
    ]
    for (making, verdict, expected) in cases {
      #expect(try fault(acceptance(of: verdict, [token(making)])) == expected, "\(making)")
    }
  }

  @Test func `a removal is believed if it names the requested keys or some of them, and no others`() throws {
    let message = Array("order".utf8)
    func fault(_ keys: [String], of asked: [String], purpose: String = "removal") throws -> SignedVerdict.Fault? {
      var making = Making(operation: "Dereg", purpose: purpose, keys: keys, device: "d1")
      making.challenge = Base64URL.encode(message)
      let order = DeregistrationOrder(
        appID: "x", authenticators: [.everything], tokens: [Token(type: Token.jwt, value: try token(making))],
        username: "alice", askedKeyIDs: try asked.map { try KeyID(json: .string($0), path: "key") }, deviceID: "d1",
        message: message)
      do throws(SignedVerdict.Fault) {
        try SignedVerdict.check(order, publicKeys: [keyPair.publicKey], now: Self.now)
        return nil
      } catch { return error }
    }
    let both = [Self.keyID, Self.otherKeyID]
    #expect(try fault([Self.keyID], of: both) == nil)
    #expect(try fault(both, of: both) == nil)
    #expect(try fault(both, of: [Self.keyID]) == .otherKeys)
    #expect(try fault([Self.keyID], of: [Self.keyID], purpose: "login") == .otherPurpose)
    #expect(throws: SignedVerdict.Fault.missing) {
      try SignedVerdict.check(
        DeregistrationOrder(appID: "x", authenticators: [.everything], username: "alice", message: message),
        publicKeys: [keyPair.publicKey], now: Self.now)
    }
  }

  @Test(
    arguments: [
      (-61, nil), (0, nil), (120, nil), (-62, .stale), (121, .stale), (1_000_000, .stale), (Int64.min / 2, .stale),
    ] as [(Int64, SignedVerdict.Fault?)])
  func `a verdict is believed only while it is fresh, allowing clocks a minute of difference`(
    later: Int64, expected: SignedVerdict.Fault?
  )
    throws
  {
    // Tests one second inside and one second outside the limit, at both ends.
    let shift: Int64 = later < 0 && later > -100 ? 1 : 0
    #expect(try fault(acceptance(token()), now: Self.now + later + shift) == expected)
  }

  @Test(arguments: [
    Making(expiresAt: now - 1), Making(expiresAt: now + 301), Making(issuedAt: .min), Making(expiresAt: .max),
    Making(issuedAt: .min, expiresAt: .max), Making(omitting: "iat"), Making(omitting: "exp"),
  ])
  func `a verdict is not believed if its times are missing or impossible`(_ making: Making) throws {
    #expect(try fault(acceptance(token(making))) == .stale)
  }

  @Test(arguments: [
    #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES256","crit":["x"]}"#, #"{"alg":"ES256","b64":false}"#, "{}",
    #"{"alg":"es256"}"#, "[]", #"{"alg":"ES256","alg":"none"}"#,
  ])
  func `a verdict is not believed in any other token format`(_ header: String) throws {
    #expect(try fault(acceptance(token(Making(header: header)))) == .missing)
  }

  @Test func `a verdict is not believed if any character was changed or its end is missing`() throws {
    let token = try token()
    let characters = Array(token)
    for index in characters.indices {
      var changed = characters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(try fault(acceptance(String(changed))) != nil, "character \(index)")
      #expect(try fault(acceptance(String(characters[..<index]))) != nil, "cut to \(index)")
    }
    #expect(try fault(acceptance(token + "=")) != nil)
    #expect(try fault(acceptance(token + ".")) != nil)
  }
}
