import UAFMessages

/// What the person wants to be deregistered.
public enum DeregistrationScope: Equatable, Sendable {
  /// One authenticator.
  case authenticator(AAID)
  /// Every authenticator of the account.
  case all

  /// Says it in the words of the FIDO Alliance's interface, which do not distinguish machines.
  func describe(in context: inout RequestContext) {
    switch self {
    case .authenticator(let aaid): context.deregisterAAID = aaid
    case .all: context.deregisterAll = true
    }
  }
}
