import COpenSSL

/// OpenSSL's form of an RSA public key.
enum RSAKey {
  /// Shorter moduli can be factored.
  ///
  /// Longer ones are not used, and checking one of 4096 bits takes a tenth of a second.
  static let modulusBits: ClosedRange<CInt> = 2048...4096
  /// An exponent of 1 signs nothing, and one above 64 bits only makes verification slow.
  static let exponentBits: ClosedRange<CInt> = 2...64

  /// Makes OpenSSL's key object from one of the registry's encodings; the caller frees it.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for any other form, and for a key that ``isAcceptable(_:)`` refuses.
  @unsafe static func make(_ bytes: [UInt8], encoding: PublicKeyEncoding) throws(CryptoError) -> OpaquePointer {
    // SAFETY: each key is made here, and `check` passes it on or frees it.
    switch encoding {
    case .rsa2048Raw: return try unsafe check(decode(rsaPublicKey(raw: bytes), structure: typeSpecific))
    case .rsa2048DER:
      if let key = try? unsafe decode(bytes, structure: typeSpecific) { return try unsafe check(key) }
      return try unsafe check(decode(bytes, structure: subjectPublicKeyInfo))
    case .eccX962Raw, .eccX962DER: throw .invalidKey
    }
  }

  /// Makes OpenSSL's key object from the output of ``encode(_:)`` for a key that was checked at that time; the caller frees it.
  @unsafe static func make(checked subjectPublicKeyInfo: [UInt8]) throws(CryptoError) -> OpaquePointer {
    // SAFETY: the key goes to the caller.
    try unsafe decode(subjectPublicKeyInfo, structure: Self.subjectPublicKeyInfo)
  }

  /// The key's SubjectPublicKeyInfo, DER.
  @unsafe static func encode(_ key: OpaquePointer) throws(CryptoError) -> [UInt8] {
    // SAFETY: the key is borrowed for the call.
    try unsafe encode(key, structure: subjectPublicKeyInfo)
  }

  /// Length of a signature in bytes.
  @unsafe static func signatureByteCount(_ key: OpaquePointer) -> Int {
    // SAFETY: the key is borrowed for the call.
    unsafe Int(EVP_PKEY_get_size(key))
  }

  // The names OpenSSL's decoders have for PKCS #1's RSAPublicKey and for X.509's structure.
  private static let typeSpecific = "type-specific"
  private static let subjectPublicKeyInfo = "SubjectPublicKeyInfo"

  @unsafe private static func decode(_ der: [UInt8], structure: String) throws(CryptoError) -> OpaquePointer {
    var key: OpaquePointer?
    // SAFETY: the context is ours until the `defer`. It keeps the address of `key` and writes it once, during the call
    // to OSSL_DECODER_from_data inside the closure, which also is as long as the pointer into `der` is used.
    let isWhole = unsafe withUnsafeMutablePointer(to: &key) { slot in
      guard
        let context = unsafe OSSL_DECODER_CTX_new_for_pkey(
          slot, "DER", structure, "RSA", uaf_select_public_key(), nil, nil)
      else { return false }
      defer { unsafe OSSL_DECODER_CTX_free(context) }
      return unsafe der.withUnsafeBufferPointer { buffer in
        var position = buffer.baseAddress
        var rest = buffer.count
        return unsafe OSSL_DECODER_from_data(context, &position, &rest) == 1 && rest == 0
      }
    }
    guard let key = unsafe key else { throw OpenSSLQueue.failure(.invalidKey) }
    // SAFETY: from here on the key is ours: it is freed on refusal, and otherwise passed to the caller.
    // The key is encoded again and compared, so that one key has one encoding: OpenSSL accepts more than DER.
    guard isWhole, let canonical = try? unsafe encode(key, structure: structure), canonical == der else {
      unsafe EVP_PKEY_free(key)
      throw OpenSSLQueue.failure(.invalidKey)
    }
    OpenSSLQueue.clear()
    return unsafe key
  }

  /// Passes the key on, or frees it and throws.
  @unsafe private static func check(_ key: OpaquePointer) throws(CryptoError) -> OpaquePointer {
    // SAFETY: the key is ours until it is passed on.
    guard unsafe isAcceptable(key) else {
      unsafe EVP_PKEY_free(key)
      throw .invalidKey
    }
    return unsafe key
  }

  /// Whether a modulus is long enough and composite without small factors, and an exponent odd and above 1.
  @unsafe private static func isAcceptable(_ key: OpaquePointer) -> Bool {
    defer { OpenSSLQueue.clear() }
    var exponent: OpaquePointer?
    // SAFETY: the number and the context are ours until their `defer`.
    guard unsafe modulusBits.contains(EVP_PKEY_get_bits(key)),
      unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1
    else { return false }
    defer { unsafe BN_free(exponent) }
    guard unsafe exponentBits.contains(BN_num_bits(exponent)), unsafe BN_is_odd(exponent) == 1,
      let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
    else { return false }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return unsafe EVP_PKEY_public_check(context) == 1
  }

  @unsafe private static func encode(_ key: OpaquePointer, structure: String) throws(CryptoError) -> [UInt8] {
    // SAFETY: OpenSSL allocates what it writes, and it is freed after it was copied.
    var output: UnsafeMutablePointer<UInt8>?
    let length = unsafe structure == typeSpecific ? i2d_PublicKey(key, &output) : i2d_PUBKEY(key, &output)
    guard length > 0, let output = unsafe output else { throw OpenSSLQueue.failure(.unavailable(.rsa)) }
    defer { unsafe CRYPTO_free(output, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: output, count: Int(length)))
  }

  /// Modulus and exponent of the raw encoding as RSAPublicKey.
  ///
  /// The registry does not mention zeros before the exponent, which authenticators with fields of fixed width write.
  private static func rsaPublicKey(raw: [UInt8]) throws(CryptoError) -> [UInt8] {
    let modulusCount = 256
    guard (modulusCount + 1...modulusCount + 8).contains(raw.count), raw[0] >= 0x80 else { throw .invalidKey }
    let exponent = raw[modulusCount...].drop { $0 == 0 }
    guard let first = exponent.first else { throw .invalidKey }
    let exponentBytes = (first >= 0x80 ? [0] : []) + Array(exponent)
    let modulus = [0x02, 0x82, 0x01, 0x01, 0x00] + raw[..<modulusCount]
    let body = modulus + [0x02, UInt8(exponentBytes.count)] + exponentBytes
    return [0x30, 0x82, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
  }
}

/// The public key encodings of the UAF registry that are read here (ALG_KEY).
public enum PublicKeyEncoding: UInt16, CaseIterable, Sendable {
  /// ALG_KEY_ECC_X962_RAW: `04 | X | Y`, 65 bytes; the signature algorithm decides the curve.
  case eccX962Raw = 0x0100
  /// ALG_KEY_ECC_X962_DER: SubjectPublicKeyInfo with named curve and uncompressed point.
  case eccX962DER = 0x0101
  /// ALG_KEY_RSA_2048_RAW: modulus of 256 bytes, then the exponent.
  case rsa2048Raw = 0x0102
  /// ALG_KEY_RSA_2048_DER: RSAPublicKey of PKCS #1 by the specification, SubjectPublicKeyInfo in practice; both are accepted.
  case rsa2048DER = 0x0103

  /// Whether keys of an algorithm can have this encoding.
  public func fits(_ scheme: SignatureScheme) -> Bool {
    switch self {
    case .eccX962Raw, .eccX962DER: scheme.curve != nil
    case .rsa2048Raw, .rsa2048DER: scheme.curve == nil
    }
  }
}
