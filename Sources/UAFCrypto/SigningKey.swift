import COpenSSL
import SecretMemory

/// A P-256 private key for somebody who signs often: what OpenSSL needs for each signature is looked up once.
///
/// OpenSSL holds the private number in its secure heap: pages that are locked, left out of core dumps, and wiped when freed.
/// Where the system allows no locked pages, they are ordinary ones, as with ``Secret``.
@safe public final class SigningKey: @unchecked Sendable {
  // Only copied after it is made; OpenSSL allows that to several threads at once. It keeps the key.
  private let context: OpaquePointer
  /// 65 bytes, `04 | X | Y`.
  public let publicKey: [UInt8]

  /// Takes a private key.
  ///
  /// - Parameter privateKey: 32 bytes, big-endian.
  /// - Throws: ``CryptoError/invalidKey``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public init(_ privateKey: borrowing Secret) throws(CryptoError) {
    _ = Self.hasSecureHeap
    publicKey = try P256.publicKey(of: privateKey)
    // SAFETY: the key is ours until the `defer`, the context until `deinit`.
    let key = try unsafe ECKey.make(privateKey: privateKey, publicKey: publicKey)
    defer { unsafe EVP_PKEY_free(key) }
    unsafe context = try P256.signingContext(key)
  }

  deinit {
    // SAFETY: nobody has the context any more.
    unsafe EVP_MD_CTX_free(context)
  }

  /// Signs a message, hashed once with SHA-256.
  ///
  /// - Returns: the raw signature, 64 bytes.
  /// - Throws: ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    // SAFETY: the copy is ours until the `defer`; what it is made of lives as long as this object.
    guard let copy = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe EVP_MD_CTX_free(copy) }
    guard unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    return try unsafe P256.sign(message, context: copy)
  }

  /// Room for some thousand keys, and for a thousand threads.
  ///
  /// A server has a dozen keys, and OpenSSL takes 512 bytes for each thread that draws random numbers. Where none can be drawn,
  /// an RSA key cannot be checked and counts as a wrong one, so there is room to spare.
  ///
  /// The heap is made once for the process, before the first key. A quarter of what a process may lock on Debian (8 MiB).
  private static let hasSecureHeap = CRYPTO_secure_malloc_init(1 << 21, 32) != 0
}
