import UAFMessages
import UAFService

/// The operations of provisioning programs on people (SCIM 2.0, RFC 7644).
///
/// They use the same records, rules and rows of the audit as the operations of people. The caller's role is
/// ``Role/provisioning``, which does not reach administrators and privileged accounts.
package struct PersonProvisioning: Sendable {
  /// How many records a search without a key looks at.
  package static let mostSearched = 10_000
  /// How many records are read together.
  private static let together = 500
  /// The reason in the block of an account that its provisioning program has made inactive.
  static let reason = "made inactive by provisioning"

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// One person.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func person(_ id: String, by caller: Caller) async throws -> ProvisionedPerson {
    try caller.require(.provision)
    let found = try await environment.read { try ProvisionedRecords($0).person(id) }
    guard let found else { throw AdministrationRefusal.unknown("user", name: id) }
    return found
  }

  /// Searches people, in the order in which their accounts were added.
  ///
  /// - Parameters:
  ///   - key: which people are looked at.
  ///   - count: how many of the found people are left out.
  ///   - limit: how many people at most; 0 only counts them.
  ///   - condition: whether a person is found; nil if all are.
  /// - Throws: ``AdministrationRefusal``; ``ProvisioningRefusal/tooManyToSearch(_:)``; ``StoreFailure``.
  package func people(
    _ key: ProvisionedKey, skipping count: Int, limit: Int, by caller: Caller,
    where condition: (@Sendable (ProvisionedPerson) throws -> Bool)? = nil
  ) async throws -> ProvisionedPage<ProvisionedPerson> {
    try caller.require(.provision)
    return try await environment.read { records in
      guard key == .none else {
        let found = try Self.keyed(key, records).map(ProvisionedRecords.person).filter { try condition?($0) ?? true }
        return ProvisionedPage(records: Array(found.dropFirst(count).prefix(limit)), total: found.count)
      }
      guard let condition else {
        let rows = try records.provisioning.accounts(after: 0, skipping: count, limit: limit)
        return ProvisionedPage(
          records: try rows.map(ProvisionedRecords.person), total: try records.provisioning.accountCount())
      }
      guard try records.provisioning.accountCount() <= Self.mostSearched else {
        throw ProvisioningRefusal.tooManyToSearch(Self.mostSearched)
      }
      var found: [ProvisionedPerson] = []
      var rows = try records.provisioning.accounts(after: 0, skipping: 0, limit: Self.together)
      while let end = rows.last {
        found += try rows.map(ProvisionedRecords.person).filter(condition)
        rows = try records.provisioning.accounts(after: end.number, skipping: 0, limit: Self.together)
      }
      return ProvisionedPage(records: Array(found.dropFirst(count).prefix(limit)), total: found.count)
    }
  }

  private static func keyed(_ key: ProvisionedKey, _ records: any StoreTransaction) throws -> [NumberedAccount] {
    switch key {
    case .none, .member: []
    case .id(let id): try [ProvisionedRecords(records).account(id)].compactMap(\.self)
    case .name(let name): Username.isValid(name) ? try records.provisioning.accounts(named: [name]) : []
    case .externalID(let id):
      try records.provisioning.accounts(named: records.profiles.owners(ofExternalIDs: [id]).values.sorted())
    }
  }

  // MARK: Changes

  /// Refuses an external ID that would hand the account to the sync of a directory (docs/directory-sync.md).
  private static func refuseDirectoryID(in draft: PersonDraft, insteadOf present: String?) throws {
    guard let id = draft.texts[.externalID], id != present, id.hasPrefix("ldap:") else { return }
    throw AdministrationRefusal.invalid(field: ProfileField.externalID.rawValue, .ofDirectory)
  }

  /// Adds a person.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func add(_ draft: PersonDraft, by caller: Caller) async throws -> ProvisionedPerson {
    let permitted = try caller.require(.provision)
    try AccountReach.check(draft.username)
    try Self.refuseDirectoryID(in: draft, insteadOf: nil)
    let change = try ProfileChange(draft.texts)
    return try await environment.change(.of(draft.username), by: permitted) { [environment] records in
      try AccountChanges(environment, records, caller).add(draft.username)
      try records.audit.append(ProfileChanges(environment, records).apply([draft.username: change], by: caller))
      if !draft.isActive { try Self.disable(draft.username, environment, records, caller) }
      guard let account = try records.provisioning.accounts(named: [draft.username]).first else {
        throw AdministrationRefusal.unknown("user", name: draft.username)
      }
      return try ProvisionedRecords.person(account)
    }
  }

  /// Changes a person, in one transaction with the reading of the present state.
  ///
  /// If nothing is different, nothing is written and nobody's permission for the account is asked.
  ///
  /// - Parameter edit: the new state of the person; an error that it throws is passed on, and nothing is changed.
  /// - Throws: ``AdministrationRefusal``; ``ProvisioningRefusal``; ``StoreFailure``.
  package func change(
    _ id: String, by caller: Caller, _ edit: @escaping @Sendable (ProvisionedPerson) throws -> PersonDraft
  ) async throws -> ProvisionedPerson {
    let permitted = try caller.require(.provision)
    return try await environment.change(.nobodys, by: permitted) { [environment] records in
      guard let account = try ProvisionedRecords(records).account(id) else {
        throw AdministrationRefusal.unknown("user", name: id)
      }
      let person = try ProvisionedRecords.person(account)
      let draft = try edit(person)
      guard draft.username == person.username else { throw ProvisioningRefusal.nameIsFixed }
      try Self.refuseDirectoryID(in: draft, insteadOf: person.profile.externalID)
      let change = try ProfileChange(draft.texts)
      let isSame = change.applied(to: person.profile) == person.profile && draft.isActive == person.isActive
      if isSame { return person }
      try AccountReach(environment).check([person.username], by: caller, in: records)
      try records.audit.append(ProfileChanges(environment, records).apply([person.username: change], by: caller))
      switch (person.isActive, draft.isActive) {
      case (true, false): try Self.disable(person.username, environment, records, caller)
      case (false, true): try Self.enable(account, environment, records, caller)
      default: break
      }
      guard let changed = try ProvisionedRecords(records).person(id) else {
        throw AdministrationRefusal.unknown("user", name: id)
      }
      return changed
    }
  }

  /// Deletes a person's account with its keys and codes, as ``AccountAdministration/delete(_:reason:by:)`` does.
  ///
  /// - Parameter check: throws if the person must not be deleted in their present state.
  /// - Throws: ``AdministrationRefusal``; the errors of `check`; ``StoreFailure``.
  package func remove(
    _ id: String, by caller: Caller, if check: @escaping @Sendable (ProvisionedPerson) throws -> Void
  ) async throws {
    try await environment.change(.nobodys, by: caller.require(.provision)) { [environment] records in
      guard let person = try ProvisionedRecords(records).person(id) else {
        throw AdministrationRefusal.unknown("user", name: id)
      }
      try check(person)
      try AccountReach(environment).check([person.username], by: caller, in: records)
      _ = try AccountChanges(environment, records, caller).remove(person.username, reason: "")
    }
  }

  /// Disables an account, and closes its open enrolment code: the code could otherwise be used as soon as the account is enabled
  /// again.
  private static func disable(
    _ username: String, _ environment: AdministrationEnvironment, _ records: any StoreTransaction, _ caller: Caller
  ) throws {
    let now = environment.now()
    let block = AccountBlock(since: now, until: nil, reason: reason, actor: caller.actor.text)
    try AccountChanges(environment, records, caller).setBlock(
      block, of: username, .accountDisabled, ["reason": .string(reason)])
    guard try records.enrolments.find(for: username, now: now) != nil else { return }
    try EarlierAuthority(environment: environment, records: records, caller: caller).closeCode(of: username)
  }

  /// Enables an account that provisioning has disabled.
  ///
  /// Identity providers send `active: true` with every change of a person. It must not undo what an administrator has decided.
  private static func enable(
    _ account: NumberedAccount, _ environment: AdministrationEnvironment, _ records: any StoreTransaction,
    _ caller: Caller
  ) throws {
    guard case .token(let name)? = account.block.flatMap({ AuditActor(text: $0.actor) }),
      try records.accessTokens.token(named: name)?.role == Role.provisioning.rawValue
    else { throw ProvisioningRefusal.disabledByOthers(account: account.username) }
    try AccountChanges(environment, records, caller).setBlock(nil, of: account.username, .accountEnabled, [:])
  }
}
