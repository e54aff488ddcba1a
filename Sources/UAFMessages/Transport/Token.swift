/// What a server hands out beside its verdict (transport, section 3.1.7).
public struct Token: JSONRepresentable, Equatable, Sendable {
  /// The token's kind, such as `JWT`.
  public let type: String

  /// The token.
  public let value: String

  /// Makes a token.
  public init(type: String, value: String) {
    self.type = type
    self.value = value
  }

  /// A JSON web token.
  public static let jwt = "JWT"

  /// Reads the token.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    type = try reader.string("type", characters: 1...64)
    value = try reader.string("value", characters: 1...16_384)
  }

  /// The token as JSON.
  public var json: JSONValue { .object(["type": .string(type), "value": .string(value)]) }
}
