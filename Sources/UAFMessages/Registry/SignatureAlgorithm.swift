/// ALG_SIGN values of the registry.
public enum SignatureAlgorithm {
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW: r and s, 32 bytes each, big-endian.
  public static let secp256r1ECDSASHA256Raw: UInt16 = 0x0001
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_DER.
  public static let secp256r1ECDSASHA256DER: UInt16 = 0x0002
}
