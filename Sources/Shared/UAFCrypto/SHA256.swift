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

/// SHA-256 of bytes that come in parts, such as those of a large file.
@safe public struct SHA256Stream: ~Copyable {
  private let context: OpaquePointer

  /// Begins a hash.
  ///
  /// - Throws: ``CryptoError/outOfMemory``, ``CryptoError/unavailable(_:)``.
  public init() throws(CryptoError) {
    // SAFETY: the context is ours until `deinit`.
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    guard unsafe EVP_DigestInit_ex(context, OpenSSLMethods.sha256() ?? EVP_sha256(), nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw OpenSSLQueue.failure(.unavailable(.sha256))
    }
    unsafe self.context = context
  }

  deinit {
    // SAFETY: made in `init`.
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds the next bytes.
  ///
  /// - Throws: ``CryptoError/unavailable(_:)``.
  public mutating func add(_ bytes: Span<UInt8>) throws(CryptoError) {
    // SAFETY: the bytes live for the call.
    let done = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    guard done == 1 else { throw OpenSSLQueue.failure(.unavailable(.sha256)) }
  }

  /// The hash of all bytes that were added, 32 bytes; nothing can be added afterwards.
  ///
  /// - Throws: ``CryptoError/unavailable(_:)``.
  public consuming func hash() throws(CryptoError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: SHA256.byteCount)
    // SAFETY: `hash` has room for the 32 bytes that SHA-256 writes.
    guard unsafe EVP_DigestFinal_ex(context, &hash, nil) == 1 else { throw OpenSSLQueue.failure(.unavailable(.sha256)) }
    return hash
  }
}
