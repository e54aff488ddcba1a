/// Which authenticators a server accepts (UAF protocol 1.1, section 3.1.12).
public struct Policy: JSONRepresentable, Equatable, Sendable {
  /// Alternatives in order of preference; all criteria of one alternative have to be met, each by its own authenticator.
  public let accepted: [[MatchCriteria]]

  /// Criteria of which a single match excludes an authenticator.
  public let disallowed: [MatchCriteria]

  /// Makes a policy.
  public init(accepted: [[MatchCriteria]], disallowed: [MatchCriteria] = []) {
    self.accepted = accepted
    self.disallowed = disallowed
  }

  /// Reads a policy; whether `accepted` may be empty is decided by the request it belongs to.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    accepted = try reader.list("accepted", mayBeEmpty: true) { (set, path) throws(MessageError) in
      try set.list(path: path, mayBeEmpty: false) { (criteria, path) throws(MessageError) in
        try MatchCriteria(json: criteria, path: path)
      }
    }
    disallowed = try reader.optionalList("disallowed", mayBeEmpty: true, of: MatchCriteria.self) ?? []
  }

  /// The policy as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["accepted": .array(accepted.map { .array($0.map { $0.json }) })]
    object.set("disallowed", JSONValue.list(disallowed))
    return .object(object)
  }
}
