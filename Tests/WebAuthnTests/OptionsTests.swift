import Testing

@testable import UAFMessages
@testable import WebAuthn

@Suite struct OptionsTests {
  private static let challenge = [UInt8](repeating: 0xFF, count: 16)
  private static let rest = #""rp":{"name":"n"},"user":{"id":"AQ","name":"mina"},"pubKeyCredParams":[]"#

  private static func creation(_ members: String) throws -> PublicKeyCredentialCreationOptions {
    try PublicKeyCredentialCreationOptions(parsing: Array("{\(members)}".utf8))
  }

  private static func request(_ members: String) throws -> PublicKeyCredentialRequestOptions {
    try PublicKeyCredentialRequestOptions(parsing: Array("{\(members)}".utf8))
  }

  @Test func `the options for a new credential are read back as they were written`() throws {
    let options = PublicKeyCredentialCreationOptions(
      relyingParty: RelyingPartyEntity(id: "example.com", name: "Example"),
      user: try UserEntity(id: [1, 2], name: "mina", displayName: "Mina 한"), challenge: Self.challenge,
      algorithms: [.es256, .edDSA, .rs256], timeoutMilliseconds: 60_000,
      excludedCredentials: [CredentialDescriptor(id: [1], transports: ["usb"]), CredentialDescriptor(id: [2])],
      attachment: .platform, residentKey: .preferred, userVerification: .required, attestation: .direct,
      extensions: ["credProps": .bool(true)])
    #expect(try PublicKeyCredentialCreationOptions(parsing: options.json.bytes) == options)
  }

  @Test func `the options for an assertion are read back as they were written`() throws {
    let options = PublicKeyCredentialRequestOptions(
      challenge: Self.challenge, timeoutMilliseconds: 1, relyingPartyID: "example.com",
      allowedCredentials: [CredentialDescriptor(id: [1], transports: ["internal"])], userVerification: .discouraged,
      extensions: ["appid": .string("x")])
    #expect(try PublicKeyCredentialRequestOptions(parsing: options.json.bytes) == options)
  }

  @Test func `in the options, WebAuthn's defaults stand for members that are absent or null`() throws {
    for more in ["", #","timeout":null,"excludeCredentials":null,"authenticatorSelection":null,"attestation":null"#] {
      let options = try Self.creation(Self.rest + #","challenge":"_____________________w""# + more)
      #expect(options.challenge == Self.challenge && options.algorithms == [-7, -257])
      #expect(options.userVerification == .preferred && options.residentKey == .discouraged)
      #expect(options.attestation == .none && options.attachment == nil && options.timeoutMilliseconds == nil)
      #expect(options.excludedCredentials.isEmpty && options.user.displayName.isEmpty && options.relyingParty.id == nil)
    }
    let request = try Self.request(#""challenge":"_____________________w""#)
    #expect(request.userVerification == .preferred && request.relyingPartyID == nil)
    #expect(request.allows([1]) && request.allowedCredentials.isEmpty)
  }

  @Test(arguments: [
    "_____________________w", "_____________________w==", "/////////////////////w", "/////////////////////w==",
  ])
  func `reads a challenge in base64 or base64url, padded or not`(_ text: String) throws {
    #expect(try Self.request(#""challenge":"\#(text)""#).challenge == Self.challenge)
  }

  @Test(
    arguments: [
      ("/____________________w", Base64URLError.invalidCharacter(offset: 1)),
      ("/////////////////////w=", .invalidLength),
      ("/////////////////////w===", .invalidLength), ("/////////////////////x", .unusedBitsSet),
      ("/////////////////////", .invalidLength), ("_____________________w ", .invalidCharacter(offset: 22)),
      ("=====", .invalidLength), ("____=___", .invalidCharacter(offset: 4)),
    ]) func `refuses a text that is neither base64 nor base64url`(_ text: String, _ error: Base64URLError)
  {
    #expect(throws: error) { try Base64Form.either.decode(text, maximumCount: 100) }
  }

  @Test(arguments: [(0, true), (4_294_967_295, true), (4_294_967_296, false), (-1, false)] as [(Int64, Bool)])
  func `refuses a timeout that is negative or does not fit into 32 bits`(_ timeout: Int64, _ isAllowed: Bool) {
    let options = try? Self.request(#""challenge":"_____________________w","timeout":\#(timeout)"#)
    #expect((options?.timeoutMilliseconds == timeout) == isAllowed && (options != nil) == isAllowed)
  }

  @Test func `refuses a challenge that is absent, too short or too long`() {
    #expect(throws: WebAuthnError.missing("challenge")) { try Self.request("") }
    #expect(throws: WebAuthnError.missing("challenge")) { try Self.creation(Self.rest) }
    #expect(throws: WebAuthnError.outOfRange("challenge")) { try Self.request(#""challenge":"AAAAAAAAAAAAAAAAAAAA""#) }
    #expect(throws: WebAuthnError.outOfRange("challenge")) {
      try Self.creation(Self.rest + #","challenge":"""#)
    }
    let long = Base64URL.encode([UInt8](repeating: 0, count: 1025))
    #expect(throws: WebAuthnError.notBase64("challenge", .tooLong)) { try Self.request(#""challenge":"\#(long)""#) }
  }

  @Test func `ignores unknown values and types in the options`() throws {
    let options = try Self.creation(
      #""rp":{"name":"n","icon":1},"user":{"id":"AQ","name":"a","displayName":"b"},"challenge":"_____________________w","#
        + #""pubKeyCredParams":[{"type":"other","alg":"x"},{"type":"public-key","alg":-999},{"type":"public-key","alg":-8}],"#
        + #""excludeCredentials":[{"type":"other","id":5},{"type":"public-key","id":"AQ"}],"hints":["x"],"attestation":"new","#
        + #""authenticatorSelection":{"userVerification":"new","residentKey":"new","authenticatorAttachment":"new","requireResidentKey":true}"#
    )
    #expect(options.algorithms == [-999, -8] && options.excludedCredentials.map(\.id) == [[1]])
    #expect(options.attestation == .none && options.userVerification == .preferred)
    #expect(options.residentKey == .required && options.attachment == nil)
    #expect(options.algorithm(preferring: [.es256, .edDSA]) == .edDSA)
    #expect(options.algorithm(preferring: [.es256]) == nil)
  }

  @Test func `chooses the algorithm by the client's own order, not by the server's`() throws {
    let options = try Self.creation(
      Self.rest.replacing("[]", with: #"[{"type":"public-key","alg":-257},{"type":"public-key","alg":-7}]"#)
        + #","challenge":"_____________________w""#)
    #expect(options.algorithm(preferring: [.es256, .rs256]) == .es256)
  }

  @Test func `refuses a list of algorithms with only unknown types, instead of assuming the default algorithms`() {
    #expect(throws: WebAuthnError.outOfRange("pubKeyCredParams")) {
      try Self.creation(
        Self.rest.replacing("[]", with: #"[{"type":"other","alg":-7}]"#) + #","challenge":"_____________________w""#)
    }
  }

  @Test
  func `refuses a list of allowed credentials with only unknown types, instead of allowing every credential`() throws {
    #expect(throws: WebAuthnError.outOfRange("allowCredentials")) {
      try Self.request(#""challenge":"_____________________w","allowCredentials":[{"type":"other","id":"AQ"}]"#)
    }
    let some = try Self.request(
      #""challenge":"_____________________w","allowCredentials":[{"type":"public-key","id":"AQ=="}]"#)
    #expect(some.allows([1]) && !some.allows([2]))
  }

  @Test func `refuses a list of 10,000 allowed credentials`() {
    let one = #"{"type":"public-key","id":"AQ"}"#
    let list = Array(repeating: one, count: 1024).joined(separator: ",")
    #expect(throws: Never.self) {
      try Self.request(#""challenge":"_____________________w","allowCredentials":[\#(list)]"#)
    }
    let long = Array(repeating: one, count: 1025).joined(separator: ",")
    #expect(throws: WebAuthnError.outOfRange("allowCredentials")) {
      try Self.request(#""challenge":"_____________________w","allowCredentials":[\#(long)]"#)
    }
    let all = Array(repeating: one, count: 10_000).joined(separator: ",")
    #expect(throws: WebAuthnError.json("", JSONError(reason: .tooLong, offset: 262_144))) {
      try Self.request(#""challenge":"_____________________w","allowCredentials":[\#(all)]"#)
    }
  }

  @Test(
    arguments: [
      (
        #""user":{"id":"AQ","name":"a"},"pubKeyCredParams":[],"challenge":"_____________________w""#,
        WebAuthnError.missing("rp")
      ),
      (#""rp":{},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w""#, .missing("rp.name")),
      (
        #""rp":{"name":"n","id":""},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w""#,
        .outOfRange("rp.id")
      ),
      (#""rp":{"name":"n"},"challenge":"_____________________w""#, .missing("user")),
      (#""rp":{"name":"n"},"user":{"name":"a"},"challenge":"_____________________w""#, .missing("user.id")),
      (#""rp":{"name":"n"},"user":{"id":"","name":"a"},"challenge":"_____________________w""#, .outOfRange("user.id")),
      (#""rp":{"name":"n"},"user":{"id":"AQ"},"challenge":"_____________________w""#, .missing("user.name")),
      (#""rp":[],"user":{"id":"AQ","name":"a"},"challenge":"_____________________w""#, .wrongType("rp")),
      (
        #""rp":{"name":"n"},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w""#,
        .missing("pubKeyCredParams")
      ),
      (
        #""rp":{"name":"n"},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w","pubKeyCredParams":[{"type":"public-key"}]"#,
        .missing("pubKeyCredParams[0].alg")
      ),
      (
        #""rp":{"name":"n"},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w","pubKeyCredParams":[],"timeout":"1""#,
        .wrongType("timeout")
      ),
      (
        #""rp":{"name":"n"},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w","pubKeyCredParams":[],"timeout":1.5"#,
        .outOfRange("timeout")
      ),
      (
        #""rp":{"name":"n"},"user":{"id":"AQ","name":"a"},"challenge":"_____________________w","pubKeyCredParams":[],"excludeCredentials":[{"type":"public-key"}]"#,
        .missing("excludeCredentials[0].id")
      ),
    ]) func `refuses invalid options, and names the member`(_ members: String, _ error: WebAuthnError)
  {
    #expect(throws: error) { try Self.creation(members) }
  }

  @Test(arguments: ["<html>", "", "[]", "null", #"{"status":"failed"}"#])
  func `refuses input that is not a set of options`(
    _ text: String
  ) {
    #expect(throws: WebAuthnError.self) { try PublicKeyCredentialRequestOptions(parsing: Array(text.utf8)) }
    #expect(throws: WebAuthnError.self) { try PublicKeyCredentialCreationOptions(parsing: Array(text.utf8)) }
  }
}
