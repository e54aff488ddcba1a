/// The outcome of a request to try a secret.
public enum ChargeOutcome: Equatable, Sendable {
  /// Counted: the secret may be checked now, once, and settled with this ticket if it is correct.
  case charged(ticket: UInt64)
  /// Not counted: locked for so long.
  case locked(Duration)
  /// Not counted: locked until an administrator unlocks.
  case permanentlyLocked
}
