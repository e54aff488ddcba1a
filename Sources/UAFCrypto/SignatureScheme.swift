/// The signature algorithms of the UAF registry that are verified here (ALG_SIGN); all hash with SHA-256.
///
/// SM2 with SM3 (7) is optional in UAF 1.1 and is not among them.
public enum SignatureScheme: UInt16, CaseIterable, Sendable {
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW: `r | s`, 64 bytes.
  case secp256r1ECDSARaw = 0x0001
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_DER: SEQUENCE { r, s }.
  case secp256r1ECDSADER = 0x0002
  /// ALG_SIGN_RSASSA_PSS_SHA256_RAW: as long as the modulus; MGF1 with SHA-256, 32 bytes of salt.
  case rsassaPSSRaw = 0x0003
  /// ALG_SIGN_RSASSA_PSS_SHA256_DER: an OCTET STRING around the same.
  case rsassaPSSDER = 0x0004
  /// ALG_SIGN_SECP256K1_ECDSA_SHA256_RAW.
  case secp256k1ECDSARaw = 0x0005
  /// ALG_SIGN_SECP256K1_ECDSA_SHA256_DER.
  case secp256k1ECDSADER = 0x0006
  /// ALG_SIGN_RSA_EMSA_PKCS1_SHA256_RAW: as long as the modulus.
  case rsaPKCS1Raw = 0x0008
  /// ALG_SIGN_RSA_EMSA_PKCS1_SHA256_DER: an OCTET STRING around the same.
  case rsaPKCS1DER = 0x0009

  /// The curve of the keys; nil for RSA.
  var curve: EllipticCurve? {
    switch self {
    case .secp256r1ECDSARaw, .secp256r1ECDSADER: .secp256r1
    case .secp256k1ECDSARaw, .secp256k1ECDSADER: .secp256k1
    case .rsassaPSSRaw, .rsassaPSSDER, .rsaPKCS1Raw, .rsaPKCS1DER: nil
    }
  }

  /// How RSA pads; nil for the curves.
  var padding: SignatureCheck.Padding? {
    switch self {
    case .rsassaPSSRaw, .rsassaPSSDER: .pss
    case .rsaPKCS1Raw, .rsaPKCS1DER: .pkcs1
    case .secp256r1ECDSARaw, .secp256r1ECDSADER, .secp256k1ECDSARaw, .secp256k1ECDSADER: nil
    }
  }

  /// Whether signatures come wrapped in DER.
  var isDER: Bool {
    switch self {
    case .secp256r1ECDSADER, .rsassaPSSDER, .secp256k1ECDSADER, .rsaPKCS1DER: true
    case .secp256r1ECDSARaw, .rsassaPSSRaw, .secp256k1ECDSARaw, .rsaPKCS1Raw: false
    }
  }
}
