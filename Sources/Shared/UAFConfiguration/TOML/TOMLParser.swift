// Purpose: TOML 1.0.0 as far as a configuration needs it: strict, with the line of every key. Dates and arrays of tables, which
// no key here takes, are refused by name. Depth and number of entries are capped before anything is kept.

/// Reads a TOML document.
struct TOMLParser {
  private static let maximumDepth = 8
  private static let maximumEntries = 4096

  private let path: String
  private var scanner: TOMLScanner
  private var entries = 0

  /// The document's table; `path` is only for errors.
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
    guard scanner.peek != UInt8(ascii: "[") else { throw scanner.error(.arrayOfTables) }
    let path = try key()
    guard scanner.peek == UInt8(ascii: "]") else { throw scanner.error(.openHeader) }
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
        throw scanner.error(.defined("[\(path.joined(separator: "."))]", line: node.line.number))
      }
      if isLast { next.becomeHeader() }
      table = next
    }
    return table
  }

  private mutating func keyAndValue(in table: TOMLTable, depth: Int) throws(TOMLError) {
    let keyLine = scanner.line
    let path = try key()
    guard scanner.peek == UInt8(ascii: "=") else { throw scanner.error(.keyAlone) }
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
        throw scanner.error(.defined(name, line: node.line.number))
      }
      table = next
    }
    guard let name = path.last else { throw scanner.error(.noKey) }
    if let earlier = table[name] { throw scanner.error(.defined(name, line: earlier.line.number)) }
    let value = try value(depth: depth)
    try add(name, value, to: table, line: keyLine)
  }

  private mutating func add(
    _ name: String, _ value: TOMLNode.Value, to table: TOMLTable, line: Int
  ) throws(TOMLError) {
    entries += 1
    guard entries <= Self.maximumEntries else { throw scanner.error(.tooManyEntries(limit: Self.maximumEntries)) }
    table.add(name, TOMLNode(value: value, line: ConfigurationLine(path: path, number: line)))
  }

  /// A bare, quoted or dotted key and the space after it.
  private mutating func key() throws(TOMLError) -> [String] {
    var path: [String] = []
    while true {
      scanner.skipSpace()
      path.append(try simpleKey())
      guard path.count <= Self.maximumDepth else { throw scanner.error(.tooManyParts(limit: Self.maximumDepth)) }
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
    guard scanner.position > start else { throw scanner.error(.notAKey) }
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
    guard depth < Self.maximumDepth else { throw scanner.error(.tooDeep(limit: Self.maximumDepth)) }
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
      guard entries <= Self.maximumEntries else { throw scanner.error(.tooManyEntries(limit: Self.maximumEntries)) }
      let line = ConfigurationLine(path: path, number: scanner.line)
      elements.append(TOMLNode(value: try value(depth: depth + 1), line: line))
      scanner.skipSpaceCommentsAndLines()
      guard scanner.take(",") || scanner.peek == UInt8(ascii: "]") else { throw scanner.error(.openArray) }
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
      guard scanner.take("}") else { throw scanner.error(.openTable) }
    }
    table.close()
    return table
  }
}

/// A table while it is being read: its content, in the text's order, and its origin.
///
/// The origin decides what may still be added to it (TOML 1.0.0, "Table").
final class TOMLTable {
  enum Origin {
    /// The document itself, or a table with its own `[header]`.
    case header
    /// A table that so far is only a part of another `[header]`'s path.
    case implied
    /// A table that a dotted key made.
    case dotted
    /// `{ ... }`: nothing may be added to it.
    case inline
  }

  private(set) var origin: Origin
  private(set) var keys: [String] = []
  private var nodes: [String: TOMLNode] = [:]

  init(_ origin: Origin) {
    self.origin = origin
  }

  subscript(key: String) -> TOMLNode? { nodes[key] }

  /// Adds a key that does not exist yet.
  func add(_ key: String, _ node: TOMLNode) {
    keys.append(key)
    nodes[key] = node
  }

  /// Merges a table of a later document into this one.
  ///
  /// Two tables are merged key by key. Any other value replaces the present one, and so does a list as a whole.
  func layOver(_ later: TOMLTable) {
    for key in later.keys {
      guard let node = later.nodes[key] else { continue }
      if case .table(let inner) = node.value, case .table(let own)? = nodes[key]?.value {
        own.layOver(inner)
      } else if nodes.updateValue(node, forKey: key) == nil {
        keys.append(key)
      }
    }
  }

  /// Marks the table as named by its own `[header]`, after it was only a part of another header's path.
  func becomeHeader() { origin = .header }

  /// Forbids adding anything to the table or to the tables in it: for an inline table and the tables that its dotted keys made.
  func close() {
    origin = .inline
    for case .table(let inner)? in keys.map({ nodes[$0]?.value }) { inner.close() }
  }
}

/// A value, and the file and line it begins in.
struct TOMLNode {
  /// The kinds of values the configuration uses; TOML's dates and arrays of tables are refused by the parser.
  enum Value {
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    case array([TOMLNode])
    case table(TOMLTable)
  }

  let value: Value
  let line: ConfigurationLine
}

/// Where a text is not TOML, and why.
struct TOMLError: Error, Equatable {
  /// The line, from 1.
  let line: Int
  /// What is wrong there.
  let problem: TOMLProblem
}

/// Why a text is not TOML as the configuration uses it.
public enum TOMLProblem: Equatable, Sendable {
  /// It has more bytes than its reader accepts.
  case tooLong(limit: Int)
  case byteOrderMark
  case utf16
  case notUTF8
  case controlCharacter
  case tooDeep(limit: Int)
  case tooManyEntries(limit: Int)
  case tooManyParts(limit: Int)

  // MARK: What is not closed

  case openArray
  case openTable
  case openHeader
  case openString

  // MARK: Keys

  case noKey
  /// A key is missing, or has a character that must be quoted.
  case notAKey
  /// A key without a value.
  case keyAlone
  /// A key or a header, and the line that already defines it.
  case defined(String, line: Int)
  case arrayOfTables

  // MARK: Values

  case noValue
  case notAValue(String)
  case tooLarge(String)
  case date
  case unknownEscape
  case unicodeEscape
  /// There is text after a value or a header.
  case trailingText
}

extension TOMLProblem: CustomStringConvertible {
  /// What is wrong and, if it is not obvious, what to do.
  public var description: String {
    switch self {
    case .tooLong(let limit): "is longer than \(limit) bytes"
    case .byteOrderMark: "the file begins with a byte order mark (BOM): save it as UTF-8 without one"
    case .utf16: "the file is UTF-16: save it as UTF-8"
    case .notUTF8: "not UTF-8"
    case .controlCharacter: "a control character"
    case .tooDeep(let limit): "values nested more than \(limit) deep"
    case .tooManyEntries(let limit): "more than \(limit) entries"
    case .tooManyParts(let limit): "a key of more than \(limit) parts"
    case .openArray: "an array's elements need commas, its end ]"
    case .openTable: "an inline table must end with } in the same line"
    case .openHeader: "a table's name must end with ]"
    case .openString: "a string is not closed"
    case .noKey: "a key is missing"
    case .notAKey: "a key is missing, or has a character that must be quoted"
    case .keyAlone: "a key must be followed by = and a value"
    case .defined(let name, let line): "\(name) is already defined in line \(line)"
    case .arrayOfTables: "arrays of tables ([[...]]) are not used in this file"
    case .noValue: "a value is missing"
    case .notAValue(let word): "\(word) is not a value: texts need quotes, numbers no leading zeros"
    case .tooLarge(let word): "\(word) is too large"
    case .date: "dates and times are not used in this file"
    case .unknownEscape: "an unknown escape in a string: write expressions in single quotes"
    case .unicodeEscape: "\\u needs four, \\U eight hexadecimal digits of a character other than NUL"
    case .trailingText: "unexpected text after a value or a table's name"
    }
  }
}
