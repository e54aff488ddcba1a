import UAFMessages

/// What the person wants to be deregistered.
public enum DeregistrationScope: Equatable, Sendable {
  /// One authenticator.
  case authenticator(AAID)
  /// Every authenticator of the account.
  case all
  /// What the account has on this machine, by the device id alone.
  ///
  /// Names nothing of the FIDO Alliance's interface, so that a server that cannot tell machines apart finds nothing to do.
  case machine
}
