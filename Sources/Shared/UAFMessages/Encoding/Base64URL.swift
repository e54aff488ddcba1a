/// Base64url of RFC 4648 section 5 as UAF writes it: no padding, one text for each byte string.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of bytes, without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    encode(Array(bytes))
  }

  /// The text of bytes, without padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    let groups = bytes.count / 3
    let text = [UInt8](capacity: (bytes.count * 4 + 2) / 3) { text in
      // SAFETY: `groups` groups of 3 bytes are read and of 4 characters are written, which both buffers have; the alphabet has
      // 64 characters, and each index has 6 bits. Checks of the bounds would take three times as long as the rest.
      unsafe text.withUnsafeMutableBufferPointer { text, written in
        unsafe bytes.withUnsafeBufferPointer { bytes in
          unsafe alphabet.withUnsafeBufferPointer { alphabet in
            for group in 0..<groups {
              let (from, to) = (group &* 3, group &* 4)
              let bits = unsafe Int(bytes[from]) << 16 | Int(bytes[from &+ 1]) << 8 | Int(bytes[from &+ 2])
              unsafe text[to] = alphabet[bits >> 18]
              unsafe text[to &+ 1] = alphabet[bits >> 12 & 0x3F]
              unsafe text[to &+ 2] = alphabet[bits >> 6 & 0x3F]
              unsafe text[to &+ 3] = alphabet[bits & 0x3F]
            }
          }
        }
        written = groups * 4
      }
      let index = groups * 3
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
      let groups = count / 4
      // SAFETY: `groups` groups of 4 characters are read and of 3 bytes are written, which both buffers have; there is a value
      // for each byte.
      unsafe bytes.withUnsafeMutableBufferPointer { bytes, written in
        unsafe characters.withUnsafeBufferPointer { characters in
          unsafe values.withUnsafeBufferPointer { values in
            for group in 0..<groups {
              let (from, to) = (group &* 4, group &* 3)
              let first = unsafe values[Int(characters[from])]
              let second = unsafe values[Int(characters[from &+ 1])]
              let third = unsafe values[Int(characters[from &+ 2])]
              let fourth = unsafe values[Int(characters[from &+ 3])]
              all |= first | second | third | fourth
              let bits = first << 18 | second << 12 | third << 6 | fourth
              unsafe bytes[to] = UInt8(truncatingIfNeeded: bits >> 16)
              unsafe bytes[to &+ 1] = UInt8(truncatingIfNeeded: bits >> 8)
              unsafe bytes[to &+ 2] = UInt8(truncatingIfNeeded: bits)
            }
          }
        }
        written = groups * 3
      }
      let offset = groups * 4
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

  /// The position of the first character outside the alphabet.
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

/// Why a base64url text was refused.
public enum Base64URLError: Error, Equatable, Sendable, CustomStringConvertible {
  case tooLong
  case invalidLength
  case invalidCharacter(offset: Int)
  case unusedBitsSet

  /// Says what was wrong without quoting the text.
  public var description: String {
    switch self {
    case .tooLong: "the base64url text is longer than its member allows"
    case .invalidLength: "the base64url text has an impossible length; it may have been cut off"
    case .invalidCharacter(let offset): "the base64url text has a character outside the alphabet at \(offset)"
    case .unusedBitsSet: "the base64url text is not in its one canonical form"
    }
  }
}

/// Base64 of RFC 4648 section 4 with padding, the form of certificates in metadata statements.
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
