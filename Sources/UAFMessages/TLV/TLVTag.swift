/// A tag of the UAF registry of predefined values, "TLV tags".
///
/// A struct rather than an enum: tags this version does not know must still pass through the critical-bit rule.
public struct TLVTag: RawRepresentable, Hashable, Sendable {
  /// The tag as sent, 14 bits.
  public let rawValue: UInt16

  /// Makes a tag of its number.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Bit 0x1000: the value is itself a run of TLVs.
  public var isComposite: Bool { rawValue & 0x1000 != 0 }

  /// Bit 0x2000: a reader that cannot process the tag must refuse the whole message.
  public var isCritical: Bool { rawValue & 0x2000 != 0 }

  /// TAG_UAFV1_REG_ASSERTION.
  public static let registrationAssertion = TLVTag(rawValue: 0x3E01)
  /// TAG_UAFV1_AUTH_ASSERTION.
  public static let authenticationAssertion = TLVTag(rawValue: 0x3E02)
  /// TAG_UAFV1_KRD, the key registration data.
  public static let keyRegistrationData = TLVTag(rawValue: 0x3E03)
  /// TAG_UAFV1_SIGNED_DATA.
  public static let signedData = TLVTag(rawValue: 0x3E04)
  /// TAG_ATTESTATION_CERT, one DER certificate.
  public static let attestationCertificate = TLVTag(rawValue: 0x2E05)
  /// TAG_SIGNATURE.
  public static let signature = TLVTag(rawValue: 0x2E06)
  /// TAG_ATTESTATION_BASIC_FULL.
  public static let attestationBasicFull = TLVTag(rawValue: 0x3E07)
  /// TAG_ATTESTATION_BASIC_SURROGATE.
  public static let attestationBasicSurrogate = TLVTag(rawValue: 0x3E08)
  /// TAG_ATTESTATION_ECDAA.
  public static let attestationECDAA = TLVTag(rawValue: 0x3E09)
  /// TAG_KEYID.
  public static let keyID = TLVTag(rawValue: 0x2E09)
  /// TAG_FINAL_CHALLENGE_HASH.
  public static let finalChallengeHash = TLVTag(rawValue: 0x2E0A)
  /// TAG_AAID.
  public static let aaid = TLVTag(rawValue: 0x2E0B)
  /// TAG_PUB_KEY.
  public static let publicKey = TLVTag(rawValue: 0x2E0C)
  /// TAG_COUNTERS.
  public static let counters = TLVTag(rawValue: 0x2E0D)
  /// TAG_ASSERTION_INFO.
  public static let assertionInfo = TLVTag(rawValue: 0x2E0E)
  /// TAG_AUTHENTICATOR_NONCE.
  public static let authenticatorNonce = TLVTag(rawValue: 0x2E0F)
  /// TAG_TRANSACTION_CONTENT_HASH.
  public static let transactionContentHash = TLVTag(rawValue: 0x2E10)
  /// TAG_EXTENSION, critical: refused unless the extension is known.
  public static let criticalExtension = TLVTag(rawValue: 0x3E11)
  /// TAG_EXTENSION, not critical: known by its tag, so its own bit 0x2000 does not refuse it.
  public static let nonCriticalExtension = TLVTag(rawValue: 0x3E12)
  /// TAG_EXTENSION_ID.
  public static let extensionID = TLVTag(rawValue: 0x2E13)
  /// TAG_EXTENSION_DATA.
  public static let extensionData = TLVTag(rawValue: 0x2E14)
  /// TAG_RAW_USER_VERIFICATION_INDEX; never leaves an authenticator.
  public static let rawUserVerificationIndex = TLVTag(rawValue: 0x0103)
  /// TAG_USER_VERIFICATION_INDEX.
  public static let userVerificationIndex = TLVTag(rawValue: 0x0104)
  /// TAG_RAW_USER_VERIFICATION_STATE; never leaves an authenticator.
  public static let rawUserVerificationState = TLVTag(rawValue: 0x0105)
  /// TAG_USER_VERIFICATION_STATE.
  public static let userVerificationState = TLVTag(rawValue: 0x0106)
  /// TAG_RESERVED_5.
  public static let reserved5 = TLVTag(rawValue: 0x0201)
}
