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

  /// Refuses what is allowed nowhere in TOML: other encodings, control characters, a carriage return without a line feed.
  private mutating func checkCharacters() throws(TOMLError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw error(.byteOrderMark)
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw error(.utf16)
    }
    for index in bytes.indices {
      switch bytes[index] {
      case 0x0a: line += 1
      case 0x0d where index + 1 < bytes.count && bytes[index + 1] == 0x0a: break
      case 0x09, 0x20...0x7e, 0x80...0xff: break
      default: throw error(.controlCharacter)
      }
    }
    line = 1
    // Each line is checked by itself, so that the error can name it. The bytes can be split there: no character of several
    // bytes contains the byte of a line feed.
    for text in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      guard String(validating: text, as: UTF8.self) != nil else { throw error(.notUTF8) }
      line += 1
    }
    line = 1
  }

  /// The next byte; nil at the end.
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Whether the text continues with this.
  func isAt(_ text: StaticString) -> Bool {
    let expected = "\(text)".utf8
    return bytes[position...].starts(with: expected)
  }

  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  func error(_ problem: TOMLProblem) -> TOMLError {
    TOMLError(line: line, problem: problem)
  }

  mutating func skipSpace() {
    while peek == 0x20 || peek == 0x09 { position += 1 }
  }

  mutating func skipComment() {
    guard peek == UInt8(ascii: "#") else { return }
    while position < bytes.count, bytes[position] != 0x0a { position += 1 }
  }

  /// Consumes a line feed, with or without a carriage return.
  mutating func newline() -> Bool {
    if peek == 0x0d { position += 1 }
    guard peek == 0x0a else { return false }
    position += 1
    line += 1
    return true
  }

  /// Refuses everything except a comment after a value or a header.
  mutating func endOfLine() throws(TOMLError) {
    skipSpace()
    skipComment()
    guard position == bytes.count || newline() else { throw error(.trailingText) }
  }

  mutating func skipSpaceCommentsAndLines() {
    repeat {
      skipSpace()
      skipComment()
    } while newline()
  }

  /// Consumes this character, if it is the next one.
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

// The four kinds of TOML strings. The document has already been checked: its only control characters are tabs and line ends.

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
      case nil, 0x0a, 0x0d: throw error(.openString)
      case .some(let byte):
        value.append(byte)
        position += 1
      }
    }
  }

  /// `'...'` taken literally.
  mutating func literalString() throws(TOMLError) -> String {
    position += 1
    let start = position
    while let byte = peek, byte != 0x0a, byte != 0x0d {
      position += 1
      if byte == UInt8(ascii: "'") { return text(start..<(position - 1)) }
    }
    throw error(.openString)
  }

  /// `"""..."""` or `'''...'''`; the quote shows which.
  mutating func multilineString(quote: UInt8) throws(TOMLError) -> String {
    position += 3
    _ = newline()
    var value: [UInt8] = []
    while let byte = peek {
      if byte == quote, let closing = closingQuotes(quote) {
        position += closing
        // Up to two quotes may come right before the closing three.
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
    throw error(.openString)
  }

  /// How many quotes close the string here, 3 to 5; nil if there are fewer than three.
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
    default: throw error(.unknownEscape)
    }
  }

  private mutating func unicodeEscape(digits: Int, into value: inout [UInt8]) throws(TOMLError) {
    let end = position + digits
    guard end <= bytes.count,
      bytes[position..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let number = UInt32(text(position..<end), radix: 16), let scalar = Unicode.Scalar(number), number != 0
    else { throw error(.unicodeEscape) }
    value += Array(String(Character(scalar)).utf8)
    position = end
  }
}

// TOML's booleans and numbers, and the words that are neither.

/// A value that is written without quotes or brackets.
enum TOMLWord {
  /// The value of a word.
  ///
  /// - Throws: ``TOMLError`` with this line, including for dates and times, which no key of the configuration accepts.
  static func value(of word: String, in line: Int) throws(TOMLError) -> TOMLNode.Value {
    switch word {
    case "": throw TOMLError(line: line, problem: .noValue)
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "inf", "+inf": return .float(.infinity)
    case "-inf": return .float(-.infinity)
    case "nan", "+nan", "-nan": return .float(.nan)
    default: break
    }
    if let number = try integer(word, in: line) { return .integer(number) }
    if let number = float(word) { return .float(number) }
    throw TOMLError(line: line, problem: looksLikeDate(word) ? .date : .notAValue(word))
  }

  private static func looksLikeDate(_ word: String) -> Bool {
    let separators = word.utf8.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let digits = word.utf8.count - separators.count
    return digits == 4 && separators.first == UInt8(ascii: "-") || digits == 2 && separators.first == UInt8(ascii: ":")
  }

  /// A whole number; nil if the word is not one, an error if it is too large.
  private static func integer(_ word: String, in line: Int) throws(TOMLError) -> Int64? {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      guard let digits = digits(word.dropFirst(2), radix: radix) else { return nil }
      guard let number = Int64(digits, radix: radix) else { throw TOMLError(line: line, problem: .tooLarge(word)) }
      return number
    }
    guard let digits = decimal(word) else { return nil }
    guard let number = Int64(digits) else { throw TOMLError(line: line, problem: .tooLarge(word)) }
    return number
  }

  private static func float(_ word: String) -> Double? {
    let parts = word.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
    guard let mantissa = parts.first else { return nil }
    let halves = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = halves.first.flatMap({ decimal($0) }), parts.count == 2 || halves.count == 2 else { return nil }
    var number = whole
    if halves.count == 2 {
      guard let fraction = digits(halves[1], radix: 10) else { return nil }
      number += "." + fraction
    }
    if parts.count == 2 {
      let sign = parts[1].first.flatMap { "+-".contains($0) ? String($0) : nil } ?? ""
      guard let exponent = digits(parts[1].dropFirst(sign.count), radix: 10) else { return nil }
      number += "e" + sign + exponent
    }
    return Double(number)
  }

  /// A signed decimal number without leading zeros, its underscores removed.
  private static func decimal(_ word: some StringProtocol) -> String? {
    let sign = word.first.flatMap { "+-".contains($0) ? String($0) : nil } ?? ""
    guard let digits = digits(word.dropFirst(sign.count), radix: 10), digits.count == 1 || digits.first != "0" else {
      return nil
    }
    return sign + digits
  }

  /// One or more digits, underscores only between two of them, which are removed.
  private static func digits(_ word: some StringProtocol, radix: Int) -> String? {
    let groups = word.split(separator: "_", omittingEmptySubsequences: false)
    let isNumber = groups.allSatisfy { group in
      !group.isEmpty && group.utf8.allSatisfy { digit($0).map { $0 < radix } ?? false }
    }
    return isNumber ? groups.joined() : nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).isASCII ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
  }
}
