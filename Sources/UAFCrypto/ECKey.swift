import COpenSSL
import SecretMemory

/// OpenSSL's form of a key on a curve.
enum ECKey {
  /// Lends OpenSSL's key object of a public key, for the call only.
  ///
  /// - Throws: ``CryptoError/invalidKey`` unless these are 65 bytes `04 | X | Y` of a point on the curve.
  @unsafe static func with<Result>(
    publicKey: [UInt8], curve: EllipticCurve = .secp256r1, _ body: (OpaquePointer) -> Result
  ) throws(CryptoError) -> Result {
    guard publicKey.count == EllipticCurve.pointByteCount, publicKey.first == 4 else { throw .invalidKey }
    guard let keys = keys(of: curve) else { throw OpenSSLQueue.failure(.invalidKey) }
    // SAFETY: what is lent is passed on.
    return try unsafe keys.with(publicKey, body)
  }

  /// Makes OpenSSL's objects of P-256, which are made once.
  static func prepare() { _ = secp256r1 }

  private static let secp256r1 = makeKeys(.secp256r1)
  private static let secp256k1 = makeKeys(.secp256k1)

  /// OpenSSL's objects of a curve; nil if OpenSSL does not have the curve.
  private static func keys(of curve: EllipticCurve) -> CurveKeys? {
    switch curve {
    case .secp256r1: secp256r1
    case .secp256k1: secp256k1
    }
  }

  private static func makeKeys(_ curve: EllipticCurve) -> CurveKeys? {
    // SAFETY: the parameters are constants of the program; the object goes to its keeper.
    let made = unsafe make(
      selection: uaf_select_curve(),
      parameters: [
        OSSL_PARAM_construct_utf8_string(name(groupParameter), mutable(curve.groupName), 0), OSSL_PARAM_construct_end(),
      ])
    guard let made = unsafe made else { return nil }
    return unsafe CurveKeys(made)
  }

  /// Makes OpenSSL's key object from a checked key pair on P-256; the caller frees it.
  ///
  /// - Parameters:
  ///   - privateKey: 32 bytes, 1 ..< n.
  ///   - publicKey: the 65 bytes that belong to it.
  /// - Throws: ``CryptoError/invalidKey``, ``CryptoError/outOfMemory``.
  @unsafe static func make(
    privateKey: borrowing Secret, publicKey: [UInt8]
  ) throws(CryptoError) -> OpaquePointer {
    var number = try littleEndian(privateKey)
    var point = publicKey
    // SAFETY: the parameters point into `point` and into the secret for the length of the closures; OpenSSL copies
    // the number into one that it clears, and nowhere else.
    let key: OpaquePointer? = unsafe point.withUnsafeMutableBytes { point in
      unsafe number.withUnsafeMutableBytes { number in
        unsafe make(
          selection: uaf_select_key_pair(),
          parameters: [
            OSSL_PARAM_construct_utf8_string(name(groupParameter), mutable(EllipticCurve.secp256r1.groupName), 0),
            OSSL_PARAM_construct_octet_string(name(publicParameter), point.baseAddress, point.count),
            OSSL_PARAM_construct_BN(
              name(privateParameter), number.baseAddress?.assumingMemoryBound(to: UInt8.self), number.count),
            OSSL_PARAM_construct_end(),
          ])
      }
    }
    guard let key = unsafe key else { throw OpenSSLQueue.failure(.invalidKey) }
    return unsafe key
  }

  @unsafe private static func make(selection: CInt, parameters: [OSSL_PARAM]) -> OpaquePointer? {
    // SAFETY: what the parameters point to is the caller's, who lends it for the call.
    var parameters = unsafe parameters
    var key: OpaquePointer?
    // SAFETY: the context is ours until the `defer`; the list ends with OSSL_PARAM_construct_end.
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, selection, &parameters) == 1
    else { return nil }
    return unsafe key
  }

  /// Numbers in OpenSSL's parameters are in the machine's order, and Swift on Linux is little-endian.
  private static func littleEndian(_ number: borrowing Secret) throws(CryptoError) -> Secret {
    do {
      // SAFETY: both buffers have the same length.
      return try unsafe Secret(count: number.count) { output in
        unsafe number.withUnsafeBytes { input in
          for index in 0..<input.count { unsafe output[input.count - 1 - index] = input[index] }
        }
      }
    } catch { throw CryptoError(error) }
  }

  // OpenSSL keeps the pointer of a parameter's name, so each must be a constant of the program.
  private static let groupParameter: StaticString = "group"
  private static let publicParameter: StaticString = "pub"
  private static let privateParameter: StaticString = "priv"

  @unsafe private static func name(_ text: StaticString) -> UnsafePointer<CChar> {
    // SAFETY: a string literal of more than one character ends with NUL and lives as long as the program.
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  @unsafe private static func mutable(_ text: StaticString) -> UnsafeMutablePointer<CChar> {
    // SAFETY: OpenSSL only reads it; its type for parameters serves both directions.
    unsafe UnsafeMutablePointer(mutating: name(text))
  }
}
