import UAFMessages

/// What became of a `/uaf/respond`.
enum ResponseOutcome: Sendable {
  /// The token that says so, and for the log whose and which keys, and whether the machine goes by an earlier name;
  /// and the lost keys that a registration took the place of.
  case accepted(
    token: Token, operation: Operation, username: String, keys: [AcceptedKey], ignoresDeviceName: Bool,
    forgotten: [KeyID])
  case refused(Refusal, username: String?)
}
