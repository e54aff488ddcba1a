/// Base64url of RFC 4648 section 5 as UAF writes it: no padding, one text for each byte string.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of bytes, without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    encode(Array(bytes))
  }

  /// The text of bytes, without padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = alphabet
    let text = [UInt8](capacity: (bytes.count * 4 + 2) / 3) { text in
      var index = 0
      while index + 2 < bytes.count {
        let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
        text.append(alphabet[group >> 18])
        text.append(alphabet[group >> 12 & 0x3F])
        text.append(alphabet[group >> 6 & 0x3F])
        text.append(alphabet[group & 0x3F])
        index += 3
      }
      guard index < bytes.count else { return }
      let second = index + 1 < bytes.count ? bytes[index + 1] : nil
      let group = Int(bytes[index]) << 16 | Int(second ?? 0) << 8
      text.append(alphabet[group >> 18])
      text.append(alphabet[group >> 12 & 0x3F])
      if second != nil { text.append(alphabet[group >> 6 & 0x3F]) }
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
    let (characters, values) = (text.utf8Span.span, values)
    var all: UInt32 = 0
    var last: UInt32 = 0
    let bytes = [UInt8](capacity: count * 3 / 4) { bytes in
      var offset = 0
      while offset + 3 < count {
        let (first, second) = (values[Int(characters[offset])], values[Int(characters[offset + 1])])
        let (third, fourth) = (values[Int(characters[offset + 2])], values[Int(characters[offset + 3])])
        all |= first | second | third | fourth
        let group = first << 18 | second << 12 | third << 6 | fourth
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        offset += 4
      }
      guard offset < count else { return }
      let (first, second) = (values[Int(characters[offset])], values[Int(characters[offset + 1])])
      let third = offset + 2 < count ? values[Int(characters[offset + 2])] : nil
      let group = first << 18 | second << 12 | (third ?? 0) << 6
      all |= first | second | (third ?? 0)
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      if third != nil { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
      last = third == nil ? second & 0x0F : (third ?? 0) & 0x03
    }
    guard all < 64 else { throw .invalidCharacter(offset: firstInvalid(in: text)) }
    guard last == 0 else { throw .unusedBitsSet }
    return bytes
  }

  /// Where the first character outside the alphabet stands.
  private static func firstInvalid(in text: String) -> Int {
    text.utf8.enumerated().first { value(of: $0.element) == nil }?.offset ?? 0
  }

  /// The value of each byte; 255 for those that are outside the alphabet.
  private static let values = (UInt8.min...UInt8.max).map { UInt32(value(of: $0) ?? .max) }

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
