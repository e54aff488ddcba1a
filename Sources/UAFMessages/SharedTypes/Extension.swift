/// A generic extension (UAF protocol 1.1, section 3.1.10).
public struct Extension: JSONRepresentable, Equatable, Sendable {
  /// Identifies the extension, 1 to 32 characters.
  public let id: String

  /// Its data, possibly empty; binary data as base64url.
  public let data: String

  /// Whether a receiver that does not know the extension must refuse the message.
  public let failIfUnknown: Bool

  /// Makes an extension.
  public init(id: String, data: String, failIfUnknown: Bool) {
    self.id = id
    self.data = data
    self.failIfUnknown = failIfUnknown
  }

  /// Reads one extension where none is known: one that must not be ignored is refused.
  public init(json: JSONValue, path: String) throws(MessageError) {
    try self.init(json: json, path: path, known: [])
  }

  /// Reads one extension and refuses an unknown one that must not be ignored.
  init(json: JSONValue, path: String, known: [String]) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    id = try reader.string("id", characters: 1...32)
    data = try reader.string("data", characters: 0...Int.max)
    failIfUnknown = try reader.bool("fail_if_unknown")
    guard !failIfUnknown || known.contains(where: id.isIdentical(to:)) else { throw .unknownExtension(path) }
  }

  /// The extension as JSON.
  public var json: JSONValue {
    .object(["id": .string(id), "data": .string(data), "fail_if_unknown": .bool(failIfUnknown)])
  }
}
