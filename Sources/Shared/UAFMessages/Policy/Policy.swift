/// Which authenticators a server accepts (UAF protocol 1.1, section 3.1.12).
public struct Policy: JSONRepresentable, Equatable, Sendable {
  /// Alternatives in order of preference; all criteria of one alternative must be met, each by its own authenticator.
  public let accepted: [[MatchCriteria]]

  /// An authenticator that matches any of these criteria is excluded.
  public let disallowed: [MatchCriteria]

  /// Makes a policy.
  public init(accepted: [[MatchCriteria]], disallowed: [MatchCriteria] = []) {
    self.accepted = accepted
    self.disallowed = disallowed
  }

  /// Reads a policy; whether `accepted` may be empty depends on the request that it belongs to.
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

extension Policy {
  /// Whether the server knows no key of an authenticator for the AppID.
  ///
  /// True if each criterion lists keys, and none lists one that the authenticator has.
  public func leavesOut(_ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    let criteria = accepted.joined()
    return !criteria.isEmpty && !authenticator.keyIDs(for: appID).isEmpty
      && criteria.allSatisfy { $0.keyIDs != nil && $0.matchingKeyIDs(of: authenticator, appID: appID).isEmpty }
  }

  /// The sets of authenticators that satisfy the policy, best first.
  ///
  /// The authenticators of one set are used together. Authenticators that any `disallowed` criterion matches are left out
  /// first. An empty `accepted` list (UAF 1.0 authentication) accepts each authenticator with a key. At most 64 sets are
  /// returned: nobody chooses among more, and a policy must not make a login slow.
  public func acceptableSets(
    among authenticators: [AuthenticatorDescription], appID: String
  ) -> [[AcceptableAuthenticator]] {
    let allowed = authenticators.filter { authenticator in
      !disallowed.contains { $0.matches(authenticator, appID: appID) }
    }
    guard !accepted.isEmpty else {
      return allowed.compactMap { authenticator in
        let keyIDs = authenticator.keyIDs(for: appID)
        return keyIDs.isEmpty ? nil : [MatchCriteria().acceptable(authenticator, appID: appID)]
      }
    }
    var ways: [[AcceptableAuthenticator]] = []
    for criteria in accepted where criteria.count <= allowed.count {
      var chosen: [AcceptableAuthenticator] = []
      assign(criteria[...], among: allowed, appID: appID, chosen: &chosen, ways: &ways)
    }
    return ways
  }

  /// Gives each criterion its own authenticator, in every possible way.
  private func assign(
    _ criteria: ArraySlice<MatchCriteria>, among free: [AuthenticatorDescription], appID: String,
    chosen: inout [AcceptableAuthenticator], ways: inout [[AcceptableAuthenticator]]
  ) {
    guard ways.count < Self.maximumWays else { return }
    guard let criterion = criteria.first else {
      if !ways.contains(chosen) { ways.append(chosen) }
      return
    }
    for (index, authenticator) in free.enumerated() where criterion.matches(authenticator, appID: appID) {
      var rest = free
      rest.remove(at: index)
      chosen.append(criterion.acceptable(authenticator, appID: appID))
      assign(criteria.dropFirst(), among: rest, appID: appID, chosen: &chosen, ways: &ways)
      chosen.removeLast()
    }
  }

  private static let maximumWays = 64
}

extension MatchCriteria {
  fileprivate func acceptable(
    _ authenticator: AuthenticatorDescription, appID: String
  ) -> AcceptableAuthenticator {
    let preferred = attestationTypes?.first(where: authenticator.attestationTypes.contains)
    return AcceptableAuthenticator(
      aaid: authenticator.aaid, keyIDs: matchingKeyIDs(of: authenticator, appID: appID),
      attestationType: preferred ?? authenticator.attestationTypes.first)
  }
}

/// Why no set of authenticators satisfies a policy.
public enum PolicyShortfall: Equatable, Sendable {
  /// The authenticators that would fit are already registered; the policy excludes them only because of their keys.
  case registeredAlready
  /// The authenticators that would fit have none of the keys that the policy names, or none for the application.
  case otherKeys
  /// No authenticator would fit, whatever keys it had.
  case otherTypes
}

extension Policy {
  /// Why a policy for a registration accepts no set of these authenticators.
  ///
  /// - Parameter authenticators: the authenticators that could be registered, and those that are already registered and so were
  ///   not offered.
  public func registrationShortfall(
    among authenticators: [AuthenticatorDescription], appID: String
  ) -> PolicyShortfall {
    let others = Policy(accepted: accepted, disallowed: disallowed.filter { $0.keyIDs == nil })
    let registered = authenticators.filter { !$0.keyIDs(for: appID).isEmpty }
    return others.acceptableSets(among: registered, appID: appID).isEmpty ? .otherTypes : .registeredAlready
  }

  /// Why a policy for an authentication accepts no set of these authenticators with a key.
  public func authenticationShortfall(
    among authenticators: [AuthenticatorDescription], appID: String
  ) -> PolicyShortfall {
    // An empty list accepts every type (UAF 1.0).
    guard !accepted.isEmpty else { return .otherKeys }
    let ofAnyKey = accepted.map { criteria in
      criteria.map { criterion in
        var criterion = criterion
        criterion.keyIDs = nil
        return criterion
      }
    }
    let others = Policy(accepted: ofAnyKey, disallowed: disallowed.filter { $0.keyIDs == nil })
    return others.acceptableSets(among: authenticators, appID: appID).isEmpty ? .otherTypes : .otherKeys
  }
}

/// One authenticator that meets one criterion.
public struct AcceptableAuthenticator: Equatable, Sendable {
  /// The model.
  public let aaid: AAID

  /// Its keys for the AppID that the criterion names; empty if it has none.
  public let keyIDs: [KeyID]

  /// The first attestation type in the criterion that the authenticator offers, or its own first one.
  public let attestationType: UInt16?

  /// Makes one for a protocol that has no criteria.
  public init(aaid: AAID, keyIDs: [KeyID], attestationType: UInt16? = nil) {
    self.aaid = aaid
    self.keyIDs = keyIDs
    self.attestationType = attestationType
  }
}
