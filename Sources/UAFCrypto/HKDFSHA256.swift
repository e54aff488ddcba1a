import COpenSSL
import SecretMemory

/// HKDF with SHA-256, extract and expand (RFC 5869).
public enum HKDFSHA256 {
  /// The most that can be derived: 255 hashes.
  public static let maximumLength = 255 * 32

  /// Derives `length` bytes.
  ///
  /// - Parameters:
  ///   - secret: the input key material, 1 byte or more.
  ///   - salt: may be empty; a secret here, because ours is the device's.
  ///   - info: what the result is for, at most 1,024 bytes.
  ///   - length: 1 to ``maximumLength``.
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func derive(
    secret: borrowing Secret, salt: borrowing Secret, info: [UInt8], length: Int
  ) throws(CryptoError) -> Secret {
    guard (1...maximumLength).contains(length), secret.count > 0, info.count <= 1024 else {
      throw .invalidParameter(.hkdf)
    }
    // SAFETY: the context is ours until the `defer`; OpenSSL copies what it is given into it and
    // clears the copies when it is freed.
    guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else {
      throw OpenSSLQueue.failure(.unavailable(.hkdf))
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe prepare(context, secret: secret, salt: salt, info: info) else {
      throw OpenSSLQueue.failure(.unavailable(.hkdf))
    }
    var done: CInt = 0
    let key: Secret
    do {
      // SAFETY: the buffer is `length` long, which the in-out length states.
      key = try unsafe Secret(count: length) { output in
        var produced = output.count
        done = unsafe EVP_PKEY_derive(
          context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &produced)
        if produced != output.count { done = 0 }
      }
    } catch { throw CryptoError(error) }
    guard done == 1 else { throw OpenSSLQueue.failure(.unavailable(.hkdf)) }
    return key
  }

  @unsafe private static func prepare(
    _ context: OpaquePointer, secret: borrowing Secret, salt: borrowing Secret, info: [UInt8]
  ) -> Bool {
    // SAFETY: each length fits a C int: a Secret holds at most 1 MiB, `info` was limited by the caller.
    guard unsafe EVP_PKEY_derive_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
    else { return false }
    let salted = unsafe salt.withUnsafeBytes {
      unsafe EVP_PKEY_CTX_set1_hkdf_salt(
        context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count))
    }
    let keyed = unsafe secret.withUnsafeBytes {
      unsafe EVP_PKEY_CTX_set1_hkdf_key(
        context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count))
    }
    guard salted == 1, keyed == 1 else { return false }
    return unsafe info.isEmpty || EVP_PKEY_CTX_add1_hkdf_info(context, info, CInt(info.count)) == 1
  }
}
