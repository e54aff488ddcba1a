import COpenSSL
import SecretMemory

/// Key agreement on P-256: key pairs of given random bytes, and what two pairs have in common.
public enum P256Agreement {
  /// Bytes that ``privateKey(of:)`` makes a key of: 64 bits more than a key has, so that no key is likelier than another.
  public static let extraRandomByteCount = P256.privateKeyByteCount + 8

  /// The private key of random bytes, always the same one for the same bytes.
  ///
  /// FIPS 186-5, appendix A.2.1 (extra random bits): the number of the bytes modulo n - 1, plus 1.
  ///
  /// - Parameter random: ``extraRandomByteCount`` bytes that nobody can guess.
  /// - Returns: 32 bytes, 1 ..< n.
  /// - Throws: ``CryptoError/invalidKey`` for another number of bytes, ``CryptoError/unavailable(_:)``,
  ///   ``CryptoError/outOfMemory``.
  public static func privateKey(of random: borrowing Secret) throws(CryptoError) -> Secret {
    guard random.count == extraRandomByteCount else { throw .invalidKey }
    // SAFETY: each object is ours until its `defer`; those with the number are cleared when they are freed.
    let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)
    defer { unsafe EC_GROUP_free(group) }
    let context = unsafe BN_CTX_secure_new()
    defer { unsafe BN_CTX_free(context) }
    let wide = unsafe random.withUnsafeBytes {
      unsafe BN_bin2bn($0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count), nil)
    }
    defer { unsafe BN_clear_free(wide) }
    let number = unsafe BN_secure_new()
    defer { unsafe BN_clear_free(number) }
    guard unsafe group != nil, unsafe context != nil, unsafe wide != nil, unsafe number != nil,
      let divisor = unsafe BN_dup(EC_GROUP_get0_order(group))
    else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    defer { unsafe BN_free(divisor) }
    // SAFETY: keeps OpenSSL on its constant-time paths.
    unsafe BN_set_flags(wide, BN_FLG_CONSTTIME)
    guard unsafe BN_sub_word(divisor, 1) == 1, unsafe BN_div(nil, number, wide, divisor, context) == 1,
      unsafe BN_add_word(number, 1) == 1
    else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    var written: CInt = -1
    let key: Secret
    do {
      // SAFETY: the buffer has the 32 bytes that its length argument states.
      key = try unsafe Secret(count: P256.privateKeyByteCount) {
        written = unsafe BN_bn2binpad(number, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count))
      }
    } catch { throw CryptoError(error) }
    guard Int(written) == P256.privateKeyByteCount else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    return key
  }

  /// What two key pairs have in common: the x coordinate of ECDH (NIST SP 800-56A, 5.7.1.2).
  ///
  /// It is no key yet: a derivation over it and both public keys makes one.
  ///
  /// - Parameters:
  ///   - privateKey: 32 bytes, 1 ..< n.
  ///   - publicKey: the other's, 65 bytes `04 | X | Y`.
  /// - Returns: 32 bytes.
  /// - Throws: ``CryptoError/invalidKey`` for a number or a point that is none, ``CryptoError/unavailable(_:)``,
  ///   ``CryptoError/outOfMemory``.
  public static func sharedSecret(
    privateKey: borrowing Secret, with publicKey: [UInt8]
  ) throws(CryptoError) -> Secret {
    // SAFETY: the key is ours until the `defer`, the other one is lent for the call.
    let own = try unsafe ECKey.make(privateKey: privateKey, publicKey: try P256.publicKey(of: privateKey))
    defer { unsafe EVP_PKEY_free(own) }
    var failure: CryptoError? = .unavailable(.p256)
    let shared: Secret
    do {
      // SAFETY: the buffer is lent for the call.
      shared = try unsafe Secret(count: P256.privateKeyByteCount) { output in
        do throws(CryptoError) {
          let isDone = try unsafe ECKey.with(publicKey: publicKey) { unsafe derive(output, own, $0) }
          if isDone { failure = nil }
        } catch { failure = error }
      }
    } catch { throw CryptoError(error) }
    if let failure { throw OpenSSLQueue.failure(failure) }
    return shared
  }

  @unsafe private static func derive(
    _ output: UnsafeMutableRawBufferPointer, _ own: OpaquePointer, _ other: OpaquePointer
  ) -> Bool {
    // SAFETY: the keys are the caller's, the context is ours until the `defer`, and `room` states the room in the output.
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, own, nil) else { return false }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var room = output.count
    guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, other) == 1,
      unsafe EVP_PKEY_derive(context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &room) == 1
    else { return false }
    return room == P256.privateKeyByteCount
  }
}
