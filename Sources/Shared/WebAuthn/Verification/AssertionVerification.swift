import UAFCrypto

/// A relying party's decision on a response with an assertion.
public enum AssertionVerification: Equatable, Sendable {
  /// The response proves that the person holds the credential.
  case accepted(VerifiedAssertion)
  /// The response proves nothing.
  case refused(CeremonyRefusal)

  /// Verifies an answer by the credential that it names (WebAuthn Level 3, section 7.2).
  ///
  /// The caller has already looked the credential up, and checked that the options allowed it.
  ///
  /// - Throws: ``CryptoError`` if this machine cannot hash; it says nothing about the answer.
  public init(
    _ response: AssertionResponse, expecting expectation: CeremonyExpectation, by credential: StoredCredential
  ) throws(CryptoError) {
    let data = response.authenticatorData
    let signed = try SignatureBase.bytes(data, response.clientData)
    if let refusal = expectation.refusal(.get, response.clientData, data)
      ?? Self.refusal(response, credential, signed: signed)
    {
      self = .refused(refusal)
    } else {
      self = .accepted(
        VerifiedAssertion(
          credentialID: credential.id, signatureCounter: data.signatureCounter,
          isUserVerified: data.flags.contains(.userVerified), isBackedUp: data.flags.contains(.backedUp)))
    }
  }

  private static func refusal(
    _ response: AssertionResponse, _ credential: StoredCredential, signed: [UInt8]
  ) -> CeremonyRefusal? {
    let data = response.authenticatorData
    guard response.credentialID == credential.id else { return .credentialMismatch }
    if let handle = response.userHandle, let expected = credential.userHandle, handle != expected {
      return .userHandleMismatch
    }
    guard data.attestedCredential == nil else { return .unexpectedCredential }
    guard data.flags.contains(.backupEligible) == credential.isBackupEligible else { return .backupEligibilityChanged }
    guard credential.publicKey.isValidSignature(response.signature, of: signed) else { return .badSignature }
    // Last, so that nobody without the key learns the counter.
    let (counter, before) = (data.signatureCounter, credential.signatureCounter)
    guard counter > before || counter == 0 && before == 0 else { return .counterBack }
    return nil
  }
}

/// What a relying party has stored of a credential.
public struct StoredCredential: Equatable, Sendable {
  /// Its identifier.
  public var id: [UInt8]
  /// Its public key.
  public var publicKey: COSEKey
  /// The counter of the last assertion.
  public var signatureCounter: UInt32
  /// BE, as it was at the registration.
  public var isBackupEligible: Bool
  /// The account's user handle; nil if the relying party knew the account before the response, so that the handle need not be
  /// compared.
  public var userHandle: [UInt8]?

  /// Makes a credential.
  public init(
    id: [UInt8], publicKey: COSEKey, signatureCounter: UInt32, isBackupEligible: Bool, userHandle: [UInt8]?
  ) {
    self.id = id
    self.publicKey = publicKey
    self.signatureCounter = signatureCounter
    self.isBackupEligible = isBackupEligible
    self.userHandle = userHandle
  }
}

/// An assertion that was verified; only ``AssertionVerification`` makes one.
public struct VerifiedAssertion: Equatable, Sendable {
  /// The credential that signed.
  public let credentialID: [UInt8]
  /// The counter to store.
  public let signatureCounter: UInt32
  /// Whether the authenticator verified the person.
  public let isUserVerified: Bool
  /// BS, to be stored.
  public let isBackedUp: Bool

  fileprivate init(credentialID: [UInt8], signatureCounter: UInt32, isUserVerified: Bool, isBackedUp: Bool) {
    self.credentialID = credentialID
    self.signatureCounter = signatureCounter
    self.isUserVerified = isUserVerified
    self.isBackedUp = isBackedUp
  }
}
