import UAFMessages

/// A message of WebAuthn: options or a response, in the JSON form.
public protocol WebAuthnMessage: Equatable, Sendable {
  /// Reads a message that is part of another one; unknown members are ignored, as WebAuthn demands.
  ///
  /// - Throws: ``WebAuthnError``.
  init(json: JSONValue) throws(WebAuthnError)

  /// The message as JSON.
  var json: JSONValue { get }
}

extension WebAuthnMessage {
  /// Reads a message that is a JSON text by itself.
  ///
  /// - Throws: ``WebAuthnError``.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(WebAuthnError) {
    try self.init(json: JSONValue(webAuthn: bytes, limits: limits, path: ""))
  }
}

/// Takes typed members out of a JSON object and names the member at fault.
///
/// Null counts as absent, because several servers write absent members that way.
struct Members {
  private let object: JSONObject
  private let base64: Base64Form
  let path: String

  init(_ value: JSONValue, path: String, base64: Base64Form) throws(WebAuthnError) {
    guard case .object(let object) = value else { throw .wrongType(path.isEmpty ? "the message" : path) }
    self.object = object
    self.path = path
    self.base64 = base64
  }

  func name(_ member: String) -> String { path.isEmpty ? member : "\(path).\(member)" }

  func optional(_ member: String) -> JSONValue? {
    guard let value = object[member] else { return nil }
    if case .null = value { return nil }
    return value
  }

  func required(_ member: String) throws(WebAuthnError) -> JSONValue {
    guard let value = optional(member) else { throw .missing(name(member)) }
    return value
  }

  func optionalObject(_ member: String) throws(WebAuthnError) -> Members? {
    guard let value = optional(member) else { return nil }
    return try Members(value, path: name(member), base64: base64)
  }

  func object(_ member: String) throws(WebAuthnError) -> Members {
    try Members(try required(member), path: name(member), base64: base64)
  }

  /// An object whose members are not interpreted here; empty if the member is absent.
  func jsonObject(_ member: String) throws(WebAuthnError) -> JSONObject {
    guard let value = optional(member) else { return [:] }
    guard case .object(let object) = value else { throw .wrongType(name(member)) }
    return object
  }

  // MARK: Texts

  /// `bytes` counts the text's UTF-8.
  func optionalText(_ member: String, bytes: ClosedRange<Int>) throws(WebAuthnError) -> String? {
    guard let value = optional(member) else { return nil }
    guard case .string(let text) = value else { throw .wrongType(name(member)) }
    guard bytes.contains(text.utf8.count) else { throw .outOfRange(name(member)) }
    return text
  }

  func text(_ member: String, bytes: ClosedRange<Int>) throws(WebAuthnError) -> String {
    guard let text = try optionalText(member, bytes: bytes) else { throw .missing(name(member)) }
    return text
  }

  /// A text that is one of a list; nil for others, because WebAuthn has unknown values ignored.
  func choice<Choice: RawRepresentable<String>>(
    _ member: String, of type: Choice.Type
  ) throws(WebAuthnError) -> Choice? {
    try optionalText(member, bytes: 0...1024).flatMap(Choice.init(rawValue:))
  }

  // MARK: Bytes

  func optionalBytes(_ member: String, counts: ClosedRange<Int>) throws(WebAuthnError) -> [UInt8]? {
    guard let value = optional(member) else { return nil }
    guard case .string(let text) = value else { throw .wrongType(name(member)) }
    let bytes: [UInt8]
    do {
      bytes = try base64.decode(text, maximumCount: counts.upperBound)
    } catch {
      throw .notBase64(name(member), error)
    }
    guard bytes.count >= counts.lowerBound else { throw .outOfRange(name(member)) }
    return bytes
  }

  func bytes(_ member: String, counts: ClosedRange<Int>) throws(WebAuthnError) -> [UInt8] {
    guard let bytes = try optionalBytes(member, counts: counts) else { throw .missing(name(member)) }
    return bytes
  }

  // MARK: Others

  func optionalBool(_ member: String) throws(WebAuthnError) -> Bool? {
    guard let value = optional(member) else { return nil }
    guard case .bool(let flag) = value else { throw .wrongType(name(member)) }
    return flag
  }

  /// A number of milliseconds, an `unsigned long` of Web IDL.
  func optionalMilliseconds(_ member: String) throws(WebAuthnError) -> Int64? {
    let number = try optionalInteger(member)
    guard number == nil || number.flatMap(UInt32.init(exactly:)) != nil else { throw .outOfRange(name(member)) }
    return number
  }

  func optionalInteger(_ member: String) throws(WebAuthnError) -> Int64? {
    guard let value = optional(member) else { return nil }
    switch value {
    case .integer(let number): return number
    case .otherNumber: throw .outOfRange(name(member))
    default: throw .wrongType(name(member))
    }
  }

  /// The elements of an array with their paths; none if the member is absent.
  func list(_ member: String, maximumCount: Int) throws(WebAuthnError) -> [(path: String, value: JSONValue)] {
    guard let value = optional(member) else { return [] }
    guard case .array(let values) = value else { throw .wrongType(name(member)) }
    guard values.count <= maximumCount else { throw .outOfRange(name(member)) }
    return values.enumerated().map { ("\(name(member))[\($0.offset)]", $0.element) }
  }

  /// The objects of an array; none if the member is absent.
  func objects(_ member: String, maximumCount: Int) throws(WebAuthnError) -> [Members] {
    var objects: [Members] = []
    for (path, value) in try list(member, maximumCount: maximumCount) {
      objects.append(try Members(value, path: path, base64: base64))
    }
    return objects
  }

  /// An array of short texts; none if the member is absent.
  func texts(_ member: String) throws(WebAuthnError) -> [String] {
    var texts: [String] = []
    for (path, value) in try list(member, maximumCount: 32) {
      guard case .string(let text) = value else { throw .wrongType(path) }
      guard text.utf8.count <= 1024 else { throw .outOfRange(path) }
      texts.append(text)
    }
    return texts
  }
}

extension JSONValue {
  init(webAuthn bytes: [UInt8], limits: JSONLimits, path: String) throws(WebAuthnError) {
    do {
      try self.init(parsing: bytes, limits: limits)
    } catch {
      throw WebAuthnError.json(path, error)
    }
  }

  /// Bytes as base64url, the only form that we write.
  static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }

  /// Texts as an array.
  static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

/// How bytes may be written.
enum Base64Form {
  /// Base64url without padding, the only form that WebAuthn allows.
  case url
  /// Either alphabet, with or without padding: some servers send base64 instead of base64url.
  case either

  /// The bytes of a text; even with ``either``, a text that mixes both alphabets or is padded incompletely is refused.
  func decode(_ text: String, maximumCount: Int) throws(Base64URLError) -> [UInt8] {
    guard self == .either else { return try Base64URL.decode(text, maximumCount: maximumCount) }
    var digits = text.utf8[...]
    if digits.last == UInt8(ascii: "=") {
      guard digits.count % 4 == 0 else { throw .invalidLength }
      digits = digits.dropLast(digits.suffix(2).count { $0 == UInt8(ascii: "=") })
    }
    guard digits.count % 4 != 1 else { throw .invalidLength }
    let isStandard = digits.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    guard isStandard else { return try Base64URL.decode(String(Substring(digits)), maximumCount: maximumCount) }
    let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
    return try Base64.decode(String(Substring(digits)) + padding, maximumCount: maximumCount)
  }
}
