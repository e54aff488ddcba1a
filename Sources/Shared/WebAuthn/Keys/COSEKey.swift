import CBOR
import UAFCrypto

/// A credential's public key in COSE's form, with the only algorithm that it is used for (WebAuthn Level 3, section 6.5.1.1).
///
/// One key has one form: the members of its type in canonical order, and no others.
public struct COSEKey: Equatable, Sendable {
  /// Its algorithm.
  public let algorithm: COSEAlgorithm

  /// The key in the form that its algorithm uses: 65 bytes `04 | X | Y`, 32 bytes of Ed25519, or a SubjectPublicKeyInfo of RSA.
  public let publicKey: [UInt8]

  /// The key in COSE's form.
  public let encoded: [UInt8]

  /// Longest form in bytes, which an RSA key of 4096 bits has.
  public static let maximumByteCount = 544

  /// Makes the COSE key of an ES256 key.
  ///
  /// - Parameter publicKey: 65 bytes, `04 | X | Y`.
  /// - Throws: ``WebAuthnError/invalidKey(_:)`` for anything but a point of P-256.
  public init(es256 publicKey: [UInt8]) throws(WebAuthnError) {
    guard P256.isOnCurve(publicKey) else { throw .invalidKey("key") }
    self.init(
      .es256, publicKey,
      [.keyType: 2, .curve: 1, .x: .bytes(Array(publicKey[1..<33])), .y: .bytes(Array(publicKey[33...]))])
  }

  /// Makes the COSE key of an Ed25519 key.
  ///
  /// - Throws: ``WebAuthnError/invalidKey(_:)`` for any other number of bytes than 32.
  public init(ed25519 publicKey: [UInt8]) throws(WebAuthnError) {
    guard publicKey.count == Ed25519.publicKeyByteCount else { throw .invalidKey("key") }
    self.init(.edDSA, publicKey, [.keyType: 1, .curve: 6, .x: .bytes(publicKey)])
  }

  private init(_ algorithm: COSEAlgorithm, _ publicKey: [UInt8], _ members: CBORMap) {
    var members = members
    members.set(.algorithm, .integer(algorithm.rawValue))
    self.algorithm = algorithm
    self.publicKey = publicKey
    encoded = members.encoded
  }

  /// Reads a key from outside, and checks it.
  ///
  /// - Throws: ``WebAuthnError/cbor(_:_:)``; ``WebAuthnError/invalidKey(_:)`` for other members than those of its type, an
  ///   algorithm that is not in ``COSEAlgorithm``, a point that is not on its curve, and an RSA key that UAFCrypto refuses.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(CBORValue(webAuthn: bytes, limits: Self.limits, path: "key"), path: "key")
  }

  /// Reads a key in the form of ``encoded`` that was checked before it was stored; an invalid one verifies no signature.
  ///
  /// - Throws: as ``init(parsing:)`` for what is not in the form of a key.
  public init(stored bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(unchecked: CBORValue(webAuthn: bytes, limits: Self.limits, path: "key"), path: "key")
  }

  private static let limits = CBORLimits(maximumBytes: maximumByteCount, maximumDepth: 1)

  init(_ value: CBORValue, path: String) throws(WebAuthnError) {
    try self.init(unchecked: value, path: path)
    let isValid =
      switch algorithm {
      case .es256: P256.isOnCurve(publicKey)
      case .edDSA: true  // Its 32 bytes are examined with each signature.
      case .rs256: (try? VerificationKey(encoded: publicKey, scheme: .rsaPKCS1Raw)) != nil
      }
    guard isValid else { throw .invalidKey(path) }
  }

  private init(unchecked value: CBORValue, path: String) throws(WebAuthnError) {
    guard let members = value.map, let number = members[.algorithm]?.integer,
      let algorithm = COSEAlgorithm(rawValue: number), let publicKey = Self.publicKey(algorithm, members)
    else { throw .invalidKey(path) }
    self.algorithm = algorithm
    self.publicKey = publicKey
    encoded = members.encoded
  }

  private static func publicKey(_ algorithm: COSEAlgorithm, _ members: CBORMap) -> [UInt8]? {
    switch algorithm {
    case .es256:
      guard members.entries.count == 5, members[.keyType] == 2, members[.curve] == 1,
        let x = members[.x]?.bytes, let y = members[.y]?.bytes, x.count == 32, y.count == 32
      else { return nil }
      return [4] + x + y
    case .edDSA:
      guard members.entries.count == 4, members[.keyType] == 1, members[.curve] == 6, let x = members[.x]?.bytes,
        x.count == Ed25519.publicKeyByteCount
      else { return nil }
      return x
    case .rs256:
      guard members.entries.count == 4, members[.keyType] == 3, let modulus = members[.modulus]?.bytes,
        let exponent = members[.exponent]?.bytes, let first = modulus.first, first != 0,
        let second = exponent.first, second != 0
      else { return nil }
      return RSAPublicKeyInfo.der(modulus: modulus, exponent: exponent)
    }
  }

  /// The key as DER, the form of `publicKey` in a registration's response.
  public var subjectPublicKeyInfo: [UInt8] {
    switch algorithm {
    case .es256: Self.es256InfoPrefix + publicKey
    case .edDSA: Self.ed25519InfoPrefix + publicKey
    case .rs256: publicKey
    }
  }

  /// SEQUENCE { SEQUENCE { id-ecPublicKey, secp256r1 }, BIT STRING of 65 bytes }, up to the point.
  private static let es256InfoPrefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D,
    0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// SEQUENCE { SEQUENCE { id-Ed25519 }, BIT STRING of 32 bytes }, up to the key.
  private static let ed25519InfoPrefix: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]

  /// Whether `signature`, in the form that WebAuthn Level 3, section 6.5.5, defines for the algorithm, is a signature of
  /// `message`.
  ///
  /// - Returns: false for everything else, without a reason.
  public func isValidSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch algorithm {
    case .es256: P256.isValidSignature(der: signature, of: message, publicKey: publicKey)
    case .edDSA: Ed25519.isValidSignature(signature, of: message, publicKey: publicKey)
    case .rs256:
      VerificationKey(stored: publicKey, scheme: .rsaPKCS1Raw).isValidSignature(signature, of: message)
    }
  }
}

extension CBORValue {
  // The labels of RFC 9052, section 7.1, and of RFC 9053, section 7, which depend on the key's type.
  fileprivate static let keyType: CBORValue = 1
  fileprivate static let algorithm: CBORValue = 3
  fileprivate static let curve: CBORValue = -1
  fileprivate static let x: CBORValue = -2
  fileprivate static let y: CBORValue = -3
  fileprivate static let modulus: CBORValue = -1
  fileprivate static let exponent: CBORValue = -2

  /// Reads one value and nothing after it.
  init(webAuthn bytes: [UInt8], limits: CBORLimits = CBORLimits(), path: String) throws(WebAuthnError) {
    do {
      try self.init(parsing: bytes, limits: limits)
    } catch {
      throw WebAuthnError.cbor(path, error)
    }
  }
}

/// The DER of an RSA public key; COSE contains only its two numbers.
enum RSAPublicKeyInfo {
  /// SEQUENCE { SEQUENCE { rsaEncryption, NULL }, BIT STRING of SEQUENCE { modulus, exponent } }.
  ///
  /// - Parameters: numbers without leading zeros.
  static func der(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    let key = element(0x30, integer(modulus) + integer(exponent))
    return element(0x30, rsaEncryption + element(0x03, [0] + key))
  }

  private static let rsaEncryption: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]

  private static func integer(_ number: [UInt8]) -> [UInt8] {
    element(0x02, number.first.map { $0 >= 0x80 } == true ? [0] + number : number)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let high = UInt8(truncatingIfNeeded: content.count >> 8)
    let low = UInt8(truncatingIfNeeded: content.count)
    switch content.count {
    case ..<0x80: return [tag, low] + content
    case ..<0x100: return [tag, 0x81, low] + content
    default: return [tag, 0x82, high, low] + content
    }
  }
}

/// The signature algorithms that are verified here, under their numbers in COSE (RFC 9053, RFC 8812).
public enum COSEAlgorithm: Int64, CaseIterable, Sendable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = -7
  /// Ed25519.
  case edDSA = -8
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = -257
}
