import UAFCrypto

/// A relying party's decision on a response with a new credential.
public enum RegistrationVerification: Equatable, Sendable {
  /// The credential may be stored, unless the relying party knows its identifier already.
  case accepted(RegisteredCredential)
  /// The credential must not be stored.
  case refused(CeremonyRefusal)

  /// Verifies an answer (WebAuthn Level 3, section 7.1).
  ///
  /// Two checks are left to the caller: that the certificates of ``VerifiedAttestation/certified(_:)`` lead to a root of the
  /// model, and that no account already has the credential's identifier.
  ///
  /// - Parameter algorithms: those of the options.
  /// - Throws: ``CryptoError`` if this machine cannot hash; it says nothing about the answer.
  public init(
    _ response: AttestationResponse, expecting expectation: CeremonyExpectation, algorithms: [COSEAlgorithm]
  ) throws(CryptoError) {
    let object = response.attestationObject
    let data = object.authenticatorData
    if let refusal = expectation.refusal(.create, response.clientData, data) {
      self = .refused(refusal)
      return
    }
    // A response that was read always has a credential.
    guard let credential = data.attestedCredential, algorithms.contains(credential.publicKey.algorithm) else {
      self = .refused(.algorithmNotOffered)
      return
    }
    let signed = try SignatureBase.bytes(data, response.clientData)
    do throws(CeremonyRefusal) {
      let attestation = try VerifiedAttestation(object.statement, of: credential, signed: signed)
      self = .accepted(
        RegisteredCredential(
          id: credential.credentialID, publicKey: credential.publicKey, signatureCounter: data.signatureCounter,
          isUserVerified: data.flags.contains(.userVerified), isBackupEligible: data.flags.contains(.backupEligible),
          isBackedUp: data.flags.contains(.backedUp), aaguid: credential.aaguid, attestation: attestation,
          transports: response.transports))
    } catch {
      self = .refused(error)
    }
  }
}

/// A credential whose registration was verified; only ``RegistrationVerification`` makes one.
public struct RegisteredCredential: Equatable, Sendable {
  /// Its identifier.
  public let id: [UInt8]
  /// Its public key.
  public let publicKey: COSEKey
  /// The counter of its authenticator.
  public let signatureCounter: UInt32
  /// Whether the authenticator verified the person.
  public let isUserVerified: Bool
  /// BE, which never changes.
  public let isBackupEligible: Bool
  /// BS, as it is now.
  public let isBackedUp: Bool
  /// The model that the authenticator says it is; ``attestation`` says whether anybody vouches for that.
  public let aaguid: AAGUID
  /// Who vouches for the authenticator.
  public let attestation: VerifiedAttestation
  /// How the authenticator can be reached.
  public let transports: [String]

  fileprivate init(
    id: [UInt8], publicKey: COSEKey, signatureCounter: UInt32, isUserVerified: Bool, isBackupEligible: Bool,
    isBackedUp: Bool, aaguid: AAGUID, attestation: VerifiedAttestation, transports: [String]
  ) {
    self.id = id
    self.publicKey = publicKey
    self.signatureCounter = signatureCounter
    self.isUserVerified = isUserVerified
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.aaguid = aaguid
    self.attestation = attestation
    self.transports = transports
  }
}

/// An attestation whose signature was verified.
public enum VerifiedAttestation: Equatable, Sendable {
  /// Nobody vouches.
  case none
  /// The new key has signed: this shows that the authenticator has the key, but nothing about the model.
  case selfSigned
  /// The key of the first certificate has signed; nothing vouches for these certificates yet.
  case certified([[UInt8]])

  init(
    _ statement: AttestationStatement, of credential: AttestedCredential, signed: [UInt8]
  ) throws(CeremonyRefusal) {
    let packed: PackedStatement
    switch statement {
    case .none:
      self = .none
      return
    case .unread: throw .attestationFormat
    case .packed(let given): packed = given
    }
    guard let leaf = packed.certificates.first else {
      guard packed.algorithm == credential.publicKey.algorithm else { throw .attestationAlgorithmMismatch }
      guard credential.publicKey.isValidSignature(packed.signature, of: signed) else { throw .badAttestationSignature }
      self = .selfSigned
      return
    }
    let scheme: SignatureScheme
    switch packed.algorithm {
    case .es256: scheme = .secp256r1ECDSADER
    case .rs256: scheme = .rsaPKCS1Raw
    case .edDSA: throw .attestationCertificate
    }
    guard let certificate = try? AttestationCertificate(der: leaf), certificate.isForAuthenticators,
      certificate.aaguid == nil || certificate.aaguid == credential.aaguid.bytes,
      let key = try? VerificationKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo, scheme: scheme)
    else { throw .attestationCertificate }
    guard key.isValidSignature(packed.signature, of: signed) else { throw .badAttestationSignature }
    self = .certified(packed.certificates)
  }
}
