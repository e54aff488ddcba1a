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
