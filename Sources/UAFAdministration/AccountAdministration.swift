import UAFMessages
import UAFService

/// What administrators do with accounts.
package struct AccountAdministration: Sendable {
  private let environment: AdministrationEnvironment
  private let mostLookedAt: Int

  /// - Parameter mostLookedAt: how many accounts a page looks at where the keys of each have to be asked.
  package init(_ environment: AdministrationEnvironment, mostLookedAt: Int = 5_000) {
    self.environment = environment
    self.mostLookedAt = mostLookedAt
  }

  /// Accounts in the order of their names.
  ///
  /// Where those are wanted that were not used for long, a page looks at some thousands of accounts, and may have few rows
  /// or none although another page follows.
  ///
  /// - Parameters:
  ///   - query: at most 200 of them.
  ///   - group: those of this group of the policy in force; nil for all.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    _ query: AccountQuery, group: String? = nil, by caller: Caller
  ) async throws -> Page<AccountRow> {
    try caller.require(.read)
    try PageLimit.check(query.limit)
    guard query.prefix.isEmpty || Username.isValid(query.prefix) else {
      throw AdministrationRefusal.invalid(field: "prefix", reason: "no account's name begins so")
    }
    guard query.after.isEmpty || Username.isValid(query.after) else {
      throw AdministrationRefusal.invalid(field: "after", reason: "is no account's name")
    }
    var asked = query
    asked.limit += 1
    if let group { asked.names = try members(of: group) }
    let (rows, end) = try await environment.read { [asked, mostLookedAt, now = environment.now()] records in
      var asked = asked
      if asked.idleSince != nil {
        asked.last = try records.accounts.name(at: mostLookedAt, of: asked, now: now)
      }
      return (try records.accounts.page(asked, now: now), asked.last)
    }
    let page = Page(try rows.map(row), limit: query.limit) { $0.summary.username }
    return page.next == nil ? Page(rows: page.rows, next: end) : page
  }

  private func members(of group: String) throws -> [String] {
    guard let members = try environment.members(group) else {
      throw AdministrationRefusal.invalid(
        field: "group", reason: "the policy in force at this server has no such group")
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

  /// Whether an account is one of the group `privileged`, or an administrator's.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; what the environment's functions throw.
  package func isPrivileged(_ username: String, by caller: Caller) async throws -> Bool {
    try caller.require(.read)
    return try await environment.read { [environment] records in
      try AccountReach(environment).isPrivileged(username, in: records)
    }
  }

  /// Adds an account that has neither keys nor a code.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func add(_ username: String, by caller: Caller) async throws {
    try caller.require(.manageAccounts)
    try AccountReach.check(username)
    let event = environment.event(.accountCreation, by: caller, account: username)
    try await environment.change(.manageAccounts, .of(username), by: caller) { [now = environment.now()] records in
      guard try !records.accounts.exists(username) else {
        throw AdministrationRefusal.conflict("there is an account \(username)")
      }
      try records.accounts.add(username, now: now)
      try records.audit.append([event])
    }
  }

  /// Deletes an account with its keys and codes; confirmed texts and the audit stay.
  ///
  /// An administrator's account is deleted after the administrator is removed, so that the last one stays.
  ///
  /// - Returns: how many keys it had that were not revoked.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  @discardableResult
  package func delete(_ username: String, reason: String = "", by caller: Caller) async throws -> Int {
    try caller.require(.manageAccounts)
    try ReasonText.check(reason)
    return try await environment.change(.manageAccounts, .of(username), by: caller) { [environment] records in
      guard try records.administrators.administrator(username) == nil else {
        throw AdministrationRefusal.conflict("\(username) is an administrator: remove the administrator first")
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
}
