import COpenSSL
import SecretMemory

/// A P-256 private key for somebody who signs often: OpenSSL's key object is made once.
///
/// OpenSSL holds the private number in its secure heap: pages that are locked, left out of core dumps, and wiped when freed.
/// Where the system allows no locked pages, they are ordinary ones, as with ``Secret``.
@safe public final class SigningKey: @unchecked Sendable {
  // OpenSSL's key objects may be used by several threads at once, as long as nothing changes them; nothing does.
  private let key: OpaquePointer
  /// 65 bytes, `04 | X | Y`.
  public let publicKey: [UInt8]

  /// Takes a private key.
  ///
  /// - Parameter privateKey: 32 bytes, big-endian.
  /// - Throws: ``CryptoError/invalidKey``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public init(_ privateKey: borrowing Secret) throws(CryptoError) {
    _ = Self.hasSecureHeap
    publicKey = try P256.publicKey(of: privateKey)
    // SAFETY: the key is ours until `deinit`.
    unsafe key = try ECKey.make(privateKey: privateKey, publicKey: publicKey)
  }

  deinit {
    // SAFETY: nobody has the key any more.
    unsafe EVP_PKEY_free(key)
  }

  /// Signs a message, hashed once with SHA-256.
  ///
  /// - Returns: the raw signature, 64 bytes.
  /// - Throws: ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    // SAFETY: the key lives as long as this object.
    try unsafe P256.sign(message, key: key)
  }

  /// Room for some hundred keys; the heap is made once for the process, before the first key.
  private static let hasSecureHeap = CRYPTO_secure_malloc_init(1 << 16, 32) != 0
}
