/// Crockford's base32: digits and letters without `I`, `L`, `O` and `U`, for codes that people type.
enum CrockfordBase32 {
  /// The character of each value, 0 to 31.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  static let separators: [Unicode.Scalar] = [" ", "-"]

  /// The values of a typed text: small letters, and spaces and hyphens anywhere, are allowed, `O` for 0, `I` and `L` for 1.
  ///
  /// - Parameter count: the required number of characters.
  /// - Returns: nil for a different number, and for an invalid character.
  static func values(typed text: String, count: Int) -> [UInt8]? {
    var values: [UInt8] = []
    for character in text.unicodeScalars where !separators.contains(character) {
      guard let value = value(of: character), values.count < count else { return nil }
      values.append(value)
    }
    return values.count == count ? values : nil
  }

  /// How many typed characters have a value, and how many have none; separators are not counted.
  static func counts(typed text: some Sequence<Unicode.Scalar>) -> (characters: Int, others: Int) {
    let typed = text.filter { !separators.contains($0) }
    let characters = typed.count { value(of: $0) != nil }
    return (characters, typed.count - characters)
  }

  private static func value(of character: Unicode.Scalar) -> UInt8? {
    guard character.isASCII else { return nil }
    let byte = UInt8(truncatingIfNeeded: character.value)
    let capital = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
    let meant: UInt8 =
      switch capital {
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      default: capital
      }
    return alphabet.firstIndex(of: meant).map(UInt8.init)
  }

  /// Five bits each, the first bits first; an incomplete group at the end is dropped.
  static func values(of bytes: [UInt8]) -> [UInt8] { regrouped(bytes, from: 8, to: 5) }

  /// Eight bits each, the first bits first; an incomplete group at the end is dropped.
  static func bytes(of values: [UInt8]) -> [UInt8] { regrouped(values, from: 5, to: 8) }

  private static func regrouped(_ numbers: [UInt8], from width: Int, to newWidth: Int) -> [UInt8] {
    var made: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for number in numbers {
      bits = bits << UInt32(width) | UInt32(number)
      count += width
      while count >= newWidth {
        count -= newWidth
        made.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    return made
  }

  /// The characters of values.
  static func characters(_ values: some Sequence<UInt8>) -> [UInt8] { values.map { alphabet[Int($0)] } }

  /// Characters in groups, with hyphens between them.
  static func grouped(_ characters: [UInt8], by size: Int) -> String {
    stride(from: 0, to: characters.count, by: size).map { start in
      String(decoding: characters[start..<min(start + size, characters.count)], as: UTF8.self)
    }.joined(separator: "-")
  }
}
