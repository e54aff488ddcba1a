/// What a person is asked to enter, as texts name it.
public enum ValueKind: CaseIterable, Sendable {
  /// A text or a PIN.
  case passcode
  /// A stroke over the 3x3 grid.
  case pattern
  /// Either: where it must not show which of them the account has.
  case either
}
