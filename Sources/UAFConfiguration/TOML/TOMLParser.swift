// Purpose: TOML 1.0.0 as far as a configuration needs it: strict, with the line of every key. Dates and arrays of tables, which
// no key here takes, are refused by name. Depth and number of entries are capped before anything is kept.

/// Reads a TOML document.
struct TOMLParser {
  private static let maximumDepth = 8
  private static let maximumEntries = 4096

  private let path: String
  private var scanner: TOMLScanner
  private var entries = 0

  /// The document's table; `path` is for errors alone.
  static func parse(_ bytes: [UInt8], path: String) throws(TOMLError) -> TOMLTable {
    var parser = TOMLParser(path: path, scanner: try TOMLScanner(bytes))
    return try parser.document()
  }

  private init(path: String, scanner: TOMLScanner) {
    self.path = path
    self.scanner = scanner
  }

  private mutating func document() throws(TOMLError) -> TOMLTable {
    let root = TOMLTable(.header)
    var current = root
    while scanner.position < scanner.bytes.count {
      scanner.skipSpace()
      if scanner.peek == UInt8(ascii: "[") {
        current = try header(in: root)
      } else if let byte = scanner.peek, byte != UInt8(ascii: "#"), byte != 0x0a, byte != 0x0d {
        try keyAndValue(in: current, depth: 0)
      }
      try scanner.endOfLine()
    }
    return root
  }

  // MARK: Headers, keys

  private mutating func header(in root: TOMLTable) throws(TOMLError) -> TOMLTable {
    scanner.position += 1
    guard scanner.peek != UInt8(ascii: "[") else {
      throw scanner.error("arrays of tables ([[...]]) are not used in this file")
    }
    let path = try key()
    guard scanner.peek == UInt8(ascii: "]") else { throw scanner.error("a table's name must end with ]") }
    scanner.position += 1
    var table = root
    for (index, name) in path.enumerated() {
      let isLast = index == path.count - 1
      guard let node = table[name] else {
        let new = TOMLTable(isLast ? .header : .implied)
        try add(name, .table(new), to: table, line: scanner.line)
        table = new
        continue
      }
      guard case .table(let next) = node.value, next.origin != .inline, !isLast || next.origin == .implied else {
        throw scanner.error("[\(path.joined(separator: "."))] is already defined in line \(node.line.number)")
      }
      if isLast { next.becomeHeader() }
      table = next
    }
    return table
  }

  private mutating func keyAndValue(in table: TOMLTable, depth: Int) throws(TOMLError) {
    let keyLine = scanner.line
    let path = try key()
    guard scanner.peek == UInt8(ascii: "=") else { throw scanner.error("a key must be followed by = and a value") }
    scanner.position += 1
    scanner.skipSpace()
    var table = table
    for name in path.dropLast() {
      guard let node = table[name] else {
        let new = TOMLTable(.dotted)
        try add(name, .table(new), to: table, line: keyLine)
        table = new
        continue
      }
      guard case .table(let next) = node.value, next.origin == .dotted else {
        throw scanner.error("\(name) is already defined in line \(node.line.number)")
      }
      table = next
    }
    guard let name = path.last else { throw scanner.error("a key is missing") }
    if let earlier = table[name] { throw scanner.error("\(name) is already defined in line \(earlier.line.number)") }
    let value = try value(depth: depth)
    try add(name, value, to: table, line: keyLine)
  }

  private mutating func add(
    _ name: String, _ value: TOMLNode.Value, to table: TOMLTable, line: Int
  ) throws(TOMLError) {
    entries += 1
    guard entries <= Self.maximumEntries else { throw scanner.error("more than \(Self.maximumEntries) entries") }
    table.add(name, TOMLNode(value: value, line: ConfigurationLine(path: path, number: line)))
  }

  /// A bare, quoted or dotted key and the space after it.
  private mutating func key() throws(TOMLError) -> [String] {
    var path: [String] = []
    while true {
      scanner.skipSpace()
      path.append(try simpleKey())
      guard path.count <= Self.maximumDepth else {
        throw scanner.error("a key of more than \(Self.maximumDepth) parts")
      }
      scanner.skipSpace()
      guard scanner.peek == UInt8(ascii: ".") else { return path }
      scanner.position += 1
    }
  }

  private mutating func simpleKey() throws(TOMLError) -> String {
    if scanner.peek == UInt8(ascii: "\"") { return try scanner.basicString() }
    if scanner.peek == UInt8(ascii: "'") { return try scanner.literalString() }
    let start = scanner.position
    while let byte = scanner.peek, Self.isBareKey(byte) { scanner.position += 1 }
    guard scanner.position > start else {
      throw scanner.error("a key is missing, or has a character that must be quoted")
    }
    return scanner.text(start..<scanner.position)
  }

  private static func isBareKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(TOMLError) -> TOMLNode.Value {
    guard depth < Self.maximumDepth else { throw scanner.error("values nested more than \(Self.maximumDepth) deep") }
    switch scanner.peek {
    case UInt8(ascii: "\""):
      return .string(
        scanner.isAt("\"\"\"") ? try scanner.multilineString(quote: UInt8(ascii: "\"")) : try scanner.basicString())
    case UInt8(ascii: "'"):
      return .string(
        scanner.isAt("'''") ? try scanner.multilineString(quote: UInt8(ascii: "'")) : try scanner.literalString())
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "{"): return .table(try inlineTable(depth: depth))
    default: return try TOMLWord.value(of: scanner.word(), in: scanner.line)
    }
  }

  private mutating func array(depth: Int) throws(TOMLError) -> [TOMLNode] {
    scanner.position += 1
    var elements: [TOMLNode] = []
    while true {
      scanner.skipSpaceCommentsAndLines()
      if scanner.take("]") { return elements }
      entries += 1
      guard entries <= Self.maximumEntries else { throw scanner.error("more than \(Self.maximumEntries) entries") }
      let line = ConfigurationLine(path: path, number: scanner.line)
      elements.append(TOMLNode(value: try value(depth: depth + 1), line: line))
      scanner.skipSpaceCommentsAndLines()
      guard scanner.take(",") || scanner.peek == UInt8(ascii: "]") else {
        throw scanner.error("an array's elements need commas, its end ]")
      }
    }
  }

  private mutating func inlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
    scanner.position += 1
    let table = TOMLTable(.dotted)
    scanner.skipSpace()
    if !scanner.take("}") {
      repeat {
        try keyAndValue(in: table, depth: depth + 1)
        scanner.skipSpace()
      } while scanner.take(",")
      guard scanner.take("}") else { throw scanner.error("an inline table must end with } in its line") }
    }
    table.close()
    return table
  }
}
