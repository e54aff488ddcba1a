/// The names that statements of MDS 3 have in the place of the registry's numbers (FIDO registry 2.2): the constant's
/// name in small letters, without the prefix of its kind.
enum RegistryShortNames {
  /// ALG_SIGN.
  static let signatureAlgorithms: [String: UInt16] = [
    "secp256r1_ecdsa_sha256_raw": 0x0001, "secp256r1_ecdsa_sha256_der": 0x0002, "rsassa_pss_sha256_raw": 0x0003,
    "rsassa_pss_sha256_der": 0x0004, "secp256k1_ecdsa_sha256_raw": 0x0005, "secp256k1_ecdsa_sha256_der": 0x0006,
    "sm2_sm3_raw": 0x0007, "rsa_emsa_pkcs1_sha256_raw": 0x0008, "rsa_emsa_pkcs1_sha256_der": 0x0009,
  ]

  /// ALG_KEY.
  static let publicKeyAlgorithms: [String: UInt16] = [
    "ecc_x962_raw": 0x0100, "ecc_x962_der": 0x0101, "rsa_2048_raw": 0x0102, "rsa_2048_der": 0x0103, "cose": 0x0104,
  ]

  /// ATTESTATION.
  static let attestationTypes: [String: UInt16] = [
    "basic_full": TLVTag.attestationBasicFull.rawValue, "basic_surrogate": TLVTag.attestationBasicSurrogate.rawValue,
    "ecdaa": TLVTag.attestationECDAA.rawValue, "attca": 0x3E0A,
  ]

  /// USER_VERIFY, without the one for all together, which is no method.
  static let userVerification: [String: UInt32] = [
    "presence_internal": 0x01, "fingerprint_internal": 0x02, "passcode_internal": UserVerification.passcode,
    "voiceprint_internal": 0x08, "faceprint_internal": 0x10, "location_internal": 0x20, "eyeprint_internal": 0x40,
    "pattern_internal": UserVerification.pattern, "handprint_internal": 0x100, "none": 0x200,
    "passcode_external": 0x800, "pattern_external": 0x1000,
  ]

  /// KEY_PROTECTION.
  static let keyProtection: [String: UInt16] = [
    "software": 0x01, "hardware": 0x02, "tee": 0x04, "secure_element": 0x08, "remote_handle": 0x10,
  ]

  /// MATCHER_PROTECTION.
  static let matcherProtection: [String: UInt16] = ["software": 0x01, "tee": 0x02, "on_chip": 0x04]

  /// ATTACHMENT_HINT.
  static let attachmentHint: [String: UInt32] = [
    "internal": 0x01, "external": 0x02, "wired": 0x04, "wireless": 0x08, "nfc": 0x10, "bluetooth": 0x20,
    "network": 0x40, "ready": 0x80, "wifi_direct": 0x100,
  ]

  /// TRANSACTION_CONFIRMATION_DISPLAY.
  static let tcDisplay: [String: UInt16] = [
    "any": 0x01, "privileged_software": 0x02, "tee": 0x04, "hardware": 0x08, "remote": 0x10,
  ]
}
