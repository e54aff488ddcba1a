import COpenSSL
import SecretMemory

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with 96-bit nonces and 128-bit tags.
///
/// A nonce must never be used twice with one key.
public enum AES256GCM {
  /// Length of a key in bytes.
  public static let keyByteCount = 32
  /// Length of a nonce in bytes.
  public static let nonceByteCount = 12
  /// Length of the tag that ends a sealed text, in bytes.
  public static let tagByteCount = 16
  /// The longest associated data that is accepted.
  public static let maximumAdditionalData = 1 << 20

  /// Encrypts and authenticates.
  ///
  /// - Returns: the ciphertext, as long as the plaintext, and the 16-byte tag.
  /// - Throws: ``CryptoError/invalidKey``, ``CryptoError/invalidParameter(_:)`` (nonce or associated data),
  ///   ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func seal(
    _ plaintext: borrowing Secret, key: borrowing Secret, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    // SAFETY: the context is ours until the `defer`, which also clears the key schedule in it.
    let context = try unsafe start(key: key, nonce: nonce, additionalData: additionalData, encrypting: true)
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var sealed = [UInt8](repeating: 0, count: plaintext.count + tagByteCount)
    var length: CInt = 0
    // SAFETY: GCM writes exactly as many bytes as it reads; the tag has its 16 bytes after them.
    let done = unsafe sealed.withUnsafeMutableBufferPointer { output in
      guard let base = output.baseAddress else { return false }
      let updated = unsafe plaintext.withUnsafeBytes { input in
        unsafe EVP_EncryptUpdate(
          context, base, &length, input.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(input.count))
      }
      let end = unsafe base + plaintext.count
      guard updated == 1, Int(length) == plaintext.count, unsafe EVP_EncryptFinal_ex(context, end, &length) == 1
      else { return false }
      return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(tagByteCount), end) == 1
    }
    guard done else { throw OpenSSLQueue.failure(.unavailable(.gcm)) }
    return sealed
  }

  /// Checks and decrypts.
  ///
  /// - Parameter sealed: what ``seal(_:key:nonce:additionalData:)`` returned.
  /// - Throws: ``CryptoError/authenticationFailed`` if anything differs or is too short; otherwise as seal.
  public static func open(
    _ sealed: [UInt8], key: borrowing Secret, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) -> Secret {
    guard sealed.count >= tagByteCount else { throw .authenticationFailed }
    let count = sealed.count - tagByteCount
    guard count <= Secret.maximumCapacity else { throw .invalidParameter(.gcm) }
    var tag = Array(sealed[count...])
    // SAFETY: as in seal.
    let context = try unsafe start(key: key, nonce: nonce, additionalData: additionalData, encrypting: false)
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tagByteCount), &tag) == 1 else {
      throw OpenSSLQueue.failure(.unavailable(.gcm))
    }
    var isAuthentic = false
    let plaintext: Secret
    do {
      // SAFETY: the output is `count` long and GCM writes as much as it reads; on a wrong tag the secret is
      // destroyed, and thereby wiped, before anybody sees it.
      plaintext = try unsafe Secret(count: count) { output in
        var length: CInt = 0
        let base = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard unsafe EVP_DecryptUpdate(context, base, &length, sealed, CInt(count)) == 1, Int(length) == count
        else { return }
        var rest = [UInt8](repeating: 0, count: tagByteCount)
        isAuthentic = unsafe EVP_DecryptFinal_ex(context, &rest, &length) == 1
      }
    } catch { throw CryptoError(error) }
    guard isAuthentic else { throw OpenSSLQueue.failure(.authenticationFailed) }
    return plaintext
  }

  @unsafe private static func start(
    key: borrowing Secret, nonce: [UInt8], additionalData: [UInt8], encrypting: Bool
  ) throws(CryptoError) -> OpaquePointer {
    guard key.count == keyByteCount else { throw .invalidKey }
    guard nonce.count == nonceByteCount, additionalData.count <= maximumAdditionalData else {
      throw .invalidParameter(.gcm)
    }
    // SAFETY: handed to the caller on success, freed here on every other path. The default nonce length of
    // OpenSSL's GCM is the 12 bytes checked above.
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    var length: CInt = 0
    let keyed = unsafe key.withUnsafeBytes {
      unsafe EVP_CipherInit_ex(
        context, EVP_aes_256_gcm(), nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce,
        encrypting ? 1 : 0)
    }
    let ready =
      unsafe keyed == 1
      && (additionalData.isEmpty
        || EVP_CipherUpdate(context, nil, &length, additionalData, CInt(additionalData.count)) == 1)
    guard ready else {
      unsafe EVP_CIPHER_CTX_free(context)
      throw OpenSSLQueue.failure(.unavailable(.gcm))
    }
    return unsafe context
  }
}

/// Why a cryptographic operation gave no result.
///
/// No case has a key, a secret, or bytes derived from one.
public enum CryptoError: Error, Equatable {
  /// The system or OpenSSL had no memory; says nothing about whether a secret was correct.
  case outOfMemory
  /// A length, a cost or a range that the operation does not accept.
  case invalidParameter(CryptoPrimitive)
  /// Not a key: wrong length, not on the curve, zero, or not below the group's order.
  case invalidKey
  /// Not a signature in the encoding asked for.
  case invalidSignature
  /// The AES-GCM tag is wrong: the key, the nonce or the data is a different one, or the text is damaged.
  case authenticationFailed
  /// Not a certificate, or more than one where one was expected.
  case invalidCertificate
  /// This OpenSSL does not offer the primitive, or it failed inside.
  case unavailable(CryptoPrimitive)
}

extension CryptoError: CustomStringConvertible {
  /// What failed and what to do.
  public var description: String {
    switch self {
    case .outOfMemory: "no memory for a cryptographic operation: free some, or raise the address space limit"
    case .invalidParameter(let primitive): "\(primitive.rawValue): a parameter is outside the allowed range"
    case .invalidKey: "not a valid key of the expected kind"
    case .invalidSignature: "not a signature in the expected encoding"
    case .authenticationFailed: "the sealed data cannot be opened: the key is a different one, or the data was changed"
    case .invalidCertificate: "not a valid X.509 certificate"
    case .unavailable(let primitive):
      "OpenSSL could not perform \(primitive.rawValue): check the installed libcrypto and its configuration"
    }
  }
}

/// The operations an error can name.
public enum CryptoPrimitive: String, Equatable, Sendable {
  case sha256 = "SHA-256"
  case hmac = "HMAC-SHA-256"
  case hkdf = "HKDF-SHA-256"
  case scrypt = "scrypt"
  case gcm = "AES-256-GCM"
  case random = "random bytes"
  case p256 = "ECDSA P-256"
  case ed25519 = "Ed25519"
  case rsa = "RSA"
  case certificate = "X.509"
}
