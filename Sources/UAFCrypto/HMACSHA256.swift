import COpenSSL
import SecretMemory

/// HMAC with SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
  /// Length of an authentication code in bytes.
  public static let byteCount = 32

  /// The authentication code of `message` under `key`.
  ///
  /// - Parameter key: of any length; fewer than 16 bytes protect little.
  /// - Returns: 32 bytes.
  /// - Throws: ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func authenticate(
    _ message: [UInt8], key: borrowing Secret
  ) throws(CryptoError) -> [UInt8] {
    var code: [UInt8]?
    // SAFETY: the key is lent for the call.
    unsafe key.withUnsafeBytes { keyBytes in code = unsafe Self.code(of: message, keyBytes) }
    guard let code else { throw OpenSSLQueue.failure(.unavailable(.hmac)) }
    return code
  }

  /// The authentication code of `message` under a key of little worth, which may lie in ordinary memory.
  ///
  /// A ``Secret`` costs up to five system calls, too much where strangers decide how often.
  ///
  /// - Returns: 32 bytes.
  /// - Throws: as ``authenticate(_:key:)``.
  public static func authenticate(_ message: [UInt8], keyInOrdinaryMemory key: [UInt8]) throws(CryptoError) -> [UInt8] {
    // SAFETY: the array is lent for the call.
    guard let code = unsafe key.withUnsafeBytes({ unsafe Self.code(of: message, $0) }) else {
      throw OpenSSLQueue.failure(.unavailable(.hmac))
    }
    return code
  }

  /// - Returns: nil if OpenSSL failed.
  private static func code(of message: [UInt8], _ key: UnsafeRawBufferPointer) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: byteCount)
    var length = 0
    // SAFETY: the context is ours until the `defer`; all pointers live for their calls, and `code` has the room its size
    // argument states.
    guard let context = unsafe HMACContext.sha256?.copy() else { return nil }
    defer { unsafe EVP_MAC_CTX_free(context) }
    guard unsafe EVP_MAC_init(context, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil) == 1,
      unsafe EVP_MAC_update(context, message, message.count) == 1,
      unsafe EVP_MAC_final(context, &code, &length, byteCount) == 1, length == byteCount
    else { return nil }
    return code
  }

  /// The authentication code of a secret, which is one itself.
  ///
  /// - Returns: 32 bytes.
  /// - Throws: as ``authenticate(_:key:)``.
  static func authenticate(_ message: borrowing Secret, key: borrowing Secret) throws(CryptoError) -> Secret {
    var length = 0
    var isDone = false
    let code: Secret
    do {
      // SAFETY: every buffer is lent for the call with its own length; the output is `byteCount` long.
      code = try unsafe Secret(count: byteCount) { output in
        isDone = unsafe message.withUnsafeBytes { messageBytes in
          unsafe key.withUnsafeBytes { keyBytes in
            unsafe EVP_Q_mac(
              nil, "HMAC", nil, "SHA256", nil, keyBytes.baseAddress, keyBytes.count,
              messageBytes.baseAddress?.assumingMemoryBound(to: UInt8.self), messageBytes.count,
              output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count, &length) != nil
          }
        }
      }
    } catch { throw CryptoError(error) }
    guard isDone, length == byteCount else { throw OpenSSLQueue.failure(.unavailable(.hmac)) }
    return code
  }

  /// Whether `code` is the authentication code of `message`, compared in constant time.
  ///
  /// - Throws: as ``authenticate(_:key:)``; a code of another length is simply not valid.
  public static func isValid(
    _ code: [UInt8], of message: [UInt8], key: borrowing Secret
  ) throws(CryptoError) -> Bool {
    isEqual(code, try authenticate(message, key: key))
  }

  /// Whether two codes are equal, compared in constant time; codes of other lengths never are.
  public static func isEqual(_ code: [UInt8], _ expected: [UInt8]) -> Bool {
    guard code.count == byteCount, expected.count == byteCount else { return false }
    // SAFETY: both arrays are `byteCount` long.
    return unsafe CRYPTO_memcmp(code, expected, byteCount) == 0
  }
}
