import UAFMessages

/// Turns a JSON text with UAF messages somewhere in it into lines, and finds the messages.
///
/// Members that hold JSON or TLV in another encoding are opened in place: the strings of the transport's bodies, `fcParams`,
/// `assertion`.
struct MessageDecoder {
  /// The messages met, as they were sent: `header` is what tells one.
  private(set) var messages: [JSONObject] = []

  /// Bodies hold messages that hold parameters: anything deeper is somebody's joke.
  private static let maximumOpenings = 4
  private static let maximumDecoded = 65_536
  private static let embedded: Set<String> = ["uafRequest", "uafResponse", "uafProtocolMessage", "context"]

  /// Counts a message in that was met outside its array.
  mutating func add(_ message: JSONObject) { messages.append(message) }

  /// A member's line, and below it what it holds.
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
      return DecodedNode("\(name) (a string that holds JSON)", [node("json", value, openings: openings + 1)])
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
      guard let value = try? JSONValue(parsing: bytes) else { return DecodedNode(plain.line + " (does not hold JSON)") }
      return DecodedNode("fcParams (base64url)", [node("json", value, openings: openings + 1)])
    }
  }
}
