/// Asks for a signature with a registered key (UAF protocol 1.1, section 3.5.1).
public struct AuthenticationRequest: JSONRepresentable, Equatable, Sendable {
  /// The header; its operation is authentication.
  public let header: OperationHeader

  /// The server's challenge.
  public let challenge: ServerChallenge

  /// One transaction to confirm, in several forms; empty if there is none.
  public let transaction: [Transaction]

  /// Which authenticators will do.
  public let policy: Policy

  /// Makes a request.
  public init(
    header: OperationHeader, challenge: ServerChallenge, transaction: [Transaction] = [], policy: Policy
  ) {
    self.header = header
    self.challenge = challenge
    self.transaction = transaction
    self.policy = policy
  }

  /// Reads one dictionary of an authentication message.
  ///
  /// In UAF 1.0 an empty accepted list means any registered authenticator; 1.1 forbids it.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    header = try OperationHeader.read(.authentication, from: reader)
    challenge = try reader.child("challenge", as: ServerChallenge.self)
    transaction = try reader.optionalList("transaction", mayBeEmpty: true, of: Transaction.self) ?? []
    policy = try reader.child("policy", as: Policy.self)
    guard header.upv == .uaf10 || !policy.accepted.isEmpty else { throw .outOfRange(reader.name("policy.accepted")) }
  }

  /// The request as JSON, without the array around it.
  public var json: JSONValue {
    var object: JSONObject = ["header": header.json, "challenge": challenge.json]
    object.set("transaction", JSONValue.list(transaction))
    object.set("policy", policy.json)
    return .object(object)
  }
}
