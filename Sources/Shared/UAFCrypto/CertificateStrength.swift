import COpenSSL

extension X509 {
  /// Why clients of OpenSSL's usual security level refuse a certificate, whoever issued it.
  public enum Weakness: Equatable, Sendable {
    /// Its key is too short.
    case key(bits: Int)
    /// The hash function of its signature can be forged, as SHA-1.
    case signature
  }

  /// Level 2 of SSL_CTX_set_security_level(3), which Debian has: RSA from 2048 bits on, curves from 224 on, SHA-224.
  private static let leastSecurityBits: CInt = 112

  /// What is too weak about a server's certificate; nil for one that is strong enough.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``.
  public static func weakness(der: [UInt8]) throws(CryptoError) -> Weakness? {
    // SAFETY: the certificate is ours until the `defer`; its key is lent while it lives.
    let certificate = try unsafe parse(der)
    defer {
      unsafe X509_free(certificate)
      OpenSSLQueue.clear()
    }
    guard let key = unsafe X509_get0_pubkey(certificate) else { throw .invalidCertificate }
    if unsafe EVP_PKEY_get_security_bits(key) < leastSecurityBits {
      return unsafe .key(bits: Int(EVP_PKEY_get_bits(key)))
    }
    // Nobody looks at the signature by which a certificate vouches for itself.
    guard unsafe X509_get_extension_flags(certificate) & UInt32(EXFLAG_SS) == 0 else { return nil }
    var bits: CInt = 0
    // SAFETY: the call fills one number, and the parts that are not asked for may be NULL.
    guard unsafe X509_get_signature_info(certificate, nil, nil, &bits, nil) == 1 else { return nil }
    return bits < leastSecurityBits ? .signature : nil
  }
}
