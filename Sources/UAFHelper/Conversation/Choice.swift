import Authenticator

/// What was chosen from a list.
enum Choice: Equatable {
  /// Authenticators to be used together.
  case way([AuthenticatorType])
  /// Registering anew.
  case registerAgain
}
