/// One line of a table of system calls.
public enum CallRule: Sendable {
  /// The calls may be made.
  case allowed([String], why: String)
  /// The call may be made if every condition holds, and otherwise fails as one that no rule names.
  case allowedIf(String, [CallCondition], why: String)
}
