import UAFMessages
import UAFService

/// The mappings of groups of people, as a transaction sees them.
struct MappedGroups {
  private let environment: AdministrationEnvironment
  private let records: any StoreTransaction

  init(_ environment: AdministrationEnvironment, _ records: any StoreTransaction) {
    self.environment = environment
    self.records = records
  }

  // MARK: Who decides about members

  /// The mappings of the groups that some people join or leave.
  func changed(
    from before: [String: AccountProfile], to after: [String: AccountProfile]
  ) throws -> [GroupMapping] {
    // Names that differ only in case are the same group.
    let keys = after.reduce(into: Set<String>()) { keys, change in
      let earlier = (before[change.key]?.groups ?? []).map(SearchText.key)
      keys.formUnion(Set(change.value.groups.map(SearchText.key)).symmetricDifference(earlier))
    }
    return try records.groupMappings.mappings(ofGroupsNamed: keys.sorted())
  }

  /// Refuses callers who must not decide about the members of mapped groups.
  ///
  /// Whoever decides who is in such a group decides about policies and roles. Those are administrators, and provisioning
  /// programs, for which the group was mapped. A directory's sync decides with the role of its caller.
  func requireControl(_ mappings: [GroupMapping], by caller: Caller) throws(AdministrationRefusal) {
    guard !mappings.isEmpty, !caller.role.allows(.provision) else { return }
    try caller.require(.manageAccess)
  }

  // MARK: Policies

  /// The saved policy in force, without mappings; the one for everybody if none was saved.
  ///
  /// - Returns: nil if this process cannot use it.
  func savedPolicies() throws -> AccountPolicies? {
    guard let text = try records.policyVersions.version(records.policyVersions.lastNumber())?.text else {
      return AccountPolicies(everybody: AcceptedSets(each: environment.models))
    }
    return try? PolicyParser(models: environment.models).policies(Array(text.utf8))
  }

  /// Policies with the mapped members among administrators alone: a store may have very many others.
  ///
  /// - Returns: nil if the policies lack a group that a mapping names.
  func administrators(_ policies: AccountPolicies) throws -> AccountPolicies? {
    let names = try records.administrators.all().map(\.name)
    return try? policies.mapping(records.groupMappings.policyMembers(among: names))
  }

  /// Makes a change of mappings or of members, after which an administrator can still sign in.
  ///
  /// As for a policy, that is not demanded of callers at the server itself.
  ///
  /// - Parameter mappings: those that the change concerns; without any, nothing is checked.
  /// - Throws: ``AdministrationRefusal/lastAdministrator``; the errors of `change`.
  func keepingAdministrator(
    ifAny mappings: [GroupMapping], by caller: Caller, _ change: () throws -> Void
  ) throws {
    guard !mappings.isEmpty, !caller.isAtServer, let policies = try savedPolicies(),
      try hasAdministrator(under: policies)
    else {
      return try change()
    }
    try change()
    guard try hasAdministrator(under: policies) else { throw AdministrationRefusal.lastAdministrator }
  }

  private func hasAdministrator(under policies: AccountPolicies) throws -> Bool {
    guard let policies = try administrators(policies) else { return false }
    return try records.hasUsableAdministrator(
      meeting: policies, passkeys: environment.usablePasskeys(in: records), now: environment.now())
  }
}

extension GroupMapping {
  /// The row of the audit about this mapping.
  func event(_ kind: AuditKind, by caller: Caller, _ environment: AdministrationEnvironment) -> AuditEntry {
    var detail: JSONObject = ["id": .integer(groupID), "group": .string(group)]
    detail.set("externalID", externalID.map(JSONValue.string))
    detail.set("policy", policyGroup.map(JSONValue.string))
    detail.set("role", role.map(JSONValue.string))
    detail.set("members", .integer(Int64(members)))
    return environment.event(kind, by: caller, detail: JSONValue.object(detail).text)
  }
}
