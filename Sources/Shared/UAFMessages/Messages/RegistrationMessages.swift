/// Asks for a new key (UAF protocol 1.1, section 3.4.1).
public struct RegistrationRequest: JSONRepresentable, Equatable, Sendable {
  /// The header; its operation is registration.
  public let header: OperationHeader

  /// The server's challenge.
  public let challenge: ServerChallenge

  /// The account's name at the server, 1 to 128 characters.
  public let username: String

  /// Which authenticators are acceptable.
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

/// Sends a new key to the server (UAF protocol 1.1, section 3.4.3).
public struct RegistrationResponse: JSONRepresentable, Equatable, Sendable {
  /// The request's header, copied.
  public let header: OperationHeader

  /// The final challenge parameters, base64url; the ASCII bytes of this text are hashed.
  public let fcParams: String

  /// At least one assertion.
  public let assertions: [AuthenticatorRegistrationAssertion]

  /// Makes a response.
  public init(header: OperationHeader, fcParams: String, assertions: [AuthenticatorRegistrationAssertion]) {
    self.header = header
    self.fcParams = fcParams
    self.assertions = assertions
  }

  /// Reads one dictionary of a registration response.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    header = try OperationHeader.read(.registration, from: reader)
    fcParams = try reader.string("fcParams")
    assertions = try reader.list("assertions", of: AuthenticatorRegistrationAssertion.self)
  }

  /// The response as JSON, without the array around it.
  public var json: JSONValue {
    .object(["header": header.json, "fcParams": .string(fcParams), "assertions": .array(assertions.map { $0.json })])
  }
}

/// One authenticator's part of a registration response (UAF protocol 1.1, section 3.4.2).
public struct AuthenticatorRegistrationAssertion: JSONRepresentable, Equatable, Sendable {
  /// How the assertion is encoded; `UAFV1TLV` here.
  public let assertionScheme: String

  /// The assertion's bytes, 1 to 4096.
  public let assertion: [UInt8]

  /// How the authenticator draws transaction images.
  public let tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics]

  /// Extensions.
  public let exts: [Extension]

  /// Makes an assertion's envelope.
  public init(
    assertionScheme: String = AssertionScheme.uafV1TLV, assertion: [UInt8],
    tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics] = [], exts: [Extension] = []
  ) {
    self.assertionScheme = assertionScheme
    self.assertion = assertion
    self.tcDisplayPNGCharacteristics = tcDisplayPNGCharacteristics
    self.exts = exts
  }

  /// Reads the envelope; the assertion itself is read by ``UnverifiedRegistrationAssertion``.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    assertionScheme = try reader.string("assertionScheme", characters: 1...32)
    assertion = try reader.base64URL("assertion", counts: AssertionScheme.counts)
    tcDisplayPNGCharacteristics =
      try reader.optionalList("tcDisplayPNGCharacteristics", of: DisplayPNGCharacteristics.self) ?? []
    exts = try reader.optionalList("exts", of: Extension.self) ?? []
  }

  /// The envelope as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "assertionScheme": .string(assertionScheme), "assertion": .string(Base64URL.encode(assertion)),
    ]
    object.set("tcDisplayPNGCharacteristics", JSONValue.list(tcDisplayPNGCharacteristics))
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }
}
