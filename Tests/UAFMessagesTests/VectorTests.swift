import Testing

@testable import UAFMessages

@Suite struct VectorTests {
  @Test func `the vectors contain each message that their index lists`() {
    #expect(Vector.all.count == Vector.names.count && Vector.all.count >= 21)
  }

  @Test(arguments: Vector.all.filter { $0.name != "reg-upv" })
  func `the request of each vector is read, and written back unchanged`(_ vector: Vector) throws {
    let request = try UAFRequest(parsing: vector.request)
    #expect(request.header.op == (vector.isRegistration ? .registration : .authentication))
    #expect(try UAFRequest(parsing: UAFRequest.text(of: [request])) == request)
    #expect(try UAFRequest(parsing: JSONValue(parsing: vector.request).bytes) == request)
  }

  @Test(arguments: Vector.all.filter { $0.name != "reg-upv" })
  func `reads the response of each vector and its final challenge`(_ vector: Vector) throws {
    let response = try UAFResponse(parsing: vector.response)
    #expect(try UAFResponse(parsing: response.text) == response)
    let parameters = try FinalChallengeParams(encoded: response.fcParams)
    #expect(parameters.appID == response.header.appID)
    #expect(try FinalChallengeParams(encoded: parameters.encoded) == parameters)
  }

  @Test func `refuses a vector's message in version 9 dot 9`() throws {
    let vector = try Vector("reg-upv")
    #expect(throws: MessageError.unsupportedVersion) { try UAFResponse(parsing: vector.response) }
  }

  @Test(arguments: Vector.all.filter { $0.isRegistration && !Vector.malformed.contains($0.name) })
  func `reads the fields of each vector's registration assertion`(_ vector: Vector) throws {
    let assertion = try UnverifiedRegistrationAssertion(parsing: vector.assertion())
    #expect(assertion.aaid.text == (try vector.text("aaid")))
    #expect(assertion.keyID.text == (try vector.text("keyID")))
    #expect(Int64(assertion.signatureAlgorithm) == (try vector.integer("sigAlg")))
    #expect(Int64(assertion.publicKeyAlgorithm) == (try vector.integer("keyAlg")))
    #expect(Base64URL.encode(assertion.publicKey) == (try vector.text("uauthPublicKeyB64u")))
    #expect(assertion.finalChallengeHash.count == 32)
    #expect(assertion.signedBytes.starts(with: [0x03, 0x3E]))
    #expect(assertion.attestation.type == (vector.name.hasPrefix("reg-full") ? 15879 : 15880))
  }

  @Test(arguments: Vector.all.filter { !$0.isRegistration })
  func `reads the fields of each vector's authentication assertion`(_ vector: Vector) throws {
    let assertion = try UnverifiedAuthenticationAssertion(parsing: vector.assertion())
    #expect(assertion.aaid.text == (try vector.text("aaid")))
    #expect(assertion.keyID.text == (try vector.text("keyID")))
    #expect(Int64(assertion.signatureAlgorithm) == (try vector.integer("sigAlg")))
    #expect(assertion.nonce.count >= 8)
    #expect(assertion.signedBytes.starts(with: [0x04, 0x3E]))
    let hasTransaction = vector.name.hasPrefix("auth-tx")
    #expect(assertion.authenticationMode == (hasTransaction ? .transactionConfirmed : .userVerified))
    #expect(assertion.transactionContentHash.count == (hasTransaction ? 32 : 0))
  }

  @Test(arguments: [
    ("reg-trailing", TLVError.Reason.trailingBytes),
    ("reg-outer-auth-tag", .wrongTag),
    ("reg-ext-critical", .unknownCriticalTag(.criticalExtension)),
    ("reg-mode2", .invalidValue(.assertionInfo)),
  ]) func `refuses each vector with a malformed registration assertion`(_ name: String, _ reason: TLVError.Reason)
    throws
  {
    let bytes = try Vector(name).assertion()
    let error = #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: bytes) }
    #expect(error?.reason == reason)
  }

  @Test func `keeps an extension that a reader may ignore`() throws {
    let assertion = try UnverifiedRegistrationAssertion(parsing: Vector("reg-ext-noncritical").assertion())
    #expect(assertion.extensions.count == 1)
  }

  @Test
  func `refuses a registration assertion in an authentication, and an authentication assertion in a registration`()
    throws
  {
    let registration = try Vector("reg-surrogate-sig1-key100").assertion()
    let authentication = try Vector("auth-sig1-key100").assertion()
    #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: registration) }
    #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: authentication) }
  }
}
