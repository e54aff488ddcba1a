/// Hands the server a new key (UAF protocol 1.1, section 3.4.3).
public struct RegistrationResponse: JSONRepresentable, Equatable, Sendable {
  /// The request's header, copied.
  public let header: OperationHeader

  /// The final challenge parameters, base64url; the ASCII bytes of this text are what is hashed.
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
