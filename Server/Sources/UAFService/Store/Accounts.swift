import UAFMessages

/// The names that were given an enrolment code, now or earlier.
package protocol Accounts {
  /// Adds an account; does nothing if the name already has one.
  ///
  /// - Parameter now: seconds since 1970.
  func add(_ username: String, now: Int64) throws

  func exists(_ username: String) throws -> Bool

  /// Disables or locks an account, instead of an earlier block, or ends its block.
  ///
  /// A verified answer that is stored later is refused, even if it was verified before.
  ///
  /// - Returns: false if there is no such account, and nothing was changed.
  func setBlock(_ block: AccountBlock?, of username: String) throws -> Bool

  /// Gives each key of a blocked account the block, in case an earlier version that knows no blocks has stored the key without
  /// it.
  func spreadBlocks() throws

  /// How an account is blocked, even by a lock that is over; nil if it is not, or if there is no such account.
  func block(of username: String) throws -> AccountBlock?

  /// Accounts in the order of the names' bytes.
  ///
  /// A page costs the same wherever it is: only its own accounts are counted.
  ///
  /// - Parameter now: seconds since 1970; an enrolment code that has expired by then is not open.
  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary]

  /// The name of the account at a place among those of a query, whenever their keys were used; nil if there are fewer.
  ///
  /// - Parameter place: 1 for the first one. As many rows are read.
  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String?

  /// One account; nil if the name has none.
  func summary(of username: String, now: Int64) throws -> AccountSummary?

  /// Removes an account with its keys, codes, open requests and open texts. Confirmed texts and the audit stay.
  ///
  /// - Returns: how many of its keys were not revoked; nil if the name has no account.
  func remove(_ username: String) throws -> Int?

  /// The highest number of an account; 0 if there is none.
  ///
  /// Accounts are numbered as they are added. A number may belong to no account, if its account was removed.
  func lastNumber() throws -> Int64
}

/// One account, for `uaf-server users`.
package struct AccountSummary: Equatable, Sendable {
  package let username: String
  package let keys: Int
  package let revokedKeys: Int
  /// Seconds since 1970.
  package let lastUsedAt: Int64?
  package let hasOpenCode: Bool
  /// How it is disabled or locked, even by a lock that is over.
  package let block: AccountBlock?

  package init(
    username: String, keys: Int, revokedKeys: Int, lastUsedAt: Int64?, hasOpenCode: Bool, block: AccountBlock? = nil
  ) {
    self.username = username
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.lastUsedAt = lastUsedAt
    self.hasOpenCode = hasOpenCode
    self.block = block
  }
}

/// Why an account is refused everywhere, and for how long.
package struct AccountBlock: Equatable, Sendable {
  /// Seconds since 1970, when the account was disabled or locked.
  package let since: Int64
  /// When a lock ends, in seconds since 1970; nil for a disabled account, which stays disabled until somebody enables it.
  package let until: Int64?
  /// What the administrator gave as the reason.
  package let reason: String
  /// Who did it, as the audit names them.
  package let actor: String

  package init(since: Int64, until: Int64?, reason: String, actor: String) {
    self.since = since
    self.until = until
    self.reason = reason
    self.actor = actor
  }

  /// The refusal for whoever has proved to be the account's person; nil if the lock is over.
  ///
  /// - Parameter now: seconds since 1970.
  package func refusal(at now: Int64) -> ServiceRefusal? {
    guard let until else { return .accountDisabled }
    return until > now ? .accountLocked : nil
  }
}

/// Tells a machine the state of an account, if it has proved that it is known for the account.
package struct AccountStateService: Sendable {
  private let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// A signed statement about the account of a proof, for this proof alone.
  ///
  /// The proof needs nothing from the store, so even a machine whose key is gone may ask. It receives the true state only if
  /// its key can be used, or if the account's person deregistered the key. Otherwise the account is reported as disabled: it
  /// was removed, perhaps made again under the same name for a different person, or the key was revoked.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func statement(for machine: KnownMachine) async throws -> String {
    let account = machine.claim.username
    let now = environment.now()
    let (told, keyIDs) = try await environment.store.read { records -> (AccountState, [KeyID]) in
      let usable = try records.credentials.records(of: account).filter { $0.revocation == nil }.map(\.keyID)
      let keyIDs = try usable + records.credentials.deregisteredKeyIDs(of: account)
      guard let block = try records.accounts.block(of: account), block.refusal(at: now) != nil else {
        return (.active, keyIDs)
      }
      return (block.until.map { .locked(until: $0) } ?? .disabled, keyIDs)
    }
    let isOfKey = try MachineProofs(keys: environment.keys).isNumber(machine.machineID, of: account, holding: keyIDs)
    let state = isOfKey ? told : .disabled
    let statement = AccountStatement(
      account: account, state: state, machineID: machine.machineID, nonce: machine.nonce, issuedAt: now)
    return try environment.keys.statement(statement.json, .accountState)
  }
}

/// The accounts that a page contains.
package struct AccountQuery: Equatable, Sendable {
  /// Accounts whose name begins with it; empty for all.
  package var prefix: String
  /// Accounts whose name comes after this one, by its bytes; empty for the first page.
  package var after: String
  /// Accounts whose name comes no later than this one; nil for no limit.
  package var last: String?
  /// Accounts in this state; nil for every state.
  package var state: SearchedState?
  /// Accounts of these names; nil for all.
  package var names: [String]?
  /// Accounts none of whose keys was used since this time, in seconds since 1970; nil for all.
  package var idleSince: Int64?
  /// How many at most.
  package var limit: Int

  package init(prefix: String = "", after: String = "", limit: Int) {
    self.prefix = prefix
    self.after = after
    self.limit = limit
  }

  /// The first text after all names with the prefix; names are printable ASCII.
  package var end: String {
    guard let last = prefix.utf8.last else { return "\u{7F}" }
    return String(prefix.unicodeScalars.dropLast().map(Character.init)) + String(UnicodeScalar(min(last, 0x7E) + 1))
  }
}

/// The conditions of a search for accounts, as SQL that both stores read.
package struct AccountSearch {
  /// The value of a parameter.
  package enum Value: Equatable, Sendable {
    case text(String)
    case integer(Int64)
  }

  /// One condition on a row of `account`; the question mark is the place of its value.
  package typealias Condition = (sql: String, value: Value)

  /// The conditions that every found account meets.
  package let conditions: [Condition]
  /// Whether the index of blocked accounts contains all matching accounts.
  package let isOfBlocked: Bool

  /// Makes the conditions.
  ///
  /// - Parameters:
  ///   - listed: the values of a JSON array, which is the parameter `?`, as a list for `IN`.
  ///   - isCounting: leaves out conditions that must read an account's keys.
  package init(_ query: AccountQuery, now: Int64, listed: String, isCounting: Bool = false) {
    // One lower bound: with two, SQLite may search by the lower one.
    let isBegun = query.after >= query.prefix && !query.after.isEmpty
    let found: [Condition?] = [
      ("username \(isBegun ? ">" : ">=") ?", .text(isBegun ? query.after : query.prefix)),
      ("username < ?", .text(query.end)), query.last.map { ("username <= ?", .text($0)) },
      query.state.map { Self.condition($0, now: now) },
      query.names.map { names in
        ("username IN (\(listed))", .text(JSONValue.array(names.map(JSONValue.string)).text))
      },
      isCounting ? nil : query.idleSince.map { (Self.idle, .integer($0)) },
    ]
    conditions = found.compactMap { $0 }
    isOfBlocked = query.state == .disabled || query.state == .locked
  }

  /// All conditions, with numbered parameters.
  ///
  /// - Parameters:
  ///   - mark: the beginning of a parameter.
  ///   - first: the number of the first one.
  package func sql(mark: String, from first: Int) -> String {
    conditions.enumerated().map { place, condition in
      condition.sql.replacing("?", with: "\(mark)\(first + place)")
    }.joined(separator: " AND ")
  }

  // A value instead of EXISTS, which PostgreSQL may turn into a join with all keys.
  private static let idle =
    "coalesce((SELECT max(lastUsedAt) FROM credential AS used WHERE used.username = account.username), -1) < ?"

  // A disabled account has the highest number; the first part is the condition of the index.
  private static func condition(_ state: SearchedState, now: Int64) -> Condition {
    switch state {
    case .active: ("(blockedUntil IS NULL OR blockedUntil <= ?)", .integer(now))
    case .disabled: ("blockedUntil IS NOT NULL AND blockedUntil = ?", .integer(.max))
    case .locked: ("blockedUntil IS NOT NULL AND blockedUntil < \(Int64.max) AND blockedUntil > ?", .integer(now))
    }
  }
}

/// The state of the accounts that are searched for.
package enum SearchedState: String, CaseIterable, Sendable {
  /// Neither disabled nor locked now.
  case active
  /// Until somebody enables it.
  case disabled
  /// For a time that is not over.
  case locked
}

/// The rule for account names.
package enum Username {
  /// Printable ASCII without white space, 1 to 128 characters: names that can be compared, logged and typed.
  package static func isValid(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
