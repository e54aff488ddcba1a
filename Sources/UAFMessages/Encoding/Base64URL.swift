/// Base64url of RFC 4648 section 5 as UAF writes it: no padding, one text for each byte string.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of bytes, without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    encode(Array(bytes))
  }

  /// The text of bytes, without padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    let alphabet = alphabet
    var index = 0
    while index + 2 < bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      for shift: UInt32 in [18, 12, 6, 0] { text.append(alphabet[Int(group >> shift & 0x3F)]) }
      index += 3
    }
    if index < bytes.count {
      let second = index + 1 < bytes.count ? bytes[index + 1] : nil
      let group = UInt32(bytes[index]) << 16 | UInt32(second ?? 0) << 8
      text += [alphabet[Int(group >> 18)], alphabet[Int(group >> 12 & 0x3F)]]
      if second != nil { text.append(alphabet[Int(group >> 6 & 0x3F)]) }
    }
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
    let (characters, values) = (text.utf8Span.span, values)
    for offset in characters.indices {
      let value = values[Int(characters[offset])]
      guard value < 64 else { throw .invalidCharacter(offset: offset) }
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

  /// The value of each byte; 255 for those that are outside the alphabet.
  private static let values = (UInt8.min...UInt8.max).map { value(of: $0) ?? .max }

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
