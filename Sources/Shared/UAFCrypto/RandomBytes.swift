import COpenSSL
import SecretMemory

/// Bytes from OpenSSL's generators, which the kernel seeds.
public enum RandomBytes {
  /// The most that one call returns.
  public static let maximumCount = 1 << 16

  /// Makes `count` bytes that may become known: nonces, challenges, key identifiers.
  ///
  /// - Parameter count: 0 to 65,536.
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)``.
  public static func make(_ count: Int) throws(CryptoError) -> [UInt8] {
    guard (0...maximumCount).contains(count) else { throw .invalidParameter(.random) }
    var bytes = [UInt8](repeating: 0, count: count)
    // SAFETY: `bytes` is `count` long, and `count` fits a C int.
    let done = unsafe RAND_bytes(&bytes, CInt(count))
    guard done == 1 else { throw OpenSSLQueue.failure(.unavailable(.random)) }
    return bytes
  }

  /// Makes `count` bytes that must stay secret, from the generator that OpenSSL reserves for those.
  ///
  /// - Parameter count: 0 to 65,536.
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func makeSecret(_ count: Int) throws(CryptoError) -> Secret {
    guard (0...maximumCount).contains(count) else { throw .invalidParameter(.random) }
    var done: CInt = 0
    let secret: Secret
    do {
      // SAFETY: the buffer is `count` long.
      secret = try unsafe Secret(count: count) { buffer in
        done = unsafe RAND_priv_bytes(
          buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(buffer.count))
      }
    } catch { throw CryptoError(error) }
    guard done == 1 else { throw OpenSSLQueue.failure(.unavailable(.random)) }
    return secret
  }
}
