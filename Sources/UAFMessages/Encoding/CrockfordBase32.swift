/// Crockford's base32: digits and letters without `I`, `L`, `O` and `U`, for codes that people type.
enum CrockfordBase32 {
  /// The character of each value, 0 to 31.
  static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  private static let separators = Array(" -".utf8)

  /// The values of what a person has typed: small letters, spaces and hyphens as they like, `O` for 0, `I` and `L` for 1.
  ///
  /// - Parameter count: how many characters there have to be.
  /// - Returns: nil for another number of them, and for a character that is none.
  static func values(typed text: String, count: Int) -> [UInt8]? {
    var values: [UInt8] = []
    for character in text.utf8 where !separators.contains(character) {
      guard let value = value(of: character), values.count < count else { return nil }
      values.append(value)
    }
    return values.count == count ? values : nil
  }

  /// How many characters a person has typed that have a value, and how many that have none; separators count for neither.
  static func counts(typed text: String) -> (characters: Int, others: Int) {
    let typed = text.utf8.filter { !separators.contains($0) }
    let characters = typed.count { value(of: $0) != nil }
    return (characters, typed.count - characters)
  }

  private static func value(of character: UInt8) -> UInt8? {
    let capital = (0x61...0x7A).contains(character) ? character - 0x20 : character
    let meant: UInt8 =
      switch capital {
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      default: capital
      }
    return alphabet.firstIndex(of: meant).map(UInt8.init)
  }

  /// Characters in groups, with hyphens between them.
  static func grouped(_ characters: [UInt8], by size: Int) -> String {
    stride(from: 0, to: characters.count, by: size).map { start in
      String(decoding: characters[start..<min(start + size, characters.count)], as: UTF8.self)
    }.joined(separator: "-")
  }
}
