/// What a server hands out beside its verdict (UAF client API and transport 1.1, section 3.1.7).
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

  /// Which of several is passed on: the first JWT, else the first of any kind.
  public static func passedOn(_ tokens: [Token]) -> String? { (tokens.first { $0.type == jwt } ?? tokens.first)?.value }

  /// Reads the token.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    type = try reader.string("type", characters: 1...64)
    value = try reader.string("value", characters: 1...16_384)
  }

  /// The token as JSON.
  public var json: JSONValue { .object(["type": .string(type), "value": .string(value)]) }
}
