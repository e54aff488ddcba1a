/// ALG_KEY values of the registry.
public enum PublicKeyAlgorithm {
  /// ALG_KEY_ECC_X962_RAW: 04, X, Y; 65 bytes.
  public static let eccX962Raw: UInt16 = 0x0100
  /// ALG_KEY_ECC_X962_DER: SubjectPublicKeyInfo.
  public static let eccX962DER: UInt16 = 0x0101
}
