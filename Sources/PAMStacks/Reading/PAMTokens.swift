/// The words of a line as libpam takes it apart: blanks between them, or `[` and `]` around them.
struct PAMTokens {
  private var rest: ArraySlice<UInt8>

  init(_ text: [UInt8]) { rest = text[...] }

  /// Whether libpam takes a byte for a blank, which a carriage return, for example, is not.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
  }

  /// The next word, without its brackets; nil where there is none.
  mutating func next() -> String? {
    rest = rest.drop(while: Self.isBlank)
    guard let first = rest.first else { return nil }
    if first == UInt8(ascii: "[") { return bracketed() }
    let word = rest.prefix { !Self.isBlank($0) }
    rest = rest[word.endIndex...]
    return String(decoding: word, as: UTF8.self)
  }

  /// All that are left.
  mutating func remaining() -> [String] {
    var words: [String] = []
    while let word = next() { words.append(word) }
    return words
  }

  /// Up to the `]` that no `\` stands before, or to the end of the line.
  private mutating func bracketed() -> String {
    var word: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]") { break }
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "]") {
        rest = rest.dropFirst()
        word.append(UInt8(ascii: "]"))
      } else {
        word.append(byte)
      }
    }
    return String(decoding: word, as: UTF8.self)
  }
}
