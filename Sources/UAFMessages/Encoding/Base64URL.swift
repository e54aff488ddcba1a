/// Base64url of RFC 4648 section 5 as UAF writes it: no padding, one text for each byte string.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of bytes, without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> bits & 0x3F)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a canonical text.
  ///
  /// - Parameter maximumCount: most bytes the result may have; checked before anything is allocated.
  /// - Throws: ``Base64URLError``.
  public static func decode(_ text: String, maximumCount: Int) throws(Base64URLError) -> [UInt8] {
    let count = text.utf8.count
    guard count % 4 != 1 else { throw .invalidLength }
    // `count` is a length in memory, so the product cannot overflow.
    guard count * 3 / 4 <= maximumCount else { throw .tooLong }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 3 / 4)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for (offset, character) in text.utf8.enumerated() {
      guard let value = value(of: character) else { throw .invalidCharacter(offset: offset) }
      buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    guard buffer & ((1 << bits) - 1) == 0 else { throw .unusedBitsSet }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
