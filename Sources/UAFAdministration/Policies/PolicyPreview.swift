/// Whom another policy would affect.
package struct PolicyPreview: Equatable, Sendable {
  /// How many names are listed at most.
  package static let mostNames = 20

  /// Accounts with a key that can be used.
  package internal(set) var withKeys = 0
  /// Those whose accepted authenticators change.
  package internal(set) var changed = 0
  /// Whether the policy in force can be used with the models of now.
  ///
  /// If not, everybody with a key counts as able to log in now: another server may have those models.
  package internal(set) var isPresentUsable = true
  /// Those that can log in now, and could not any more.
  package internal(set) var lockedOut = 0
  /// The first of them, in the order of their bytes.
  package internal(set) var names: [String] = []
  /// Those whose keys meet neither policy.
  package internal(set) var lockedOutAlready = 0
  /// Names in groups of the draft that are no accounts: perhaps mistyped.
  package internal(set) var missing = 0
  /// The first of them.
  package internal(set) var missingNames: [String] = []

  /// Makes the preview of a store without accounts.
  package init() {}

  /// Whether nobody who can log in now could do so any more.
  package var locksEverybodyOut: Bool { lockedOut > 0 && lockedOut + lockedOutAlready == withKeys }
}
