import Testing

@testable import UAFMessages

struct MetadataStatementTests {
  /// A metadata statement as another vendor could write it: hardware, full attestation, two ways to verify the person.
  private let text = """
    {"aaid":"FFFF#5555","description":"x","authenticatorVersion":2,"upv":[{"major":1,"minor":0}],\
    "assertionScheme":"UAFV1TLV","authenticationAlgorithm":4,"publicKeyAlgAndEncoding":259,"attestationTypes":[15879],\
    "userVerificationDetails":[[{"userVerification":2,"baDesc":{"selfAttestedFRR":0.1}}],[{"userVerification":4,\
    "caDesc":{"base":10,"minLength":4,"maxRetries":5,"blockSlowdown":30}}]],"keyProtection":6,"matcherProtection":2,\
    "attachmentHint":1,"isSecondFactorOnly":false,"tcDisplay":0,"attestationRootCertificates":["MAA="],"icon":"data:,"}
    """

  private func reading(_ text: String) throws(MessageError) -> MetadataStatement {
    try MetadataStatement(parsing: text)
  }

  @Test func `reads the members of a metadata statement that a server needs, and ignores the others`() throws {
    let statement = try reading(text)
    #expect(statement.aaid.text == "FFFF#5555" && statement.authenticatorVersion == 2)
    #expect(statement.attestationRootCertificates == [[0x30, 0]])
    #expect(statement.isKeyRestricted && statement.isFreshUserVerificationRequired)
    let authenticator = statement.authenticator
    #expect(authenticator.userVerification == 6 && authenticator.keyProtection == 6)
    #expect(authenticator.authenticationAlgorithm == 4 && authenticator.attestationTypes == [15879])
  }

  @Test func `a metadata statement is read back as it was written`() throws {
    let statement = try reading(text)
    #expect(try reading(statement.jsonText) == statement)
    let pattern = VerificationMethodDescriptor(
      userVerification: UserVerification.pattern,
      paDesc: PatternAccuracyDescriptor(minComplexity: 1624, maxRetries: 10, blockSlowdown: 30))
    let own = MetadataStatement(
      aaid: try AAID("5541#0002"), description: "p", userVerificationDetails: [[pattern]])
    #expect(try reading(own.jsonText) == own)
  }

  @Test(arguments: [
    "aaid", "description", "authenticatorVersion", "upv", "assertionScheme", "authenticationAlgorithm",
    "publicKeyAlgAndEncoding", "attestationTypes", "userVerificationDetails", "keyProtection", "matcherProtection",
    "attachmentHint", "isSecondFactorOnly", "tcDisplay", "attestationRootCertificates",
  ])
  func `refuses a metadata statement without a mandatory member`(member: String) {
    let changed = text.replacing("\"\(member)\":", with: "\"x-\(member)\":")
    #expect(changed != text)
    #expect(throws: MessageError.missing("MetadataStatement.\(member)")) { try reading(changed) }
  }

  @Test(arguments: [
    ("\"keyProtection\":6", "\"keyProtection\":0"), ("\"matcherProtection\":2", "\"matcherProtection\":0"),
    ("[15879]", "[15880]"), ("[15879]", "[]"), ("[\"MAA=\"]", "[]"), ("[\"MAA=\"]", "[\"\"]"),
    ("\"userVerification\":2", "\"userVerification\":6"), ("\"userVerification\":2", "\"userVerification\":1024"),
    ("\"userVerification\":2", "\"userVerification\":0"), ("\"upv\":[{\"major\":1,\"minor\":0}]", "\"upv\":[]"),
    ("FFFF#5555", "FFFF5555"), ("\"authenticationAlgorithm\":4", "\"authenticationAlgorithm\":65536"),
  ])
  func `refuses a metadata statement with a number outside its range`(old: String, new: String) {
    let changed = text.replacing(old, with: new)
    #expect(changed != text)
    let error = #expect(throws: MessageError.self) { try reading(changed) }
    let isRange = if case .outOfRange = error { true } else { false }
    #expect(isRange)
  }

  @Test(arguments: ["MAA", "MAA==", "MAB=", "M-A=", "M_A=", "MA A=", "MAA=\\n"])
  func `refuses a metadata statement with a certificate that is not base64`(certificate: String) {
    let changed = text.replacing("MAA=", with: certificate)
    let error = #expect(throws: MessageError.self) { try reading(changed) }
    let isEncoding = if case .notBase64URL = error { true } else { false }
    #expect(isEncoding)
  }

  /// The same statement in the form of MDS 3.
  private let named = """
    {"legalHeader":"x","aaid":"FFFF#5555","description":"x","authenticatorVersion":2,"protocolFamily":"uaf","schema":3,\
    "upv":[{"major":1,"minor":0}],"authenticationAlgorithms":["rsassa_pss_sha256_der"],\
    "publicKeyAlgAndEncodings":["rsa_2048_der"],"attestationTypes":["basic_full"],"userVerificationDetails":\
    [[{"userVerificationMethod":"fingerprint_internal","baDesc":{"selfAttestedFRR":0.1}}],\
    [{"userVerificationMethod":"passcode_internal",\
    "caDesc":{"base":10,"minLength":4,"maxRetries":5,"blockSlowdown":30}}]],"keyProtection":["hardware","tee"],\
    "matcherProtection":["tee"],"attachmentHint":["internal"],"tcDisplay":[],"attestationRootCertificates":["MAA="],\
    "icon":"data:,"}
    """

  @Test func `reads the names that MDS 3 uses as the numbers of earlier versions`() throws {
    #expect(try reading(named) == reading(text))
    let surrogate =
      named.replacing("basic_full", with: "basic_surrogate").replacing("[\"MAA=\"]", with: "[]")
      .replacing("rsassa_pss_sha256_der", with: "secp256r1_ecdsa_sha256_raw")
      .replacing("rsa_2048_der", with: "ecc_x962_raw").replacing("fingerprint_internal", with: "pattern_internal")
      .replacing("\"tcDisplay\":[]", with: "\"tcDisplay\":[\"any\",\"privileged_software\"]")
    let statement = try reading(surrogate)
    #expect(statement.authenticationAlgorithm == 1 && statement.publicKeyAlgAndEncoding == 0x100)
    #expect(statement.attestationTypes == [15880] && statement.userVerification == 0x84 && statement.tcDisplay == 3)
    #expect(statement.assertionScheme == "UAFV1TLV" && !statement.isSecondFactorOnly)
  }

  @Test(arguments: [
    ("\"schema\":3", "\"schema\":4"), ("\"schema\":3", "\"schema\":\"3\""), ("\"uaf\"", "\"fido2\""),
    ("\"uaf\"", "\"UAF\""), ("\"protocolFamily\":\"uaf\",", ""), ("rsassa_pss_sha256_der", "rsassa_pss_sha256"),
    ("[\"rsassa_pss_sha256_der\"]", "[]"), ("[\"rsassa_pss_sha256_der\"]", "4"),
    ("[\"rsassa_pss_sha256_der\"]", "[4]"),
    ("[\"rsassa_pss_sha256_der\"]", "[\"rsassa_pss_sha256_der\",\"rsassa_pss_sha256_raw\"]"),
    ("[\"rsa_2048_der\"]", "[\"rsa_2048_der\",\"rsa_2048_raw\"]"), ("basic_full", "basic_surrogate"),
    ("passcode_internal", "all"), ("passcode_internal", "passcode"), ("[\"hardware\",\"tee\"]", "[]"),
    ("[\"hardware\",\"tee\"]", "[\"tee\",\"tee\"]"), ("[\"hardware\",\"tee\"]", "6"),
    ("\"tcDisplay\":[]", "\"tcDisplay\":0"), ("\"tcDisplay\":[],", ""),
    ("\"authenticatorVersion\":2", "\"authenticatorVersion\":65536"),
  ])
  func `refuses an MDS 3 statement with a wrong or missing name`(old: String, new: String) {
    let changed = named.replacing(old, with: new)
    #expect(changed != named)
    #expect(throws: MessageError.self) { try reading(changed) }
  }

  @Test func `refuses names in an earlier statement, and numbers in an MDS 3 statement`() {
    let changed = text.replacing(
      "\"authenticationAlgorithm\":4", with: "\"authenticationAlgorithm\":\"rsassa_pss_sha256_der\"")
    #expect(throws: MessageError.wrongType("MetadataStatement.authenticationAlgorithm")) { try reading(changed) }
    let mixed = text.replacing("{\"aaid\"", with: "{\"schema\":3,\"protocolFamily\":\"uaf\",\"aaid\"")
    #expect(throws: MessageError.self) { try reading(mixed) }
  }

  @Test
  func `a metadata statement keeps the display for pictures, and is refused if the display is incomplete`() throws {
    let display = #"{"width":320,"height":480,"bitDepth":16,"colorType":2,"compression":0,"filter":0,"interlace":0}"#
    let pictures = text.replacing("\"tcDisplay\":0", with: "\"tcDisplay\":3,\"tcDisplayContentType\":\"image/png\"")
    #expect(throws: MessageError.missing("MetadataStatement.tcDisplayPNGCharacteristics")) { try reading(pictures) }
    let known = pictures.replacing("\"icon\"", with: "\"tcDisplayPNGCharacteristics\":[\(display)],\"icon\"")
    let statement = try reading(known)
    #expect(statement.tcDisplayPNGCharacteristics.map(\.width) == [320])
    #expect(try reading(statement.jsonText) == statement)
    for wrong in ["[]", "{}", "[{}]", "[\(display.replacing("320", with: "-1"))]"] {
      #expect(throws: MessageError.self) { try reading(known.replacing("[\(display)]", with: wrong)) }
    }
  }

  @Test(
    arguments: [
      ([[4]], 4), ([[4], [2]], 6), ([[4, 2]], 0x406), ([[4, 2], [1]], 0), ([[4], [2], [1]], 7),
    ] as [([[UInt32]], UInt32)])
  func `computes the user verification flags of a policy from a statement's alternatives and combinations`(
    details: [[UInt32]], flags: UInt32
  ) throws {
    var statement = try reading(text)
    statement.userVerificationDetails = details.map { $0.map { VerificationMethodDescriptor(userVerification: $0) } }
    #expect(statement.userVerification == flags)
  }

  @Test(arguments: [[], [0], [0xFF], [0xFB, 0xF0], [0xFF, 0xEF, 0xBE], [1, 2, 3, 4, 5]] as [[UInt8]])
  func `base64 is read back as it was written`(bytes: [UInt8]) throws {
    let text = Base64.encode(bytes)
    #expect(text.utf8.count % 4 == 0 && !text.contains("-") && !text.contains("_"))
    #expect(try Base64.decode(text, maximumCount: bytes.count) == bytes)
    guard !bytes.isEmpty else { return }
    #expect(throws: Base64URLError.tooLong) { try Base64.decode(text, maximumCount: bytes.count - 1) }
  }
}
