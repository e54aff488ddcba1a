import SecretMemory

/// HKDF with SHA-256, extract and expand (RFC 5869).
///
/// It is made of HMAC here. OpenSSL's own HKDF frees the salt without clearing it (seen with 3.0.22), and our salt is
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
  ///   - info: what the result is for, at most 1,024 bytes.
  ///   - length: 1 to ``maximumLength``.
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func derive(
    secret: borrowing Secret, salt: borrowing Secret, info: [UInt8], length: Int
  ) throws(CryptoError) -> Secret {
    guard (1...maximumLength).contains(length), secret.count > 0, info.count <= maximumInfo else {
      throw .invalidParameter(.hkdf)
    }
    // RFC 5869, section 2.2. An empty salt is a key of zeros to HMAC, as the RFC has it.
    let key = try HMACSHA256.authenticate(secret, key: salt)
    // RFC 5869, section 2.3.
    var derived = try make(capacity: length)
    var message = try make(capacity: HMACSHA256.byteCount + maximumInfo + 1)
    var number: UInt8 = 0
    while derived.count < length {
      // 255 blocks are the most there are, by the limit above.
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

  /// Adds as many of the bytes as there is room for.
  private static func append(_ bytes: Span<UInt8>, to secret: inout Secret) {
    let start = secret.count
    let count = min(bytes.count, secret.capacity - start)
    // SAFETY: from `start` on there is room for `count` bytes, and what stands before is not touched.
    unsafe secret.refill { buffer in
      for index in 0..<count { unsafe buffer[start + index] = bytes[index] }
      return start + count
    }
  }
}
