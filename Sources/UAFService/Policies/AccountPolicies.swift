/// The policy of each account: that of its group, or else that of everybody.
package struct AccountPolicies: Equatable, Sendable {
  let everybody: AcceptedSets
  let groups: [AccountGroup]

  package init(everybody: AcceptedSets, groups: [AccountGroup] = []) {
    self.everybody = everybody
    self.groups = groups
  }

  /// The policy for a name, whether there is such an account or not.
  func accepted(for username: String) -> AcceptedSets {
    // Names are plain ASCII here, which Swift compares by bytes.
    groups.first { $0.accounts.contains(username) }?.accepted ?? everybody
  }
}
