// Purpose: the four kinds of TOML strings. The document was already found free of control characters but tab and line ends.

extension TOMLScanner {
  /// `"..."` with escapes.
  mutating func basicString() throws(TOMLError) -> String {
    position += 1
    var value: [UInt8] = []
    while true {
      switch peek {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: value, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &value)
      case nil, 0x0a, 0x0d: throw error("a string is not closed")
      case .some(let byte):
        value.append(byte)
        position += 1
      }
    }
  }

  /// `'...'` as it stands.
  mutating func literalString() throws(TOMLError) -> String {
    position += 1
    let start = position
    while let byte = peek, byte != 0x0a, byte != 0x0d {
      position += 1
      if byte == UInt8(ascii: "'") { return text(start..<(position - 1)) }
    }
    throw error("a string is not closed")
  }

  /// `"""..."""` or `'''...'''`; the quote tells which.
  mutating func multilineString(quote: UInt8) throws(TOMLError) -> String {
    position += 3
    _ = newline()
    var value: [UInt8] = []
    while let byte = peek {
      if byte == quote, let closing = closingQuotes(quote) {
        position += closing
        // Up to two quotes may stand right before the closing three.
        value += [UInt8](repeating: quote, count: closing - 3)
        return String(decoding: value, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        if !skipFoldedLines() { try escape(into: &value) }
        continue
      }
      if byte == 0x0d || byte == 0x0a {
        _ = newline()
        value.append(0x0a)
        continue
      }
      value.append(byte)
      position += 1
    }
    throw error("a string is not closed")
  }

  /// How many quotes close the string here, 3 to 5; nil if fewer than three stand here.
  private func closingQuotes(_ quote: UInt8) -> Int? {
    let count = bytes[position...].prefix(5).prefix { $0 == quote }.count
    return count >= 3 ? count : nil
  }

  /// A backslash at the end of a line swallows all white space up to the next character.
  private mutating func skipFoldedLines() -> Bool {
    var ahead = self
    ahead.position += 1
    ahead.skipSpace()
    guard ahead.newline() else { return false }
    repeat { ahead.skipSpace() } while ahead.newline()
    self = ahead
    return true
  }

  private mutating func escape(into value: inout [UInt8]) throws(TOMLError) {
    position += 1
    let letter = peek
    position += 1
    switch letter {
    case UInt8(ascii: "b"): value.append(0x08)
    case UInt8(ascii: "t"): value.append(0x09)
    case UInt8(ascii: "n"): value.append(0x0a)
    case UInt8(ascii: "f"): value.append(0x0c)
    case UInt8(ascii: "r"): value.append(0x0d)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): value.append(bytes[position - 1])
    case UInt8(ascii: "u"): try unicodeEscape(digits: 4, into: &value)
    case UInt8(ascii: "U"): try unicodeEscape(digits: 8, into: &value)
    default: throw error("an unknown escape in a string: write expressions in single quotes")
    }
  }

  private mutating func unicodeEscape(digits: Int, into value: inout [UInt8]) throws(TOMLError) {
    let end = position + digits
    guard end <= bytes.count,
      bytes[position..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let number = UInt32(text(position..<end), radix: 16), let scalar = Unicode.Scalar(number), number != 0
    else { throw error("\\u needs four, \\U eight hexadecimal digits of a character other than NUL") }
    value += Array(String(Character(scalar)).utf8)
    position = end
  }
}
