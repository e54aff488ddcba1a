/// Asks for a new key (UAF protocol 1.1, section 3.4.1).
public struct RegistrationRequest: JSONRepresentable, Equatable, Sendable {
  /// The header; its operation is registration.
  public let header: OperationHeader

  /// The server's challenge.
  public let challenge: ServerChallenge

  /// The account's name at the server, 1 to 128 characters.
  public let username: String

  /// Which authenticators will do.
  public let policy: Policy

  /// Makes a request.
  public init(header: OperationHeader, challenge: ServerChallenge, username: String, policy: Policy) {
    self.header = header
    self.challenge = challenge
    self.username = username
    self.policy = policy
  }

  /// Reads one dictionary of a registration message.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    header = try OperationHeader.read(.registration, from: reader)
    challenge = try reader.child("challenge", as: ServerChallenge.self)
    username = try reader.string("username", characters: 1...128)
    policy = try reader.child("policy", as: Policy.self)
    guard !policy.accepted.isEmpty else { throw .outOfRange(reader.name("policy.accepted")) }
  }

  /// The request as JSON, without the array around it.
  public var json: JSONValue {
    .object([
      "header": header.json, "challenge": challenge.json, "username": .string(username), "policy": policy.json,
    ])
  }
}
