import CCurl

/// OpenSSL's tables of methods, which it makes for each kind when it is first used.
enum TLSMethods {
  /// Makes those that a handshake needs, while nothing else is to be done: 1.5 ms.
  ///
  /// No random number is drawn: the generators are started by their first use.
  static func load() {
    // SAFETY: each method is freed at once; the tables keep their own.
    unsafe EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
    unsafe EVP_CIPHER_free(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    unsafe EVP_MAC_free(EVP_MAC_fetch(nil, "HMAC", nil))
    unsafe EVP_KDF_free(EVP_KDF_fetch(nil, "HKDF", nil))
    unsafe EVP_RAND_free(EVP_RAND_fetch(nil, "CTR-DRBG", nil))
    unsafe EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(nil, "X25519", nil))
    unsafe EVP_KEYEXCH_free(EVP_KEYEXCH_fetch(nil, "X25519", nil))
    unsafe EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(nil, "ECDSA", nil))
    unsafe OSSL_DECODER_free(OSSL_DECODER_fetch(nil, "EC", nil))
  }
}
