/// Accounts with a policy of their own.
package struct AccountGroup: Equatable, Sendable {
  /// The name of the group that the helpdesk does not reach.
  package static let privileged = "privileged"

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
