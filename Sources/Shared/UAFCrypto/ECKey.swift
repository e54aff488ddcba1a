import COpenSSL
import SecretMemory
import Synchronization

/// OpenSSL's form of a key on a curve.
enum ECKey {
  /// Lends OpenSSL's key object for a public key, for the call only.
  ///
  /// - Throws: ``CryptoError/invalidKey`` unless these are 65 bytes `04 | X | Y` of a point on the curve.
  @unsafe static func with<Result>(
    publicKey: [UInt8], curve: EllipticCurve = .secp256r1, _ body: (OpaquePointer) -> Result
  ) throws(CryptoError) -> Result {
    guard publicKey.count == EllipticCurve.pointByteCount, publicKey.first == 4 else { throw .invalidKey }
    guard let keys = keys(of: curve) else { throw OpenSSLQueue.failure(.invalidKey) }
    // SAFETY: the lent object is only passed on.
    return try unsafe keys.with(publicKey, body)
  }

  /// Makes OpenSSL's objects for P-256, once.
  static func prepare() { _ = secp256r1 }

  private static let secp256r1 = makeKeys(.secp256r1)
  private static let secp256k1 = makeKeys(.secp256k1)

  /// OpenSSL's objects for a curve; nil if OpenSSL does not have the curve.
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
  ///   - publicKey: the public key that belongs to it, 65 bytes.
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
    // SAFETY: the parameters point to data that the caller lends for the call.
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

  /// Numbers in OpenSSL's parameters are in the machine's byte order, and Swift on Linux is little-endian.
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
    // SAFETY: OpenSSL only reads it; its parameter type is used both for reading and writing.
    unsafe UnsafeMutablePointer(mutating: name(text))
  }
}

/// The curves of the UAF registry that are verified here; both have numbers of 32 bytes.
enum EllipticCurve: Sendable {
  /// NIST P-256.
  case secp256r1
  /// The Koblitz curve of SEC 2.
  case secp256k1

  /// Length of a point `04 | X | Y`, in bytes.
  static let pointByteCount = 65

  /// OpenSSL's name.
  var groupName: StaticString {
    switch self {
    case .secp256r1: "prime256v1"
    case .secp256k1: "secp256k1"
    }
  }

  /// SEQUENCE { SEQUENCE { id-ecPublicKey, named curve }, BIT STRING of 65 bytes }, up to the point.
  var subjectPublicKeyInfoPrefix: [UInt8] {
    switch self {
    case .secp256r1:
      [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
      ]
    case .secp256k1:
      [
        0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A, 0x03, 0x42, 0x00,
      ]
    }
  }

  /// The 65 bytes after the prefix; nil for every other form of the structure, compressed points included.
  func point(subjectPublicKeyInfo info: [UInt8]) -> [UInt8]? {
    let prefix = subjectPublicKeyInfoPrefix
    guard info.count == prefix.count + Self.pointByteCount, info.starts(with: prefix) else { return nil }
    return Array(info[prefix.count...])
  }
}

/// OpenSSL's key objects for a curve, each used by one thread at a time with one public key after another.
///
/// To make an object or a copy of one, OpenSSL looks through all names of all its methods. Setting a different point takes half
/// as long.
@safe final class CurveKeys: @unchecked Sendable {
  // Only copied after it is made; OpenSSL allows that to several threads at the same time.
  private let first: OpaquePointer
  private let idle = Mutex<[Idle]>([])

  /// An object that only its present user may use.
  @safe private struct Idle: @unchecked Sendable {
    let key: OpaquePointer
  }

  /// Takes over an object without a point, and keeps it until the program ends.
  init(_ first: OpaquePointer) {
    // SAFETY: the object is ours, and is never freed.
    unsafe self.first = first
  }

  /// Lends an object that has a public key; it is valid only during the call.
  ///
  /// - Throws: ``CryptoError/invalidKey`` if OpenSSL refuses the point, which it does with one that is not on the curve.
  @unsafe func with<Result>(
    _ publicKey: [UInt8], _ body: (OpaquePointer) -> Result
  ) throws(CryptoError) -> Result {
    // SAFETY: the object is ours until it is freed or handed back.
    guard let key = unsafe take() else { throw OpenSSLQueue.failure(.invalidKey) }
    // Only 1 is success. An object that refused a point may still have the previous one, so it is not used again.
    guard unsafe EVP_PKEY_set1_encoded_public_key(key, publicKey, publicKey.count) == 1 else {
      unsafe EVP_PKEY_free(key)
      throw OpenSSLQueue.failure(.invalidKey)
    }
    let lent = unsafe Idle(key: key)
    defer { idle.withLock { $0.append(lent) } }
    return unsafe body(key)
  }

  private func take() -> OpaquePointer? {
    // SAFETY: the first object lives as long as this one.
    unsafe idle.withLock { $0.popLast() }?.key ?? EVP_PKEY_dup(first)
  }
}
