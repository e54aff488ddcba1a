/// Hands the server signatures (UAF protocol 1.1, section 3.5.3).
public struct AuthenticationResponse: JSONRepresentable, Equatable, Sendable {
  /// The request's header, copied.
  public let header: OperationHeader

  /// The final challenge parameters, base64url; the ASCII bytes of this text are what is hashed.
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
