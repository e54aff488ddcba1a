extension Policy {
  /// Whether the server knows no key of an authenticator for the AppID.
  ///
  /// True if each criterion lists keys, and none lists one that the authenticator has.
  public func leavesOut(_ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    let criteria = accepted.joined()
    return !criteria.isEmpty && !authenticator.keyIDs(for: appID).isEmpty
      && criteria.allSatisfy { $0.keyIDs != nil && $0.matchingKeyIDs(of: authenticator, appID: appID).isEmpty }
  }

  /// The ways in which some of the authenticators satisfy the policy, best first.
  ///
  /// Each way is one set of authenticators to be used together. Authenticators that any `disallowed` criterion matches
  /// are left out first. An empty `accepted` list (UAF 1.0 authentication) accepts each authenticator with a key.
  /// There are 64 ways at most: no person chooses among more, and a policy must not make a login slow.
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

  /// Gives each criterion its own authenticator, in every way there is.
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
