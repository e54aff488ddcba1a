import UAFMessages

/// Why a request or an answer was refused: the raw value goes to the log, the status to the client.
package enum ServiceRefusal: String, Error, CaseIterable {
  // The message cannot be read or is not supported.
  case malformedRequest = "malformed-request"
  case malformedMessage = "malformed-message"
  case unsupportedVersion = "unsupported-version"
  case unknownExtension = "unknown-extension"
  case malformedFinalChallenge = "malformed-final-challenge"
  case malformedAssertion = "malformed-assertion"
  case invalidUsername = "invalid-username"
  case unsupportedTransaction = "unsupported-transaction"
  /// A text from a machine does not begin with `ACCOUNT@HOST: `.
  case textOfOtherKind = "text-of-other-kind"
  // The caller lacks the right to do what it asks for.
  case authorizationRequired = "authorization-required"
  case wrongEnrolmentCode = "wrong-enrolment-code"
  case wrongProof = "wrong-proof"
  case keysNotAllowed = "new-keys-not-authorised"
  case machineNotProved = "machine-not-proved"
  case enrolmentCodeUsed = "enrolment-code-used"
  case wrongApprovalCode = "wrong-approval-code"
  case approvalCodeUsed = "approval-code-used"
  case tooManyKeys = "too-many-keys"
  case accountDisabled = "account-disabled"
  case accountLocked = "account-locked"
  case lastAdministrator = "last-administrator"
  case wrongJoinCode = "wrong-join-code"
  case joinCodeExpired = "join-code-expired"
  case joinCodeUsedUp = "join-code-used-up"
  case machineRevoked = "machine-revoked"
  case machineJoined = "machine-joined"
  // The message belongs to no open request.
  case invalidServerData = "invalid-server-data"
  case unknownChallenge = "unknown-challenge"
  case expiredChallenge = "expired-challenge"
  case otherOperation = "challenge-of-other-operation"
  case otherUser = "challenge-of-other-user"
  case otherAppID = "other-app-id"
  case untrustedFacet = "untrusted-facet"
  case channelBindingMismatch = "channel-binding-mismatch"
  case otherOrigin = "other-origin"
  case otherRelyingParty = "other-relying-party"
  // The assertion cannot be accepted.
  case unknownScheme = "unknown-assertion-scheme"
  case unknownAAID = "unknown-aaid"
  case unknownKeyID = "unknown-key-id"
  case notInPolicy = "not-in-policy"
  case outdatedAuthenticator = "outdated-authenticator"
  case wrongFinalChallengeHash = "wrong-final-challenge-hash"
  case unacceptableAlgorithm = "unacceptable-algorithm"
  case unacceptableKey = "unacceptable-key"
  case otherAttestationType = "attestation-type-not-of-the-model"
  case ecdaaNotSupported = "ecdaa-attestation-not-supported"
  case untrustedAttestation = "attestation-chain-not-trusted"
  case otherModelAttested = "attestation-certificate-of-other-model"
  case invalidAttestationSignature = "invalid-attestation-signature"
  case invalidSignature = "invalid-signature"
  case unlikelyRegistrationCounter = "unlikely-registration-counter"
  case counterNotIncreased = "counter-not-increased"
  case wrongTransaction = "wrong-transaction"
  case revokedKey = "revoked-key"
  case keyAlreadyRegistered = "key-already-registered"
  case verificationMethodMissing = "verification-method-missing"
  case otherVerificationMethod = "verification-method-not-of-the-model"
  case userNotVerified = "user-not-verified"
  /// What the assertion says of its account or of its copies is not what was registered.
  case otherPasskey = "passkey-not-as-registered"
  // Passkeys cannot be used at all.
  /// The policy of the account has no passkeys.
  case passkeysNotAccepted = "passkeys-not-accepted"
  /// The host of the server's URL is an IP address.
  case noRelyingParty = "no-relying-party"
  // A failure of the server.
  case internalError = "internal-error"

  /// The status for the client (UAF client API and transport 1.1, section 3.1.2).
  ///
  /// A reason that a caller can receive without the account's key has a status that an unknown account gets too. A counter that
  /// did not increase is 1491: of two honest logins at the same time, the client of the slower one tries again with a new
  /// challenge.
  package var statusCode: UAFStatusCode {
    switch self {
    case .malformedRequest, .malformedMessage, .malformedFinalChallenge, .invalidUsername: .badRequest
    case .authorizationRequired, .wrongEnrolmentCode, .wrongProof, .keysNotAllowed, .machineNotProved,
      .enrolmentCodeUsed, .wrongApprovalCode,
      .approvalCodeUsed, .wrongJoinCode:
      .unauthorized
    // Only somebody with the join code receives this.
    case .joinCodeExpired: .notFound
    // Only somebody with a key, a code or a proof of the account receives this.
    case .accountDisabled, .accountLocked, .lastAdministrator: .forbidden
    // Only somebody with a join code receives this.
    case .machineJoined: .forbidden
    case .invalidServerData, .unknownChallenge, .expiredChallenge, .otherOperation, .otherUser, .counterNotIncreased,
      .joinCodeUsedUp:
      .requestInvalid
    case .channelBindingMismatch: .channelBindingRefused
    case .unknownAAID: .unknownAAID
    case .unknownKeyID: .unknownKeyID
    // `tooManyKeys`: the person has to deregister a key. A 1403 would make them try again later, in vain.
    case .notInPolicy, .outdatedAuthenticator, .tooManyKeys, .passkeysNotAccepted, .noRelyingParty:
      .unacceptableAuthenticator
    case .unacceptableAlgorithm: .unacceptableAlgorithm
    case .unacceptableKey, .keyAlreadyRegistered: .unacceptableKey
    case .otherAttestationType, .ecdaaNotSupported, .untrustedAttestation, .otherModelAttested,
      .invalidAttestationSignature, .unlikelyRegistrationCounter:
      .unacceptableAttestation
    case .revokedKey, .machineRevoked: .revokedAuthenticator
    case .unsupportedVersion, .unknownExtension, .malformedAssertion, .unsupportedTransaction, .textOfOtherKind,
      .otherAppID,
      .untrustedFacet, .unknownScheme, .wrongFinalChallengeHash, .invalidSignature, .wrongTransaction,
      .verificationMethodMissing, .otherVerificationMethod, .otherOrigin, .otherRelyingParty, .userNotVerified,
      .otherPasskey:
      .unacceptableContent
    case .internalError: .internalServerError
    }
  }

  /// Whether only an answer that one of the account's keys has signed receives this reason.
  var isOfSignedAnswer: Bool {
    switch self {
    case .revokedKey, .wrongTransaction, .verificationMethodMissing, .otherVerificationMethod, .counterNotIncreased,
      .accountDisabled, .accountLocked, .approvalCodeUsed, .otherPasskey:
      true
    default: false
    }
  }

  /// The refusal of a message that cannot be read.
  init(_ error: MessageError) {
    self =
      switch error {
      case .unsupportedVersion: .unsupportedVersion
      case .unknownExtension: .unknownExtension
      default: .malformedMessage
      }
  }
}
