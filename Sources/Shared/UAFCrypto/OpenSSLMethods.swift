import COpenSSL
import SecretMemory

/// OpenSSL's tables of methods, filled before two threads can need them at the same time.
///
/// OpenSSL 3.0 fills the tables at the first use of each kind of method. If two threads are first at the same time, one
/// of them can get the error that there is no such method (measured: 1 of 20 starts with eight threads reading RSA keys). The
/// server would then refuse a valid key.
enum OpenSSLMethods {
  /// Fills the tables; further calls do nothing, but wait for a first call that is still running.
  static func load() {
    _ = isLoaded
  }

  /// SHA-256, which OpenSSL would otherwise look up for each hash; nil if the first look-up failed.
  @unsafe static func sha256() -> OpaquePointer? {
    // SAFETY: the method is never freed.
    unsafe OpaquePointer(bitPattern: sha256Address)
  }

  // The address is stored as a number, because a pointer cannot be shared between threads.
  // SAFETY: what is fetched is kept for ever.
  private static let sha256Address = unsafe UInt(bitPattern: EVP_MD_fetch(nil, "SHA256", nil))

  // A static property is made once, whichever thread comes first.
  private static let isLoaded: Bool = {
    // SAFETY: each method is freed immediately; the tables keep their own reference.
    unsafe EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
    unsafe EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(nil, "RSA", nil))
    unsafe EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(nil, "RSA", nil))
    unsafe OSSL_ENCODER_free(OSSL_ENCODER_fetch(nil, "RSA", "output=der"))
    // SAFETY: the input is not a key, and yields no key; the error is cleared.
    if let key = try? unsafe RSAKey.make([0x30, 0x00], encoding: .rsa2048DER) { unsafe EVP_PKEY_free(key) }
    OpenSSLQueue.clear()
    return true
  }()
}

/// The distribution's settings for OpenSSL: openssl.cnf, and the providers that it names.
public enum OpenSSLConfiguration {
  /// Reads the settings, once; further calls do nothing.
  ///
  /// OpenSSL reads them when it is first used, which is too late for a program that can no longer open files.
  public static func load() {
    // Errors are ignored here: if the settings are wrong, the first operation fails, as it would without this call.
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CONFIG), nil)
    OpenSSLQueue.clear()
  }

  /// Reads the settings, and makes OpenSSL fill its tables of the methods that a login uses.
  ///
  /// OpenSSL fills each table at its first use, which takes 1.5 ms for all of them. No random number is drawn: the
  /// generators start at their first use.
  public static func prepare() {
    load()
    // SAFETY: each method is freed immediately; the tables keep their own reference.
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

/// OpenSSL's per-thread error queue, turned into one of our errors.
enum OpenSSLQueue {
  /// Empties the queue; ``CryptoError/outOfMemory`` if anything in it is about memory, otherwise `error`.
  static func failure(_ error: CryptoError) -> CryptoError {
    uaf_errors_tell_of_memory() != 0 ? .outOfMemory : error
  }

  /// Empties the queue after a call whose failure is a normal answer.
  static func clear() {
    ERR_clear_error()
  }
}

extension CryptoError {
  /// A secret that could not be made means missing memory: lengths were checked before.
  init(_ error: SecretMemoryError) {
    self = .outOfMemory
  }
}
