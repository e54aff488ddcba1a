import UAFService

/// The table of accounts.
struct AccountTable: Accounts {
  let connection: Connection

  func add(_ username: String, now: Int64) throws {
    // Numbers are not used up by names that are there already.
    try connection.execute(
      """
      INSERT INTO account (username, createdAt)
      SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM account WHERE username = $1)
      """, [.text(username), .integer(now)])
  }

  func exists(_ username: String) throws -> Bool {
    try connection.execute("SELECT EXISTS (SELECT 1 FROM account WHERE username = $1)", [.text(username)])
      .first?.boolean(0) == true
  }

  func setBlock(_ block: AccountBlock?, of username: String) throws -> Bool {
    let until = block.map { $0.until ?? .max }
    let changed = try connection.execute(
      """
      UPDATE account SET blockedSince = $1, blockedUntil = $2, blockReason = $3, blockActor = $4 WHERE username = $5
      """,
      [
        .integer(block?.since), .integer(until), .text(block?.reason), .text(block?.actor), .text(username),
      ]
    ).changes
    guard changed == 1 else { return false }
    try connection.execute(
      "UPDATE credential SET blockedUntil = $1 WHERE username = $2", [.integer(until), .text(username)])
    return true
  }

  func spreadBlocks() throws {
    try connection.execute(
      """
      UPDATE credential SET blockedUntil = a.blockedUntil FROM account a
      WHERE a.username = credential.username AND a.blockedUntil IS NOT NULL
        AND credential.blockedUntil IS DISTINCT FROM a.blockedUntil
      """)
  }

  func block(of username: String) throws -> AccountBlock? {
    try connection.execute(
      "SELECT blockedSince, blockedUntil, blockReason, blockActor FROM account WHERE username = $1", [.text(username)]
    ).first.flatMap { try Self.block($0, from: 0) }
  }

  private static func block(_ row: QueryRow, from column: CInt) throws -> AccountBlock? {
    guard let until = try row.optionalInteger(column + 1) else { return nil }
    return AccountBlock(
      since: try row.integer(column), until: until == .max ? nil : until, reason: try row.text(column + 2),
      actor: try row.text(column + 3))
  }

  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary] {
    let search = AccountSearch(query, now: now, listed: Self.listed)
    return try connection.execute(
      Self.summaries("\(search.sql(mark: "$", from: 3)) ORDER BY username LIMIT $2"),
      [.integer(now), .integer(query.limit)] + Self.parameters(search)
    ).rows.map(Self.summary)
  }

  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String? {
    let search = AccountSearch(query, now: now, listed: Self.listed, isCounting: true)
    return try connection.execute(
      "SELECT username FROM account WHERE \(search.sql(mark: "$", from: 2)) ORDER BY username LIMIT 1 OFFSET $1",
      [.integer(place - 1)] + Self.parameters(search)
    ).first?.text(0)
  }

  private static let listed = "SELECT json_array_elements_text(?::json)"

  private static func parameters(_ search: AccountSearch) -> [Parameter] {
    search.conditions.map { condition in
      switch condition.value {
      case .text(let text): .text(text)
      case .integer(let number): .integer(number)
      }
    }
  }

  func summary(of username: String, now: Int64) throws -> AccountSummary? {
    try connection.execute(Self.summaries("username = $2"), [.integer(now), .text(username)]).first.map(Self.summary)
  }

  /// What is known about accounts; $1 is the time.
  ///
  /// The condition finds the accounts first, so that for no other anything is counted.
  private static func summaries(_ condition: String) -> String {
    """
    SELECT a.username,
      (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NULL),
      (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NOT NULL),
      (SELECT max(lastUsedAt) FROM credential c WHERE c.username = a.username),
      EXISTS (SELECT 1 FROM enrolment e WHERE e.username = a.username AND e.expiresAt > $1),
      a.blockedSince, a.blockedUntil, a.blockReason, a.blockActor
    FROM (SELECT * FROM account WHERE \(condition)) AS a ORDER BY a.username
    """
  }

  private static func summary(_ row: QueryRow) throws -> AccountSummary {
    AccountSummary(
      username: try row.text(0), keys: try row.integer(1, as: Int.self),
      revokedKeys: try row.integer(2, as: Int.self), lastUsedAt: try row.optionalInteger(3),
      hasOpenCode: try row.boolean(4), block: try block(row, from: 5))
  }

  func remove(_ username: String) throws -> Int? {
    guard try exists(username) else { return nil }
    let keys = try connection.execute(
      "SELECT count(*) FROM credential WHERE username = $1 AND revokedAt IS NULL", [.text(username)]
    ).first?.integer(0, as: Int.self)
    for table in ["credential", "deregisteredKey", "enrolment", "approval", "openRegistration", "account"] {
      try connection.execute("DELETE FROM \(table) WHERE username = $1", [.text(username)])
    }
    return keys
  }

  func lastNumber() throws -> Int64 {
    try connection.execute("SELECT coalesce(max(number), 0) FROM account").first?.integer(0) ?? 0
  }
}

/// The table of the budgets of wrong answers.
struct WrongAnswerTable: WrongAnswers {
  let connection: Connection

  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64] {
    // The database's clock decides: one of an instance that is fast would fill what the others have used up.
    let rows = try connection.execute(
      """
      SELECT p.place, w.level, w.filledAt, extract(epoch FROM clock_timestamp())::bigint
      FROM unnest($1::bigint[]) AS p (place) LEFT JOIN wrongAnswer w ON w.place = p.place
      """, [.integers(Array(wanted.keys))]
    ).rows
    var taken: [Int64: Int64] = [:]
    var changed: [(place: Int64, bucket: TokenBucket)] = []
    for row in rows {
      let (place, now) = (try row.integer(0, as: Int64.self), try row.integer(3, as: Int64.self))
      var bucket = TokenBucket(
        level: try row.optionalInteger(1) ?? rate.full, filledAt: try row.optionalInteger(2) ?? now)
      bucket.fill(rate, now: now)
      let turns = bucket.take(wanted[place] ?? 0)
      taken[place] = turns
      if turns > 0 { changed.append((place, bucket)) }
    }
    guard !changed.isEmpty else { return taken }
    try connection.execute(
      """
      INSERT INTO wrongAnswer (place, level, filledAt) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
      ON CONFLICT (place) DO UPDATE SET level = excluded.level, filledAt = excluded.filledAt
      """,
      [
        .integers(changed.map(\.place)), .integers(changed.map(\.bucket.level)),
        .integers(changed.map(\.bucket.filledAt)),
      ])
    return taken
  }
}
