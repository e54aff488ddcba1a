/// Why no set of authenticators satisfies a policy.
public enum PolicyShortfall: Equatable, Sendable {
  /// The authenticators that would fit are registered already; the policy excludes them only because of their keys.
  case registeredAlready
  /// The authenticators that would fit have none of the keys that the policy names, or none for the application.
  case otherKeys
  /// Nothing would fit, whatever keys it had.
  case otherTypes
}

extension Policy {
  /// Why these authenticators give no acceptable set, of a policy for a registration.
  ///
  /// - Parameter authenticators: those that could be registered, and those that are registered and so were not offered.
  public func registrationShortfall(
    among authenticators: [AuthenticatorDescription], appID: String
  ) -> PolicyShortfall {
    let others = Policy(accepted: accepted, disallowed: disallowed.filter { $0.keyIDs == nil })
    let registered = authenticators.filter { !$0.keyIDs(for: appID).isEmpty }
    return others.acceptableSets(among: registered, appID: appID).isEmpty ? .otherTypes : .registeredAlready
  }

  /// Why these authenticators give no acceptable set with a key, of a policy for an authentication.
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
