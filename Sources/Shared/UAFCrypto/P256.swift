import COpenSSL
import SecretMemory

/// Keys and ECDSA signatures with SHA-256 on the curve P-256 (FIPS 186-4), in the encodings of the UAF registry.
///
/// Public keys are 65 bytes, `04 | X | Y` (ALG_KEY_ECC_X962_RAW), or 91 bytes of SubjectPublicKeyInfo
/// (ALG_KEY_ECC_X962_DER). Signatures are 64 bytes `r | s`, or a strict DER SEQUENCE of two INTEGERs.
public enum P256 {
  /// Length of a private key, a big-endian number, in bytes.
  public static let privateKeyByteCount = 32
  /// Length of a raw public key in bytes.
  public static let publicKeyByteCount = EllipticCurve.pointByteCount
  /// Length of a raw signature in bytes.
  public static let signatureByteCount = ECDSASignature.rawByteCount

  /// A private key with its public key.
  @frozen public struct KeyPair: ~Copyable {
    /// 32 bytes, big-endian.
    public let privateKey: Secret
    /// 65 bytes, `04 | X | Y`.
    public let publicKey: [UInt8]

    init(privateKey: consuming Secret, publicKey: [UInt8]) {
      self.privateKey = privateKey
      self.publicKey = publicKey
    }

    /// The pair of a private key.
    ///
    /// - Throws: ``CryptoError/invalidKey`` if the number is not 1 ..< n in 32 bytes.
    public init(privateKey: consuming Secret) throws(CryptoError) {
      let publicKey = try P256.publicKey(of: privateKey)
      self.init(privateKey: privateKey, publicKey: publicKey)
    }
  }

  /// Makes a new key pair.
  ///
  /// - Throws: ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func generate() throws(CryptoError) -> KeyPair {
    // SAFETY: the key is ours until the `defer`; freeing it clears the private number in it.
    guard let key = unsafe uaf_generate_p256() else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    defer { unsafe EVP_PKEY_free(key) }
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else {
      throw OpenSSLQueue.failure(.unavailable(.p256))
    }
    defer { unsafe BN_clear_free(number) }
    var written: CInt = -1
    let privateKey: Secret
    do {
      // SAFETY: the buffer has the 32 bytes that its length argument states.
      privateKey = try unsafe Secret(count: privateKeyByteCount) {
        written = unsafe BN_bn2binpad(
          number, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count))
      }
    } catch { throw CryptoError(error) }
    guard Int(written) == privateKeyByteCount else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    let publicKey = try publicKey(of: privateKey)
    return KeyPair(privateKey: privateKey, publicKey: publicKey)
  }

  /// The public key that belongs to a private key.
  ///
  /// - Returns: 65 bytes.
  /// - Throws: ``CryptoError/invalidKey`` if the number is not 1 ..< n in 32 bytes.
  public static func publicKey(of privateKey: borrowing Secret) throws(CryptoError) -> [UInt8] {
    guard privateKey.count == privateKeyByteCount else { throw .invalidKey }
    // SAFETY: each object is ours until its `defer`; the private number is cleared when freed.
    let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)
    defer { unsafe EC_GROUP_free(group) }
    let number = unsafe privateKey.withUnsafeBytes {
      unsafe BN_bin2bn($0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count), nil)
    }
    defer { unsafe BN_clear_free(number) }
    guard unsafe group != nil, unsafe number != nil, let point = unsafe EC_POINT_new(group) else {
      throw OpenSSLQueue.failure(.unavailable(.p256))
    }
    defer { unsafe EC_POINT_free(point) }
    guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
      throw .invalidKey
    }
    // SAFETY: this keeps OpenSSL on its constant-time paths.
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    var encoded = [UInt8](repeating: 0, count: publicKeyByteCount)
    // SAFETY: `encoded` has the room its length argument states.
    guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
      unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil)
        == publicKeyByteCount
    else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    return encoded
  }

  /// Signs a message, hashed once with SHA-256.
  ///
  /// - Returns: the raw signature, 64 bytes; ``ECDSASignature`` turns it into DER.
  /// - Throws: ``CryptoError/invalidKey``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public static func sign(
    _ message: [UInt8], privateKey: borrowing Secret
  ) throws(CryptoError) -> [UInt8] {
    let publicKey = try publicKey(of: privateKey)
    // SAFETY: the key is ours until the `defer`.
    let key = try unsafe ECKey.make(privateKey: privateKey, publicKey: publicKey)
    defer { unsafe EVP_PKEY_free(key) }
    // SAFETY: the context is ours until the `defer`; it keeps the key.
    let context = try unsafe signingContext(key)
    defer { unsafe EVP_MD_CTX_free(context) }
    return try unsafe sign(message, context: context)
  }

  /// A context that is ready to sign a message with a key; the caller frees it.
  @unsafe static func signingContext(_ key: OpaquePointer) throws(CryptoError) -> OpaquePointer {
    // SAFETY: handed to the caller on success, freed here if it cannot be used.
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw OpenSSLQueue.failure(.unavailable(.p256))
    }
    return unsafe context
  }

  /// Signs with a context , which can be used only once.
  @unsafe static func sign(_ message: [UInt8], context: OpaquePointer) throws(CryptoError) -> [UInt8] {
    // 72 bytes is the longest DER signature of this curve.
    var signature = [UInt8](repeating: 0, count: 72)
    var length = signature.count
    // SAFETY: the context is the caller's. `length` states the room in `signature`.
    guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1,
      length <= signature.count
    else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    return try ECDSASignature(der: Array(signature[..<length])).raw
  }

  /// Whether `raw` is a signature of `message` under `publicKey`.
  ///
  /// - Parameters:
  ///   - raw: 64 bytes `r | s`.
  ///   - publicKey: 65 bytes `04 | X | Y`.
  /// - Returns: false for everything else, without a reason.
  public static func isValidSignature(_ raw: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
    guard let signature = try? ECDSASignature(raw: raw) else { return false }
    return isValid(signature, of: message, publicKey: publicKey)
  }

  /// Whether `der` is a signature of `message` under `publicKey`.
  ///
  /// - Parameters:
  ///   - der: a SEQUENCE of two INTEGERs in DER, nothing after it.
  ///   - publicKey: 65 bytes `04 | X | Y`.
  public static func isValidSignature(der: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
    guard let signature = try? ECDSASignature(der: der) else { return false }
    return isValid(signature, of: message, publicKey: publicKey)
  }

  /// The raw public key in a SubjectPublicKeyInfo.
  ///
  /// - Parameter info: the 91 bytes of a P-256 key with named curve and uncompressed point.
  /// - Throws: ``CryptoError/invalidKey`` for any other form, and for a point that is not on the curve.
  public static func publicKey(subjectPublicKeyInfo info: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let publicKey = EllipticCurve.secp256r1.point(subjectPublicKeyInfo: info), isOnCurve(publicKey) else {
      throw .invalidKey
    }
    return publicKey
  }

  /// The SubjectPublicKeyInfo of a raw public key.
  ///
  /// - Returns: 91 bytes of DER.
  /// - Throws: ``CryptoError/invalidKey`` unless the key is a point of the curve in 65 bytes.
  public static func subjectPublicKeyInfo(publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard isOnCurve(publicKey) else { throw .invalidKey }
    return EllipticCurve.secp256r1.subjectPublicKeyInfoPrefix + publicKey
  }

  /// Whether these are 65 bytes `04 | X | Y` of a point on the curve.
  public static func isOnCurve(_ publicKey: [UInt8]) -> Bool {
    // SAFETY: the key is not used.
    (try? unsafe ECKey.with(publicKey: publicKey) { _ in }) != nil
  }

  private static func isValid(_ signature: ECDSASignature, of message: [UInt8], publicKey: [UInt8]) -> Bool {
    // SAFETY: the key is lent for the call.
    let isValid = try? unsafe ECKey.with(publicKey: publicKey) { key in
      unsafe SignatureCheck.isValid(signature.der, of: message, key: key, padding: nil)
    }
    return isValid == true
  }
}

extension P256 {
  /// The most keys of one text.
  public static let maximumKeys = 4

  /// The raw public keys in a PEM text, each in `BEGIN PUBLIC KEY`, in order.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for a text without such a key, with more than ``maximumKeys``, and for a text that
  ///   contains anything else: a key that is not understood is not skipped.
  public static func publicKeys(pem: [UInt8]) throws(CryptoError) -> [[UInt8]] {
    let begin = Array("-----BEGIN ".utf8)
    var keys: [[UInt8]] = []
    var start: Int?
    for index in pem.indices where pem[index...].starts(with: begin) {
      if let start { keys.append(try publicKey(pem: Array(pem[start..<index]))) }
      guard keys.count < maximumKeys else { throw .invalidKey }
      start = index
    }
    keys.append(try publicKey(pem: start.map { Array(pem[$0...]) } ?? []))
    return keys
  }

  /// The raw public key in a PEM text, `BEGIN PUBLIC KEY`.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for a text without one key of this curve in its named, uncompressed form.
  public static func publicKey(pem: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let length = CInt(exactly: pem.count), length > 0 else { throw .invalidKey }
    // SAFETY: the BIO copies the bytes it is given; each object is ours until its `defer`.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    guard unsafe BIO_write(bio, pem, length) == length else { throw OpenSSLQueue.failure(.outOfMemory) }
    guard let key = unsafe PEM_read_bio_PUBKEY(bio, nil, PEMPassword.refuse, nil) else {
      throw OpenSSLQueue.failure(.invalidKey)
    }
    defer { unsafe EVP_PKEY_free(key) }
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_PUBKEY(key, &start)
    guard count > 0, let der = unsafe start else { throw OpenSSLQueue.failure(.invalidKey) }
    // SAFETY: OpenSSL allocated `count` bytes for us.
    defer { unsafe CRYPTO_free(der, nil, 0) }
    return try publicKey(subjectPublicKeyInfo: unsafe Array(UnsafeBufferPointer(start: der, count: Int(count))))
  }
}

/// OpenSSL's callback for the password of an encrypted PEM text.
enum PEMPassword {
  @unsafe typealias Callback =
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt

  /// Refuses to give a password: without a callback, OpenSSL asks at the terminal of the process, and waits.
  ///
  /// It touches none of the pointers that it gets.
  @unsafe static var refuse: Callback { { _, _, _, _ in -1 } }
}

/// Key agreement on P-256: key pairs from given random bytes, and the shared secret of two pairs.
public enum P256Agreement {
  /// Bytes that ``privateKey(of:)`` makes a key from: 64 bits more than a key has, so that no key is likelier than another.
  public static let extraRandomByteCount = P256.privateKeyByteCount + 8

  /// The private key made from random bytes, always the same one for the same bytes.
  ///
  /// FIPS 186-5, appendix A.2.1 (extra random bits): the number of the bytes modulo n - 1, plus 1.
  ///
  /// - Parameter random: ``extraRandomByteCount`` bytes that nobody can guess.
  /// - Returns: 32 bytes, 1 ..< n.
  /// - Throws: ``CryptoError/invalidKey`` for a wrong number of bytes, ``CryptoError/unavailable(_:)``,
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

  /// The shared secret of two key pairs: the x coordinate of ECDH (NIST SP 800-56A, 5.7.1.2).
  ///
  /// It is not a key yet: a derivation over it and both public keys makes one.
  ///
  /// - Parameters:
  ///   - privateKey: 32 bytes, 1 ..< n.
  ///   - publicKey: the other pair's public key, 65 bytes `04 | X | Y`.
  /// - Returns: 32 bytes.
  /// - Throws: ``CryptoError/invalidKey`` for an invalid number or point, ``CryptoError/unavailable(_:)``,
  ///   ``CryptoError/outOfMemory``.
  public static func sharedSecret(
    privateKey: borrowing Secret, with publicKey: [UInt8]
  ) throws(CryptoError) -> Secret {
    // SAFETY: the key is ours until the `defer`, the other key is lent for the call.
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
