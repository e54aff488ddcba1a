import UAFMessages

/// The names of numbers in the UAF registry of predefined values and the FIDO registry.
enum RegistryNames {
  /// Tags of assertions (UAF registry, section "TLV tags").
  static let tags: [TLVTag: String] = [
    .registrationAssertion: "TAG_UAFV1_REG_ASSERTION",
    .authenticationAssertion: "TAG_UAFV1_AUTH_ASSERTION",
    .keyRegistrationData: "TAG_UAFV1_KRD",
    .signedData: "TAG_UAFV1_SIGNED_DATA",
    .attestationCertificate: "TAG_ATTESTATION_CERT",
    .signature: "TAG_SIGNATURE",
    .attestationBasicFull: "TAG_ATTESTATION_BASIC_FULL",
    .attestationBasicSurrogate: "TAG_ATTESTATION_BASIC_SURROGATE",
    .attestationECDAA: "TAG_ATTESTATION_ECDAA",
    .keyID: "TAG_KEYID",
    .finalChallengeHash: "TAG_FINAL_CHALLENGE_HASH",
    .aaid: "TAG_AAID",
    .publicKey: "TAG_PUB_KEY",
    .counters: "TAG_COUNTERS",
    .assertionInfo: "TAG_ASSERTION_INFO",
    .authenticatorNonce: "TAG_AUTHENTICATOR_NONCE",
    .transactionContentHash: "TAG_TRANSACTION_CONTENT_HASH",
    .criticalExtension: "TAG_EXTENSION (critical)",
    .nonCriticalExtension: "TAG_EXTENSION (not critical)",
    .extensionID: "TAG_EXTENSION_ID",
    .extensionData: "TAG_EXTENSION_DATA",
    .rawUserVerificationIndex: "TAG_RAW_USER_VERIFICATION_INDEX",
    .userVerificationIndex: "TAG_USER_VERIFICATION_INDEX",
    .rawUserVerificationState: "TAG_RAW_USER_VERIFICATION_STATE",
    .userVerificationState: "TAG_USER_VERIFICATION_STATE",
    .reserved5: "TAG_RESERVED_5",
  ]

  /// Signature algorithms and encodings.
  static let signatureAlgorithms: [UInt16: String] = [
    0x0001: "ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW",
    0x0002: "ALG_SIGN_SECP256R1_ECDSA_SHA256_DER",
    0x0003: "ALG_SIGN_RSASSA_PSS_SHA256_RAW",
    0x0004: "ALG_SIGN_RSASSA_PSS_SHA256_DER",
    0x0005: "ALG_SIGN_SECP256K1_ECDSA_SHA256_RAW",
    0x0006: "ALG_SIGN_SECP256K1_ECDSA_SHA256_DER",
    0x0007: "ALG_SIGN_SM2_SM3_RAW",
    0x0008: "ALG_SIGN_RSA_EMSA_PKCS1_SHA256_RAW",
    0x0009: "ALG_SIGN_RSA_EMSA_PKCS1_SHA256_DER",
  ]

  /// Public key encodings.
  static let publicKeyAlgorithms: [UInt16: String] = [
    0x0100: "ALG_KEY_ECC_X962_RAW",
    0x0101: "ALG_KEY_ECC_X962_DER",
    0x0102: "ALG_KEY_RSA_2048_RAW",
    0x0103: "ALG_KEY_RSA_2048_DER",
  ]

  /// What the bits and numbers of a policy's members mean; nil for members without such values.
  static func meaning(of number: Int64, member: String) -> String? {
    switch member {
    case "userVerification": bits(number, userVerification)
    case "keyProtection": bits(number, ["software", "hardware", "TEE", "secure element", "remote handle"])
    case "matcherProtection": bits(number, ["software", "TEE", "on chip"])
    case "attachmentHint": bits(number, attachmentHint)
    case "tcDisplay": number == 0 ? "none" : bits(number, ["any", "privileged software", "TEE", "hardware", "remote"])
    case "authenticationAlgorithms": UInt16(exactly: number).flatMap { signatureAlgorithms[$0] }
    case "attestationTypes": UInt16(exactly: number).flatMap { tags[TLVTag(rawValue: $0)] }
    default: nil
    }
  }

  private static let userVerification = [
    "presence", "fingerprint", "passcode", "voiceprint", "faceprint", "location", "eyeprint", "pattern", "handprint",
    "none", "all of them",
  ]
  private static let attachmentHint = [
    "internal", "external", "wired", "wireless", "NFC", "Bluetooth", "network", "ready", "Wi-Fi Direct",
  ]

  private static func bits(_ number: Int64, _ names: [String]) -> String? {
    let set = names.indices.filter { number >> Int64($0) & 1 == 1 }.map { names[$0] }
    return set.isEmpty ? nil : set.joined(separator: ", ")
  }
}
