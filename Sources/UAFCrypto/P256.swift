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
    // SAFETY: keeps OpenSSL on its constant-time paths.
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
    // SAFETY: handed to the caller on success, freed here where it cannot be used.
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw OpenSSLQueue.failure(.unavailable(.p256))
    }
    return unsafe context
  }

  /// Signs with a context that is used up by it.
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
    // SAFETY: nothing is done with the key.
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
