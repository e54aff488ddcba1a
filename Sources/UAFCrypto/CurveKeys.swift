import COpenSSL
import Synchronization

/// OpenSSL's key objects of a curve, each used by one thread at a time with one public key after another.
///
/// To make an object or a copy of one, OpenSSL looks through all names of all its methods. To set another point is half the work.
@safe final class CurveKeys: @unchecked Sendable {
  // Only copied after it is made; OpenSSL allows that to several threads at once.
  private let first: OpaquePointer
  private let idle = Mutex<[Idle]>([])

  /// One object, which whoever has taken it uses alone.
  @safe private struct Idle: @unchecked Sendable {
    let key: OpaquePointer
  }

  /// Takes an object without a point, and keeps it as long as the program lives.
  init(_ first: OpaquePointer) {
    // SAFETY: the object is ours, and is never freed.
    unsafe self.first = first
  }

  /// Lends an object that has a public key; it is good for the call only.
  ///
  /// - Throws: ``CryptoError/invalidKey`` if OpenSSL refuses the point, which it does with one that is not on the curve.
  @unsafe func with<Result>(
    _ publicKey: [UInt8], _ body: (OpaquePointer) -> Result
  ) throws(CryptoError) -> Result {
    // SAFETY: the object is ours until it is freed or handed back.
    guard let key = unsafe take() else { throw OpenSSLQueue.failure(.invalidKey) }
    // Only 1 is success. An object that was refused a point may still have the last one, so it is not used again.
    guard unsafe EVP_PKEY_set1_encoded_public_key(key, publicKey, publicKey.count) == 1 else {
      unsafe EVP_PKEY_free(key)
      throw OpenSSLQueue.failure(.invalidKey)
    }
    let lent = unsafe Idle(key: key)
    defer { idle.withLock { $0.append(lent) } }
    return unsafe body(key)
  }

  private func take() -> OpaquePointer? {
    // SAFETY: the first object lives as long as this one.
    unsafe idle.withLock { $0.popLast() }?.key ?? EVP_PKEY_dup(first)
  }
}
