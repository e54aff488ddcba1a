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

  func summaries(now: Int64) throws -> [AccountSummary] {
    try connection.execute(
      """
      SELECT a.username, count(c.id) FILTER (WHERE c.revokedAt IS NULL),
        count(c.id) FILTER (WHERE c.revokedAt IS NOT NULL), max(c.lastUsedAt),
        EXISTS (SELECT 1 FROM enrolment e WHERE e.username = a.username AND e.expiresAt > $1)
      FROM account a LEFT JOIN credential c ON c.username = a.username GROUP BY a.username ORDER BY a.username
      """, [.integer(now)]
    ).rows.map { row in
      AccountSummary(
        username: try row.text(0), keys: try row.integer(1, as: Int.self),
        revokedKeys: try row.integer(2, as: Int.self),
        lastUsedAt: try row.optionalInteger(3), hasOpenCode: try row.boolean(4))
    }
  }

  func lastNumber() throws -> Int64 {
    try connection.execute("SELECT coalesce(max(number), 0) FROM account").first?.integer(0) ?? 0
  }
}
