/// What the members of a group of people get: a group of the policy, a role, or both.
///
/// Only a mapping gives a group of people an effect. Its name never does.
package struct GroupMapping: Equatable, Sendable {
  /// The most mappings of a server.
  package static let most = 100

  /// The number of the group, to which the mapping is bound.
  ///
  /// It is never used again, even after the group is removed.
  package let groupID: Int64
  /// The name of the group, which stays the same for as long as the group is mapped.
  package let group: String
  /// The ID that the organisation's identity provider has given the group; nil for none.
  package let externalID: String?
  /// How many people are in the group.
  package let members: Int
  /// The name of the group of the policy; nil for none.
  package let policyGroup: String?
  /// The role, which is never administrator; nil for none.
  package let role: String?
  /// Who made the mapping, as ``AuditActor/text`` writes it.
  package let madeBy: String
  /// Seconds since 1970.
  package let madeAt: Int64

  package init(
    groupID: Int64, group: String, externalID: String? = nil, members: Int, policyGroup: String?, role: String? = nil,
    madeBy: String, madeAt: Int64
  ) {
    self.groupID = groupID
    self.group = group
    self.externalID = externalID
    self.members = members
    self.policyGroup = policyGroup
    self.role = role
    self.madeBy = madeBy
    self.madeAt = madeAt
  }
}

/// A role that somebody has by a mapping.
package struct MappedRole: Equatable, Sendable {
  package let role: String
  /// The number of the group of people.
  package let group: Int64

  package init(role: String, group: Int64) {
    self.role = role
    self.group = group
  }
}

/// The mappings of groups of people.
package protocol GroupMappings {
  /// All mappings, in the order of the names of their groups.
  func all() throws -> [GroupMapping]

  /// The mapping of a group; nil if it has none.
  func mapping(of group: Int64) throws -> GroupMapping?

  /// The mappings of those of the groups that have one.
  ///
  /// - Parameter names: in whatever case.
  func mappings(ofGroupsNamed names: [String]) throws -> [GroupMapping]

  /// Maps a group, instead of an earlier mapping of it.
  ///
  /// - Parameter now: seconds since 1970.
  func set(_ policyGroup: String?, role: String?, for group: Int64, by actor: String, now: Int64) throws

  /// Removes the mapping of a group.
  ///
  /// - Returns: false if it has none.
  func remove(_ group: Int64) throws -> Bool

  /// The members of mapped groups, by the name of the group of the policy.
  ///
  /// A group of the policy to which a group without members is mapped is there too.
  ///
  /// - Parameter usernames: only these accounts; nil for all.
  func policyMembers(among usernames: [String]?) throws -> [String: Set<String>]

  /// The roles to which groups of some people are mapped, in the order of the groups' numbers; nobody without one is there.
  func roles(of usernames: [String]) throws -> [String: [MappedRole]]

  /// The names of all people of whom a group is mapped to a role.
  func peopleWithRoles() throws -> Set<String>

  /// A number that is different after each change of a mapping, and of the members of a mapped group.
  func changeNumber() throws -> Int64
}
