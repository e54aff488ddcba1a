/// Asks for a signature with a registered key (UAF protocol 1.1, section 3.5.1).
public struct AuthenticationRequest: JSONRepresentable, Equatable, Sendable {
  /// The header; its operation is authentication.
  public let header: OperationHeader

  /// The server's challenge.
  public let challenge: ServerChallenge

  /// One transaction to confirm, in several forms; empty if there is none.
  public let transaction: [Transaction]

  /// Which authenticators are acceptable.
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

/// Sends signatures to the server (UAF protocol 1.1, section 3.5.3).
public struct AuthenticationResponse: JSONRepresentable, Equatable, Sendable {
  /// The request's header, copied.
  public let header: OperationHeader

  /// The final challenge parameters, base64url; the ASCII bytes of this text are hashed.
  public let fcParams: String

  /// At least one assertion.
  public let assertions: [AuthenticatorSignAssertion]

  /// Makes a response.
  public init(header: OperationHeader, fcParams: String, assertions: [AuthenticatorSignAssertion]) {
    self.header = header
    self.fcParams = fcParams
    self.assertions = assertions
  }

  /// Reads one dictionary of an authentication response.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    header = try OperationHeader.read(.authentication, from: reader)
    fcParams = try reader.string("fcParams")
    assertions = try reader.list("assertions", of: AuthenticatorSignAssertion.self)
  }

  /// The response as JSON, without the array around it.
  public var json: JSONValue {
    .object(["header": header.json, "fcParams": .string(fcParams), "assertions": .array(assertions.map { $0.json })])
  }
}

/// One authenticator's part of an authentication response (UAF protocol 1.1, section 3.5.2).
public struct AuthenticatorSignAssertion: JSONRepresentable, Equatable, Sendable {
  /// How the assertion is encoded; `UAFV1TLV` here.
  public let assertionScheme: String

  /// The assertion's bytes, 1 to 4096.
  public let assertion: [UInt8]

  /// Extensions.
  public let exts: [Extension]

  /// Makes an assertion's envelope.
  public init(
    assertionScheme: String = AssertionScheme.uafV1TLV, assertion: [UInt8], exts: [Extension] = []
  ) {
    self.assertionScheme = assertionScheme
    self.assertion = assertion
    self.exts = exts
  }

  /// Reads the envelope; the assertion itself is read by ``UnverifiedAuthenticationAssertion``.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    assertionScheme = try reader.string("assertionScheme", characters: 1...32)
    assertion = try reader.base64URL("assertion", counts: AssertionScheme.counts)
    exts = try reader.optionalList("exts", of: Extension.self) ?? []
  }

  /// The envelope as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "assertionScheme": .string(assertionScheme), "assertion": .string(Base64URL.encode(assertion)),
    ]
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }
}
