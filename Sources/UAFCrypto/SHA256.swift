import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// Length of a hash in bytes.
  public static let byteCount = 32

  /// Hashes `bytes`.
  ///
  /// - Returns: 32 bytes.
  /// - Throws: ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func hash(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: byteCount)
    var length: CUnsignedInt = 0
    // SAFETY: `hash` has room for the 32 bytes that SHA-256 writes; the pointers live for the call.
    let done = unsafe EVP_Digest(bytes, bytes.count, &hash, &length, OpenSSLMethods.sha256() ?? EVP_sha256(), nil)
    guard done == 1, length == byteCount else { throw OpenSSLQueue.failure(.unavailable(.sha256)) }
    return hash
  }
}
