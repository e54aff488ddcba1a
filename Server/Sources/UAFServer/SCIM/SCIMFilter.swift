import UAFMessages
import UAFService

/// The path of an attribute: `emails.value`, or `urn:...:User:department` (RFC 7644, section 3.10), in lower case.
struct SCIMPath: Hashable, Sendable {
  /// The URN of the schema; nil if the path has none.
  var schema: String?
  var attribute: String
  /// The part after the point; nil if there is none.
  var sub: String?

  init(schema: String? = nil, _ attribute: String, sub: String? = nil) {
    self.schema = schema
    self.attribute = attribute
    self.sub = sub
  }

  /// Reads a path.
  ///
  /// - Returns: nil if the text is none.
  init?(parsing text: String) {
    let lower = text.lowercased()
    let name: Substring
    // A URN has points itself, so the name of the attribute begins after the last colon.
    if let colon = lower.lastIndex(of: ":") {
      schema = String(lower[..<colon])
      guard schema?.hasPrefix("urn:") == true else { return nil }
      name = lower[lower.index(after: colon)...]
    } else {
      name = lower[...]
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy(Self.isName) else { return nil }
    attribute = String(parts[0])
    sub = parts.count == 2 ? String(parts[1]) : nil
  }

  /// Whether a text has the form of an attribute's name (RFC 7643, section 2.1); `$ref` is one too.
  private static func isName(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first == UInt8(ascii: "$") || isLetter(first) else { return false }
    return text.utf8.dropFirst().allSatisfy { byte in
      isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

/// What an operation of a PATCH changes (RFC 7644, section 3.5.2).
struct SCIMTarget: Equatable, Sendable {
  var path: SCIMPath
  /// Which values of a multi-valued attribute; nil for all.
  var filter: SCIMFilter?

  init(path: SCIMPath, filter: SCIMFilter? = nil) {
    self.path = path
    self.filter = filter
  }

  /// - Throws: ``SCIMError`` with `invalidPath`.
  init(_ text: String) throws(SCIMError) {
    do throws(SCIMError) {
      var reader = SCIMFilterReader(text)
      self = try reader.target()
      try reader.end()
    } catch {
      throw SCIMError(.invalidPath, error.detail.replacing("the filter", with: "the path", maxReplacements: 1))
    }
  }
}

/// A filter (RFC 7644, section 3.4.2.2).
indirect enum SCIMFilter: Equatable, Sendable {
  enum Comparison: String, Sendable {
    case eq
    case ne
    case co
    case sw
    case ew
    case gt
    case ge
    case lt
    case le
  }

  /// The value that attributes are compared with, as it was sent and in the forms in which texts are compared.
  struct Operand: Equatable, Sendable {
    let value: JSONValue
    /// The bytes of a text; empty for another value.
    fileprivate let bytes: [UInt8]
    /// The same without a difference of case.
    fileprivate let folded: [UInt8]

    fileprivate init(_ value: JSONValue) {
      self.value = value
      guard case .string(let text) = value else {
        (bytes, folded) = ([], [])
        return
      }
      (bytes, folded) = (Array(text.utf8), Array(SearchText.key(text).utf8))
    }
  }

  case compare(SCIMPath, Comparison, Operand)
  case present(SCIMPath)
  /// `emails[type eq "work"]`: an element that meets the filter.
  case element(SCIMPath, SCIMFilter)
  case not(SCIMFilter)
  case and(SCIMFilter, SCIMFilter)
  case or(SCIMFilter, SCIMFilter)

  /// Reads a filter of at most 4,096 bytes, with at most 8 levels and 64 comparisons.
  ///
  /// - Throws: ``SCIMError`` with `invalidFilter`.
  init(_ text: String) throws(SCIMError) {
    var reader = SCIMFilterReader(text)
    self = try reader.filter()
    try reader.end()
  }

  /// The attributes that the filter compares; those within brackets belong to the attribute before the brackets.
  var paths: [SCIMPath] {
    switch self {
    case .compare(let path, _, _), .present(let path): [path]
    case .element(let path, let filter):
      [path] + filter.paths.map { SCIMPath(schema: path.schema, path.attribute, sub: $0.attribute) }
    case .not(let filter): filter.paths
    case .and(let one, let other), .or(let one, let other): one.paths + other.paths
    }
  }

  /// How many comparisons a look at one object needs at most.
  var comparisons: Int {
    switch self {
    case .compare, .present: 1
    case .element(_, let filter), .not(let filter): filter.comparisons
    case .and(let one, let other), .or(let one, let other): one.comparisons + other.comparisons
    }
  }

  /// Refuses a filter that names an attribute which the resources do not have.
  func check(_ type: SCIMResourceType) throws(SCIMError) {
    for path in paths {
      let attribute = type.attribute(path)
      let isKnown = path.sub.map { sub in attribute?.subAttributes.contains { $0.name.lowercased() == sub } ?? false }
      guard attribute != nil, isKnown ?? true else {
        throw SCIMError(
          .invalidFilter, "\(type.name) has no attribute \(path.attribute)\(path.sub.map { ".\($0)" } ?? "") here")
      }
    }
  }

  /// The value that every match has for an attribute: of comparisons with `eq` that are joined with `and`.
  func required(_ path: SCIMPath) -> String? {
    switch self {
    case .compare(let compared, .eq, let wanted):
      if compared == path, case .string(let text) = wanted.value { text } else { nil }
    case .element(let outer, let filter):
      outer.attribute == path.attribute && outer.sub == nil && path.sub != nil
        ? filter.required(SCIMPath(path.sub ?? "")) : nil
    case .and(let one, let other): one.required(path) ?? other.required(path)
    case .compare, .present, .not, .or: nil
    }
  }

  // MARK: Matching

  /// Whether a resource, or an element of a multi-valued attribute, meets the filter.
  func matches(_ object: JSONObject, isExact: (SCIMPath) -> Bool) -> Bool {
    switch self {
    case .compare(let path, let comparison, let wanted):
      Self.compare(Self.values(of: path, in: object), comparison, wanted, isExact: isExact(path))
    case .present(let path): Self.values(of: path, in: object).contains(where: Self.isPresent)
    case .element(let path, let filter):
      Self.values(of: path, in: object).contains { element in
        guard case .object(let element) = element else { return false }
        return filter.matches(element) { inner in
          isExact(SCIMPath(schema: path.schema, path.attribute, sub: inner.attribute))
        }
      }
    case .not(let filter): !filter.matches(object, isExact: isExact)
    case .and(let one, let other):
      one.matches(object, isExact: isExact) && other.matches(object, isExact: isExact)
    case .or(let one, let other): one.matches(object, isExact: isExact) || other.matches(object, isExact: isExact)
    }
  }

  /// The values of an attribute; several if it or the attribute before the point has several.
  private static func values(of path: SCIMPath, in object: JSONObject) -> [JSONValue] {
    var object = object
    if let schema = path.schema, case .object(let further)? = object.ignoringCase(schema) { object = further }
    guard let value = object.ignoringCase(path.attribute) else { return [] }
    let values: [JSONValue] = if case .array(let elements) = value { elements } else { [value] }
    guard let sub = path.sub else { return values }
    return values.compactMap { element in
      if case .object(let element) = element { element.ignoringCase(sub) } else { nil }
    }
  }

  private static func isPresent(_ value: JSONValue) -> Bool {
    switch value {
    case .null: false
    case .string(let text): !text.isEmpty
    case .object(let object): !object.members.isEmpty
    case .array(let elements): !elements.isEmpty
    case .bool, .integer, .otherNumber: true
    }
  }

  private static func compare(
    _ values: [JSONValue], _ comparison: Comparison, _ wanted: Operand, isExact: Bool
  ) -> Bool {
    // Of a complex attribute, `value` is compared.
    let values = values.map { value in
      if case .object(let object) = value { object.ignoringCase("value") ?? .null } else { value }
    }
    if wanted.value == .null {
      let isAbsent = !values.contains(where: isPresent)
      return comparison == .eq ? isAbsent : comparison == .ne && !isAbsent
    }
    if comparison == .ne { return !compare(values, .eq, wanted, isExact: isExact) }
    return values.contains { value in
      switch (value, wanted.value) {
      case (.string(let value), .string):
        isExact
          ? compare(Array(value.utf8), comparison, wanted.bytes)
          : compare(Array(SearchText.key(value).utf8), comparison, wanted.folded)
      default: comparison == .eq && value == wanted.value
      }
    }
  }

  /// Compares texts by their bytes.
  private static func compare(_ value: [UInt8], _ comparison: Comparison, _ wanted: [UInt8]) -> Bool {
    switch comparison {
    case .eq: value == wanted
    case .ne: value != wanted
    case .co: value.contains(wanted)
    case .sw: value.starts(with: wanted)
    case .ew: value.suffix(wanted.count) == wanted[...]
    case .gt: wanted.lexicographicallyPrecedes(value)
    case .ge: !value.lexicographicallyPrecedes(wanted)
    case .lt: value.lexicographicallyPrecedes(wanted)
    case .le: !wanted.lexicographicallyPrecedes(value)
    }
  }
}

/// Reads a filter from left to right.
///
///     filter     = alternative *( "or" alternative )
///     alternative = term *( "and" term )
///     term       = "not" "(" filter ")" / "(" filter ")" / path "[" filter "]" / path "pr" / path operator value
struct SCIMFilterReader {
  static let maximumBytes = 4096
  private static let maximumDepth = 8
  private static let maximumTerms = 64

  private let bytes: [UInt8]
  private var place = 0
  private var depth = 0
  private var terms = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private func failure(_ reason: String) -> SCIMError {
    SCIMError(.invalidFilter, "the filter \(reason) at byte \(place)")
  }

  mutating func filter() throws(SCIMError) -> SCIMFilter {
    guard bytes.count <= Self.maximumBytes else { throw failure("is longer than \(Self.maximumBytes) bytes") }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw failure("has more than \(Self.maximumDepth) levels") }
    var filter = try alternative()
    while takeWord("or") { filter = .or(filter, try alternative()) }
    return filter
  }

  private mutating func alternative() throws(SCIMError) -> SCIMFilter {
    var filter = try term()
    while takeWord("and") { filter = .and(filter, try term()) }
    return filter
  }

  private mutating func term() throws(SCIMError) -> SCIMFilter {
    terms += 1
    guard terms <= Self.maximumTerms else { throw failure("has more than \(Self.maximumTerms) comparisons") }
    if take("(") {
      let filter = try filter()
      guard take(")") else { throw failure("lacks a closing parenthesis") }
      return filter
    }
    let word = word()
    if word.lowercased() == "not", take("(") {
      let filter = try filter()
      guard take(")") else { throw failure("lacks a closing parenthesis") }
      return .not(filter)
    }
    guard let path = SCIMPath(parsing: word) else { throw failure("lacks the path of an attribute") }
    if take("[") {
      guard path.sub == nil else { throw failure("has brackets after a part of an attribute") }
      let filter = try filter()
      guard take("]") else { throw failure("lacks a closing bracket") }
      return .element(path, filter)
    }
    let comparison = self.word().lowercased()
    if comparison == "pr" { return .present(path) }
    guard let comparison = SCIMFilter.Comparison(rawValue: comparison) else { throw failure("lacks an operator") }
    let value = try value()
    switch (comparison, value) {
    case (.eq, _), (.ne, _), (_, .string): return .compare(path, comparison, SCIMFilter.Operand(value))
    default: throw failure("compares something other than a text with \(comparison.rawValue)")
    }
  }

  /// Refuses anything after the filter.
  mutating func end() throws(SCIMError) {
    skipSpaces()
    guard place == bytes.count else { throw failure("has something after its end") }
  }

  /// The target of a change: `path`, or `path[filter]` and perhaps a further part of the path after it.
  mutating func target() throws(SCIMError) -> SCIMTarget {
    guard bytes.count <= Self.maximumBytes else { throw failure("is longer than \(Self.maximumBytes) bytes") }
    guard var path = SCIMPath(parsing: word()) else { throw failure("lacks the path of an attribute") }
    guard take("[") else { return SCIMTarget(path: path) }
    guard path.sub == nil else { throw failure("has brackets after a part of an attribute") }
    let filter = try filter()
    guard take("]") else { throw failure("lacks a closing bracket") }
    guard place < bytes.count, bytes[place] == UInt8(ascii: ".") else { return SCIMTarget(path: path, filter: filter) }
    guard let whole = SCIMPath(parsing: path.attribute + word()), let sub = whole.sub else {
      throw failure("lacks a part of an attribute after the point")
    }
    path.sub = sub
    return SCIMTarget(path: path, filter: filter)
  }

  // MARK: Parts

  private mutating func skipSpaces() { while place < bytes.count, bytes[place] == 0x20 { place += 1 } }

  /// Takes a character, after spaces.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpaces()
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  /// Takes a word of the grammar, in any case, if it comes next.
  private mutating func takeWord(_ wanted: String) -> Bool {
    let start = place
    if word().lowercased() == wanted { return true }
    place = start
    return false
  }

  /// The characters up to a space, a bracket, a parenthesis or a quotation mark.
  mutating func word() -> String {
    skipSpaces()
    let start = place
    while place < bytes.count, !" ()[]\"".utf8.contains(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// A JSON text, number, `true`, `false` or `null`.
  private mutating func value() throws(SCIMError) -> JSONValue {
    skipSpaces()
    let start = place
    if take("\"") {
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
      }
      guard place < bytes.count else {
        place = bytes.count
        throw failure("lacks a closing quotation mark")
      }
      place += 1
    } else {
      _ = word()
    }
    guard place > start, let value = try? JSONValue(parsing: Array(bytes[start..<place])) else {
      throw failure("lacks a value")
    }
    return value
  }
}

extension JSONObject {
  /// The value of a member whose name may be in any case (RFC 7643, section 2.1).
  ///
  /// - Parameter name: in lower case.
  func ignoringCase(_ name: String) -> JSONValue? {
    members.first { $0.name.lowercased() == name }?.value
  }
}
