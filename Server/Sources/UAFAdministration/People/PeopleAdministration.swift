import UAFMessages
import UAFService

/// The operations on what the server knows about people: profiles, and groups of people.
package struct PeopleAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Changes fields of one account's profile, all of them or none.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func change(_ username: String, _ change: ProfileChange, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    try await environment.change(.of(username), by: permitted) { [environment] records in
      guard try records.accounts.exists(username) else {
        throw AdministrationRefusal.unknown("account", name: username)
      }
      try records.audit.append(ProfileChanges(environment, records).apply([username: change], by: caller))
    }
  }

  /// Puts accounts into a group of people, all of them or none; the group is made if it does not exist.
  ///
  /// - Returns: the name of the group as it is stored; without accounts, as it would be.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  @discardableResult
  package func add(_ usernames: [String], to group: String, by caller: Caller) async throws -> String {
    let permitted = try caller.require(.manageAccounts)
    let group = try PersonGroupChanges.checked(group)
    return try await environment.change(.ofAll(usernames), by: permitted) { [environment] records in
      let profiles = try records.profiles.profiles(of: usernames)
      var changes: [String: ProfileChange] = [:]
      for username in usernames {
        guard let profile = profiles[username] else {
          throw AdministrationRefusal.unknown("account", name: username)
        }
        changes[username] = try ProfileChange(groups: profile.groups + [group])
      }
      try records.audit.append(ProfileChanges(environment, records).apply(changes, by: caller))
      return try records.personGroups.group(named: group)?.name ?? group
    }
  }

  /// Groups of people in the order of their names.
  ///
  /// - Parameters:
  ///   - name: groups after this name; empty for the first page.
  ///   - limit: at most 200 groups.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func groups(after name: String, limit: Int, by caller: Caller) async throws -> Page<PersonGroup> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let rows = try await environment.read { try $0.personGroups.page(after: name, limit: limit + 1) }
    return Page(rows, limit: limit, key: \.name)
  }

  /// How many groups there are.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func groupTotal(by caller: Caller) async throws -> RowTotal {
    try caller.require(.read)
    return RowTotal(exactly: try await environment.read { try $0.personGroups.count() })
  }
}

/// The operations on groups of people.
package struct PersonGroupAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// One group by its number.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func group(_ id: Int64, by caller: Caller) async throws -> PersonGroup {
    try caller.require(.read)
    guard let group = try await environment.read({ try $0.personGroups.group(id) }) else {
      throw AdministrationRefusal.unknown("group", name: String(id))
    }
    return group
  }

  /// One group by its name, in whatever case it is written.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func group(named name: String, by caller: Caller) async throws -> PersonGroup {
    try caller.require(.read)
    guard let group = try await environment.read({ try $0.personGroups.group(named: name) }) else {
      throw AdministrationRefusal.unknown("group", name: name)
    }
    return group
  }

  /// Gives a group a different name; its members stay.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func rename(_ id: Int64, to name: String, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    let checked = try PersonGroupChanges.checked(name)
    try await change(id, by: permitted) { try $0.rename($1, to: checked) }
  }

  /// Removes a group; the accounts of its members stay.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func remove(_ id: Int64, by caller: Caller) async throws {
    try await change(id, by: caller.require(.manageAccounts)) { try $0.remove($1) }
  }

  private func change(
    _ id: Int64, by permitted: PermittedCaller,
    _ body: @escaping @Sendable (PersonGroupChanges, PersonGroup) throws -> Void
  ) async throws {
    try await environment.change(.nobodys, by: permitted) { [environment] records in
      guard let group = try records.personGroups.group(id) else {
        throw AdministrationRefusal.unknown("group", name: String(id))
      }
      try body(PersonGroupChanges(environment, records, permitted.caller), group)
    }
  }
}

/// Adds, renames and removes groups of people within a transaction, with the rows of the audit.
struct PersonGroupChanges {
  private let environment: AdministrationEnvironment
  private let records: any StoreTransaction
  private let caller: Caller

  init(_ environment: AdministrationEnvironment, _ records: any StoreTransaction, _ caller: Caller) {
    self.environment = environment
    self.records = records
    self.caller = caller
  }

  /// The name of a group in the form in which it is stored.
  static func checked(_ name: String) throws(AdministrationRefusal) -> String {
    do throws(FieldProblem) { return try ProfileRules.checked(group: name) } catch {
      throw .invalid(field: "name", error)
    }
  }

  /// The external ID of a group in the form in which it is stored; nil if nothing is left of it.
  static func checked(externalID: String) throws(AdministrationRefusal) -> String? {
    let field = ProfileField.externalID
    do throws(FieldProblem) { return try ProfileRules.checked(externalID, field) } catch {
      throw .invalid(field: field.rawValue, error)
    }
  }

  /// Adds a group without members.
  ///
  /// - Parameters:
  ///   - name: as ``checked(_:)`` returns it.
  ///   - externalID: as ``checked(externalID:)`` returns it.
  /// - Returns: the id of the group.
  func add(_ name: String, externalID: String? = nil) throws -> Int64 {
    if let other = try records.personGroups.group(named: name) {
      throw AdministrationRefusal.conflict(.groupExists(other.name))
    }
    guard try records.personGroups.count() < ProfileRules.mostGroupsOfServer else {
      throw AdministrationRefusal.conflict(.tooManyGroups(ProfileRules.mostGroupsOfServer))
    }
    try checkFree(externalID, besides: nil)
    let id = try records.personGroups.add(name, now: environment.now())
    if externalID != nil { try records.personGroups.setExternalID(externalID, of: id) }
    var detail: JSONObject = ["id": .integer(id), "name": .string(name)]
    detail.set("externalID", externalID.map(JSONValue.string))
    try append(.groupCreation, detail)
    return id
  }

  /// Gives a group an external ID, or takes it away.
  ///
  /// The external ID of a mapped group stays: a program that puts a different one in its place means a different group.
  ///
  /// - Parameter externalID: as ``checked(externalID:)`` returns it.
  func setExternalID(_ externalID: String?, of group: PersonGroup) throws {
    guard externalID != group.externalID else { return }
    try checkReach(group)
    if group.externalID != nil { try requireUnmapped(group) }
    try checkFree(externalID, besides: group.id)
    try records.personGroups.setExternalID(externalID, of: group.id)
    let fields: [JSONValue] = [.string(ProfileField.externalID.rawValue)]
    try append(.groupChange, ["id": .integer(group.id), "name": .string(group.name), "fields": .array(fields)])
  }

  /// Refuses an external ID that a different group has.
  private func checkFree(_ externalID: String?, besides group: Int64?) throws {
    guard let externalID, let other = try records.personGroups.group(externalID: externalID), other.id != group else {
      return
    }
    throw AdministrationRefusal.conflict(.groupIDTaken(externalID, by: other.name))
  }

  /// Refuses to give a mapped group another name or external ID: the people of a different group would get what an administrator
  /// has mapped.
  private func requireUnmapped(_ group: PersonGroup) throws {
    guard try records.groupMappings.mapping(of: group.id) == nil else {
      throw AdministrationRefusal.conflict(.groupIsMapped(group.name))
    }
  }

  /// Renames a group, unless it is mapped, or has a member whom the caller may not change.
  ///
  /// - Parameter name: as ``checked(_:)`` returns it.
  func rename(_ group: PersonGroup, to name: String) throws {
    try checkReach(group)
    try requireUnmapped(group)
    if let other = try records.personGroups.group(named: name), other.id != group.id {
      throw AdministrationRefusal.conflict(.groupExists(other.name))
    }
    try records.personGroups.rename(group.id, to: name)
    try append(.groupChange, ["id": .integer(group.id), "from": .string(group.name), "name": .string(name)])
  }

  /// Removes a group with its mapping, unless it has a member whom the caller may not change.
  func remove(_ group: PersonGroup) throws {
    try checkReach(group)
    let mapping = try records.groupMappings.mapping(of: group.id)
    if let mapping {
      try MappedGroups(environment, records).requireControl([mapping], by: caller)
      try records.audit.append([mapping.event(.groupMappingRemoval, by: caller, environment)])
    }
    let people = try mapping?.role == nil ? [] : records.provisioning.members(of: group.id).map(\.username)
    try MappedGroups(environment, records).keepingAdministrator(ifAny: mapping.map { [$0] } ?? [], by: caller) {
      try records.personGroups.remove(group.id)
    }
    try MappedRoles(environment, records, caller).settle(people)
    let members = JSONValue.integer(Int64(group.members))
    try append(.groupRemoval, ["id": .integer(group.id), "name": .string(group.name), "members": members])
  }

  private func checkReach(_ group: PersonGroup) throws {
    let reach = AccountReach(environment)
    let profiles = try records.profiles.profiles(of: reach.allPrivileged(in: records).sorted())
    let members = profiles.filter { $0.value.groups.contains(group.name) }.map(\.key)
    try reach.check(members, by: caller, in: records)
  }

  private func append(_ kind: AuditKind, _ detail: JSONObject) throws {
    try records.audit.append([environment.event(kind, by: caller, detail: JSONValue.object(detail).text)])
  }
}

/// Changes profiles within a transaction.
struct ProfileChanges {
  private let environment: AdministrationEnvironment
  private let records: any StoreTransaction

  init(_ environment: AdministrationEnvironment, _ records: any StoreTransaction) {
    self.environment = environment
    self.records = records
  }

  /// Changes the profiles of existing accounts.
  ///
  /// - Returns: the rows of the audit, which say which fields have changed. They have no values except the names of groups:
  ///   rows of the audit cannot be changed, and so a name or an address in them could never be removed.
  func apply(_ changes: [String: ProfileChange], by caller: Caller) throws -> [AuditEntry] {
    let changes = changes.filter { !$0.value.isEmpty }
    guard !changes.isEmpty else { return [] }
    let before = try records.profiles.profiles(of: changes.keys.sorted())
    var after: [String: AccountProfile] = [:]
    for (username, change) in changes {
      guard let profile = before[username] else { continue }
      let changed = change.applied(to: profile)
      if changed != profile { after[username] = changed }
    }
    try checkExternalIDs(after)
    let mapped = MappedGroups(environment, records)
    let mappings = try mapped.changed(from: before, to: after)
    try mapped.requireControl(mappings, by: caller)
    try mapped.keepingAdministrator(ifAny: mappings, by: caller) {
      try records.profiles.set(after, now: environment.now())
    }
    if mappings.contains(where: { $0.role != nil }) { try MappedRoles(environment, records, caller).settle(after.keys) }
    guard
      try after.values.allSatisfy({ $0.groups.isEmpty })
        || records.personGroups.count() <= ProfileRules.mostGroupsOfServer
    else { throw AdministrationRefusal.conflict(.tooManyGroups(ProfileRules.mostGroupsOfServer)) }
    return after.sorted { $0.key < $1.key }.map { username, profile in
      let detail = Self.detail(from: before[username] ?? AccountProfile(), to: profile)
      return environment.event(.accountChange, by: caller, account: username, detail: JSONValue.object(detail).text)
    }
  }

  /// Refuses an external ID that a different account keeps.
  private func checkExternalIDs(_ profiles: [String: AccountProfile]) throws {
    var wanted: [String: String] = [:]
    for (username, profile) in profiles.sorted(by: { $0.key < $1.key }) {
      guard let id = profile.externalID else { continue }
      if let other = wanted[id] { throw AdministrationRefusal.conflict(.externalIDTaken(id, by: other)) }
      wanted[id] = username
    }
    for (id, owner) in try records.profiles.owners(ofExternalIDs: wanted.keys.sorted()).sorted(by: { $0.key < $1.key })
    {
      let isKept = profiles[owner].map { $0.externalID == id } ?? true
      guard owner == wanted[id] || !isKept else {
        throw AdministrationRefusal.conflict(.externalIDTaken(id, by: owner))
      }
    }
  }

  private static func detail(from before: AccountProfile, to after: AccountProfile) -> JSONObject {
    var fields = ProfileField.allCases.filter { before[$0] != after[$0] }.map(\.rawValue)
    let added = after.groups.filter { !before.groups.contains($0) }
    let removed = before.groups.filter { !after.groups.contains($0) }
    if !added.isEmpty || !removed.isEmpty { fields.append("groups") }
    var detail: JSONObject = ["fields": .array(fields.map(JSONValue.string))]
    if !added.isEmpty { detail.set("groupsAdded", .array(added.map(JSONValue.string))) }
    if !removed.isEmpty { detail.set("groupsRemoved", .array(removed.map(JSONValue.string))) }
    return detail
  }
}
