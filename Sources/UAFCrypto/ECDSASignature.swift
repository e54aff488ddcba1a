/// The two numbers of an ECDSA signature on P-256, in either of the registry's encodings.
///
/// Strict: one DER form per signature, so that no two byte strings are the same signature. The verification checks
/// whether the numbers are in range.
public struct ECDSASignature: Equatable, Sendable {
  /// `r | s`, each 32 bytes, big-endian (ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW).
  public let raw: [UInt8]

  /// Length of the raw form, in bytes.
  static let rawByteCount = 64

  /// Takes the raw form.
  ///
  /// - Throws: ``CryptoError/invalidSignature`` unless it is 64 bytes long.
  public init(raw: [UInt8]) throws(CryptoError) {
    guard raw.count == Self.rawByteCount else { throw .invalidSignature }
    self.raw = raw
  }

  /// Takes the DER form, SEQUENCE { INTEGER r, INTEGER s } (ALG_SIGN_SECP256R1_ECDSA_SHA256_DER).
  ///
  /// - Throws: ``CryptoError/invalidSignature`` for negative numbers, numbers longer than 32 bytes, padding,
  ///   long-form lengths, and bytes left over.
  public init(der: [UInt8]) throws(CryptoError) {
    // 72 bytes is the longest: two numbers of 33 bytes with their headers, and the sequence's own.
    guard (8...72).contains(der.count), der[0] == 0x30, Int(der[1]) == der.count - 2 else {
      throw .invalidSignature
    }
    var rest = der[2...]
    let r = try Self.takeInteger(from: &rest)
    let s = try Self.takeInteger(from: &rest)
    guard rest.isEmpty else { throw .invalidSignature }
    raw = r + s
  }

  /// The DER form.
  public var der: [UInt8] {
    let half = raw.count / 2
    let body = Self.integer(raw[..<half]) + Self.integer(raw[half...])
    return [0x30, UInt8(truncatingIfNeeded: body.count)] + body
  }

  private static func takeInteger(from bytes: inout ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
    guard bytes.count >= 3, bytes.removeFirst() == 0x02 else { throw .invalidSignature }
    let length = Int(bytes.removeFirst())
    guard (1...33).contains(length), bytes.count >= length else { throw .invalidSignature }
    var number = bytes.prefix(length)
    bytes = bytes.dropFirst(length)
    guard let first = number.first, first < 0x80 else { throw .invalidSignature }
    if first == 0, length > 1 {
      number = number.dropFirst()
      // A leading zero is only allowed to keep a number positive.
      guard let next = number.first, next >= 0x80 else { throw .invalidSignature }
    }
    guard number.count <= 32 else { throw .invalidSignature }
    return [UInt8](repeating: 0, count: 32 - number.count) + number
  }

  private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(number.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
  }
}
