import COpenSSL

/// The two numbers of an ECDSA signature on P-256, in either of the registry's encodings.
///
/// Strict: one DER form per signature, so that no two byte strings are the same signature. The verification checks
/// whether the numbers are in range.
public struct ECDSASignature: Equatable, Sendable {
  /// `r | s`, each 32 bytes, big-endian (ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW).
  public let raw: [UInt8]

  /// Length of the raw form, in bytes.
  static let rawByteCount = 64

  /// Reads the raw form.
  ///
  /// - Throws: ``CryptoError/invalidSignature`` unless it is 64 bytes long.
  public init(raw: [UInt8]) throws(CryptoError) {
    guard raw.count == Self.rawByteCount else { throw .invalidSignature }
    self.raw = raw
  }

  /// Reads the DER form, SEQUENCE { INTEGER r, INTEGER s } (ALG_SIGN_SECP256R1_ECDSA_SHA256_DER).
  ///
  /// - Throws: ``CryptoError/invalidSignature`` for negative numbers, numbers longer than 32 bytes, padding,
  ///   long-form lengths, and bytes left over.
  public init(der: [UInt8]) throws(CryptoError) {
    // 72 bytes is the longest: two numbers of 33 bytes with their headers, and the sequence's header.
    guard (8...72).contains(der.count), der[0] == 0x30, Int(der[1]) == der.count - 2 else {
      throw .invalidSignature
    }
    var rest = der[2...]
    let r = try Self.takeInteger(from: &rest)
    let s = try Self.takeInteger(from: &rest)
    guard rest.isEmpty else { throw .invalidSignature }
    raw = r + s
  }

  /// The DER form.
  public var der: [UInt8] {
    let half = raw.count / 2
    let body = Self.integer(raw[..<half]) + Self.integer(raw[half...])
    return [0x30, UInt8(truncatingIfNeeded: body.count)] + body
  }

  private static func takeInteger(from bytes: inout ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
    guard bytes.count >= 3, bytes.removeFirst() == 0x02 else { throw .invalidSignature }
    let length = Int(bytes.removeFirst())
    guard (1...33).contains(length), bytes.count >= length else { throw .invalidSignature }
    var number = bytes.prefix(length)
    bytes = bytes.dropFirst(length)
    guard let first = number.first, first < 0x80 else { throw .invalidSignature }
    if first == 0, length > 1 {
      number = number.dropFirst()
      // A leading zero is only allowed to keep a number positive.
      guard let next = number.first, next >= 0x80 else { throw .invalidSignature }
    }
    guard number.count <= 32 else { throw .invalidSignature }
    return [UInt8](repeating: 0, count: 32 - number.count) + number
  }

  private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(number.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
  }
}

/// The one call that decides whether a signature is valid.
enum SignatureCheck {
  /// How RSA pads a hash.
  enum Padding: Sendable {
    /// RSASSA-PSS; MGF1 with SHA-256 and exactly 32 bytes of salt.
    case pss
    /// RSASSA-PKCS1-v1_5.
    case pkcs1
  }

  /// Whether `signature`, in the form that OpenSSL expects, is a signature of `message`, hashed once with SHA-256.
  ///
  /// - Parameters:
  ///   - key: a public key that was checked, borrowed for the call.
  ///   - padding: nil for ECDSA.
  @unsafe static func isValid(
    _ signature: [UInt8], of message: [UInt8], key: OpaquePointer, padding: Padding?
  ) -> Bool {
    // SAFETY: the context is ours until the `defer`; the key's context belongs to it.
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    defer { OpenSSLQueue.clear() }
    var keyContext: OpaquePointer?
    guard unsafe EVP_DigestVerifyInit(context, &keyContext, EVP_sha256(), nil, key) == 1 else { return false }
    switch padding {
    case .pss:
      guard unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
        unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, EVP_sha256()) == 1,
        unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, CInt(SHA256.byteCount)) == 1
      else { return false }
    case .pkcs1:
      guard unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PADDING) == 1 else { return false }
    case nil: break
    }
    // SAFETY: the pointers live for the call. Only 1 is success: 0 is a wrong signature, negative an error.
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

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
