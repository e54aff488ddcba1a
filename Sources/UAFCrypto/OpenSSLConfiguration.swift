import COpenSSL

/// The distribution's settings for OpenSSL: openssl.cnf, and the providers it names.
public enum OpenSSLConfiguration {
  /// Reads them, once; further calls do nothing.
  ///
  /// OpenSSL reads them when it is first used, which is too late for a program that can open no file by then.
  public static func load() {
    // An error in them is noticed when something is computed, as without this call.
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CONFIG), nil)
    OpenSSLQueue.clear()
  }

  /// Reads them, and has OpenSSL make its tables of the methods that a login uses.
  ///
  /// It makes the table of each kind when it is first used, which takes 1.5 ms together. No random number is drawn: the
  /// generators are started by their first use.
  public static func prepare() {
    load()
    // SAFETY: each method is freed at once; the tables keep their own.
    unsafe EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
    unsafe EVP_KDF_free(EVP_KDF_fetch(nil, "SCRYPT", nil))
    unsafe EVP_CIPHER_free(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    unsafe EVP_RAND_free(EVP_RAND_fetch(nil, "CTR-DRBG", nil))
    unsafe EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(nil, "ECDSA", nil))
    _ = HMACContext.sha256
    ECKey.prepare()
    OpenSSLQueue.clear()
  }
}
