import UAFCrypto
import UAFMessages

/// What a relying party knows about the ceremony that it began, a registration or an authentication.
public struct CeremonyExpectation: Sendable {
  /// The challenge of this ceremony's options.
  public var challenge: [UInt8]

  /// The origins that may answer, compared byte by byte.
  public var origins: [String]

  /// The relying party.
  public var relyingPartyID: RelyingPartyID

  /// Whether an answer without UV is refused.
  public var requiresUserVerification: Bool

  /// The outermost pages in whose frames our page may stand; none means that it may stand in no frame of another origin.
  public var topOrigins: [String]

  /// Makes an expectation.
  public init(
    challenge: [UInt8], origins: [String], relyingPartyID: RelyingPartyID, requiresUserVerification: Bool,
    topOrigins: [String] = []
  ) {
    self.challenge = challenge
    self.origins = origins
    self.relyingPartyID = relyingPartyID
    self.requiresUserVerification = requiresUserVerification
    self.topOrigins = topOrigins
  }

  /// The first failure among the checks that both ceremonies share, or nil (WebAuthn Level 3, sections 7.1 and 7.2).
  func refusal(
    _ type: CollectedClientData.CeremonyType, _ clientData: CollectedClientData, _ data: AuthenticatorData
  ) -> CeremonyRefusal? {
    guard clientData.type == type else { return .wrongCeremony }
    guard clientData.challenge == challenge else { return .challengeMismatch }
    guard origins.contains(where: { $0.isIdentical(to: clientData.origin) }) else { return .originMismatch }
    if clientData.crossOrigin == true || clientData.topOrigin != nil {
      guard let top = clientData.topOrigin, topOrigins.contains(where: { $0.isIdentical(to: top) }) else {
        return .crossOrigin
      }
    }
    guard data.relyingPartyIDHash == relyingPartyID.hash else { return .relyingPartyIDMismatch }
    guard data.flags.contains(.userPresent) else { return .userNotPresent }
    guard !requiresUserVerification || data.flags.contains(.userVerified) else { return .userNotVerified }
    guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
      return .backedUpWithoutEligibility
    }
    return nil
  }
}

/// Why a relying party refuses an answer that it could read.
public enum CeremonyRefusal: String, Error, Equatable, Sendable, CaseIterable, CustomStringConvertible {
  /// The response is that of a registration, but the ceremony is an authentication, or the reverse.
  case wrongCeremony
  /// The challenge is not the one that was sent.
  case challengeMismatch
  /// The origin is not one of those that may answer.
  case originMismatch
  /// The page stood in a frame of an origin that is not allowed.
  case crossOrigin
  /// The answer is for another relying party.
  case relyingPartyIDMismatch
  /// UP is not set.
  case userNotPresent
  /// UV is not set, and was required.
  case userNotVerified
  /// BS without BE.
  case backedUpWithoutEligibility
  /// The key's algorithm was not in the options.
  case algorithmNotOffered
  /// The attestation has a format that is not read here, so it cannot show which model it is.
  case attestationFormat
  /// A self attestation names an algorithm that is not the key's.
  case attestationAlgorithmMismatch
  /// The attestation certificate is not one for authenticators, has a key that cannot be used, or names another model than the
  /// authenticator data.
  case attestationCertificate
  /// The attestation's signature is wrong.
  case badAttestationSignature
  /// The response is from a different credential.
  case credentialMismatch
  /// The user handle in the response is that of a different account.
  case userHandleMismatch
  /// An assertion contains a new credential.
  case unexpectedCredential
  /// BE is not as it was at the registration.
  case backupEligibilityChanged
  /// The assertion's signature is wrong.
  case badSignature
  /// The counter is not above the one before: the key may have been copied.
  case counterBack

  /// What was wrong, without a value that was sent.
  public var description: String {
    switch self {
    case .wrongCeremony: "the answer belongs to the other ceremony"
    case .challengeMismatch: "the challenge is not the one that was sent"
    case .originMismatch: "the origin may not answer"
    case .crossOrigin: "the page stood in a frame of an origin that is not allowed"
    case .relyingPartyIDMismatch: "the answer is for another relying party"
    case .userNotPresent: "nobody was there"
    case .userNotVerified: "the authenticator did not verify who it was"
    case .backedUpWithoutEligibility: "the credential is backed up, and may not be"
    case .algorithmNotOffered: "the key's algorithm was not offered"
    case .attestationFormat: "the attestation has a format that is not read here"
    case .attestationAlgorithmMismatch: "the attestation names another algorithm than the key"
    case .attestationCertificate: "the attestation certificate cannot be used for this authenticator"
    case .badAttestationSignature: "the attestation's signature is wrong"
    case .credentialMismatch: "another credential has answered"
    case .userHandleMismatch: "the answer names another account"
    case .unexpectedCredential: "the assertion has a new credential in it"
    case .backupEligibilityChanged: "the credential changed whether it may be backed up"
    case .badSignature: "the signature is wrong"
    case .counterBack: "the counter went back: the key may have been copied"
    }
  }
}
