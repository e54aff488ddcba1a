import UAFMessages

/// A UAF message as people read it.
///
/// Takes a message (an array), a transport body, or any JSON with messages inside; also a bare assertion or bare `fcParams` in
/// base64url. At most 256 KiB.
public struct DecodedMessage: Sendable {
  /// The message as an indented tree.
  public let tree: [String]
  /// What was verified, and what only a server could.
  public let checks: [MessageCheck]

  /// Whether this is a message, an assertion or final challenge parameters, and everything that could be verified holds.
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
      // A message outside its array is not one, but somebody may have cut it out to look at it.
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

  /// What is JSON without a message is good for something only as the parameters of one, and those travel in base64url.
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
