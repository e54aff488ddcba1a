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

  /// Whether the answer is yes for an authenticator.
  func holds(of authenticator: StatusDocument.Authenticator) -> Bool {
    switch self {
    case .supported: authenticator.state != AuthenticatorState.notSupported
    case .registered: authenticator.isHeld
    case .locked: authenticator.state == AuthenticatorState.locked
    case .available: authenticator.state == AuthenticatorState.available
    }
  }
}
