import COpenSSL
import SecretMemory

/// Keys and signatures of Ed25519 (RFC 8032), which WebAuthn has and the UAF registry has not.
public enum Ed25519 {
  /// Length of a private key, the random number of RFC 8032, section 5.1.5, in bytes.
  public static let privateKeyByteCount = 32
  /// Length of a public key in bytes.
  public static let publicKeyByteCount = 32
  /// Length of a signature in bytes.
  public static let signatureByteCount = 64

  /// The public key that belongs to a private key.
  ///
  /// - Parameter privateKey: any 32 bytes that nobody can guess.
  /// - Throws: ``CryptoError/invalidKey`` for another number of bytes, ``CryptoError/unavailable(_:)``.
  public static func publicKey(of privateKey: borrowing Secret) throws(CryptoError) -> [UInt8] {
    // SAFETY: the key is ours until the `defer`.
    let key = try unsafe make(privateKey: privateKey)
    defer { unsafe EVP_PKEY_free(key) }
    var encoded = [UInt8](repeating: 0, count: publicKeyByteCount)
    var length = encoded.count
    // SAFETY: `length` states the room in `encoded`.
    guard unsafe EVP_PKEY_get_raw_public_key(key, &encoded, &length) == 1, length == publicKeyByteCount else {
      throw OpenSSLQueue.failure(.unavailable(.ed25519))
    }
    return encoded
  }

  /// Signs a message.
  ///
  /// - Returns: 64 bytes; always the same ones for the same key and message.
  /// - Throws: as ``publicKey(of:)``, and ``CryptoError/outOfMemory``.
  public static func sign(_ message: [UInt8], privateKey: borrowing Secret) throws(CryptoError) -> [UInt8] {
    // SAFETY: the key and the context are ours until their `defer`; freeing the key clears it.
    let key = try unsafe make(privateKey: privateKey)
    defer { unsafe EVP_PKEY_free(key) }
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: signatureByteCount)
    var length = signature.count
    // SAFETY: `length` states the room in `signature`. The algorithm has its own hash function, so none is named.
    guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
      unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == signatureByteCount
    else { throw OpenSSLQueue.failure(.unavailable(.ed25519)) }
    return signature
  }

  /// Whether `signature` is a signature of `message` under `publicKey`.
  ///
  /// - Returns: false for everything else, without a reason.
  public static func isValidSignature(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
    guard publicKey.count == publicKeyByteCount, signature.count == signatureByteCount else { return false }
    defer { OpenSSLQueue.clear() }
    // SAFETY: the key and the context are ours until their `defer`; the pointers live for the call.
    guard let key = unsafe EVP_PKEY_new_raw_public_key(NID_ED25519, nil, publicKey, publicKey.count) else {
      return false
    }
    defer { unsafe EVP_PKEY_free(key) }
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
    // SAFETY: as above. Only 1 is success.
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  @unsafe private static func make(privateKey: borrowing Secret) throws(CryptoError) -> OpaquePointer {
    guard privateKey.count == privateKeyByteCount else { throw .invalidKey }
    // SAFETY: OpenSSL copies the key into memory that it clears; the caller frees the object.
    let key = unsafe privateKey.withUnsafeBytes {
      unsafe EVP_PKEY_new_raw_private_key(
        NID_ED25519, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
    }
    guard let key = unsafe key else { throw OpenSSLQueue.failure(.unavailable(.ed25519)) }
    return unsafe key
  }
}
