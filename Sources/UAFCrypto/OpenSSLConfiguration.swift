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
}
