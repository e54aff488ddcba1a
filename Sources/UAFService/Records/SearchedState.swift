/// The state of the accounts that are searched for.
package enum SearchedState: String, CaseIterable, Sendable {
  /// Neither disabled nor locked now.
  case active
  /// Until somebody enables it.
  case disabled
  /// For a time that is not over.
  case locked
}
