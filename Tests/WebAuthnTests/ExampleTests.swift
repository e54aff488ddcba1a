import CBOR
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

/// The examples of WebAuthn Level 3, section 16, read and verified.
@Suite struct ExampleTests {
  @Test func `the examples contain each algorithm and each form of attestation`() {
    #expect(Example.all.count == 10 && Set(Example.all.map(\.form)) == ["none", "self", "certificate"])
    #expect(Example.readable.count == 8)
    #expect(Example.acceptedCertificates.count == 1 && Example.refusedCertificates.count == 6)
  }

  @Test(arguments: Example.readable) func `accepts each example of a registration`(_ example: Example) throws {
    let response = try example.registrationResponse()
    var expectation = try example.expectation(example.registration)
    let algorithms = COSEAlgorithm.allCases
    if example.name == "none.ES256.crossOrigin" {
      // The example is refused if it comes from a frame whose top origin the relying party has not named.
      let refused = try RegistrationVerification(response, expecting: expectation, algorithms: algorithms)
      #expect(refused == .refused(.crossOrigin))
      return
    }
    let verification = try RegistrationVerification(response, expecting: expectation, algorithms: algorithms)
    guard case .accepted(let credential) = verification else {
      Issue.record("\(verification)")
      return
    }
    #expect(credential.id == example.registration["credentialID"])
    #expect(credential.aaguid.bytes == example.registration["aaguid"])
    switch credential.attestation {
    case .none: #expect(example.form == "none")
    case .selfSigned: #expect(example.form == "self")
    case .certified(let chain): #expect(example.form == "certificate" && chain.count == 1)
    }
    expectation.topOrigins = []
    let framed = try RegistrationVerification(response, expecting: expectation, algorithms: algorithms)
    #expect((framed == .refused(.crossOrigin)) == (example.name == "none.ES256.topOrigin"))
  }

  @Test(arguments: Example.readable) func `accepts each example of an assertion`(_ example: Example) throws {
    let verification = try AssertionVerification(
      example.authenticationResponse(), expecting: example.expectation(example.authentication), by: example.stored())
    guard case .accepted(let assertion) = verification else {
      #expect(verification == .refused(.crossOrigin) && example.name == "none.ES256.crossOrigin")
      return
    }
    #expect(assertion.credentialID == example.registration["credentialID"] && assertion.signatureCounter == 0)
  }

  @Test(arguments: Example.readable) func `each example is written back as it was read`(_ example: Example) throws {
    let response = try example.registrationResponse()
    let object = response.attestationObject
    #expect(
      AttestationObject(authenticatorData: object.authenticatorData, statement: object.statement).encoded
        == example.registration["attestationObject"])
    let data = object.authenticatorData
    let again = try AuthenticatorData(
      relyingPartyIDHash: data.relyingPartyIDHash, flags: data.flags, signatureCounter: data.signatureCounter,
      attestedCredential: data.attestedCredential, extensions: data.extensions)
    #expect(again == data)
    #expect(try AttestationResponse(parsing: response.json.bytes) == response)
    let assertion = try example.authenticationResponse()
    #expect(try AssertionResponse(parsing: assertion.json.bytes) == assertion)
  }

  @Test(arguments: Example.all.filter { $0.name == "packed.ES384" || $0.name == "packed.ES512" })
  func `refuses an example whose key has an unsupported algorithm`(_ example: Example) {
    let path = "attestationObject.authData.attestedCredentialData.credentialPublicKey"
    #expect(throws: WebAuthnError.invalidKey(path)) {
      try AttestationObject(parsing: example.registration["attestationObject"])
    }
  }

  @Test(arguments: Example.readable) func `refuses an assertion by the key of a different example`(_ example: Example)
    throws
  {
    let other = try Example.named(example.name == "none.ES256" ? "packed.ES256" : "none.ES256")
    var credential = try example.stored()
    credential.publicKey = try other.stored().publicKey
    var expectation = try example.expectation(example.authentication)
    let response = try example.authenticationResponse()
    if example.name == "none.ES256.crossOrigin" { expectation.topOrigins = [] }
    let verification = try AssertionVerification(response, expecting: expectation, by: credential)
    #expect(verification == .refused(example.name == "none.ES256.crossOrigin" ? .crossOrigin : .badSignature))
  }

  @Test(arguments: Example.readable)
  func `the examples' client data can be checked by a verifier without a JSON parser`(_ example: Example) throws {
    for ceremony in [example.registration, example.authentication] {
      let data = try CollectedClientData(parsing: ceremony["clientDataJSON"])
      #expect(data.challenge == ceremony["challenge"] && data.passesLimitedVerification)
    }
  }

  // MARK: Attestation certificates

  @Test func `the attestation certificates of the examples lead to the examples' authority`() throws {
    let time: Int64 = 1_800_000_000
    for example in Example.readable where example.form == "certificate" {
      let chain = try example.registrationResponse().certificates
      let leaf = try CertificateChain.validate(chain, roots: [Example.authority], at: time)
      #expect(try leaf.subjectPublicKeyInfo == AttestationCertificate(der: #require(chain.first)).subjectPublicKeyInfo)
      #expect(throws: CertificateChainError.untrusted) { try CertificateChain.validate(chain, roots: [], at: time) }
    }
  }

  @Test(arguments: Example.acceptedCertificates)
  func `accepts an attestation certificate that names the authenticator's own model`(
    _ example: Example
  ) throws {
    let response = try example.registrationResponse()
    let certificate = try AttestationCertificate(der: #require(response.certificates.first))
    #expect(certificate.isForAuthenticators && certificate.aaguid == example.registration["aaguid"])
    let attestation = try Self.attestation(of: response, example.expectation(example.registration))
    #expect(attestation == .certified(response.certificates))
  }

  @Test(arguments: Example.refusedCertificates)
  func `refuses an attestation certificate for a different model or purpose, and one of an authority`(
    _ example: Example
  ) throws {
    let verification = try RegistrationVerification(
      example.registrationResponse(), expecting: example.expectation(example.registration), algorithms: [.es256])
    #expect(verification == .refused(.attestationCertificate))
  }

  // MARK: Mutations

  // These loops use #expect only for failures, because it takes longer than reading a response.

  @Test(arguments: Example.readable) func `refuses each part of an example's response that was cut anywhere`(
    _ example: Example
  ) {
    let object = example.registration["attestationObject"]
    let data = example.authentication["authenticatorData"]
    let client = example.authentication["clientDataJSON"]
    let objects = cuts(of: object).filter { (try? AttestationObject(parsing: $0)) != nil }
    let datas = cuts(of: data).filter { (try? AuthenticatorData(parsing: $0)) != nil }
    let clients = cuts(of: client).filter { (try? CollectedClientData(parsing: $0)) != nil }
    #expect(objects.isEmpty && datas.isEmpty && clients.isEmpty)
  }

  @Test(arguments: Example.readable)
  func `a registration with a flipped bit is refused, or no attestation vouches for the flipped part`(
    _ example: Example
  ) throws {
    let original = try example.registrationResponse()
    let expectation = try example.expectation(example.registration)
    // Tests fewer bits for two examples: each number that can be an RSA modulus is searched for small factors, and an
    // identifier of 1023 bytes has many bits.
    let step = ["packed.RS256": 61, "none.ES256.long-credential-id": 9][example.name] ?? 1
    for changed in flips(of: example.registration["attestationObject"], step: step) {
      guard let other = try? AttestationObject(parsing: changed) else { continue }
      if other == original.attestationObject { Issue.record("the flip was not read") }
      let response = AttestationResponse(clientData: original.clientData, attestationObject: other)
      guard let attestation = try Self.attestation(of: response, expectation) else { continue }
      // If the signed part is unchanged, the flip is in a certificate, whose own signature the caller has to check.
      let isSame = other.authenticatorData == original.attestationObject.authenticatorData
      if attestation != .none, !isSame || response.certificates == original.certificates {
        Issue.record("vouches for a flip")
      }
    }
    for changed in flips(of: example.registration["clientDataJSON"]) {
      guard let other = try? CollectedClientData(parsing: changed) else { continue }
      if other == original.clientData { Issue.record("the flip was not read") }
      let response = AttestationResponse(clientData: other, attestationObject: original.attestationObject)
      guard let attestation = try Self.attestation(of: response, expectation) else { continue }
      if attestation != .none { Issue.record("vouches for a flip") }
    }
  }

  @Test(arguments: Example.readable) func `refuses an assertion with a flipped bit`(_ example: Example) throws {
    let original = try example.authenticationResponse()
    let expectation = try example.expectation(example.authentication)
    let credential = try example.stored()
    func accepts(
      _ data: AuthenticatorData?, _ client: CollectedClientData?, _ signature: [UInt8]
    ) throws -> Bool {
      guard let data, let client else { return false }
      let response = AssertionResponse(
        credentialID: original.credentialID, clientData: client, authenticatorData: data, signature: signature)
      if case .accepted = try AssertionVerification(response, expecting: expectation, by: credential) { return true }
      return false
    }
    var accepted = 0
    for changed in flips(of: example.authentication["authenticatorData"])
    where try accepts(try? AuthenticatorData(parsing: changed), original.clientData, original.signature) {
      accepted += 1
    }
    for changed in flips(of: example.authentication["clientDataJSON"])
    where try accepts(original.authenticatorData, try? CollectedClientData(parsing: changed), original.signature) {
      accepted += 1
    }
    let step = example.name == "packed.RS256" ? 16 : 1
    for changed in flips(of: original.signature, step: step)
    where try accepts(original.authenticatorData, original.clientData, changed) {
      accepted += 1
    }
    for changed in cuts(of: original.signature)
    where try accepts(original.authenticatorData, original.clientData, changed) {
      accepted += 1
    }
    #expect(accepted == 0)
  }

  /// How the registration is attested if it is accepted; nil if it is refused.
  private static func attestation(
    of response: AttestationResponse, _ expectation: CeremonyExpectation
  ) throws -> VerifiedAttestation? {
    let verification = try RegistrationVerification(
      response, expecting: expectation, algorithms: COSEAlgorithm.allCases)
    if case .accepted(let credential) = verification { return credential.attestation }
    return nil
  }
}

extension AttestationResponse {
  /// The certificates of the packed attestation.
  fileprivate var certificates: [[UInt8]] {
    if case .packed(let packed) = attestationObject.statement { packed.certificates } else { [] }
  }
}
