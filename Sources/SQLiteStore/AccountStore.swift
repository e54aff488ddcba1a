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

  func summaries(now: Int64) throws -> [AccountSummary] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT username,
          (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NULL) AS keys,
          (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NOT NULL) AS revoked,
          (SELECT max(lastUsedAt) FROM credential c WHERE c.username = a.username) AS lastUsedAt,
          EXISTS (SELECT 1 FROM enrolment e WHERE e.username = a.username AND e.expiresAt > ?) AS hasCode
        FROM account a ORDER BY username
        """, arguments: [now])
    return rows.map { row in
      AccountSummary(
        username: row["username"], keys: row["keys"], revokedKeys: row["revoked"], lastUsedAt: row["lastUsedAt"],
        hasOpenCode: row["hasCode"])
    }
  }

  func lastNumber() throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT max(rowid) FROM account") ?? 0
  }
}
