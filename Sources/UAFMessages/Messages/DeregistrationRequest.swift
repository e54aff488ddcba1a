/// Tells the client to forget keys; nothing is answered (UAF protocol 1.1, section 3.6.1).
public struct DeregistrationRequest: JSONRepresentable, Equatable, Sendable {
  /// The header; its operation is deregistration.
  public let header: OperationHeader

  /// What to forget, at least one entry.
  public let authenticators: [DeregisterAuthenticator]

  /// Makes a request.
  public init(header: OperationHeader, authenticators: [DeregisterAuthenticator]) {
    self.header = header
    self.authenticators = authenticators
  }

  /// Reads one dictionary of a deregistration message.
  ///
  /// Wildcards came with UAF 1.1; the one for everything must stand alone.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    header = try OperationHeader.read(.deregistration, from: reader)
    authenticators = try reader.list("authenticators", of: DeregisterAuthenticator.self)
    for entry in authenticators {
      if case .key = entry { continue }
      guard header.upv != .uaf10 else { throw .outOfRange(reader.name("authenticators")) }
    }
    guard authenticators.count == 1 || !authenticators.contains(.everything) else {
      throw .outOfRange(reader.name("authenticators"))
    }
  }

  /// The request as JSON, without the array around it.
  public var json: JSONValue {
    .object(["header": header.json, "authenticators": .array(authenticators.map { $0.json })])
  }
}
