import COpenSSL
import SecretMemory

/// OpenSSL's per-thread error queue, turned into one of our errors.
enum OpenSSLQueue {
  /// Empties the queue; ``CryptoError/outOfMemory`` if anything in it is about memory, else `error`.
  static func failure(_ error: CryptoError) -> CryptoError {
    uaf_errors_tell_of_memory() != 0 ? .outOfMemory : error
  }

  /// Empties the queue after a call whose failure is a normal answer.
  static func clear() {
    ERR_clear_error()
  }
}

extension CryptoError {
  /// A secret that could not be made means missing memory: lengths are checked before.
  init(_ error: SecretMemoryError) {
    self = .outOfMemory
  }
}
