import UAFMessages

/// The accounts: every name for which an enrolment code was ever issued has one.
package protocol Accounts {
  /// Adds accounts; does nothing for a name that already has one.
  ///
  /// - Parameter now: seconds since 1970.
  func add(_ usernames: [String], now: Int64) throws

  func exists(_ username: String) throws -> Bool

  /// Disables or locks an account, or ends its block; an earlier block is replaced, with the lock that it covers.
  ///
  /// From then on no answer for the account is stored, even if it was verified before.
  ///
  /// - Parameter lock: a lock that is kept beneath the block, for the time when the block is lifted (``coveredLock(of:)``).
  /// - Returns: false if there is no such account, and nothing was changed.
  func setBlock(_ block: AccountBlock?, covering lock: AccountBlock?, of username: String) throws -> Bool

  /// The lock that the block of an account covers, even if it is over; nil if it covers none.
  func coveredLock(of username: String) throws -> AccountBlock?

  /// Copies the block of each blocked account to its keys: an earlier version of the server, which knows no blocks, may have
  /// stored keys without one.
  func spreadBlocks() throws

  /// The block of an account, even if its lock is over; nil if it is not blocked or does not exist.
  func block(of username: String) throws -> AccountBlock?

  /// Accounts in the order of the names' bytes.
  ///
  /// Every page takes the same time: only the keys of the accounts on it are counted.
  ///
  /// - Parameter now: seconds since 1970; it decides which enrolment codes have expired.
  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary]

  /// Accounts in another order than that of their names.
  ///
  /// The first ``SortedAccounts/mostSorted`` accounts that the query matches, in the order of their names, are sorted.
  ///
  /// - Parameters:
  ///   - query: its `after` does not apply.
  ///   - place: where the page before ended; nil for the first page.
  func sorted(
    _ query: AccountQuery, by order: AccountOrder, isDescending: Bool, after place: AccountPlace?, now: Int64
  ) throws -> SortedAccounts

  /// How many accounts a query matches, from the first one on, and whatever the query says about the last use of keys; at most
  /// `limit` are counted.
  func count(_ query: AccountQuery, atMost limit: Int, now: Int64) throws -> Int

  /// The name of the n-th account that a query matches, whatever the query says about the last use of keys; nil if there are
  /// fewer.
  ///
  /// - Parameter place: the position of the account, from 1. As many rows are read.
  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String?

  /// One account; nil if the name has none.
  func summary(of username: String, now: Int64) throws -> AccountSummary?

  /// Removes an account with its keys, codes, open requests and unconfirmed texts. Confirmed texts and the audit stay.
  ///
  /// - Returns: how many of its keys were not revoked; nil if the name has no account.
  func remove(_ username: String) throws -> Int?

  /// The highest number of an account; 0 if there is none.
  ///
  /// Accounts are numbered in the order in which they were added. A number may belong to no account, because its account was
  /// removed.
  func lastNumber() throws -> Int64
}

extension Accounts {
  /// Adds an account; does nothing if the name already has one.
  ///
  /// - Parameter now: seconds since 1970.
  package func add(_ username: String, now: Int64) throws { try add([username], now: now) }
}

/// By what accounts are sorted; where two are equal, by their names.
package enum AccountOrder: String, CaseIterable, ListOrder {
  case name
  case displayName
  case department
  case keys
  case lastUsed

  package var isOfTexts: Bool { self != .keys && self != .lastUsed }
  package var isByKey: Bool { self == .name }
}

/// The place of an account in an order.
package typealias AccountPlace = SortedPlace<AccountOrder>

/// A page of accounts in another order than that of their names.
package struct SortedAccounts: Equatable, Sendable {
  /// The most accounts that are sorted at once: the store reads each of them.
  package static let mostSorted = 10_000

  package let accounts: [AccountSummary]
  /// Where the next page begins; nil on the last page.
  package let next: AccountPlace?
  /// How many accounts are sorted.
  package let total: Int

  package init(accounts: [AccountSummary], next: AccountPlace?, total: Int) {
    self.accounts = accounts
    self.next = next
    self.total = total
  }
}

/// One account, for `uaf-server users`.
package struct AccountSummary: Equatable, Sendable {
  package let username: String
  package let keys: Int
  package let revokedKeys: Int
  /// Seconds since 1970.
  package let lastUsedAt: Int64?
  package let hasOpenCode: Bool
  /// The account's block, even if its lock is over.
  package let block: AccountBlock?
  package var profile: AccountProfile

  package init(
    username: String, keys: Int, revokedKeys: Int, lastUsedAt: Int64?, hasOpenCode: Bool, block: AccountBlock? = nil,
    profile: AccountProfile = AccountProfile()
  ) {
    self.username = username
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.lastUsedAt = lastUsedAt
    self.hasOpenCode = hasOpenCode
    self.block = block
    self.profile = profile
  }
}

extension Accounts {
  /// Disables or locks an account, or ends its block; nothing is kept beneath.
  ///
  /// - Returns: false if there is no such account, and nothing was changed.
  package func setBlock(_ block: AccountBlock?, of username: String) throws -> Bool {
    try setBlock(block, covering: nil, of: username)
  }
}

/// A block: an account is disabled or locked, and so refused everywhere.
package struct AccountBlock: Equatable, Sendable {
  /// Seconds since 1970, when the account was disabled or locked.
  package let since: Int64
  /// When a lock ends, in seconds since 1970; nil for a disabled account, which stays disabled until somebody enables it.
  package let until: Int64?
  /// The reason that the administrator gave.
  package let reason: String
  /// Who disabled or locked it, in the form of ``AuditActor/text``.
  package let actor: String

  package init(since: Int64, until: Int64?, reason: String, actor: String) {
    self.since = since
    self.until = until
    self.reason = reason
    self.actor = actor
  }

  /// The refusal that somebody receives who has proved to be the account's person; nil if the lock is over.
  ///
  /// - Parameter now: seconds since 1970.
  package func refusal(at now: Int64) -> ServiceRefusal? {
    guard let until else { return .accountDisabled }
    return until > now ? .accountLocked : nil
  }
}

/// Tells a machine the state of an account for which the machine has proved that it has a secret.
package struct AccountStateService: Sendable {
  private let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// A signed statement about the account that a proof names; it answers this proof and no other.
  ///
  /// The proof is checked without the store, so even a machine whose key was removed may ask. It receives the true state only
  /// if its key can be used, or if the account's person deregistered the key. Otherwise the key was revoked, or the account was
  /// removed, and perhaps added again for a different person. The statement then says that the account is disabled.
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

/// A search for accounts, and the part of its result that one page shows.
package struct AccountQuery: Equatable, Sendable {
  /// Accounts whose names begin with this text; empty for all.
  package var prefix: String
  /// Accounts whose names come after this name, compared by bytes; empty for the first page.
  package var after: String
  /// Accounts up to this name; nil for no limit.
  package var last: String?
  /// Accounts in this state; nil for every state.
  package var state: SearchedState?
  /// Accounts with these names; nil for all.
  package var names: [String]?
  /// Accounts in the group of people with this id; nil for all.
  package var memberOf: Int64?
  /// Accounts that have used no key since this time, in seconds since 1970; nil for all.
  package var idleSince: Int64?
  /// How many accounts at most.
  package var limit: Int

  package init(prefix: String = "", after: String = "", limit: Int) {
    self.prefix = prefix
    self.after = after
    self.limit = limit
  }

  /// The least text that is greater than every name with the prefix; names are printable ASCII.
  package var end: String {
    guard let last = prefix.utf8.last else { return "\u{7F}" }
    return String(prefix.unicodeScalars.dropLast().map(Character.init)) + String(UnicodeScalar(min(last, 0x7E) + 1))
  }
}

/// The conditions of a search for accounts, in SQL that both engines accept.
package struct AccountSearch {
  /// The value of a parameter.
  package enum Value: Equatable, Sendable {
    case text(String)
    case integer(Int64)
  }

  /// One condition on a row of `account`; its question mark stands for the value.
  package typealias Condition = (sql: String, value: Value)

  /// The conditions that every found account meets.
  package let conditions: [Condition]
  /// Whether the index of blocked accounts contains all matching accounts.
  package let isOfBlocked: Bool
  /// The group of people whose members are read, in the order of their names; nil to read the accounts.
  package let memberOf: Int64?

  /// Makes the conditions.
  ///
  /// - Parameters:
  ///   - listed: SQL that turns a JSON array, the parameter `?`, into a list for `IN`.
  ///   - isCounting: whether conditions that must read an account's keys are left out.
  ///   - isSuggested: whether the accounts are named by their numbers: then the order of the names does not matter, and each
  ///     condition is only tried on these accounts.
  package init(
    _ query: AccountQuery, now: Int64, listed: String, isCounting: Bool = false, isSuggested: Bool = false
  ) {
    // Only the higher of the two lower bounds: given both, SQLite may search the index from the lower one.
    let isBegun = query.after >= query.prefix && !query.after.isEmpty
    let order: [Condition?] = [
      ("username \(isBegun ? ">" : ">=") ?", .text(isBegun ? query.after : query.prefix)),
      ("username < ?", .text(query.end)), query.last.map { ("username <= ?", .text($0)) },
    ]
    let begun: [Condition?] = [("username >= ?", .text(query.prefix)), ("username < ?", .text(query.end))]
    let found: [Condition?] =
      (isSuggested ? (query.prefix.isEmpty ? [] : begun) : order) + [
        query.state.map { Self.condition($0, now: now) },
        query.names.map { names in
          ("username IN (\(listed))", .text(JSONValue.array(names.map(JSONValue.string)).text))
        },
        isCounting ? nil : query.idleSince.map { (Self.idle, .integer($0)) },
        isSuggested ? query.memberOf.map { (Self.isMember, .integer($0)) } : nil,
      ]
    conditions = found.compactMap { $0 }
    isOfBlocked = query.state == .disabled || query.state == .locked
    memberOf = query.memberOf
  }

  /// All conditions, with numbered parameters.
  ///
  /// - Parameters:
  ///   - mark: the character before the number of a parameter.
  ///   - first: the number of the first parameter.
  package func sql(mark: String, from first: Int) -> String {
    conditions.enumerated().map { place, condition in
      condition.sql.replacing("?", with: "\(mark)\(first + place)")
    }.joined(separator: " AND ")
  }

  private static let isMember =
    "EXISTS (SELECT 1 FROM groupMember m WHERE m.groupID = ? AND m.username = account.username)"

  // A subquery with a value and not EXISTS, which PostgreSQL may turn into a join with all keys.
  private static let idle = "coalesce(\(lastUse(of: "account.username")), -1) < ?"

  /// SQL for the last use of a key or passkey of an account; NULL if there was none.
  ///
  /// - Parameter name: SQL for the name of the account.
  package static func lastUse(of name: String) -> String {
    """
    (SELECT max(used.lastUsedAt) FROM (SELECT lastUsedAt FROM credential WHERE username = \(name)
      UNION ALL SELECT lastUsedAt FROM passkey WHERE username = \(name)) AS used)
    """
  }

  // `blockedUntil` of a disabled account is the highest number. `IS NOT NULL` is there because it is the condition of the
  // partial index.
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
  /// Disabled until somebody enables it.
  case disabled
  /// Locked for a time that is not over.
  case locked
}

/// The rule for account names.
package enum Username {
  /// Printable ASCII without white space, 1 to 128 characters: names that can be compared, logged and typed.
  package static func isValid(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
