import UAFMessages

/// What the person wants to be deregistered.
public enum DeregistrationScope: Equatable, Sendable {
  /// One authenticator.
  case authenticator(AAID)
  /// Every authenticator of the account.
  case all

  // The words of the FIDO Alliance's interface, which do not distinguish machines.

  /// The one authenticator.
  var aaid: AAID? { if case .authenticator(let aaid) = self { aaid } else { nil } }

  /// Whether it is every one; nil if not.
  var isAll: Bool? { self == .all ? true : nil }
}
