import FidoResults
import Synchronization
import UAFMessages
import UAFService

/// The operations on accounts.
package struct AccountAdministration: Sendable {
  /// How many suggestions of the search's index a page looks at.
  private static let mostSuggestions = 500

  private let environment: AdministrationEnvironment
  private let mostLookedAt: Int
  private let mostCounted: Int

  /// - Parameters:
  ///   - mostLookedAt: how many accounts a page reads at most if the search must read the keys of each account.
  ///   - mostCounted: how many accounts are counted at most if only their names are read; a tenth of them otherwise.
  package init(
    _ environment: AdministrationEnvironment, mostLookedAt: Int = 5_000,
    mostCounted: Int = RowTotal.mostOfIndex
  ) {
    self.environment = environment
    self.mostLookedAt = mostLookedAt
    self.mostCounted = mostCounted
  }

  /// Accounts in the order of their names; with a text to search for, first those whose names begin with it, then the others in
  /// the order in which they were added.
  ///
  /// A search by last use reads at most some thousands of accounts for a page, and a search for a text some hundred. So a page
  /// may have few rows, or none, although a further page follows.
  ///
  /// - Parameters:
  ///   - query: at most 200 accounts.
  ///   - group: only accounts of this group of the policy in force; nil for all.
  ///   - people: only accounts of these people. With a text to search for, `after` of the query is the `next` of the page
  ///     before.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    _ query: AccountQuery, group: String? = nil, of people: PeopleSelection = PeopleSelection(), by caller: Caller
  ) async throws -> Page<AccountRow> {
    try caller.require(.read)
    try PageLimit.check(query.limit)
    guard query.prefix.isEmpty || Username.isValid(query.prefix) else {
      throw AdministrationRefusal.invalid(field: "prefix", .noSuchPrefix)
    }
    var asked = query
    if let group { asked.names = try members(of: group) }
    if let text = people.text { return try await found(text, asked, people.memberOf) }
    guard query.after.isEmpty || Username.isValid(query.after) else {
      throw AdministrationRefusal.invalid(field: "after", .notAnAccount)
    }
    asked.limit += 1
    let (rows, end) = try await environment.read { [asked, mostLookedAt, now = environment.now()] records in
      var asked = asked
      asked.memberOf = try people.id(in: records)
      if asked.idleSince != nil {
        asked.last = try records.accounts.name(at: mostLookedAt, of: asked, now: now)
      }
      return (try records.accounts.page(asked, now: now), asked.last)
    }
    let page = Page(try rows.map(row), limit: query.limit) { $0.summary.username }
    return page.next == nil ? Page(rows: page.rows, next: end) : page
  }

  /// How many accounts ``page(_:group:of:by:)`` lists on all pages; nil if nobody can count them quickly.
  ///
  /// A search for a text or by last use must look at each account, and so must one for active accounts among many.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func total(
    _ query: AccountQuery, group: String? = nil, of people: PeopleSelection = PeopleSelection(),
    by caller: Caller
  ) async throws -> RowTotal? {
    try caller.require(.read)
    guard people.text == nil, query.idleSince == nil else { return nil }
    var asked = query
    if let group { asked.names = try members(of: group) }
    return try await environment.read { [asked, mostCounted, now = environment.now()] records in
      var asked = asked
      asked.memberOf = try people.id(in: records)
      let isOfNames = asked.state == nil && asked.names == nil && asked.memberOf == nil
      let most = isOfNames ? mostCounted : mostCounted / 10
      if asked.state == .active, asked.names == nil {
        let all = try records.accounts.count(AccountQuery(limit: 1), atMost: most + 1, now: now)
        guard all <= most else { return nil }
      }
      return RowTotal(
        counted: try records.accounts.count(asked, atMost: most + 1, now: now), most: most)
    }
  }

  /// Accounts in another order than that of their names.
  ///
  /// At most ``SortedAccounts/mostSorted`` accounts are sorted, the first ones by their names.
  ///
  /// - Parameters:
  ///   - query: at most 200 accounts; its `after` is the `next` of the page before, in the same order.
  ///   - people: without a text to search for.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func sorted(
    _ query: AccountQuery, by order: AccountOrder, isDescending: Bool, group: String? = nil,
    of people: PeopleSelection = PeopleSelection(), by caller: Caller
  ) async throws -> (page: Page<AccountRow>, total: RowTotal) {
    try caller.require(.read)
    try PageLimit.check(query.limit)
    guard query.prefix.isEmpty || Username.isValid(query.prefix) else {
      throw AdministrationRefusal.invalid(field: "prefix", .noSuchPrefix)
    }
    let place = query.after.isEmpty ? nil : AccountPlace(text: query.after, in: order)
    guard query.after.isEmpty || place != nil else { throw AdministrationRefusal.invalid(field: "after", .notAPlace) }
    var asked = query
    if let group { asked.names = try members(of: group) }
    let (found, count) = try await environment.read { [asked, mostLookedAt, now = environment.now()] records in
      var asked = asked
      asked.memberOf = try people.id(in: records)
      // The keys of each account are read, so only some accounts are.
      if asked.idleSince != nil {
        asked.after = ""
        asked.last = try records.accounts.name(at: mostLookedAt, of: asked, now: now)
      }
      let found = try records.accounts.sorted(asked, by: order, isDescending: isDescending, after: place, now: now)
      // Only if all places of the list are taken may there be more accounts.
      let isFull = found.total >= SortedAccounts.mostSorted
      return (
        found,
        isFull ? try records.accounts.count(asked, atMost: SortedAccounts.mostSorted + 1, now: now) : found.total
      )
    }
    return (
      Page(rows: try found.accounts.map(row), next: found.next?.text),
      RowTotal(counted: count, most: SortedAccounts.mostSorted)
    )
  }

  private func found(_ text: String, _ query: AccountQuery, _ memberOf: String?) async throws
    -> Page<AccountRow>
  {
    let sought = try Self.sought(text)
    let place = SearchPlace(text: query.after)
    guard query.after.isEmpty || place != nil else {
      throw AdministrationRefusal.invalid(field: "after", .notAPlace)
    }
    let found = try await environment.read { [now = environment.now()] records in
      var query = query
      query.memberOf = try PeopleSelection(memberOf: memberOf).id(in: records)
      return try records.profiles.search(
        sought, query, after: place, lookingAt: Self.mostSuggestions, now: now)
    }
    return Page(rows: try found.accounts.map(row), next: found.next?.text)
  }

  private static func sought(_ text: String) throws(AdministrationRefusal) -> SearchText {
    do throws(FieldProblem) {
      guard let line = try ProfileRules.line(text, ProfileRules.longestSearch), let sought = SearchText(line) else {
        throw .emptySearch
      }
      return sought
    } catch { throw .invalid(field: "search", error) }
  }

  private func members(of group: String) throws -> [String] {
    guard let members = try environment.members(group) else {
      throw AdministrationRefusal.invalid(
        field: "group", .unknownGroup)
    }
    return members.sorted()
  }

  /// One account.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func account(_ username: String, by caller: Caller) async throws -> AccountRow {
    try caller.require(.read)
    let found = try await environment.read { [now = environment.now()] in
      try $0.accounts.summary(of: username, now: now)
    }
    guard let found else { throw AdministrationRefusal.unknown("account", name: username) }
    return try row(found)
  }

  private func row(_ summary: AccountSummary) throws -> AccountRow {
    AccountRow(summary: summary, group: try environment.group(summary.username))
  }

  /// Whether the console requires a signature before it revokes a key of an account, disables or locks the account, or issues a
  /// code for it.
  ///
  /// It does so for accounts in the group `privileged` and for administrators.
  ///
  /// False for a caller whose role does not allow changes to such accounts: the change itself is then refused
  /// (``AccountReach``).
  ///
  /// This is read before the change, in a transaction of its own. If the account becomes privileged in between, it is changed
  /// without a signature. Only ``EnrolmentAdministration`` checks again before it issues a code.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; the errors of the environment's functions.
  package func needsSignature(toChange username: String, by caller: Caller) async throws -> Bool {
    try caller.require(.read)
    guard caller.role.reachesPrivileged else { return false }
    return try await environment.read { [environment] records in
      try AccountReach(environment).isPrivileged(username, in: records)
    }
  }

  /// Adds an account that has neither keys nor a code.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func add(_ username: String, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    try AccountReach.check(username)
    try await environment.change(.of(username), by: permitted) { [environment] records in
      try AccountChanges(environment, records, caller).add(username)
    }
  }

  /// Deletes an account with its keys and codes; confirmed texts and the audit stay.
  ///
  /// The account of an administrator can be deleted only after the administrator was removed: so the last administrator cannot
  /// be deleted.
  ///
  /// - Returns: how many keys of the account were not revoked.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  @discardableResult
  package func delete(_ username: String, reason: String = "", by caller: Caller) async throws -> Int {
    let permitted = try caller.require(.manageAccounts)
    try ReasonText.check(reason)
    return try await environment.change(.of(username), by: permitted) { [environment] records in
      try AccountChanges(environment, records, caller).remove(username, reason: reason)
    }
  }
}

/// Adds, blocks and removes accounts within a transaction, with the rows of the audit.
struct AccountChanges {
  private let environment: AdministrationEnvironment
  private let records: any StoreTransaction
  private let caller: Caller

  init(_ environment: AdministrationEnvironment, _ records: any StoreTransaction, _ caller: Caller) {
    self.environment = environment
    self.records = records
    self.caller = caller
  }

  /// Adds an account that has neither keys nor a code.
  func add(_ username: String) throws {
    guard try !records.accounts.exists(username) else {
      throw AdministrationRefusal.conflict(.accountExists(username))
    }
    try records.accounts.add(username, now: environment.now())
    try records.audit.append([environment.event(.accountCreation, by: caller, account: username)])
  }

  /// Disables an account, ends the sessions of its person, and closes its open code.
  ///
  /// The code could otherwise be used as soon as the account is enabled again.
  ///
  /// - Parameter keepsLock: whether a lock that stands is kept beneath the block, until ``lift(_:)``. A program or a directory
  ///   must keep it, since it must not end what an administrator has decided; an administrator replaces it.
  func disable(_ username: String, reason: String, keepsLock: Bool) throws {
    let now = environment.now()
    var lock: AccountBlock?
    if keepsLock, let block = try records.accounts.block(of: username), block.refusal(at: now) == .accountLocked {
      lock = block
    }
    let block = AccountBlock(since: now, until: nil, reason: reason, actor: caller.actor.text)
    _ = try records.accounts.setBlock(block, covering: lock, of: username)
    try records.consoleSessions.removeAll(of: username)
    try note(.accountDisabled, username, ["reason": .string(reason)])
    try MappedRoles(environment, records, caller).settle([username])
    guard try records.enrolments.find(for: username, now: now) != nil else { return }
    try EarlierAuthority(environment: environment, records: records, caller: caller).closeCode(of: username)
  }

  /// Locks an account for some time, and ends the sessions of its person; replaces an earlier lock.
  func lock(_ username: String, seconds: Int64, reason: String) throws {
    let now = environment.now()
    let block = AccountBlock(since: now, until: now + seconds, reason: reason, actor: caller.actor.text)
    _ = try records.accounts.setBlock(block, of: username)
    try records.consoleSessions.removeAll(of: username)
    try note(.accountLocked, username, ["reason": .string(reason), "seconds": .integer(seconds)])
  }

  /// Ends every block of an account.
  func enable(_ username: String) throws {
    _ = try records.accounts.setBlock(nil, of: username)
    try note(.accountEnabled, username)
    try MappedRoles(environment, records, caller).settle([username])
  }

  /// Ends a block that ``disable(_:reason:keepsLock:)`` has set; the lock beneath it stands again, unless it is over.
  func lift(_ username: String) throws {
    guard let lock = try records.accounts.coveredLock(of: username), let until = lock.until, until > environment.now()
    else { return try enable(username) }
    _ = try records.accounts.setBlock(lock, of: username)
    try note(.accountEnabled, username, ["lockedUntil": .integer(until)])
    try MappedRoles(environment, records, caller).settle([username])
  }

  private func note(_ kind: AuditKind, _ username: String, _ detail: JSONObject = [:]) throws {
    let text = detail.members.isEmpty ? "" : JSONValue.object(detail).text
    try records.audit.append([environment.event(kind, by: caller, account: username, detail: text)])
  }

  /// Removes an account with its keys and codes.
  ///
  /// - Returns: how many keys of the account were not revoked.
  func remove(_ username: String, reason: String) throws -> Int {
    if let administrator = try records.administrators.administrator(username) {
      // A role that was given by hand must be taken by hand first, so that the last administrator cannot be deleted.
      guard administrator.group != nil else { throw AdministrationRefusal.conflict(.isAdministrator(username)) }
      try MappedRoles(environment, records, caller).end(administrator)
    }
    guard let keys = try records.accounts.remove(username) else {
      throw AdministrationRefusal.unknown("account", name: username)
    }
    var detail: JSONObject = ["keys": .integer(Int64(keys))]
    if !reason.isEmpty { detail.set("reason", .string(reason)) }
    let text = JSONValue.object(detail).text
    try records.audit.append([environment.event(.accountDeletion, by: caller, account: username, detail: text)])
    return keys
  }
}

/// The people whose accounts a list shows.
package struct PeopleSelection: Equatable, Sendable {
  /// A text that the login name, the display name, the mail address or the department contains; nil for all.
  package var text: String?
  /// The name of a group of people; nil for all.
  package var memberOf: String?

  package init(text: String? = nil, memberOf: String? = nil) {
    self.text = text
    self.memberOf = memberOf
  }

  /// The id of the group; nil for all people.
  func id(in records: any StoreTransaction) throws -> Int64? {
    guard let memberOf else { return nil }
    guard let group = try records.personGroups.group(named: memberOf) else {
      throw AdministrationRefusal.invalid(field: "memberOf", .noSuchGroup)
    }
    return group.id
  }
}

/// One account in a list.
package struct AccountRow: Equatable, Sendable {
  package let summary: AccountSummary
  /// The name of the account's group; nil for everybody else.
  package let group: String?

  package init(summary: AccountSummary, group: String?) {
    self.summary = summary
    self.group = group
  }
}

/// Decides which accounts a caller may act on.
struct AccountReach {
  private let environment: AdministrationEnvironment

  init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Refuses a name that no account can have.
  static func check(_ username: String) throws(AdministrationRefusal) {
    guard Username.isValid(username) else {
      throw .invalid(field: "account", .badName)
    }
  }

  /// Refuses accounts that the caller's role does not allow the caller to change: those in the group `privileged`, and those of
  /// administrators.
  ///
  /// Whoever issues a code for an administrator's account could use it to become that administrator. Whoever blocks or enables
  /// such an account decides who administers the server.
  ///
  /// Provisioning programs reach people who have a role by a mapping alone: the mapping was signed so that they decide who has
  /// the role.
  func check(_ names: [String], by caller: Caller, in records: any StoreTransaction) throws {
    guard !caller.role.reachesPrivileged, !names.isEmpty else { return }
    let isByHand = caller.role.allows(.provision)
    guard let name = try privileged(among: names, onlyByHand: isByHand, in: records).min() else { return }
    throw AdministrationRefusal.privileged(account: name)
  }

  /// Those of the names that are in the group `privileged` or belong to administrators.
  ///
  /// Members of a group that is mapped to a role are among them even while their accounts are disabled: whoever enables one
  /// gives the role.
  ///
  /// - Parameter onlyByHand: whether people are left out who have a role by a mapping alone.
  func privileged(
    among names: [String], onlyByHand: Bool = false, in records: any StoreTransaction
  ) throws -> Set<String> {
    let administrators = Set(try records.administrators.all().filter { !onlyByHand || $0.group == nil }.map(\.name))
    let mapped = onlyByHand ? [:] : try records.groupMappings.roles(of: names)
    let saved = try environment.savedPrivileged.names(in: records)
    return try Set(
      names.filter { name in
        try administrators.contains(name) || mapped[name] != nil || saved.contains(name)
          || environment.group(name) == AccountGroup.privileged
      })
  }

  /// All names in the group `privileged`, and those of administrators and of people whose groups are mapped to roles; some may
  /// have no account.
  func allPrivileged(in records: any StoreTransaction) throws -> Set<String> {
    let administrators = Set(try records.administrators.all().map(\.name))
    return try administrators.union(records.groupMappings.peopleWithRoles())
      .union(environment.savedPrivileged.names(in: records))
      .union(environment.members(AccountGroup.privileged) ?? [])
  }

  /// Whether an account is in the group `privileged` or belongs to an administrator.
  func isPrivileged(_ username: String, in records: any StoreTransaction) throws -> Bool {
    try !privileged(among: [username], in: records).isEmpty
  }
}

/// The accounts in the group `privileged` of the policy that was saved last, as a transaction sees it.
///
/// A server loads a saved policy only some time after the policy was committed. In between, somebody could still act on
/// accounts that have just become privileged. So changes to accounts read the policy from the store.
final class SavedPrivileged: Sendable {
  private let known = Mutex<(number: Int64, names: Set<String>)>((0, []))

  /// The accounts of that group; none if servers use a policy file instead of the saved policies.
  func names(in records: any StoreTransaction) throws -> Set<String> {
    guard try records.settings.value(of: .policyFile) != "yes" else { return [] }
    let number = try records.policyVersions.lastNumber()
    if let names = known.withLock({ $0.number == number ? $0.names : nil }) { return names }
    let names = Self.names(try records.policyVersions.version(number)?.text ?? "")
    known.withLock { $0 = (number, names) }
    return names
  }

  /// The accounts of that group in a policy's text, even if the text names models that this server does not know.
  static func names(_ text: String) -> Set<String> {
    guard case .object(let policy)? = try? JSONValue(parsing: Array(text.utf8)),
      case .object(let groups)? = policy["groups"], case .object(let group)? = groups[AccountGroup.privileged],
      case .array(let accounts)? = group["accounts"]
    else { return [] }
    return Set(accounts.compactMap { if case .string(let name) = $0 { name } else { nil } })
  }
}

/// Disables, locks and enables accounts.
package struct AccountStateAdministration: Sendable {
  /// How long a lock may be, in seconds: up to a year.
  package static let lockTimes: ClosedRange<Int64> = 1...31_536_000
  /// The longest reason, in bytes of UTF-8.
  private static let maximumReason = 200

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Refuses every login of an account until somebody enables it, ends the sessions of its person, and closes its open code.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func disable(_ account: String, reason: String, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    try Self.check(reason: reason)
    try await change(account, by: permitted) { changes, _ in
      try changes.disable(account, reason: reason, keepsLock: false)
    }
  }

  /// Refuses every login of an account for some time; replaces an earlier lock.
  ///
  /// A disabled account stays disabled.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func lock(_ account: String, seconds: Int64, reason: String, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    guard Self.lockTimes.contains(seconds) else {
      throw AdministrationRefusal.invalid(field: "seconds", .outOfRange(Self.lockTimes, nil))
    }
    try Self.check(reason: reason)
    try await change(account, by: permitted) { changes, standing in
      guard standing != .accountDisabled else { throw AdministrationRefusal.conflict(.disabled(account)) }
      try changes.lock(account, seconds: seconds, reason: reason)
    }
  }

  /// Ends the block of an account.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func enable(_ account: String, by caller: Caller) async throws {
    let permitted = try caller.require(.manageAccounts)
    try await change(account, by: permitted) { changes, standing in
      guard standing != nil else { throw AdministrationRefusal.conflict(.neitherDisabledNorLocked(account)) }
      try changes.enable(account)
    }
  }

  /// Refuses a reason that is empty, longer than 200 bytes, or not one line of visible text.
  package static func check(reason: String) throws(AdministrationRefusal) {
    if let hidden = Text.firstHidden(in: reason) { throw .invalid(field: "reason", .hidden(character: hidden)) }
    guard reason.contains(where: { !$0.isWhitespace }), reason.utf8.count <= maximumReason else {
      throw .invalid(field: "reason", .badReason(bytes: maximumReason))
    }
  }

  /// - Parameter body: is given the refusal that the account's logins get now; nil for none.
  private func change(
    _ account: String, by permitted: PermittedCaller,
    _ body: @escaping @Sendable (_ changes: AccountChanges, _ standing: ServiceRefusal?) throws -> Void
  ) async throws {
    try await environment.change(.of(account), by: permitted) { [environment] records in
      guard try records.accounts.exists(account) else {
        throw AdministrationRefusal.unknown("account", name: account)
      }
      let standing = try records.accounts.block(of: account)?.refusal(at: environment.now())
      try body(AccountChanges(environment, records, permitted.caller), standing)
    }
  }
}
