import Authenticator
import FidoResults

/// Why an account is refused whose person has proved nothing yet.
enum AccountRefusal: Equatable {
  case disabled
  case locked
  /// Nothing says that it is active, and root demands that.
  case notKnown

  /// Why an account is refused of which the server said that last; nil if what it said refuses nobody now.
  ///
  /// - Parameter wallSeconds: the time now, in seconds since 1970.
  init?(saidLast standing: AccountStanding?, at wallSeconds: Int64) {
    switch standing {
    case .disabled: self = .disabled
    case .locked(let until) where until > wallSeconds: self = .locked
    case .locked, .active, nil: return nil
    }
  }

  /// What the person is told.
  var cause: EndCause {
    switch self {
    case .disabled: .accountDisabled
    case .locked: .accountLocked
    case .notKnown: .accountNotKnown
    }
  }
}
