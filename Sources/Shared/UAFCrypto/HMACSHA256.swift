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

  /// The authentication code of `message` under a non-secret key, which may be in ordinary memory.
  ///
  /// A ``Secret`` costs up to five system calls, too much if strangers decide how often.
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
    // SAFETY: the context is ours until the `defer`; the key lives for the call.
    guard let context = unsafe HMACContext.sha256?.copy() else { return nil }
    defer { unsafe EVP_MAC_CTX_free(context) }
    return unsafe code(of: message, in: context, key)
  }

  /// - Parameter key: without bytes, the context begins again with the key that it has.
  /// - Returns: nil if OpenSSL failed.
  @unsafe fileprivate static func code(
    of message: [UInt8], in context: OpaquePointer, _ key: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: byteCount)
    var length = 0
    // SAFETY: all pointers live for their calls, and `code` has the room its size argument states.
    guard unsafe EVP_MAC_init(context, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil) == 1,
      unsafe EVP_MAC_update(context, message, message.count) == 1,
      unsafe EVP_MAC_final(context, &code, &length, byteCount) == 1, length == byteCount
    else { return nil }
    return code
  }

  /// The authentication code of a secret; the code is secret too.
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
  /// - Throws: as ``authenticate(_:key:)``; a code of the wrong length is simply not valid.
  public static func isValid(
    _ code: [UInt8], of message: [UInt8], key: borrowing Secret
  ) throws(CryptoError) -> Bool {
    isEqual(code, try authenticate(message, key: key))
  }

  /// Whether two codes are equal, compared in constant time; codes of the wrong length never are.
  public static func isEqual(_ code: [UInt8], _ expected: [UInt8]) -> Bool {
    guard code.count == byteCount, expected.count == byteCount else { return false }
    // SAFETY: both arrays are `byteCount` long.
    return unsafe CRYPTO_memcmp(code, expected, byteCount) == 0
  }
}

/// A key under which many messages are authenticated.
///
/// OpenSSL keeps the key and the state that follows from it in ordinary memory until this is destroyed, and then clears them. So
/// this is for a server, which has its signing keys there as well, and not for a login. A message costs less than half of what
/// ``HMACSHA256/authenticate(_:key:)`` costs, which prepares the key each time. It needs OpenSSL 3.0.3 or newer: older ones do
/// not begin again without a key.
@safe public struct HMACSHA256Key: ~Copyable, @unchecked Sendable {
  // Nobody else has it, and the state changes only in a mutating method, so the key may go to another thread.
  private let context: OpaquePointer

  /// - Parameter key: of any length; fewer than 16 bytes protect little.
  /// - Throws: ``CryptoError/unavailable(_:)``.
  public init(_ key: borrowing Secret) throws(CryptoError) {
    // SAFETY: the context is ours until `deinit`, or until it is freed here; the key is lent for the call.
    guard let context = unsafe HMACContext.sha256?.copy() else { throw OpenSSLQueue.failure(.unavailable(.hmac)) }
    let isKeyed = unsafe key.withUnsafeBytes { bytes in
      unsafe EVP_MAC_init(context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, nil) == 1
    }
    guard isKeyed else {
      unsafe EVP_MAC_CTX_free(context)
      throw OpenSSLQueue.failure(.unavailable(.hmac))
    }
    unsafe self.context = context
  }

  deinit {
    // SAFETY: nobody else has the context.
    unsafe EVP_MAC_CTX_free(context)
  }

  /// The authentication code of a message.
  ///
  /// - Returns: 32 bytes.
  /// - Throws: ``CryptoError/unavailable(_:)``.
  public mutating func authenticate(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    // SAFETY: the buffer is empty. Nobody else uses the context now.
    let sameKey = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    guard let code = unsafe HMACSHA256.code(of: message, in: context, sameKey) else {
      throw OpenSSLQueue.failure(.unavailable(.hmac))
    }
    return code
  }
}

/// OpenSSL's object for HMAC with one hash function and no key; its copies get a key.
///
/// It is kept because looking up HMAC and its hash function by name, for each code, would take half the time of an HMAC over a
/// short message.
@safe final class HMACContext: @unchecked Sendable {
  // Each code uses a copy of it. OpenSSL lets several threads copy it at the same time.
  private let context: OpaquePointer

  private init?(digest: StaticString) {
    // SAFETY: the method and the context are ours. The context is never freed: there is one, as long as the program lives.
    // OpenSSL reads the constants of the program and does not write to them.
    guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
    defer { unsafe EVP_MAC_free(method) }
    guard let context = unsafe EVP_MAC_CTX_new(method) else { return nil }
    let name = unsafe UnsafeMutableRawPointer(mutating: digest.utf8Start).assumingMemoryBound(to: CChar.self)
    let parameters = unsafe [
      OSSL_PARAM_construct_utf8_string("digest", name, digest.utf8CodeUnitCount), OSSL_PARAM_construct_end(),
    ]
    guard unsafe EVP_MAC_CTX_set_params(context, parameters) == 1 else {
      unsafe EVP_MAC_CTX_free(context)
      return nil
    }
    // SAFETY: as above.
    unsafe self.context = context
  }

  /// A copy, which the caller frees; nil if there is no memory.
  @unsafe func copy() -> OpaquePointer? {
    // SAFETY: the context lives as long as the program.
    unsafe EVP_MAC_CTX_dup(context)
  }

  /// HMAC with SHA-256; nil if OpenSSL does not have it.
  static let sha256 = HMACContext(digest: "SHA256")
}

/// HKDF with SHA-256, extract and expand (RFC 5869).
///
/// Here, it is built from HMAC. OpenSSL's own HKDF frees the salt without clearing it (seen with 3.0.22), and our salt is
/// the device key.
public enum HKDFSHA256 {
  /// The most that can be derived: 255 hashes.
  public static let maximumLength = 255 * HMACSHA256.byteCount

  private static let maximumInfo = 1024

  /// Derives `length` bytes.
  ///
  /// - Parameters:
  ///   - secret: the input key material, 1 byte or more.
  ///   - salt: may be empty; a secret here, because ours is the device key.
  ///   - info: the purpose of the result, at most 1,024 bytes.
  ///   - length: 1 to ``maximumLength``.
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func derive(
    secret: borrowing Secret, salt: borrowing Secret, info: [UInt8], length: Int
  ) throws(CryptoError) -> Secret {
    guard (1...maximumLength).contains(length), secret.count > 0, info.count <= maximumInfo else {
      throw .invalidParameter(.hkdf)
    }
    // RFC 5869, section 2.2. HMAC pads an empty salt to a key of zeros, as the RFC requires.
    let key = try HMACSHA256.authenticate(secret, key: salt)
    // RFC 5869, section 2.3.
    var derived = try make(capacity: length)
    var message = try make(capacity: HMACSHA256.byteCount + maximumInfo + 1)
    var number: UInt8 = 0
    while derived.count < length {
      // The limit above allows at most 255 blocks.
      number &+= 1
      append(info.span, to: &message)
      append([number].span, to: &message)
      let block = try HMACSHA256.authenticate(message, key: key)
      block.withBytes { append($0, to: &derived) }
      message.wipe()
      block.withBytes { append($0, to: &message) }
    }
    return derived
  }

  /// Derives `length` bytes without a salt.
  ///
  /// - Parameters:
  ///   - material: the input key material, 1 byte or more.
  ///   - info: as ``derive(secret:salt:info:length:)``, and so is the rest.
  /// - Throws: as ``derive(secret:salt:info:length:)``.
  public static func derive(material: [UInt8], info: [UInt8], length: Int) throws(CryptoError) -> Secret {
    let secret: Secret
    do throws(SecretMemoryError) { secret = try Secret(copying: material.span) } catch { throw CryptoError(error) }
    return try derive(secret: secret, salt: make(capacity: 0), info: info, length: length)
  }

  private static func make(capacity: Int) throws(CryptoError) -> Secret {
    do throws(SecretMemoryError) { return try Secret(capacity: capacity) } catch { throw CryptoError(error) }
  }

  /// Appends as many of the bytes as fit.
  private static func append(_ bytes: Span<UInt8>, to secret: inout Secret) {
    let start = secret.count
    let count = min(bytes.count, secret.capacity - start)
    // SAFETY: from `start` on there is room for `count` bytes, and the bytes before it are not touched.
    unsafe secret.refill { buffer in
      for index in 0..<count { unsafe buffer[start + index] = bytes[index] }
      return start + count
    }
  }
}
