/// Base64 of RFC 4648 section 4 with padding, as metadata statements have certificates.
public enum Base64 {
  /// The text of bytes, padded.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = String(decoding: Base64URL.encode(bytes).utf8.map(standard), as: UTF8.self)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  /// The bytes of a canonical text: one text for each byte string, no line breaks.
  ///
  /// - Parameter maximumCount: most bytes the result may have; checked before anything is allocated.
  /// - Throws: ``Base64URLError``.
  public static func decode(_ text: String, maximumCount: Int) throws(Base64URLError) -> [UInt8] {
    guard text.utf8.count % 4 == 0 else { throw .invalidLength }
    guard text.utf8.count / 4 * 3 - 2 <= maximumCount else { throw .tooLong }
    let digits = text.utf8.prefix(text.utf8.count - text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") })
    for (offset, digit) in digits.enumerated() where digit == UInt8(ascii: "-") || digit == UInt8(ascii: "_") {
      throw .invalidCharacter(offset: offset)
    }
    return try Base64URL.decode(String(decoding: digits.map(url), as: UTF8.self), maximumCount: maximumCount)
  }

  private static func standard(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: digit
    }
  }

  private static func url(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: digit
    }
  }
}
