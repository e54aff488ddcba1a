import UAFService

/// The table of accounts.
struct AccountTable<Connection: SQLConnection>: Accounts {
  let connection: Connection

  func add(_ username: String, now: Int64) throws {
    // With a condition and not ON CONFLICT, so that a name that exists already uses up no number.
    try connection.run(
      """
      INSERT INTO account (username, createdAt)
      SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM account WHERE username = ?1)
      """, [.text(username), .integer(now)])
  }

  func exists(_ username: String) throws -> Bool {
    try connection.requiredRow("SELECT EXISTS (SELECT 1 FROM account WHERE username = ?1)", [.text(username)]) {
      try $0.boolean(0)
    }
  }

  func setBlock(_ block: AccountBlock?, of username: String) throws -> Bool {
    let until = block.map { $0.until ?? .max }
    let changed = try connection.run(
      """
      UPDATE account SET blockedSince = ?1, blockedUntil = ?2, blockReason = ?3, blockActor = ?4 WHERE username = ?5
      """,
      [
        .integer(block?.since), .integer(until), .text(block?.reason), .text(block?.actor), .text(username),
      ])
    guard changed == 1 else { return false }
    try connection.run(
      "UPDATE credential SET blockedUntil = ?1 WHERE username = ?2", [.integer(until), .text(username)])
    return true
  }

  func spreadBlocks() throws {
    try connection.run(
      """
      UPDATE credential SET blockedUntil = a.blockedUntil FROM account a
      WHERE a.username = credential.username AND a.blockedUntil IS NOT NULL
        AND credential.blockedUntil IS DISTINCT FROM a.blockedUntil
      """)
  }

  func block(of username: String) throws -> AccountBlock? {
    try connection.row(
      "SELECT blockedSince, blockedUntil, blockReason, blockActor FROM account WHERE username = ?1", [.text(username)]
    ) { try Self.block($0, from: 0) } ?? nil
  }

  private static func block(_ row: Connection.ResultRow, from column: CInt) throws -> AccountBlock? {
    guard let until = try row.optionalInteger(column + 1) else { return nil }
    return AccountBlock(
      since: try row.integer(column), until: until == .max ? nil : until, reason: try row.text(column + 2),
      actor: try row.text(column + 3))
  }

  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary] {
    let search = AccountSearch(query, now: now, listed: Connection.jsonTexts)
    return try connection.rows(
      Self.summaries("\(search.sql(mark: "?", from: 3)) ORDER BY username LIMIT ?2", from: Self.place(search)),
      [.integer(now), .integer(query.limit)] + Self.parameters(search), Self.summary)
  }

  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String? {
    let search = AccountSearch(query, now: now, listed: Connection.jsonTexts, isCounting: true)
    return try connection.row(
      """
      SELECT username FROM \(Self.place(search)) WHERE \(search.sql(mark: "?", from: 2))
      ORDER BY username LIMIT 1 OFFSET ?1
      """,
      [.integer(place - 1)] + Self.parameters(search)
    ) { try $0.text(0) }
  }

  private static func place(_ search: AccountSearch) -> String {
    search.isOfBlocked ? Connection.table("account", by: "accountBlocked") : "account"
  }

  private static func parameters(_ search: AccountSearch) -> [SQLValue] {
    search.conditions.map { condition in
      switch condition.value {
      case .text(let text): .text(text)
      case .integer(let number): .integer(number)
      }
    }
  }

  func summary(of username: String, now: Int64) throws -> AccountSummary? {
    try connection.row(
      Self.summaries("username = ?2", from: "account"), [.integer(now), .text(username)], Self.summary)
  }

  /// The query for summaries of accounts; ?1 is the time.
  ///
  /// The condition selects the accounts first, so that keys are counted only for these.
  private static func summaries(_ condition: String, from place: String) -> String {
    """
    SELECT a.username,
      (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NULL)
        + (SELECT count(*) FROM passkey p WHERE p.username = a.username AND revokedAt IS NULL),
      (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NOT NULL)
        + (SELECT count(*) FROM passkey p WHERE p.username = a.username AND revokedAt IS NOT NULL),
      \(AccountSearch.lastUse(of: "a.username")),
      EXISTS (SELECT 1 FROM enrolment e WHERE e.username = a.username AND e.expiresAt > ?1),
      a.blockedSince, a.blockedUntil, a.blockReason, a.blockActor
    FROM (SELECT * FROM \(place) WHERE \(condition)) AS a ORDER BY a.username
    """
  }

  private static func summary(_ row: Connection.ResultRow) throws -> AccountSummary {
    AccountSummary(
      username: try row.text(0), keys: try row.integer(1, as: Int.self),
      revokedKeys: try row.integer(2, as: Int.self), lastUsedAt: try row.optionalInteger(3),
      hasOpenCode: try row.boolean(4), block: try block(row, from: 5))
  }

  func remove(_ username: String) throws -> Int? {
    guard try exists(username) else { return nil }
    // The account is locked before its passkeys, in the order in which a login with one locks them.
    try connection.run("UPDATE account SET createdAt = createdAt WHERE username = ?1", [.text(username)])
    let keys = try connection.requiredRow(
      """
      SELECT (SELECT count(*) FROM credential WHERE username = ?1 AND revokedAt IS NULL)
        + (SELECT count(*) FROM passkey WHERE username = ?1 AND revokedAt IS NULL)
      """, [.text(username)]
    ) { try $0.integer(0, as: Int.self) }
    for table in ["credential", "passkey", "deregisteredKey", "enrolment", "approval", "openRegistration", "account"] {
      try connection.run("DELETE FROM \(table) WHERE username = ?1", [.text(username)])
    }
    return keys
  }

  func lastNumber() throws -> Int64 {
    try connection.requiredRow("SELECT coalesce(max(\(Connection.rowNumber)), 0) FROM account") { try $0.integer(0) }
  }
}
