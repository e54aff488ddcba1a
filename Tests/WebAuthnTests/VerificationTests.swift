import CBOR
import Testing
import UAFCrypto
import WebAuthn

@Suite struct VerificationTests {
  // MARK: Registration

  @Test(arguments: [COSEAlgorithm.es256, .edDSA]) func `accepts a registration with a self attestation by the new key`(
    _ algorithm: COSEAlgorithm
  ) throws {
    var ceremony = Ceremony()
    ceremony.algorithm = algorithm
    guard case .accepted(let credential) = try ceremony.verified() else {
      Issue.record("refused")
      return
    }
    #expect(credential.publicKey == (try ceremony.publicKey()) && credential.attestation == .selfSigned)
    #expect(credential.isUserVerified && !credential.isBackupEligible && !credential.isBackedUp)
    #expect(credential.signatureCounter == 1 && credential.transports == ["internal"])
  }

  @Test func `accepts a registration without an attestation`() throws {
    guard case .accepted(let credential) = try Ceremony().verified(AttestationStatement.none) else {
      Issue.record("refused")
      return
    }
    #expect(credential.attestation == .none)
  }

  @Test(arguments: Change.both)
  func `a fault that both ceremonies can have is refused for the same reason in a registration as in an assertion`(
    _ change: Change
  ) throws {
    var (registration, authentication) = (Ceremony(), Ceremony.authentication())
    change.apply(&registration, .create)
    change.apply(&authentication, .get)
    #expect(try registration.verified() == .refused(change.refusal))
    let verification = try AssertionVerification(
      authentication.assertion(), expecting: Ceremony.expectation(), by: authentication.stored())
    #expect(verification == .refused(change.refusal))
  }

  @Test func `accepts a response without user verification if the relying party does not require it`() throws {
    var ceremony = Ceremony()
    ceremony.flags = [.userPresent]
    var expectation = try Ceremony.expectation()
    expectation.requiresUserVerification = false
    let verification = try RegistrationVerification(
      ceremony.registration(), expecting: expectation, algorithms: [.es256])
    guard case .accepted(let credential) = verification else {
      Issue.record("refused")
      return
    }
    #expect(!credential.isUserVerified)
  }

  @Test func `refuses a new key whose algorithm was not offered`() throws {
    let verification = try RegistrationVerification(
      Ceremony().registration(), expecting: Ceremony.expectation(), algorithms: [.edDSA, .rs256])
    #expect(verification == .refused(.algorithmNotOffered))
  }

  @Test func `refuses a self attestation by a different algorithm or key`() throws {
    let signature = try Ceremony().sign(Ceremony().data(registers: true))
    let mismatch = AttestationStatement.packed(PackedStatement(algorithm: .edDSA, signature: signature))
    #expect(try Ceremony().verified(mismatch) == .refused(.attestationAlgorithmMismatch))
    let other = try Example.named("packed-self.ES256").registrationResponse().attestationObject.statement
    #expect(try Ceremony().verified(other) == .refused(.badAttestationSignature))
  }

  @Test func `refuses an attestation by a different certificate, or by one whose key has a different type`() throws {
    guard
      case .packed(let packed) = try Example.named("packed.ES256").registrationResponse().attestationObject.statement
    else { return }
    #expect(try Ceremony().verified(.packed(packed)) == .refused(.badAttestationSignature))
    for algorithm in [COSEAlgorithm.rs256, .edDSA] {
      let other = PackedStatement(
        algorithm: algorithm, signature: packed.signature, certificates: packed.certificates)
      #expect(try Ceremony().verified(.packed(other)) == .refused(.attestationCertificate))
    }
  }

  @Test func `refuses an attestation of a format that is not read, after everything else was checked`() throws {
    #expect(try Ceremony().verified(.unread(format: "tpm")) == .refused(.attestationFormat))
    var absent = Ceremony()
    absent.flags = []
    #expect(try absent.verified(.unread(format: "tpm")) == .refused(.userNotPresent))
  }

  // MARK: Authentication

  @Test(arguments: [COSEAlgorithm.es256, .edDSA]) func `accepts an assertion by the registered credential`(
    _ algorithm: COSEAlgorithm
  ) throws {
    var ceremony = Ceremony.authentication()
    ceremony.algorithm = algorithm
    let verification = try AssertionVerification(
      ceremony.assertion(), expecting: Ceremony.expectation(), by: ceremony.stored())
    guard case .accepted(let assertion) = verification else {
      Issue.record("refused")
      return
    }
    #expect(assertion.credentialID == Ceremony.credentialID && assertion.signatureCounter == 2)
    #expect(assertion.isUserVerified && !assertion.isBackedUp)
  }

  @Test func `refuses an assertion by a different credential or account, or with a new credential in it`() throws {
    var ceremony = Ceremony.authentication()
    #expect(try verify(ceremony, ceremony.assertion(userHandle: [1])) == .refused(.userHandleMismatch))
    #expect(try verify(ceremony, ceremony.assertion(registers: true)) == .refused(.unexpectedCredential))
    ceremony.sender = [UInt8](repeating: 8, count: 32)
    #expect(try verify(ceremony, ceremony.assertion()) == .refused(.credentialMismatch))
  }

  @Test func `accepts an assertion without a user handle`() throws {
    let ceremony = Ceremony.authentication()
    #expect(try isAccepted(verify(ceremony, ceremony.assertion(userHandle: nil))))
  }

  @Test(
    arguments: [
      (0, 0, true), (0, 1, true), (1, 2, true), (5, .max, true), (1, 1, false), (2, 1, false), (1, 0, false),
      (.max, .max, false), (.max, 0, false),
    ] as [(UInt32, UInt32, Bool)]) func `refuses a signature counter that does not rise, unless it was and is 0`(
      _ before: UInt32, _ counter: UInt32, _ isAllowed: Bool
    ) throws
  {
    var ceremony = Ceremony.authentication()
    ceremony.counter = counter
    var credential = try ceremony.stored()
    credential.signatureCounter = before
    let verification = try AssertionVerification(
      ceremony.assertion(), expecting: Ceremony.expectation(), by: credential)
    #expect(isAllowed ? isAccepted(verification) : verification == .refused(.counterBack))
  }

  @Test func `refuses a credential whose backup eligibility has changed`() throws {
    var ceremony = Ceremony.authentication()
    ceremony.flags.formUnion([.backupEligible, .backedUp])
    #expect(try verify(ceremony, ceremony.assertion()) == .refused(.backupEligibilityChanged))
    var credential = try ceremony.stored()
    credential.isBackupEligible = true
    let verification = try AssertionVerification(
      ceremony.assertion(), expecting: Ceremony.expectation(), by: credential)
    #expect(isAccepted(verification))
    ceremony.flags = [.userPresent, .userVerified]
    let synced = try AssertionVerification(ceremony.assertion(), expecting: Ceremony.expectation(), by: credential)
    #expect(synced == .refused(.backupEligibilityChanged))
  }

  @Test func `refuses the signature of a registration as an assertion`() throws {
    let registration = try Ceremony().registration()
    guard case .packed(let packed) = registration.attestationObject.statement else { return }
    let response = AssertionResponse(
      credentialID: Ceremony.credentialID, clientData: registration.clientData,
      authenticatorData: registration.attestationObject.authenticatorData, signature: packed.signature)
    #expect(try verify(Ceremony(), response) == .refused(.wrongCeremony))
  }

  @Test func `refuses a signature in the format of UAF`() throws {
    let ceremony = Ceremony.authentication()
    let response = try ceremony.assertion()
    let raw = try ECDSASignature(der: response.signature).raw
    let other = AssertionResponse(
      credentialID: response.credentialID, clientData: response.clientData,
      authenticatorData: response.authenticatorData, signature: raw)
    #expect(try verify(ceremony, other) == .refused(.badSignature))
  }

  @Test func `each reason to refuse a ceremony has its own text`() {
    #expect(Set(CeremonyRefusal.allCases.map(\.description)).count == CeremonyRefusal.allCases.count)
  }

  private func verify(_ ceremony: Ceremony, _ response: AssertionResponse) throws -> AssertionVerification {
    try AssertionVerification(response, expecting: Ceremony.expectation(), by: ceremony.stored())
  }

  private func isAccepted(_ verification: AssertionVerification) -> Bool {
    if case .accepted = verification { true } else { false }
  }
}

/// One fault that a registration and an assertion can both have.
struct Change: Sendable, CustomTestStringConvertible {
  let refusal: CeremonyRefusal
  let apply: @Sendable (inout Ceremony, CollectedClientData.CeremonyType) -> Void

  var testDescription: String { refusal.rawValue }

  static let both = [
    Change(refusal: .wrongCeremony) { ceremony, type in
      let other: CollectedClientData.CeremonyType = type == .create ? .get : .create
      ceremony.clientData = CollectedClientData(other, challenge: Ceremony.challenge, origin: Ceremony.origin)
    },
    Change(refusal: .challengeMismatch) { ceremony, type in
      ceremony.clientData = CollectedClientData(type, challenge: [UInt8](1...32), origin: Ceremony.origin)
    },
    Change(refusal: .challengeMismatch) { ceremony, type in
      ceremony.clientData = CollectedClientData(
        type, challenge: Array(Ceremony.challenge.dropLast()), origin: Ceremony.origin)
    },
    Change(refusal: .originMismatch) { ceremony, type in
      ceremony.clientData = CollectedClientData(type, challenge: Ceremony.challenge, origin: "linux://example.com")
    },
    Change(refusal: .originMismatch) { ceremony, type in
      ceremony.clientData = CollectedClientData(type, challenge: Ceremony.challenge, origin: Ceremony.origin + "/")
    },
    Change(refusal: .originMismatch) { ceremony, type in
      let origin = Ceremony.origin.uppercased()
      ceremony.clientData = CollectedClientData(type, challenge: Ceremony.challenge, origin: origin)
    },
    Change(refusal: .crossOrigin) { ceremony, type in
      ceremony.clientData = CollectedClientData(
        type, challenge: Ceremony.challenge, origin: Ceremony.origin, crossOrigin: true)
    },
    Change(refusal: .crossOrigin) { ceremony, type in
      ceremony.clientData = CollectedClientData(
        type, challenge: Ceremony.challenge, origin: Ceremony.origin, topOrigin: "https://example.com")
    },
    Change(refusal: .relyingPartyIDMismatch) { ceremony, _ in ceremony.relyingPartyID = "example.com" },
    Change(refusal: .userNotPresent) { ceremony, _ in ceremony.flags = [.userVerified] },
    Change(refusal: .userNotVerified) { ceremony, _ in ceremony.flags = [.userPresent] },
    Change(refusal: .backedUpWithoutEligibility) { ceremony, _ in ceremony.flags.insert(.backedUp) },
  ]
}
