import UAFMessages
import UAFService

/// The operations on mappings of groups of people: what the members of a group get.
///
/// A mapping is made and removed with the signature of somebody who may give roles, or at the server itself. A token is not
/// enough, whatever its role is.
package struct GroupMappingAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// All mappings, in the order of the names of their groups.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func all(by caller: Caller) async throws -> [GroupMapping] {
    try caller.require(.read)
    return try await environment.read { try $0.groupMappings.all() }
  }

  /// The mapping of a group; nil if it has none.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func mapping(of group: Int64, by caller: Caller) async throws -> GroupMapping? {
    try caller.require(.read)
    return try await environment.read { try $0.groupMappings.mapping(of: group) }
  }

  /// The groups of the policy in force to which groups of people can be mapped, in the order of the policy.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func policyGroups(by caller: Caller) async throws -> [String] {
    try caller.require(.read)
    return try await environment.read { [environment] records in
      try MappedGroups(environment, records).savedPolicies()?.groups.map(\.name).filter {
        $0 != AccountGroup.privileged
      }
    } ?? []
  }

  /// Finds out whom a mapping, or its removal, would affect, without changing anything.
  ///
  /// As for a policy, every account with a key is read, and one preview runs at a time.
  ///
  /// - Parameters:
  ///   - group: the number of a group of people.
  ///   - target: what its members would get; nil if its mapping would be removed.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func preview(
    _ group: Int64, to target: MappingTarget?, by caller: Caller
  ) async throws -> GroupMappingPreview {
    try caller.require(.read)
    return try await environment.previews.run {
      let found = try await environment.read { [environment] records in
        let members = try Self.group(group, in: records).members
        let mapped = MappedGroups(environment, records)
        let present = try mapped.savedPolicies()
        let draft = try Self.checked(target, of: group, environment, records)
        let others = try records.groupMappings.policyMembers(among: nil)
        return (members, present.flatMap { try? $0.mapping(others) }, draft, try records.settings.value(of: .publicURL))
      }
      let preview = try await PolicyImpact(environment).preview(from: found.1, to: found.2, publicURL: found.3)
      return GroupMappingPreview(members: found.0, policy: preview)
    }
  }

  /// Maps a group of people to a group of the policy in force, a role, or both, instead of an earlier mapping of it.
  ///
  /// The policy applies at all servers of the store within two seconds, and the role from the commit on.
  ///
  /// - Parameters:
  ///   - group: the number of the group, to which the mapping is bound.
  ///   - name: the name of the group that was shown to the caller; nil if none was.
  ///   - target: what its members get.
  ///   - accepted: how many accounts it may lock out, according to its preview.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func map(
    _ group: Int64, named name: String? = nil, to target: MappingTarget, lockingOut accepted: Int, by caller: Caller
  ) async throws {
    let permitted = try await checked(group, to: target, lockingOut: accepted, by: caller)
    try caller.requireSignature()
    try await environment.change(.nobodys, by: permitted) { [environment] records in
      let found = try Self.group(group, in: records)
      // The caller has signed the name, and until now somebody could rename the group.
      if let name, found.name != name { throw AdministrationRefusal.conflict(.groupRenamed(name)) }
      let present = try records.groupMappings.mapping(of: group)
      _ = try Self.checked(target, of: group, environment, records)
      guard try present != nil || records.groupMappings.all().count < GroupMapping.most else {
        throw AdministrationRefusal.conflict(.tooManyMappings(GroupMapping.most))
      }
      let mapping = GroupMapping(
        groupID: group, group: found.name, externalID: found.externalID, members: found.members,
        policyGroup: target.policyGroup, role: target.role?.rawValue, madeBy: caller.actor.text,
        madeAt: environment.now())
      try MappedGroups(environment, records).keepingAdministrator(ifAny: [mapping], by: caller) {
        try records.groupMappings.set(
          mapping.policyGroup, role: mapping.role, for: group, by: mapping.madeBy, now: mapping.madeAt)
      }
      if let present { try records.audit.append([present.event(.groupMappingRemoval, by: caller, environment)]) }
      try records.audit.append([mapping.event(.groupMapping, by: caller, environment)])
      try Self.settle(group, [present?.role, mapping.role], MappedRoles(environment, records, caller), records)
    }
  }

  /// Removes the mapping of a group; the group and its members stay.
  ///
  /// - Parameter accepted: how many accounts the removal may lock out, according to its preview.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func unmap(_ group: Int64, lockingOut accepted: Int, by caller: Caller) async throws {
    let permitted = try await checked(group, to: nil, lockingOut: accepted, by: caller)
    try caller.requireSignature()
    try await environment.change(.nobodys, by: permitted) { [environment] records in
      let mapping = try Self.mapping(of: Self.group(group, in: records), in: records)
      try MappedGroups(environment, records).keepingAdministrator(ifAny: [mapping], by: caller) {
        _ = try records.groupMappings.remove(group)
      }
      try records.audit.append([mapping.event(.groupMappingRemoval, by: caller, environment)])
      try Self.settle(group, [mapping.role], MappedRoles(environment, records, caller), records)
    }
  }

  /// Gives the members of a group their roles, or takes them, if one of the group's mappings has a role.
  private static func settle(
    _ group: Int64, _ roles: [String?], _ mapped: MappedRoles, _ records: any StoreTransaction
  ) throws {
    guard roles.contains(where: { $0 != nil }) else { return }
    try mapped.settle(records.provisioning.members(of: group).map(\.username))
  }

  /// Throws if the mapping, or its removal, would be refused now to a caller who has signed it; changes nothing.
  ///
  /// - Throws: the errors of ``map(_:to:lockingOut:by:)``.
  package func check(
    _ group: Int64, to target: MappingTarget?, lockingOut accepted: Int, by caller: Caller
  ) async throws {
    _ = try await checked(group, to: target, lockingOut: accepted, by: caller)
  }

  private func checked(
    _ group: Int64, to target: MappingTarget?, lockingOut accepted: Int, by caller: Caller
  ) async throws -> PermittedCaller {
    let permitted = try caller.require(.manageAccess)
    if target == nil {
      _ = try await environment.read { try Self.mapping(of: Self.group(group, in: $0), in: $0) }
    }
    let preview = try await preview(group, to: target, by: caller)
    guard preview.policy.lockedOut <= accepted else { throw AdministrationRefusal.conflict(.lockOut(preview.policy)) }
    return permitted
  }

  // MARK: Rules

  private static func group(_ id: Int64, in records: any StoreTransaction) throws -> PersonGroup {
    guard let group = try records.personGroups.group(id) else {
      throw AdministrationRefusal.unknown("group", name: String(id))
    }
    return group
  }

  private static func mapping(of group: PersonGroup, in records: any StoreTransaction) throws -> GroupMapping {
    guard let mapping = try records.groupMappings.mapping(of: group.id) else {
      throw AdministrationRefusal.conflict(.groupNotMapped(group.name))
    }
    return mapping
  }

  /// The policies in force with the mappings that there would be.
  ///
  /// The group `privileged` is not mapped. Provisioning programs do not reach privileged accounts, so that they could put people
  /// into such a group, and never take them out; and whoever takes somebody out lets the helpdesk issue codes for them.
  private static func checked(
    _ target: MappingTarget?, of group: Int64, _ environment: AdministrationEnvironment, _ records: any StoreTransaction
  ) throws -> AccountPolicies {
    if let target { try target.check() }
    let policyGroup = target?.policyGroup
    var mappings = try records.groupMappings.policyMembers(among: nil)
    guard let policies = try MappedGroups(environment, records).savedPolicies() else {
      throw AdministrationRefusal.invalid(field: "policy", .noPolicyGroup)
    }
    let others = try records.groupMappings.all().filter { $0.groupID != group }
    let own = Set(try records.provisioning.members(of: group).map(\.username))
    if let present = try records.groupMappings.mapping(of: group)?.policyGroup {
      mappings[present] = try Self.members(of: others.filter { $0.policyGroup == present }, in: records)
      if !others.contains(where: { $0.policyGroup == present }) { mappings[present] = nil }
    }
    if let policyGroup {
      guard policyGroup != AccountGroup.privileged else {
        throw AdministrationRefusal.invalid(field: "policy", .notMappable)
      }
      guard try records.settings.value(of: .policyFile) != "yes" else {
        throw AdministrationRefusal.conflict(.policyOfFile)
      }
      mappings[policyGroup, default: []].formUnion(own)
    }
    do { return try policies.mapping(mappings) } catch {
      guard error.name == policyGroup else { throw AdministrationRefusal.conflict(.mappedPolicyGroup(error.name)) }
      throw AdministrationRefusal.invalid(field: "policy", .noPolicyGroup)
    }
  }

  private static func members(of mappings: [GroupMapping], in records: any StoreTransaction) throws -> Set<String> {
    try mappings.reduce(into: []) { names, mapping in
      names.formUnion(try records.provisioning.members(of: mapping.groupID).map(\.username))
    }
  }
}

/// What the members of a mapped group get: a group of the policy, a role, or both.
package struct MappingTarget: Equatable, Sendable {
  /// The name of a group of the saved policy in force; nil for none.
  package let policyGroup: String?
  /// nil for none.
  package let role: Role?

  package init(policyGroup: String?, role: Role? = nil) {
    self.policyGroup = policyGroup
    self.role = role
  }

  /// The roles to which a group can be mapped.
  package static var roles: [Role] { MappedRoles.roles }

  /// Refuses a target with neither, and a role that nobody gets by a mapping.
  func check() throws(AdministrationRefusal) {
    guard policyGroup != nil || role != nil else { throw .conflict(.nothingMapped) }
    guard let role else { return }
    guard MappedRoles.roles.contains(role) else { throw .invalid(field: "role", .noMappedRole) }
  }
}

/// Whom a mapping of a group, or its removal, would affect.
package struct GroupMappingPreview: Equatable, Sendable {
  /// How many people are in the group.
  package let members: Int
  package let policy: PolicyPreview

  package init(members: Int, policy: PolicyPreview) {
    self.members = members
    self.policy = policy
  }
}
