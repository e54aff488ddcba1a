// Purpose: TOML 1.0.0 as far as a configuration needs it: strict, with the line of every key. Dates and arrays of tables, which
// no key here takes, are refused by name. Depth and number of entries are capped before anything is kept.

/// Reads a TOML document.
struct TOMLParser {
  static let maximumDepth = 8
  static let maximumEntries = 4096

  let bytes: [UInt8]
  var position = 0
  var line = 1
  var entries = 0

  /// The document's table.
  static func parse(_ bytes: [UInt8]) throws(TOMLError) -> TOMLTable {
    var parser = TOMLParser(bytes: bytes)
    try parser.checkCharacters()
    return try parser.document()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Refuses what may stand nowhere in TOML: other encodings, control characters, a carriage return without a line feed.
  private mutating func checkCharacters() throws(TOMLError) {
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

  private mutating func document() throws(TOMLError) -> TOMLTable {
    let root = TOMLTable(.header)
    var current = root
    while position < bytes.count {
      skipSpace()
      if peek == UInt8(ascii: "[") {
        current = try header(in: root)
      } else if let byte = peek, byte != UInt8(ascii: "#"), byte != 0x0a, byte != 0x0d {
        try keyAndValue(in: current, depth: 0)
      }
      try endOfLine()
    }
    return root
  }

  // MARK: Headers, keys

  private mutating func header(in root: TOMLTable) throws(TOMLError) -> TOMLTable {
    position += 1
    guard peek != UInt8(ascii: "[") else { throw error("arrays of tables ([[...]]) are not used in this file") }
    let path = try key()
    guard peek == UInt8(ascii: "]") else { throw error("a table's name must end with ]") }
    position += 1
    var table = root
    for (index, name) in path.enumerated() {
      let isLast = index == path.count - 1
      guard let node = table[name] else {
        let new = TOMLTable(isLast ? .header : .implied)
        try add(name, .table(new), to: table, line: line)
        table = new
        continue
      }
      guard case .table(let next) = node.value, next.origin != .inline, !isLast || next.origin == .implied else {
        throw error("[\(path.joined(separator: "."))] is already defined in line \(node.line)")
      }
      if isLast { next.origin = .header }
      table = next
    }
    return table
  }

  mutating func keyAndValue(in table: TOMLTable, depth: Int) throws(TOMLError) {
    let keyLine = line
    let path = try key()
    guard peek == UInt8(ascii: "=") else { throw error("a key must be followed by = and a value") }
    position += 1
    skipSpace()
    var table = table
    for name in path.dropLast() {
      guard let node = table[name] else {
        let new = TOMLTable(.dotted)
        try add(name, .table(new), to: table, line: keyLine)
        table = new
        continue
      }
      guard case .table(let next) = node.value, next.origin == .dotted else {
        throw error("\(name) is already defined in line \(node.line)")
      }
      table = next
    }
    guard let name = path.last else { throw error("a key is missing") }
    if let earlier = table[name] { throw error("\(name) is already defined in line \(earlier.line)") }
    let value = try value(depth: depth)
    try add(name, value, to: table, line: keyLine)
  }

  private mutating func add(
    _ name: String, _ value: TOMLNode.Value, to table: TOMLTable, line: Int
  ) throws(TOMLError) {
    entries += 1
    guard entries <= Self.maximumEntries else { throw error("more than \(Self.maximumEntries) entries") }
    table.add(name, TOMLNode(value: value, line: line))
  }

  /// A bare, quoted or dotted key and the space after it.
  private mutating func key() throws(TOMLError) -> [String] {
    var path: [String] = []
    while true {
      skipSpace()
      path.append(try simpleKey())
      guard path.count <= Self.maximumDepth else { throw error("a key of more than \(Self.maximumDepth) parts") }
      skipSpace()
      guard peek == UInt8(ascii: ".") else { return path }
      position += 1
    }
  }

  private mutating func simpleKey() throws(TOMLError) -> String {
    if peek == UInt8(ascii: "\"") { return try basicString() }
    if peek == UInt8(ascii: "'") { return try literalString() }
    let start = position
    while let byte = peek, Self.isBareKey(byte) { position += 1 }
    guard position > start else { throw error("a key is missing, or has a character that must be quoted") }
    return text(start..<position)
  }

  private static func isBareKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  // MARK: Reading

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

  private mutating func endOfLine() throws(TOMLError) {
    skipSpace()
    skipComment()
    guard position == bytes.count || newline() else { throw error("unexpected text after a value or a table's name") }
  }
}
