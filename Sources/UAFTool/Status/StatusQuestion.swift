import Doctor

/// What the exit status of `uafctl status` may answer about one authenticator type.
enum StatusQuestion: CaseIterable {
  /// Whether it could be registered here: root has enabled it, and this version can verify it.
  case supported
  /// Whether the account has it, locked or not.
  case registered
  /// Whether it is locked now, for a time or permanently.
  case locked
  /// Whether it is usable for a login now.
  case available

  /// Whether the answer is yes for an authenticator in this state.
  func holds(of state: Int64) -> Bool {
    switch self {
    case .supported: state != AuthenticatorState.notSupported
    case .registered: state == AuthenticatorState.available || state == AuthenticatorState.locked
    case .locked: state == AuthenticatorState.locked
    case .available: state == AuthenticatorState.available
    }
  }
}
