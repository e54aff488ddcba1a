/// Accounts with a policy of their own.
struct AccountGroup: Equatable, Sendable {
  let name: String
  /// At least one; an account is in one group at most.
  let accounts: Set<String>
  let accepted: AcceptedSets
}
