import UAFMessages

/// What became of a `/uaf/respond`.
enum ResponseOutcome: Sendable {
  /// The token that says so, and for the log whose and which keys, and whether the machine goes by an earlier name.
  case accepted(
    token: Token, operation: Operation, username: String, keys: [AcceptedKey], ignoresDeviceName: Bool)
  case refused(Refusal, username: String?)
}
