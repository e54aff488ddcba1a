import UAFMessages

/// What became of a `/uaf/respond`.
enum ResponseOutcome: Sendable {
  /// The token that says so, and for the log whose and which keys.
  case accepted(token: Token, operation: Operation, username: String, keys: [AcceptedKey])
  case refused(Refusal, username: String?)
}
