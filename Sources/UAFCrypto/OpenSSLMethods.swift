import COpenSSL

/// OpenSSL's tables of methods, filled before two threads can need them at once.
///
/// OpenSSL 3.0 fills the tables at the first use of each kind of method. If two threads are first at the same time, one
/// of them can be told that there is no such method (measured: 1 of 20 starts with eight threads reading RSA keys). The
/// server would then refuse a valid key.
enum OpenSSLMethods {
  /// Fills the tables; further calls do nothing, and wait for a first one under way.
  static func load() {
    _ = isLoaded
  }

  /// SHA-256, which OpenSSL would otherwise look up for each hash; nil if it could not be found at first.
  @unsafe static func sha256() -> OpaquePointer? {
    // SAFETY: the method is never freed.
    unsafe OpaquePointer(bitPattern: sha256Address)
  }

  // As a number, because a pointer cannot be shared between threads.
  // SAFETY: what is fetched is kept for ever.
  private static let sha256Address = unsafe UInt(bitPattern: EVP_MD_fetch(nil, "SHA256", nil))

  // A static property is made once, whichever thread comes first.
  private static let isLoaded: Bool = {
    // SAFETY: each method is freed at once; the tables keep their own.
    unsafe EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
    unsafe EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(nil, "RSA", nil))
    unsafe EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(nil, "RSA", nil))
    unsafe OSSL_ENCODER_free(OSSL_ENCODER_fetch(nil, "RSA", "output=der"))
    // SAFETY: what is read is no key, and no key comes of it; the error is cleared.
    if let key = try? unsafe RSAKey.make([0x30, 0x00], encoding: .rsa2048DER) { unsafe EVP_PKEY_free(key) }
    OpenSSLQueue.clear()
    return true
  }()
}
