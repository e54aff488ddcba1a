/// The policy of each account: its group's, or else everybody's.
package struct AccountPolicies: Equatable, Sendable {
  let everybody: AcceptedSets
  let groups: [AccountGroup]

  package init(everybody: AcceptedSets, groups: [AccountGroup] = []) {
    self.everybody = everybody
    self.groups = groups
  }

  /// What an account is asked for, whether there is one of the name or not.
  func accepted(for username: String) -> AcceptedSets {
    // Names are plain ASCII here, for which Swift's comparison is by bytes.
    groups.first { $0.accounts.contains(username) }?.accepted ?? everybody
  }
}
