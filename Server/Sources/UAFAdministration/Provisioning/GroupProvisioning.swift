import UAFMessages
import UAFService

/// The operations of provisioning programs on groups of people (SCIM 2.0, RFC 7644).
///
/// A group is a name for people. By itself it has no effect, whatever its name is. A provisioning program decides about the
/// members of a mapped group too, but not about its name and its external ID: by them, administrators know what they have mapped.
package struct GroupProvisioning: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// One group.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func group(_ id: String, by caller: Caller) async throws -> ProvisionedGroup {
    try caller.require(.provision)
    return try await environment.read { records in
      let reader = ProvisionedRecords(records)
      guard let group = try reader.group(id) else { throw AdministrationRefusal.unknown("group", name: id) }
      return try reader.whole(NumberedGroup(group))
    }
  }

  /// Searches groups, in the order in which they were added.
  ///
  /// - Parameters:
  ///   - key: which groups are looked at.
  ///   - count: how many of the found groups are left out.
  ///   - limit: how many groups at most; 0 only counts them.
  ///   - showsMembers: whether the returned groups have their members.
  ///   - searchesMembers: whether the groups that `condition` sees have their members; only with a key.
  ///   - condition: whether a group is found; nil if all are.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func groups(
    _ key: ProvisionedKey, skipping count: Int, limit: Int, showing showsMembers: Bool = true,
    searching searchesMembers: Bool = false, by caller: Caller,
    where condition: (@Sendable (ProvisionedGroup) throws -> Bool)? = nil
  ) async throws -> ProvisionedPage<ProvisionedGroup> {
    try caller.require(.provision)
    return try await environment.read { records in
      let reader = ProvisionedRecords(records)
      let page: [NumberedGroup]
      let total: Int
      if key == .none, condition == nil {
        page = try records.provisioning.groups(skipping: count, limit: limit)
        total = try records.personGroups.count()
      } else {
        let found = try Self.keyed(key, records).filter { group in
          try condition?(reader.whole(group, withMembers: searchesMembers && key != .none)) ?? true
        }
        page = Array(found.dropFirst(count).prefix(limit))
        total = found.count
      }
      return ProvisionedPage(
        records: try page.map { try reader.whole($0, withMembers: showsMembers) }, total: total)
    }
  }

  private static func keyed(_ key: ProvisionedKey, _ records: any StoreTransaction) throws -> [NumberedGroup] {
    let reader = ProvisionedRecords(records)
    // A server has at most this many groups.
    return switch key {
    case .none: try records.provisioning.groups(skipping: 0, limit: ProfileRules.mostGroupsOfServer)
    case .id(let id): try reader.group(id).map { [NumberedGroup($0)] } ?? []
    case .name(let name): try records.personGroups.group(named: name).map { [NumberedGroup($0)] } ?? []
    case .externalID(let id): try records.personGroups.group(externalID: id).map { [NumberedGroup($0)] } ?? []
    case .member(let id):
      try reader.account(id)?.groups.compactMap { try records.personGroups.group($0.id).map { NumberedGroup($0) } }
        ?? []
    }
  }

  // MARK: Changes

  /// Adds a group.
  ///
  /// - Throws: ``AdministrationRefusal``; ``ProvisioningRefusal``; ``StoreFailure``.
  package func add(_ draft: GroupDraft, by caller: Caller) async throws -> ProvisionedGroup {
    let permitted = try caller.require(.provision)
    let name = try PersonGroupChanges.checked(draft.name)
    let externalID = try PersonGroupChanges.checked(externalID: draft.externalID)
    return try await environment.change(.nobodys, by: permitted) { [environment] records in
      let id = try PersonGroupChanges(environment, records, caller).add(name, externalID: externalID)
      try Self.setMembers(draft.members, insteadOf: [], of: name, environment, records, caller)
      return try ProvisionedRecords(records).whole(NumberedGroup(id: id, name: name, externalID: externalID))
    }
  }

  /// Changes a group, in one transaction with the reading of its present state.
  ///
  /// - Parameter edit: the new state of the group; an error that it throws is passed on, and nothing is changed.
  /// - Throws: ``AdministrationRefusal``; ``ProvisioningRefusal``; ``StoreFailure``.
  package func change(
    _ id: String, by caller: Caller, _ edit: @escaping @Sendable (ProvisionedGroup) throws -> GroupDraft
  ) async throws -> ProvisionedGroup {
    let permitted = try caller.require(.provision)
    return try await environment.change(.nobodys, by: permitted) { [environment] records in
      let reader = ProvisionedRecords(records)
      guard let group = try reader.group(id) else { throw AdministrationRefusal.unknown("group", name: id) }
      let present = try reader.whole(NumberedGroup(group))
      let draft = try edit(present)
      let name = try PersonGroupChanges.checked(draft.name)
      let externalID = try PersonGroupChanges.checked(externalID: draft.externalID)
      let changes = PersonGroupChanges(environment, records, caller)
      if name != group.name { try changes.rename(group, to: name) }
      try changes.setExternalID(externalID, of: group)
      try Self.setMembers(draft.members, insteadOf: present.members, of: name, environment, records, caller)
      return try reader.whole(NumberedGroup(id: group.id, name: name, externalID: externalID))
    }
  }

  /// Removes a group; the accounts of its members stay.
  ///
  /// - Parameter check: throws if the group must not be removed in its present state.
  /// - Throws: ``AdministrationRefusal``; the errors of `check`; ``StoreFailure``.
  package func remove(
    _ id: String, by caller: Caller, if check: @escaping @Sendable (ProvisionedGroup) throws -> Void
  ) async throws {
    try await environment.change(.nobodys, by: caller.require(.provision)) { [environment] records in
      let reader = ProvisionedRecords(records)
      guard let group = try reader.group(id) else { throw AdministrationRefusal.unknown("group", name: id) }
      try check(reader.whole(NumberedGroup(group)))
      try PersonGroupChanges(environment, records, caller).remove(group)
    }
  }

  /// Gives a group exactly these members; only accounts whose membership changes are touched.
  private static func setMembers(
    _ ids: Set<String>, insteadOf present: [ProvisionedGroup.Member], of name: String,
    _ environment: AdministrationEnvironment, _ records: any StoreTransaction, _ caller: Caller
  ) throws {
    let known = Dictionary(present.map { ($0.id, $0.username) }) { first, _ in first }
    var wanted: Set<String> = []
    for id in ids.sorted() {
      guard let username = try known[id] ?? ProvisionedRecords(records).account(id)?.username else {
        throw ProvisioningRefusal.unknownMember(id)
      }
      wanted.insert(username)
    }
    let changed = wanted.symmetricDifference(present.map(\.username)).sorted()
    guard !changed.isEmpty else { return }
    try AccountReach(environment).check(changed, by: caller, in: records)
    var changes: [String: ProfileChange] = [:]
    for (username, profile) in try records.profiles.profiles(of: changed) {
      let groups = wanted.contains(username) ? profile.groups + [name] : profile.groups.filter { $0 != name }
      changes[username] = try ProfileChange(groups: groups)
    }
    try records.audit.append(ProfileChanges(environment, records).apply(changes, by: caller))
  }
}
