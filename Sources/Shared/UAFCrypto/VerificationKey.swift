import COpenSSL
import SecretMemory

/// A public key that was checked, with the only algorithm that it is used for.
public struct VerificationKey: Equatable, Sendable {
  /// The form to store: 65 bytes `04 | X | Y` for a curve, SubjectPublicKeyInfo for RSA.
  public let encoded: [UInt8]
  /// Its signature algorithm.
  public let scheme: SignatureScheme

  /// Reads a key in one of the registry's encodings.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for an encoding of the other kind of key, a form that is not exactly the
  ///   form of the encoding, a point that is not on the curve, and an RSA key below 2048 bits or with an even exponent or 1.
  public init(_ bytes: [UInt8], encoding: PublicKeyEncoding, scheme: SignatureScheme) throws(CryptoError) {
    OpenSSLMethods.load()
    self.scheme = scheme
    guard let curve = scheme.curve else {
      // SAFETY: the key is ours until the `defer`.
      let key = try unsafe RSAKey.make(bytes, encoding: encoding)
      defer { unsafe EVP_PKEY_free(key) }
      encoded = try unsafe RSAKey.encode(key)
      return
    }
    switch encoding {
    case .eccX962Raw: encoded = bytes
    case .eccX962DER:
      guard let point = curve.point(subjectPublicKeyInfo: bytes) else { throw .invalidKey }
      encoded = point
    case .rsa2048Raw, .rsa2048DER: throw .invalidKey
    }
    // SAFETY: the key is not used.
    try unsafe ECKey.with(publicKey: encoded, curve: curve) { _ in }
  }

  /// Reads a key in the form of ``encoded``.
  ///
  /// - Throws: as the other initialiser.
  public init(encoded: [UInt8], scheme: SignatureScheme) throws(CryptoError) {
    try self.init(encoded, encoding: scheme.curve == nil ? .rsa2048DER : .eccX962Raw, scheme: scheme)
  }

  /// Reads the SubjectPublicKeyInfo of a certificate.
  ///
  /// - Throws: as the other initialiser.
  public init(subjectPublicKeyInfo: [UInt8], scheme: SignatureScheme) throws(CryptoError) {
    try self.init(subjectPublicKeyInfo, encoding: scheme.curve == nil ? .rsa2048DER : .eccX962DER, scheme: scheme)
  }

  /// Reads a stored key in the form of ``encoded``; it was checked before it was stored.
  ///
  /// An invalid key verifies no signature.
  public init(stored: [UInt8], scheme: SignatureScheme) {
    OpenSSLMethods.load()
    encoded = stored
    self.scheme = scheme
  }

  /// Whether `signature` is a signature of `message` in the encoding of ``scheme``.
  ///
  /// - Returns: false for everything else, without a reason.
  public func isValidSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    if let curve = scheme.curve {
      let numbers = try? scheme.isDER ? ECDSASignature(der: signature) : ECDSASignature(raw: signature)
      guard let numbers else { return false }
      // SAFETY: the key is lent for the call.
      let isValid = try? unsafe ECKey.with(publicKey: encoded, curve: curve) { key in
        unsafe SignatureCheck.isValid(numbers.der, of: message, key: key, padding: nil)
      }
      return isValid == true
    }
    // SAFETY: as above.
    guard let key = try? unsafe RSAKey.make(checked: encoded) else { return false }
    defer { unsafe EVP_PKEY_free(key) }
    let count = unsafe RSAKey.signatureByteCount(key)
    // OpenSSL would accept a signature without its leading zeros as the same number.
    guard let number = scheme.isDER ? Self.octetString(in: signature, count: count) : signature,
      number.count == count
    else { return false }
    return unsafe SignatureCheck.isValid(number, of: message, key: key, padding: scheme.padding)
  }

  /// The content of a DER OCTET STRING of `count` bytes, 256 to 65,535; nil for everything else.
  private static func octetString(in der: [UInt8], count: Int) -> [UInt8]? {
    let header: [UInt8] = [0x04, 0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    guard der.starts(with: header) else { return nil }
    return Array(der[header.count...])
  }
}

/// A P-256 private key for frequent signatures: OpenSSL's look-ups for a signature are done only once.
///
/// OpenSSL holds the private number in its secure heap: pages that are locked, left out of core dumps, and wiped when freed.
/// If the system allows no locked pages, they are ordinary ones, as with ``Secret``.
@safe public final class SigningKey: @unchecked Sendable {
  // Each signature uses a copy of it. OpenSSL lets several threads copy it at the same time. The context keeps the key.
  private let context: OpaquePointer
  /// 65 bytes, `04 | X | Y`.
  public let publicKey: [UInt8]

  /// Makes a signing key from a private key.
  ///
  /// - Parameter privateKey: 32 bytes, big-endian.
  /// - Throws: ``CryptoError/invalidKey``, ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public init(_ privateKey: borrowing Secret) throws(CryptoError) {
    _ = Self.hasSecureHeap
    publicKey = try P256.publicKey(of: privateKey)
    // SAFETY: the key is ours until the `defer`, the context until `deinit`.
    let key = try unsafe ECKey.make(privateKey: privateKey, publicKey: publicKey)
    defer { unsafe EVP_PKEY_free(key) }
    unsafe context = try P256.signingContext(key)
  }

  deinit {
    // SAFETY: this was the last reference to the context.
    unsafe EVP_MD_CTX_free(context)
  }

  /// Signs a message, hashed once with SHA-256.
  ///
  /// - Returns: the raw signature, 64 bytes.
  /// - Throws: ``CryptoError/unavailable(_:)``, ``CryptoError/outOfMemory``.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    // SAFETY: the copy is ours until the `defer`; the original lives as long as this object.
    guard let copy = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe EVP_MD_CTX_free(copy) }
    guard unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 else { throw OpenSSLQueue.failure(.unavailable(.p256)) }
    return try unsafe P256.sign(message, context: copy)
  }

  /// Room for some thousand keys, and for a thousand threads.
  ///
  /// A server has a dozen keys, and OpenSSL takes 512 bytes for each thread that draws random numbers. If none can be drawn,
  /// an RSA key cannot be checked and counts as invalid, so there is room to spare.
  ///
  /// The heap is made once for the process, before the first key. It is a quarter of what a process may lock on Debian (8 MiB).
  private static let hasSecureHeap = CRYPTO_secure_malloc_init(1 << 21, 32) != 0
}
