import COpenSSL

/// A public key that was checked, with the one algorithm it is used for.
public struct VerificationKey: Equatable, Sendable {
  /// The form to store: 65 bytes `04 | X | Y` for a curve, SubjectPublicKeyInfo for RSA.
  public let encoded: [UInt8]
  /// How it signs.
  public let scheme: SignatureScheme

  /// Reads a key in one of the registry's encodings.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for an encoding of the other kind of key, a form that is not exactly the
  ///   encoding's, a point that is not on the curve, and an RSA key below 2048 bits or with an even exponent or 1.
  public init(_ bytes: [UInt8], encoding: PublicKeyEncoding, scheme: SignatureScheme) throws(CryptoError) {
    OpenSSLMethods.load()
    self.scheme = scheme
    guard let curve = scheme.curve else {
      // SAFETY: the key is ours until the `defer`.
      let key = try unsafe RSAKey.make(bytes, encoding: encoding)
      defer { unsafe EVP_PKEY_free(key) }
      encoded = try unsafe RSAKey.encode(key)
      return
    }
    switch encoding {
    case .eccX962Raw: encoded = bytes
    case .eccX962DER:
      guard let point = curve.point(subjectPublicKeyInfo: bytes) else { throw .invalidKey }
      encoded = point
    case .rsa2048Raw, .rsa2048DER: throw .invalidKey
    }
    // SAFETY: nothing is done with the key.
    try unsafe ECKey.with(publicKey: encoded, curve: curve) { _ in }
  }

  /// Reads a key as ``encoded`` has it.
  ///
  /// - Throws: as the other initialiser.
  public init(encoded: [UInt8], scheme: SignatureScheme) throws(CryptoError) {
    try self.init(encoded, encoding: scheme.curve == nil ? .rsa2048DER : .eccX962Raw, scheme: scheme)
  }

  /// Reads the SubjectPublicKeyInfo of a certificate.
  ///
  /// - Throws: as the other initialiser.
  public init(subjectPublicKeyInfo: [UInt8], scheme: SignatureScheme) throws(CryptoError) {
    try self.init(subjectPublicKeyInfo, encoding: scheme.curve == nil ? .rsa2048DER : .eccX962DER, scheme: scheme)
  }

  /// Takes a key as ``encoded`` had it, which was checked before it was stored.
  ///
  /// A key that is none verifies no signature.
  public init(stored: [UInt8], scheme: SignatureScheme) {
    OpenSSLMethods.load()
    encoded = stored
    self.scheme = scheme
  }

  /// Whether `signature` is one of `message` in the encoding of ``scheme``.
  ///
  /// - Returns: false for everything else, without a reason.
  public func isValidSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    if let curve = scheme.curve {
      let numbers = try? scheme.isDER ? ECDSASignature(der: signature) : ECDSASignature(raw: signature)
      guard let numbers else { return false }
      // SAFETY: the key is lent for the call.
      let isValid = try? unsafe ECKey.with(publicKey: encoded, curve: curve) { key in
        unsafe SignatureCheck.isValid(numbers.der, of: message, key: key, padding: nil)
      }
      return isValid == true
    }
    // SAFETY: as above.
    guard let key = try? unsafe RSAKey.make(checked: encoded) else { return false }
    defer { unsafe EVP_PKEY_free(key) }
    let count = unsafe RSAKey.signatureByteCount(key)
    // OpenSSL would accept a signature without its leading zeros as the same number.
    guard let number = scheme.isDER ? Self.octetString(in: signature, count: count) : signature,
      number.count == count
    else { return false }
    return unsafe SignatureCheck.isValid(number, of: message, key: key, padding: scheme.padding)
  }

  /// The content of a DER OCTET STRING of `count` bytes, 256 to 65,535; nil for everything else.
  private static func octetString(in der: [UInt8], count: Int) -> [UInt8]? {
    let header: [UInt8] = [0x04, 0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    guard der.starts(with: header) else { return nil }
    return Array(der[header.count...])
  }
}
