/// The public key encodings of the UAF registry that are read here (ALG_KEY).
public enum PublicKeyEncoding: UInt16, CaseIterable, Sendable {
  /// ALG_KEY_ECC_X962_RAW: `04 | X | Y`, 65 bytes; the signature algorithm tells the curve.
  case eccX962Raw = 0x0100
  /// ALG_KEY_ECC_X962_DER: SubjectPublicKeyInfo with named curve and uncompressed point.
  case eccX962DER = 0x0101
  /// ALG_KEY_RSA_2048_RAW: modulus of 256 bytes, then the exponent.
  case rsa2048Raw = 0x0102
  /// ALG_KEY_RSA_2048_DER: RSAPublicKey of PKCS #1 by the text, SubjectPublicKeyInfo in the field; both are taken.
  case rsa2048DER = 0x0103

  /// Whether keys of an algorithm can have this encoding.
  public func fits(_ scheme: SignatureScheme) -> Bool {
    switch self {
    case .eccX962Raw, .eccX962DER: scheme.curve != nil
    case .rsa2048Raw, .rsa2048DER: scheme.curve == nil
    }
  }
}
