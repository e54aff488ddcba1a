/// Names of assertion encodings.
public enum AssertionScheme {
  /// The TLV encoding of UAF 1.x, the only one here.
  public static let uafV1TLV = "UAFV1TLV"

  /// The number of bytes that an assertion may have (UAF protocol 1.1, section 3.4.2).
  static let counts = 1...4096
}

/// ALG_KEY values of the registry.
public enum PublicKeyAlgorithm {
  /// ALG_KEY_ECC_X962_RAW: 04, X, Y; 65 bytes.
  public static let eccX962Raw: UInt16 = 0x0100
  /// ALG_KEY_ECC_X962_DER: SubjectPublicKeyInfo.
  public static let eccX962DER: UInt16 = 0x0101
}

/// ALG_SIGN values of the registry.
public enum SignatureAlgorithm {
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW: r and s, 32 bytes each, big-endian.
  public static let secp256r1ECDSASHA256Raw: UInt16 = 0x0001
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_DER.
  public static let secp256r1ECDSASHA256DER: UInt16 = 0x0002
}

/// USER_VERIFY flags of the registry: how an authenticator knows the person.
public enum UserVerification {
  /// USER_VERIFY_PASSCODE.
  public static let passcode: UInt32 = 0x04
  /// USER_VERIFY_PATTERN.
  public static let pattern: UInt32 = 0x80
  /// USER_VERIFY_ALL: all other flags are needed together, not just one of them.
  public static let all: UInt32 = 0x400
}
