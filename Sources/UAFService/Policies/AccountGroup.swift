/// Accounts with a policy of their own.
package struct AccountGroup: Equatable, Sendable {
  package let name: String
  /// At least one; an account is in one group at most.
  package let accounts: Set<String>
  package let accepted: AcceptedSets

  package init(name: String, accounts: Set<String>, accepted: AcceptedSets) {
    self.name = name
    self.accounts = accounts
    self.accepted = accepted
  }
}
