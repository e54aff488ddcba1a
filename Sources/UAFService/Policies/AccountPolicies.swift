/// The policy of each account: that of its group, or else that of everybody.
package struct AccountPolicies: Equatable, Sendable {
  let everybody: AcceptedSets
  package let groups: [AccountGroup]
  /// Which group an account is in: its place in ``groups``.
  private let places: [String: Int]

  package init(everybody: AcceptedSets, groups: [AccountGroup] = []) {
    self.everybody = everybody
    self.groups = groups
    var places: [String: Int] = [:]
    for (place, group) in groups.enumerated() {
      for account in group.accounts where places[account] == nil { places[account] = place }
    }
    self.places = places
  }

  /// The name of the group that an account is in; nil for everybody else.
  package func group(of username: String) -> String? {
    places[username].map { groups[$0].name }
  }

  /// The accounts of a group; nil if there is none of the name.
  package func members(of group: String) -> Set<String>? { groups.first { $0.name == group }?.accounts }

  /// The policy for a name, whether there is such an account or not.
  package func accepted(for username: String) -> AcceptedSets {
    // Names are plain ASCII here, which Swift compares by bytes.
    places[username].map { groups[$0].accepted } ?? everybody
  }
}
