import GRDB
import UAFService

/// The table of accounts.
struct AccountStore: Accounts {
  let db: Database

  func add(_ username: String, now: Int64) throws {
    try db.execute(
      sql: "INSERT INTO account (username, createdAt) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [username, now])
  }

  func exists(_ username: String) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE username = ?)", arguments: [username]) ?? false
  }

  func setBlock(_ block: AccountBlock?, of username: String) throws -> Bool {
    let until = block.map { $0.until ?? .max }
    try db.execute(
      sql: """
        UPDATE account SET blockedSince = ?, blockedUntil = ?, blockReason = ?, blockActor = ? WHERE username = ?
        """, arguments: [block?.since, until, block?.reason, block?.actor, username])
    guard db.changesCount == 1 else { return false }
    try db.execute(sql: "UPDATE credential SET blockedUntil = ? WHERE username = ?", arguments: [until, username])
    return true
  }

  func spreadBlocks() throws {
    try db.execute(
      sql: """
        UPDATE credential SET blockedUntil = a.blockedUntil FROM account a
        WHERE a.username = credential.username AND a.blockedUntil IS NOT NULL
          AND credential.blockedUntil IS NOT a.blockedUntil
        """)
  }

  func block(of username: String) throws -> AccountBlock? {
    try Row.fetchOne(
      db, sql: "SELECT blockedSince, blockedUntil, blockReason, blockActor FROM account WHERE username = ?",
      arguments: [username]
    ).flatMap(Self.block)
  }

  private static func block(_ row: Row) -> AccountBlock? {
    guard let until: Int64 = row["blockedUntil"] else { return nil }
    return AccountBlock(
      since: row["blockedSince"], until: until == .max ? nil : until, reason: row["blockReason"],
      actor: row["blockActor"])
  }

  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary] {
    let search = AccountSearch(query, now: now, listed: Self.listed)
    return try Row.fetchAll(
      db,
      sql: Self.summaries(
        "\(search.sql(mark: "?", from: 3)) ORDER BY username LIMIT ?2", from: Self.place(search)),
      arguments: Self.arguments([now, Int64(query.limit)], search)
    ).map(Self.summary)
  }

  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String? {
    let search = AccountSearch(query, now: now, listed: Self.listed, isCounting: true)
    return try String.fetchOne(
      db,
      sql: """
        SELECT username FROM \(Self.place(search)) WHERE \(search.sql(mark: "?", from: 2))
        ORDER BY username LIMIT 1 OFFSET ?1
        """, arguments: Self.arguments([Int64(place - 1)], search))
  }

  private static let listed = "SELECT value FROM json_each(?)"

  /// The planner has no figures of how few accounts are blocked.
  private static func place(_ search: AccountSearch) -> String {
    search.isOfBlocked ? "account INDEXED BY accountBlocked" : "account"
  }

  private static func arguments(_ first: [Int64], _ search: AccountSearch) -> StatementArguments {
    StatementArguments(
      first.map { $0 as any DatabaseValueConvertible }
        + search.conditions.map { condition -> any DatabaseValueConvertible in
          switch condition.value {
          case .text(let text): text
          case .integer(let number): number
          }
        })
  }

  func summary(of username: String, now: Int64) throws -> AccountSummary? {
    try Row.fetchOne(db, sql: Self.summaries("username = ?2", from: "account"), arguments: [now, username]).map(
      Self.summary)
  }

  /// What is known about accounts; ?1 is the time.
  private static func summaries(_ condition: String, from place: String) -> String {
    """
    SELECT username,
      (SELECT count(*) FROM credential c WHERE c.username = account.username AND revokedAt IS NULL) AS keys,
      (SELECT count(*) FROM credential c WHERE c.username = account.username AND revokedAt IS NOT NULL) AS revoked,
      (SELECT max(lastUsedAt) FROM credential c WHERE c.username = account.username) AS lastUsedAt,
      EXISTS (SELECT 1 FROM enrolment e WHERE e.username = account.username AND e.expiresAt > ?1) AS hasCode,
      blockedSince, blockedUntil, blockReason, blockActor
    FROM \(place) WHERE \(condition)
    """
  }

  private static func summary(_ row: Row) -> AccountSummary {
    AccountSummary(
      username: row["username"], keys: row["keys"], revokedKeys: row["revoked"], lastUsedAt: row["lastUsedAt"],
      hasOpenCode: row["hasCode"], block: block(row))
  }

  func remove(_ username: String) throws -> Int? {
    guard try exists(username) else { return nil }
    let keys = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM credential WHERE username = ? AND revokedAt IS NULL", arguments: [username])
    for table in ["credential", "deregisteredKey", "enrolment", "approval", "openRegistration", "account"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE username = ?", arguments: [username])
    }
    return keys
  }

  func lastNumber() throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT max(rowid) FROM account") ?? 0
  }
}

/// The table of the budgets of wrong answers.
struct WrongAnswerStore: WrongAnswers {
  let db: Database

  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64] {
    var taken: [Int64: Int64] = [:]
    for (place, turns) in wanted {
      var bucket = try bucket(place) ?? TokenBucket(level: rate.full, filledAt: now)
      bucket.fill(rate, now: now)
      taken[place] = bucket.take(turns)
      if taken[place] != 0 { try store(bucket, place) }
    }
    return taken
  }

  private func bucket(_ place: Int64) throws -> TokenBucket? {
    try Row.fetchOne(db, sql: "SELECT level, filledAt FROM wrongAnswer WHERE place = ?", arguments: [place])
      .map { TokenBucket(level: $0["level"], filledAt: $0["filledAt"]) }
  }

  private func store(_ bucket: TokenBucket, _ place: Int64) throws {
    try db.execute(
      sql: """
        INSERT INTO wrongAnswer (place, level, filledAt) VALUES (?, ?, ?)
        ON CONFLICT (place) DO UPDATE SET level = excluded.level, filledAt = excluded.filledAt
        """, arguments: [place, bucket.level, bucket.filledAt])
  }
}
