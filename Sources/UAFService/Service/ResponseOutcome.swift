import UAFMessages

/// What became of a `/uaf/respond`.
package enum ResponseOutcome: Sendable {
  /// The token that says so, and for the log whose and which keys, and whether the machine goes by an earlier name;
  /// and the lost keys that a registration took the place of.
  case accepted(
    token: Token, operation: Operation, username: String, keys: [AcceptedKey], ignoresDeviceName: Bool,
    forgotten: [KeyID])
  /// Why not, of whom, and how far a key was seen to count, where the answer's counter did not grow.
  case refused(Refusal, username: String?, seen: SeenCounter? = nil)
}
