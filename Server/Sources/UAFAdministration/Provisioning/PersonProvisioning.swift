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

  /// Refuses an external ID that would hand the account to the sync of a directory, or take it away from one
  /// (docs/directory-sync.md).
  ///
  /// - Parameter change: its texts are in the form in which they are stored, without white space before the ID.
  private static func checkExternalID(_ change: ProfileChange, insteadOf present: String?) throws {
    guard let id = change.texts[.externalID], id != present else { return }
    if let present, DirectorySource.isExternalID(present) { throw ProvisioningRefusal.keepsDirectoryID(present) }
    if let id, DirectorySource.isExternalID(id) {
      throw AdministrationRefusal.invalid(field: ProfileField.externalID.rawValue, .ofDirectory)
    }
  }

  /// Adds a person.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func add(_ draft: PersonDraft, by caller: Caller) async throws -> ProvisionedPerson {
    let permitted = try caller.require(.provision)
    try AccountReach.check(draft.username)
    let change = try ProfileChange(draft.texts)
    try Self.checkExternalID(change, insteadOf: nil)
    return try await environment.change(.of(draft.username), by: permitted) { [environment] records in
      let changes = AccountChanges(environment, records, caller)
      try changes.add(draft.username)
      try records.audit.append(ProfileChanges(environment, records).apply([draft.username: change], by: caller))
      if !draft.isActive { try changes.disable(draft.username, reason: Self.reason, keepsLock: true) }
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
      let change = try ProfileChange(draft.texts)
      try Self.checkExternalID(change, insteadOf: person.profile.externalID)
      let isSame = change.applied(to: person.profile) == person.profile && draft.isActive == person.isActive
      if isSame { return person }
      try AccountReach(environment).check([person.username], by: caller, in: records)
      try records.audit.append(ProfileChanges(environment, records).apply([person.username: change], by: caller))
      switch (person.isActive, draft.isActive) {
      case (true, false):
        try AccountChanges(environment, records, caller).disable(
          person.username, reason: Self.reason, keepsLock: true)
      case (false, true):
        // Identity providers send `active: true` with every change of a person. It must not undo what an administrator has
        // decided.
        try Self.requireOwn(account.block, of: account.username, in: records)
        try AccountChanges(environment, records, caller).lift(account.username)
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
  /// An account that somebody else has blocked stays: an account that was made under its name later would be active. So does
  /// the account of a directory, which the directory's sync could not make its own again.
  ///
  /// - Parameter check: throws if the person must not be deleted in their present state.
  /// - Throws: ``AdministrationRefusal``; the errors of `check`; ``StoreFailure``.
  package func remove(
    _ id: String, by caller: Caller, if check: @escaping @Sendable (ProvisionedPerson) throws -> Void
  ) async throws {
    try await environment.change(.nobodys, by: caller.require(.provision)) { [environment] records in
      guard let account = try ProvisionedRecords(records).account(id) else {
        throw AdministrationRefusal.unknown("user", name: id)
      }
      let person = try ProvisionedRecords.person(account)
      try check(person)
      try AccountReach(environment).check([person.username], by: caller, in: records)
      if let id = person.profile.externalID, DirectorySource.isExternalID(id) {
        throw ProvisioningRefusal.ofDirectory(account: person.username, externalID: id)
      }
      let now = environment.now()
      for block in [account.block, try records.accounts.coveredLock(of: person.username)] {
        guard let block, block.refusal(at: now) != nil else { continue }
        try Self.requireOwn(block, of: person.username, in: records)
      }
      _ = try AccountChanges(environment, records, caller).remove(person.username, reason: "")
    }
  }

  /// Refuses to act against a block that provisioning has not set.
  private static func requireOwn(_ block: AccountBlock?, of username: String, in records: any StoreTransaction) throws {
    let actor = block.flatMap { AuditActor(text: $0.actor) }
    if case .token(let name)? = actor,
      try records.accessTokens.token(named: name)?.role == Role.provisioning.rawValue
    {
      return
    }
    var directory: String?
    if case .directory(let name)? = actor { directory = name }
    throw ProvisioningRefusal.blockedByOthers(account: username, directory: directory)
  }
}
