import UAFMessages

/// Which keys are meant.
package enum KeySelection: Equatable, Sendable {
  /// All of an account.
  case all(of: String)
  /// One key of an account.
  case one(AAID, KeyID, of: String)
  /// All that an account has on one machine.
  case onMachine(String, of: String)
  /// All on one machine, of whomever.
  case machine(String)
}
