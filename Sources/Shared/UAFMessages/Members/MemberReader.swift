/// Takes typed members out of a JSON object and names the member at fault.
///
/// Null is refused like any other wrong type: a UAF member has a value, or is absent. In messages of servers null
/// counts as absent, because most servers write absent members that way; a mandatory member that is null is then missing.
struct MemberReader {
  private let object: JSONObject
  private let path: String
  private let nullIsAbsent: Bool

  init(_ value: JSONValue, path: String, nullIsAbsent: Bool = false) throws(MessageError) {
    guard case .object(let object) = value else { throw .wrongType(path) }
    self.object = object
    self.path = path
    self.nullIsAbsent = nullIsAbsent
  }

  private func value(_ member: String) -> JSONValue? {
    let value = object[member]
    if nullIsAbsent, case .null? = value { return nil }
    return value
  }

  func name(_ member: String) -> String { MessageError.path(path, member) }

  /// Reads something in this object; only its error needs the path to it.
  private func inside<Value>(_ read: () throws(MessageError) -> Value) throws(MessageError) -> Value {
    do throws(MessageError) { return try read() } catch { throw error.inside(path) }
  }

  func has(_ member: String) -> Bool { value(member) != nil }

  func required(_ member: String) throws(MessageError) -> JSONValue {
    guard let value = value(member) else { throw .missing(name(member)) }
    return value
  }

  // MARK: Strings

  /// `characters` counts Unicode scalars: the specification's "characters, up to 4 bytes each".
  func optionalString(_ member: String, characters: ClosedRange<Int> = 1...Int.max) throws(MessageError) -> String? {
    guard let value = value(member) else { return nil }
    guard case .string(let text) = value else { throw .wrongType(name(member)) }
    guard Self.hasCount(text, in: characters) else { throw .outOfRange(name(member)) }
    return text
  }

  /// Counts a text's characters only if the number of its bytes does not decide: a character has one to four bytes.
  private static func hasCount(_ text: String, in range: ClosedRange<Int>) -> Bool {
    let bytes = text.utf8.count
    if bytes <= range.upperBound, (bytes + 3) / 4 >= range.lowerBound { return true }
    return range.contains(text.unicodeScalars.count)
  }

  func string(_ member: String, characters: ClosedRange<Int> = 1...Int.max) throws(MessageError) -> String {
    guard let text = try optionalString(member, characters: characters) else { throw .missing(name(member)) }
    return text
  }

  func base64URL(_ member: String, counts: ClosedRange<Int>) throws(MessageError) -> [UInt8] {
    let text = JSONValue.string(try string(member))
    return try inside { () throws(MessageError) in try text.decodedBase64URL(path: member, counts: counts) }
  }

  /// A text that servers store, 1 to 128 characters: without U+0000, which ends a text of SQLite, and which PostgreSQL refuses.
  func optionalStoredText(_ member: String) throws(MessageError) -> String? {
    let text = try optionalString(member, characters: 1...128)
    guard text?.utf8.contains(0) != true else { throw .outOfRange(name(member)) }
    return text
  }

  /// The same for a member that is mandatory, with its own limits.
  func storedText(_ member: String, characters: ClosedRange<Int>) throws(MessageError) -> String {
    let text = try string(member, characters: characters)
    guard !text.utf8.contains(0) else { throw .outOfRange(name(member)) }
    return text
  }

  // MARK: Numbers

  func optionalInteger<Number: FixedWidthInteger>(
    _ member: String, as type: Number.Type
  ) throws(MessageError) -> Number? {
    guard let value = value(member) else { return nil }
    return try inside { () throws(MessageError) in try value.integer(path: member) }
  }

  func integer<Number: FixedWidthInteger>(_ member: String, as type: Number.Type) throws(MessageError) -> Number {
    guard let number = try optionalInteger(member, as: type) else { throw .missing(name(member)) }
    return number
  }

  func optionalBool(_ member: String) throws(MessageError) -> Bool? {
    guard let value = value(member) else { return nil }
    guard case .bool(let flag) = value else { throw .wrongType(name(member)) }
    return flag
  }

  func bool(_ member: String) throws(MessageError) -> Bool {
    guard let flag = try optionalBool(member) else { throw .missing(name(member)) }
    return flag
  }

  // MARK: Objects and lists

  func child<Child: JSONRepresentable>(_ member: String, as type: Child.Type) throws(MessageError) -> Child {
    let value = try required(member)
    return try inside { () throws(MessageError) in try Child(json: value, path: member) }
  }

  func optionalChild<Child: JSONRepresentable>(_ member: String, as type: Child.Type) throws(MessageError) -> Child? {
    guard let value = value(member) else { return nil }
    return try inside { () throws(MessageError) in try Child(json: value, path: member) }
  }

  func optionalList<Element>(
    _ member: String, mayBeEmpty: Bool = false,
    _ read: (JSONValue, String) throws(MessageError) -> Element
  ) throws(MessageError) -> [Element]? {
    guard let value = value(member) else { return nil }
    return try inside { () throws(MessageError) in
      try value.list(path: member, mayBeEmpty: mayBeEmpty, read)
    }
  }

  func list<Element>(
    _ member: String, mayBeEmpty: Bool = false,
    _ read: (JSONValue, String) throws(MessageError) -> Element
  ) throws(MessageError) -> [Element] {
    guard let list = try optionalList(member, mayBeEmpty: mayBeEmpty, read) else { throw .missing(name(member)) }
    return list
  }

  func optionalList<Element: JSONRepresentable>(
    _ member: String, mayBeEmpty: Bool = false, of type: Element.Type
  ) throws(MessageError) -> [Element]? {
    try optionalList(member, mayBeEmpty: mayBeEmpty) { (value, path) throws(MessageError) in
      try Element(json: value, path: path)
    }
  }

  func list<Element: JSONRepresentable>(_ member: String, of type: Element.Type) throws(MessageError) -> [Element] {
    try list(member) { (value, path) throws(MessageError) in try Element(json: value, path: path) }
  }
}

extension JSONValue {
  func list<Element>(
    path: String, mayBeEmpty: Bool,
    _ read: (JSONValue, String) throws(MessageError) -> Element
  ) throws(MessageError) -> [Element] {
    guard case .array(let values) = self else { throw .wrongType(path) }
    guard mayBeEmpty || !values.isEmpty else { throw .outOfRange(path) }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for (index, value) in values.enumerated() { elements.append(try read(value, "\(path)[\(index)]")) }
    return elements
  }

  func integer<Number: FixedWidthInteger>(path: String) throws(MessageError) -> Number {
    switch self {
    case .integer(let number):
      guard let number = Number(exactly: number) else { throw .outOfRange(path) }
      return number
    case .otherNumber: throw .outOfRange(path)
    default: throw .wrongType(path)
    }
  }

  func nonEmptyString(path: String) throws(MessageError) -> String {
    guard case .string(let text) = self else { throw .wrongType(path) }
    guard !text.isEmpty else { throw .outOfRange(path) }
    return text
  }

  func decodedBase64URL(path: String, counts: ClosedRange<Int>) throws(MessageError) -> [UInt8] {
    let text = try nonEmptyString(path: path)
    let bytes: [UInt8]
    do {
      bytes = try Base64URL.decode(text, maximumCount: counts.upperBound)
    } catch {
      throw MessageError.notBase64URL(path, error)
    }
    guard bytes.count >= counts.lowerBound else { throw .outOfRange(path) }
    return bytes
  }
}

/// A type of the specification with one JSON form.
public protocol JSONRepresentable {
  /// Reads the value; `path` names it in errors.
  ///
  /// Unknown members are ignored; mandatory ones, types, lengths and ranges are enforced.
  init(json: JSONValue, path: String) throws(MessageError)

  /// The value as JSON.
  var json: JSONValue { get }
}

extension JSONRepresentable {
  /// Reads the value from the bytes of a JSON text.
  ///
  /// - Throws: ``MessageError``.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(MessageError) {
    let json = try JSONValue(message: bytes, limits: limits)
    do throws(MessageError) { try self.init(json: json, path: "") } catch { throw error.inside("\(Self.self)") }
  }

  /// Reads the value from a JSON text that was itself a string of another message.
  ///
  /// - Throws: ``MessageError``.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(MessageError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The JSON text.
  public var jsonText: String { json.text }

  /// The JSON text in UTF-8.
  public var jsonBytes: [UInt8] { json.bytes }
}

extension JSONValue {
  init(message bytes: [UInt8], limits: JSONLimits) throws(MessageError) {
    do {
      try self.init(parsing: bytes, limits: limits)
    } catch {
      throw MessageError.json(error)
    }
  }
}

extension JSONValue {
  /// A list of the specification's types; an empty one is nil, because an empty list must not be sent.
  static func list(_ elements: [some JSONRepresentable]) -> JSONValue? {
    elements.isEmpty ? nil : .array(elements.map { $0.json })
  }

  static func integers(_ numbers: [UInt16]) -> JSONValue? {
    numbers.isEmpty ? nil : .array(numbers.map { .integer(Int64($0)) })
  }

  static func strings(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }
}

/// Why a UAF message was refused.
///
/// Paths name members as the specification does (`header.upv.major`); no error contains a value that was sent.
public enum MessageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not JSON.
  case json(JSONError)
  /// An assertion that is not TLV as the specification nests it.
  case tlv(TLVError)
  /// A mandatory member is absent.
  case missing(String)
  /// A member is null or of the wrong type.
  case wrongType(String)
  /// A member is empty, too long, too large or outside its list of values.
  case outOfRange(String)
  /// A member is not base64url.
  case notBase64URL(String, Base64URLError)
  /// No version of the message is one of ours, or the header names a different one.
  case unsupportedVersion
  /// Two messages of the same version in one array.
  case repeatedVersion
  /// The message is for an operation other than the one expected here.
  case wrongOperation
  /// An extension that must not be ignored is not known here.
  case unknownExtension(String)

  /// Says which member is at fault and who must act.
  public var description: String {
    switch self {
    case .json(let error): error.description
    case .tlv(let error): error.description
    case .missing(let path): "the UAF message lacks \(path); the sender must correct it"
    case .wrongType(let path): "\(path) in the UAF message is of the wrong type; the sender must correct it"
    case .outOfRange(let path): "\(path) in the UAF message is outside its range; the sender must correct it"
    case .notBase64URL(let path, let error): "\(path) in the UAF message: \(error.description)"
    case .unsupportedVersion: "no UAF version of the message is supported here (1.0 and 1.1 are)"
    case .repeatedVersion: "the UAF message has the same version twice; the sender must correct it"
    case .wrongOperation: "the UAF message is for a different operation; the sender must correct it"
    case .unknownExtension(let path): "\(path) in the UAF message demands an extension that is not known here"
    }
  }
}

extension MessageError {
  /// The same error, with its path prefixed by an outer path.
  func inside(_ path: String) -> MessageError {
    switch self {
    case .missing(let member): .missing(Self.path(path, member))
    case .wrongType(let member): .wrongType(Self.path(path, member))
    case .outOfRange(let member): .outOfRange(Self.path(path, member))
    case .notBase64URL(let member, let error): .notBase64URL(Self.path(path, member), error)
    case .unknownExtension(let member): .unknownExtension(Self.path(path, member))
    case .json, .tlv, .unsupportedVersion, .repeatedVersion, .wrongOperation: self
    }
  }

  /// The path of a member in an object; either may be empty.
  static func path(_ object: String, _ member: String) -> String {
    object.isEmpty || member.isEmpty ? object + member : "\(object).\(member)"
  }
}
