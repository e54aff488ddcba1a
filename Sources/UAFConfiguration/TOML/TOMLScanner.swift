/// The text of a TOML document and how far it was read: characters, white space, lines and, in its extension, strings.
struct TOMLScanner {
  let bytes: [UInt8]
  var position = 0
  /// The line that is being read, from 1.
  private(set) var line = 1

  /// A document, found to have no character that TOML does not allow.
  ///
  /// - Throws: ``TOMLError``.
  init(_ bytes: [UInt8]) throws(TOMLError) {
    self.bytes = bytes
    try checkCharacters()
  }

  /// Refuses what may stand nowhere in TOML: other encodings, control characters, a carriage return without a line feed.
  private mutating func checkCharacters() throws(TOMLError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw error("the file begins with a byte order mark (BOM): save it as UTF-8 without one")
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw error("the file is UTF-16: save it as UTF-8")
    }
    for index in bytes.indices {
      switch bytes[index] {
      case 0x0a: line += 1
      case 0x0d where index + 1 < bytes.count && bytes[index + 1] == 0x0a: break
      case 0x09, 0x20...0x7e, 0x80...0xff: break
      default: throw error("a control character")
      }
    }
    line = 1
    // Line by line, to name the one: no character of several bytes has a line feed in it.
    for text in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      guard String(validating: text, as: UTF8.self) != nil else { throw error("not UTF-8") }
      line += 1
    }
    line = 1
  }

  /// The next byte; nil at the end.
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Whether the text goes on like this.
  func isAt(_ text: StaticString) -> Bool {
    let expected = "\(text)".utf8
    return bytes[position...].starts(with: expected)
  }

  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  func error(_ problem: String) -> TOMLError {
    TOMLError(line: line, problem: problem)
  }

  mutating func skipSpace() {
    while peek == 0x20 || peek == 0x09 { position += 1 }
  }

  mutating func skipComment() {
    guard peek == UInt8(ascii: "#") else { return }
    while position < bytes.count, bytes[position] != 0x0a { position += 1 }
  }

  /// Takes a line feed, with or without a carriage return.
  mutating func newline() -> Bool {
    if peek == 0x0d { position += 1 }
    guard peek == 0x0a else { return false }
    position += 1
    line += 1
    return true
  }

  /// Refuses whatever stands behind a value or a header, but a comment.
  mutating func endOfLine() throws(TOMLError) {
    skipSpace()
    skipComment()
    guard position == bytes.count || newline() else { throw error("unexpected text after a value or a table's name") }
  }

  mutating func skipSpaceCommentsAndLines() {
    repeat {
      skipSpace()
      skipComment()
    } while newline()
  }

  /// Takes this character, if it is the next one.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// The longest run of characters that a number, a boolean or a date may have.
  mutating func word() -> String {
    let start = position
    while let byte = peek, Self.isWord(byte) { position += 1 }
    return text(start..<position)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "+-_.:".utf8.contains(byte)
    }
  }
}
