import Testing

@testable import UAFMessages
@testable import WebAuthn

@Suite struct CollectedClientDataTests {
  private static let challenge: [UInt8] = [0xFB, 0xEF, 0xFF] + [UInt8](repeating: 0, count: 15)

  @Test func `the same client data is always written as the same bytes`() {
    let made = CollectedClientData(.get, challenge: Self.challenge, origin: "linux://idp.example.com")
    #expect(
      String(decoding: made.encoded, as: UTF8.self)
        == #"{"type":"webauthn.get","challenge":"--__AAAAAAAAAAAAAAAAAAAA","origin":"linux://idp.example.com","crossOrigin":false}"#
    )
    let framed = CollectedClientData(
      .create, challenge: Self.challenge, origin: "https://a.example", crossOrigin: true, topOrigin: "https://b.example"
    )
    #expect(
      String(decoding: framed.encoded, as: UTF8.self)
        == #"{"type":"webauthn.create","challenge":"--__AAAAAAAAAAAAAAAAAAAA","origin":"https://a.example","crossOrigin":true,"topOrigin":"https://b.example"}"#
    )
  }

  @Test(
    arguments: [
      ("", #""""#), (#"a"b\c"#, #""a\"b\\c""#), ("\u{0}\u{9}\n\u{1F}", #""\u0000\u0009\u000a\u001f""#),
      ("\u{7F}/\u{E9}일\u{1F600}", "\"\u{7F}/\u{E9}일\u{1F600}\""),
    ]) func `the client data escapes only quotation marks, backslashes and control characters`(
      _ text: String, _ expected: String
    )
  {
    #expect(CollectedClientData.ccdString(text).utf8.elementsEqual(expected.utf8))
  }

  @Test(arguments: ["linux://a", "a\"b\\c\n\u{0}\u{1F}\u{7F}", "\u{E9}일\u{1F600}"])
  func `client data is read back as it was written`(_ origin: String) throws {
    for type in CollectedClientData.CeremonyType.allCases {
      for made in [
        CollectedClientData(type, challenge: Self.challenge, origin: origin),
        CollectedClientData(type, challenge: Self.challenge, origin: origin, crossOrigin: true, topOrigin: origin),
      ] {
        #expect(try CollectedClientData(parsing: made.encoded) == made && made.passesLimitedVerification)
      }
    }
  }

  private static func text(_ members: String) -> [UInt8] { Array("{\(members)}".utf8) }
  private static let start = #""type":"webauthn.get","challenge":"AAAAAAAAAAAAAAAAAAAAAA","origin":"o""#

  @Test func `ignores unknown members of client data, and reads its members in any order`() throws {
    let read = try CollectedClientData(
      parsing: Self.text(
        #""origin":"o","androidPackageName":"x","challenge":"AAAAAAAAAAAAAAAAAAAAAA","type":"webauthn.get""#))
    #expect(read.type == .get && read.origin == "o" && read.crossOrigin == nil)
    #expect(!read.passesLimitedVerification)
  }

  @Test(
    arguments: [
      (#","crossOrigin":false"#, true), (#","crossOrigin":true"#, true), (#","crossOrigin":false,"x":1"#, true),
      (#","crossOrigin":true,"topOrigin":"t""#, true), ("", false), (#", "crossOrigin":false"#, false),
      (#","crossOrigin":false "#, false), (#","x":1,"crossOrigin":false"#, false),
      (#","crossOrigin":false,"x":1,"topOrigin":"t""#, false),
    ]) func `recognises whether a verifier without a JSON parser would read the same client data`(
      _ end: String, _ passes: Bool
    ) throws
  {
    #expect(try CollectedClientData(parsing: Self.text(Self.start + end)).passesLimitedVerification == passes)
  }

  @Test(
    arguments: [
      (#""challenge":"AAAA","origin":"o""#, WebAuthnError.missing("clientDataJSON.type")),
      (#""type":"webauthn.get","origin":"o""#, .missing("clientDataJSON.challenge")),
      (#""type":"webauthn.get","challenge":"AAAA""#, .missing("clientDataJSON.origin")),
      (#""type":"webauthn.Get","challenge":"AAAA","origin":"o""#, .outOfRange("clientDataJSON.type")),
      (#""type":"payment.get","challenge":"AAAA","origin":"o""#, .outOfRange("clientDataJSON.type")),
      (#""type":1,"challenge":"AAAA","origin":"o""#, .wrongType("clientDataJSON.type")),
      (#""type":"webauthn.get","challenge":"AAAA","origin":"""#, .outOfRange("clientDataJSON.origin")),
      (#""type":"webauthn.get","challenge":"","origin":"o""#, .outOfRange("clientDataJSON.challenge")),
      (
        #""type":"webauthn.get","challenge":"A","origin":"o""#,
        .notBase64("clientDataJSON.challenge", .invalidLength)
      ),
      (
        #""type":"webauthn.get","challenge":"AA+/","origin":"o""#,
        .notBase64("clientDataJSON.challenge", .invalidCharacter(offset: 2))
      ),
      (
        #""type":"webauthn.get","challenge":"AAAA","origin":"o","crossOrigin":"false""#,
        .wrongType("clientDataJSON.crossOrigin")
      ),
      (
        #""type":"webauthn.get","challenge":"AAAA","origin":"o","origin":"p""#,
        .json("clientDataJSON", JSONError(reason: .duplicateMember, offset: 55))
      ),
    ]) func `refuses invalid client data, and names the wrong member`(_ members: String, _ error: WebAuthnError)
  {
    #expect(throws: error) { try CollectedClientData(parsing: Self.text(members)) }
  }

  @Test func `refuses client data that is too long or is not a JSON object`() {
    #expect(throws: WebAuthnError.wrongType("clientDataJSON")) { try CollectedClientData(parsing: Array("[]".utf8)) }
    let long = CollectedClientData(.get, challenge: Self.challenge, origin: String(repeating: "o", count: 8192))
    #expect(throws: WebAuthnError.self) { try CollectedClientData(parsing: long.encoded) }
  }
}
