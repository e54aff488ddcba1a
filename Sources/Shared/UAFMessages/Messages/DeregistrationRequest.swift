/// Tells the client to forget keys; there is no response (UAF protocol 1.1, section 3.6.1).
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
  /// Wildcards came with UAF 1.1; the wildcard for everything must be the only entry.
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

/// What a deregistration names (UAF protocol 1.1, section 3.6.1).
public enum DeregisterAuthenticator: JSONRepresentable, Hashable, Sendable {
  /// One key of one authenticator.
  case key(AAID, KeyID)
  /// UAF 1.1, `keyID: ""`: every key of one authenticator for the AppID.
  case allKeys(AAID)
  /// UAF 1.1, both empty: every key of every authenticator for the AppID.
  case everything

  /// Reads one entry.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    let aaid = try reader.string("aaid", characters: 0...9)
    let keyID = try reader.string("keyID", characters: 0...Int.max)
    switch (aaid.isEmpty, keyID.isEmpty) {
    case (true, true): self = .everything
    case (true, false): throw .outOfRange(reader.name("aaid"))
    case (false, true): self = .allKeys(try reader.child("aaid", as: AAID.self))
    case (false, false): self = .key(try reader.child("aaid", as: AAID.self), try reader.child("keyID", as: KeyID.self))
    }
  }

  /// The entry as JSON.
  public var json: JSONValue {
    switch self {
    case .key(let aaid, let keyID): .object(["aaid": aaid.json, "keyID": keyID.json])
    case .allKeys(let aaid): .object(["aaid": aaid.json, "keyID": .string("")])
    case .everything: .object(["aaid": .string(""), "keyID": .string("")])
    }
  }
}
