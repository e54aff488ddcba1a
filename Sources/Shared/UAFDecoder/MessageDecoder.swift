import UAFMessages

/// Turns a JSON text with UAF messages somewhere in it into lines, and finds the messages.
///
/// Members that hold JSON or TLV in another encoding are opened in place: the strings of the transport's bodies, `fcParams`,
/// `assertion`.
struct MessageDecoder {
  /// The messages found, as they were sent: an object with `header` is a message.
  private(set) var messages: [JSONObject] = []

  /// A body contains messages, and a message contains parameters: no genuine input is nested deeper.
  private static let maximumOpenings = 4
  private static let maximumDecoded = 65_536
  private static let embedded: Set<String> = ["uafRequest", "uafResponse", "uafProtocolMessage", "context"]

  /// Adds a message that was found outside its array.
  mutating func add(_ message: JSONObject) { messages.append(message) }

  /// A member's line, and its content below it.
  mutating func node(_ name: String, _ value: JSONValue, openings: Int = 0) -> DecodedNode {
    switch value {
    case .null: return DecodedNode("\(name): null")
    case .bool(let flag): return DecodedNode("\(name): \(flag)")
    case .otherNumber(let text): return DecodedNode("\(name): \(ShownValue.quoted(text))")
    case .integer(let number):
      let meaning = RegistryNames.meaning(of: number, member: name).map { " (\($0))" } ?? ""
      return DecodedNode("\(name): \(number)\(meaning)")
    case .string(let text): return string(name, text, openings: openings)
    case .array(let values):
      guard !values.isEmpty else { return DecodedNode("\(name): empty list") }
      let isOfNumbers = values.allSatisfy { if case .integer = $0 { true } else { false } }
      return DecodedNode(
        name,
        values.enumerated().map { index, value in
          node(isOfNumbers ? name : "\(index + 1)", value, openings: openings)
        })
    case .object(let object): return self.object(name, object, openings: openings)
    }
  }

  private mutating func object(_ name: String, _ object: JSONObject, openings: Int) -> DecodedNode {
    if let version = Self.version(object) { return DecodedNode("\(name): \(version)") }
    if object["header"] != nil { messages.append(object) }
    guard !object.members.isEmpty else { return DecodedNode("\(name): {}") }
    return DecodedNode(
      name, object.members.map { node(ShownValue.name($0.name), $0.value, openings: openings) })
  }

  private static func version(_ object: JSONObject) -> String? {
    guard object.members.count == 2, case .integer(let major)? = object["major"],
      case .integer(let minor)? = object["minor"]
    else { return nil }
    return "\(major).\(minor)"
  }

  private mutating func string(_ name: String, _ text: String, openings: Int) -> DecodedNode {
    let plain = DecodedNode("\(name): \(ShownValue.quoted(text))")
    guard openings < Self.maximumOpenings else { return plain }
    if Self.embedded.contains(name) {
      guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return plain }
      return DecodedNode("\(name) (a string that contains JSON)", [node("json", value, openings: openings + 1)])
    }
    guard ["fcParams", "assertion", "content", "challenge"].contains(name) else { return plain }
    guard let bytes = try? Base64URL.decode(text, maximumCount: Self.maximumDecoded) else {
      return DecodedNode(plain.line + " (not canonical base64url)")
    }
    switch name {
    case "assertion": return DecodedNode("assertion, \(ShownValue.count(bytes.count))", ElementDecoder.nodes(bytes))
    case "content":
      let isText = bytes.allSatisfy { (0x20...0x7E).contains($0) }
      let content = isText ? ShownValue.quoted(String(decoding: bytes, as: UTF8.self)) : ShownValue.hexadecimal(bytes)
      return DecodedNode("content: \(content)")
    case "challenge": return DecodedNode("\(plain.line) (\(ShownValue.count(bytes.count)))")
    default:
      guard let value = try? JSONValue(parsing: bytes) else {
        return DecodedNode(
          plain.line + " (does not contain "
            + "JSON)")
      }
      return DecodedNode("fcParams (base64url)", [node("json", value, openings: openings + 1)])
    }
  }
}

/// A UAF message in a form for people.
///
/// Accepts a message (an array), a transport body, or any JSON with messages inside; also a bare assertion or bare `fcParams` in
/// base64url. At most 256 KiB.
public struct DecodedMessage: Sendable {
  /// The message as an indented tree.
  public let tree: [String]
  /// What was verified, and what only a server could verify.
  public let checks: [MessageCheck]

  /// Whether this is a message, an assertion or final challenge parameters, and everything that could be verified is valid.
  public var holds: Bool { !checks.contains { $0.outcome == .fails } }

  /// The tree, and below it the checks.
  public var lines: [String] { tree + (tree.isEmpty ? [] : [""]) + checks.map(\.line) }

  /// Decodes a message.
  ///
  /// - Throws: ``JSONError`` if the bytes are neither JSON nor canonical base64url.
  public init(_ bytes: [UInt8]) throws(JSONError) {
    let trimmed = Self.trimmed(bytes)
    if let content = try? Base64URL.decode(String(decoding: trimmed, as: UTF8.self), maximumCount: 65_536),
      !content.isEmpty
    {
      if let json = try? JSONValue(parsing: content) {
        self.init(json, isEncoded: true)
      } else {
        self.init(assertion: content)
      }
    } else {
      self.init(try JSONValue(parsing: trimmed), isEncoded: false)
    }
  }

  private init(_ json: JSONValue, isEncoded: Bool) {
    var decoder = MessageDecoder()
    switch json {
    case .array(let values):
      tree = values.enumerated().flatMap { decoder.node("message \($0.offset + 1)", $0.element).lines() }
    case .object(let object):
      tree = object.members.flatMap { decoder.node(ShownValue.name($0.name), $0.value).lines() }
      // A message outside its array is not valid, but somebody may have extracted it to examine it.
      if object["header"] != nil { decoder.add(object) }
    default: tree = decoder.node("value", json).lines()
    }
    checks =
      decoder.messages.isEmpty
      ? [Self.checkWithoutMessage(json, isEncoded: isEncoded)]
      : decoder.messages.enumerated().flatMap { index, message in
        MessageChecks(message, name: "message \(index + 1)").checks
      }
  }

  /// JSON without a message can only be the parameters of a message (`fcParams`), and those are sent in base64url.
  private static func checkWithoutMessage(_ json: JSONValue, isEncoded: Bool) -> MessageCheck {
    guard isEncoded, (try? FinalChallengeParams(json: json, path: "fcParams")) != nil else {
      return MessageCheck(.fails, "no UAF message found")
    }
    return MessageCheck(.holds, "fcParams decodes to final challenge parameters")
  }

  private init(assertion: [UInt8]) {
    tree = ElementDecoder.nodes(assertion).flatMap { $0.lines() }
    var checks = MessageChecks()
    checks.bare(assertion)
    self.checks = checks.checks
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    return Array(bytes[start..<end])
  }
}

/// One line of a decoded message and the lines indented below it.
struct DecodedNode: Equatable {
  let line: String
  var children: [DecodedNode] = []

  init(_ line: String, _ children: [DecodedNode] = []) {
    self.line = line
    self.children = children
  }

  /// The line and all below it, two spaces for each level.
  func lines(depth: Int = 0) -> [String] {
    [String(repeating: "  ", count: depth) + line] + children.flatMap { $0.lines(depth: depth + 1) }
  }
}

/// Turns the TLV elements of an assertion into lines.
enum ElementDecoder {
  /// A genuine assertion is nested four levels deep; content below the eighth level is shown as bytes.
  private static let maximumDepth = 8

  /// An assertion's elements, or the reason why the bytes are not TLV.
  static func nodes(_ assertion: [UInt8]) -> [DecodedNode] {
    do {
      return [node(try TLVElement.single(in: assertion), depth: 0)]
    } catch {
      return [DecodedNode("not TLV: \(error.description)")]
    }
  }

  private static func node(_ element: TLVElement, depth: Int) -> DecodedNode {
    let name = RegistryNames.tags[element.tag] ?? (element.tag.isCritical ? "unknown critical tag" : "unknown tag")
    let head = "\(ShownValue.registry(element.tag.rawValue)) \(name)"
    guard element.tag.isComposite, depth < maximumDepth else { return DecodedNode("\(head): \(value(element))") }
    let size = ShownValue.count(element.value.count)
    do {
      let children = try element.children()
      var nodes = children.map { node($0, depth: depth + 1) }
      if let methods = verificationMethods(children) { nodes += methods.map { DecodedNode($0) } }
      return DecodedNode("\(head), \(size)", nodes)
    } catch {
      return DecodedNode("\(head), \(size)", [DecodedNode("not TLV: \(error.description)")])
    }
  }

  /// The content of the extension `fido.uaf.uvm`; nil if this is a different extension.
  private static func verificationMethods(_ members: [TLVElement]) -> [String]? {
    let id = Array(UserVerificationMethodEntry.extensionID.utf8)
    guard members.contains(where: { $0.tag == .extensionID && $0.value == id }),
      let data = members.first(where: { $0.tag == .extensionData })?.value
    else { return nil }
    guard let entries = UserVerificationMethodEntry.entries(parsing: data) else {
      return ["not 1 to 3 verification methods of 8 bytes each"]
    }
    return entries.map { entry in
      let parts: [(String, Int64)] = [
        ("userVerification", Int64(entry.userVerificationMethod)), ("keyProtection", Int64(entry.keyProtection)),
        ("matcherProtection", Int64(entry.matcherProtection)),
      ]
      return "verified by: "
        + parts.map { name, number in
          "\(name) \(number) (\(RegistryNames.meaning(of: number, member: name) ?? "not known here"))"
        }.joined(separator: ", ")
    }
  }

  private static func value(_ element: TLVElement) -> String {
    let bytes = element.value
    switch element.tag {
    case .aaid, .extensionID: return ShownValue.quoted(String(decoding: bytes, as: UTF8.self))
    case .assertionInfo where bytes.count == 5 || bytes.count == 7: return information(bytes)
    case .counters where bytes.count == 4: return "SignCounter \(number(bytes, at: 0, count: 4))"
    case .counters where bytes.count == 8:
      return "SignCounter \(number(bytes, at: 0, count: 4)), RegCounter \(number(bytes, at: 4, count: 4))"
    case .transactionContentHash where bytes.isEmpty: return "empty (no transaction)"
    case .keyID: return "\(ShownValue.hexadecimal(bytes)), base64url \(Base64URL.encode(bytes.prefix(64)))"
    default: return ShownValue.hexadecimal(bytes)
    }
  }

  /// `AuthenticatorVersion u16 | AuthenticationMode u8 | SignatureAlgAndEncoding u16 [| PublicKeyAlgAndEncoding u16]`.
  private static func information(_ bytes: [UInt8]) -> String {
    let signature = UInt16(truncatingIfNeeded: number(bytes, at: 3, count: 2))
    let mode =
      switch bytes[2] {
      case 1: "1 (user verified)"
      case 2: "2 (transaction confirmed)"
      default: "\(bytes[2]) (not defined)"
      }
    var parts = [
      "AuthenticatorVersion \(number(bytes, at: 0, count: 2))", "mode \(mode)",
      "signature \(named(signature, RegistryNames.signatureAlgorithms))",
    ]
    if bytes.count == 7 {
      let key = UInt16(truncatingIfNeeded: number(bytes, at: 5, count: 2))
      parts.append("key \(named(key, RegistryNames.publicKeyAlgorithms))")
    }
    return parts.joined(separator: ", ")
  }

  private static func named(_ number: UInt16, _ names: [UInt16: String]) -> String {
    "\(ShownValue.registry(number)) \(names[number] ?? "(not known here)")"
  }

  /// Little-endian; the caller has checked the count.
  private static func number(_ bytes: [UInt8], at start: Int, count: Int) -> UInt32 {
    bytes[start..<(start + count)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// Values as one line of printable ASCII: they come from strangers and go to a terminal.
public enum ShownValue {
  /// Text in quotes; anything but printable ASCII is escaped, and long text is cut.
  public static func quoted(_ text: String, maximumCount: Int = 200) -> String {
    var shown = "\""
    for scalar in text.unicodeScalars.prefix(maximumCount) {
      switch scalar {
      case "\"", "\\": shown += "\\\(scalar)"
      case " "..."~": shown.unicodeScalars.append(scalar)
      default: shown += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    let count = text.unicodeScalars.count
    return count > maximumCount ? shown + "...\" (\(count) characters)" : shown + "\""
  }

  /// A member's name: unchanged if it is plain, otherwise in quotes.
  public static func name(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isPlain ? name : quoted(name, maximumCount: 64)
  }

  /// Bytes in hexadecimal, with their number; long values are cut.
  static func hexadecimal(_ bytes: [UInt8], maximumCount: Int = 32) -> String {
    guard !bytes.isEmpty else { return "empty" }
    let digits = Hexadecimal.text(bytes.prefix(maximumCount))
    return digits + (bytes.count > maximumCount ? "..." : "") + " (\(count(bytes.count)))"
  }

  /// `1 byte`, `2 bytes`.
  static func count(_ bytes: Int) -> String { bytes == 1 ? "1 byte" : "\(bytes) bytes" }

  /// A number of the registry: `0x0100`.
  static func registry(_ number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
