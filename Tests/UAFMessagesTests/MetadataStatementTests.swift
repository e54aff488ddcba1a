import Testing

@testable import UAFMessages

struct MetadataStatementTests {
  /// A statement as another vendor would write it: hardware, full attestation, two ways to verify.
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

  @Test func `reads what a server needs, and ignores the rest`() throws {
    let statement = try reading(text)
    #expect(statement.aaid.text == "FFFF#5555" && statement.authenticatorVersion == 2)
    #expect(statement.attestationRootCertificates == [[0x30, 0]])
    #expect(statement.isKeyRestricted && statement.isFreshUserVerificationRequired)
    let authenticator = statement.authenticator
    #expect(authenticator.userVerification == 6 && authenticator.keyProtection == 6)
    #expect(authenticator.authenticationAlgorithm == 4 && authenticator.attestationTypes == [15879])
  }

  @Test func `survives being written and read`() throws {
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
  func `refuses a statement without a mandatory member`(member: String) {
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
  func `refuses a value outside its range`(old: String, new: String) {
    let changed = text.replacing(old, with: new)
    #expect(changed != text)
    let error = #expect(throws: MessageError.self) { try reading(changed) }
    let isRange = if case .outOfRange = error { true } else { false }
    #expect(isRange)
  }

  @Test(arguments: ["MAA", "MAA==", "MAB=", "M-A=", "M_A=", "MA A=", "MAA=\\n"])
  func `refuses a certificate that is not base64`(certificate: String) {
    let changed = text.replacing("MAA=", with: certificate)
    let error = #expect(throws: MessageError.self) { try reading(changed) }
    let isEncoding = if case .notBase64URL = error { true } else { false }
    #expect(isEncoding)
  }

  @Test func `refuses the names of MDS 3 in the place of numbers`() {
    let changed = text.replacing(
      "\"authenticationAlgorithm\":4", with: "\"authenticationAlgorithm\":\"rsassa_pss_sha256_der\"")
    #expect(throws: MessageError.wrongType("MetadataStatement.authenticationAlgorithm")) { try reading(changed) }
  }

  @Test(
    arguments: [
      ([[4]], 4), ([[4], [2]], 6), ([[4, 2]], 0x406), ([[4, 2], [1]], 0), ([[4], [2], [1]], 7),
    ] as [([[UInt32]], UInt32)])
  func `gives the flags of policies for choices and for sets`(details: [[UInt32]], flags: UInt32) throws {
    var statement = try reading(text)
    statement.userVerificationDetails = details.map { $0.map { VerificationMethodDescriptor(userVerification: $0) } }
    #expect(statement.userVerification == flags)
  }

  @Test(arguments: [[], [0], [0xFF], [0xFB, 0xF0], [0xFF, 0xEF, 0xBE], [1, 2, 3, 4, 5]] as [[UInt8]])
  func `writes and reads base64`(bytes: [UInt8]) throws {
    let text = Base64.encode(bytes)
    #expect(text.utf8.count % 4 == 0 && !text.contains("-") && !text.contains("_"))
    #expect(try Base64.decode(text, maximumCount: bytes.count) == bytes)
    guard !bytes.isEmpty else { return }
    #expect(throws: Base64URLError.tooLong) { try Base64.decode(text, maximumCount: bytes.count - 1) }
  }
}
