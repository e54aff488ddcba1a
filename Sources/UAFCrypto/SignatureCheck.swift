import COpenSSL

/// The one call that decides whether a signature is valid.
enum SignatureCheck {
  /// How RSA pads a hash.
  enum Padding: Sendable {
    /// RSASSA-PSS; MGF1 with SHA-256 and exactly 32 bytes of salt.
    case pss
    /// RSASSA-PKCS1-v1_5.
    case pkcs1
  }

  /// Whether `signature`, in the form OpenSSL takes, is one of `message`, hashed once with SHA-256.
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
