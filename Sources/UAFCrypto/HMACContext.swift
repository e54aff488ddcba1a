import COpenSSL

/// OpenSSL's object for HMAC with one hash function and no key; copies of it are given one.
///
/// To look up the two methods by name takes half the time of a short code.
@safe final class HMACContext: @unchecked Sendable {
  // Only copied after it is made; OpenSSL allows that to several threads at once.
  private let context: OpaquePointer

  private init?(digest: StaticString) {
    // SAFETY: the method and the context are ours. The context is never freed: there is one, as long as the program lives.
    // OpenSSL reads the constants of the program and does not write to them.
    guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
    defer { unsafe EVP_MAC_free(method) }
    guard let context = unsafe EVP_MAC_CTX_new(method) else { return nil }
    let name = unsafe UnsafeMutableRawPointer(mutating: digest.utf8Start).assumingMemoryBound(to: CChar.self)
    let parameters = unsafe [
      OSSL_PARAM_construct_utf8_string("digest", name, digest.utf8CodeUnitCount), OSSL_PARAM_construct_end(),
    ]
    guard unsafe EVP_MAC_CTX_set_params(context, parameters) == 1 else {
      unsafe EVP_MAC_CTX_free(context)
      return nil
    }
    // SAFETY: as above.
    unsafe self.context = context
  }

  /// A copy, which the caller frees; nil if there is no memory.
  @unsafe func copy() -> OpaquePointer? {
    // SAFETY: the context lives as long as the program.
    unsafe EVP_MAC_CTX_dup(context)
  }

  /// HMAC with SHA-256; nil if OpenSSL does not have it.
  static let sha256 = HMACContext(digest: "SHA256")
}
