import GRDB
import UAFService

/// The table of policies.
struct PolicyVersionStore: PolicyVersions {
  let db: Database

  func lastNumber() throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(number) FROM policy")) ?? 0
  }

  func version(_ number: Int64) throws -> PolicyVersion? {
    try Row.fetchOne(
      db, sql: "SELECT number, savedAt, actor, reason, content FROM policy WHERE number = ?", arguments: [number]
    ).map(Self.version)
  }

  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT number, savedAt, actor, reason, content FROM policy WHERE number < ? ORDER BY number DESC LIMIT ?
        """, arguments: [number, limit]
    ).map(Self.version)
  }

  func add(_ version: PolicyVersion) throws -> Bool {
    guard try version.number == lastNumber() + 1 else { return false }
    try db.execute(
      sql: "INSERT INTO policy (number, savedAt, actor, reason, content) VALUES (?, ?, ?, ?, ?)",
      arguments: [version.number, version.savedAt, version.actor, version.reason, version.text])
    return true
  }

  private static func version(_ row: Row) -> PolicyVersion {
    PolicyVersion(number: row[0], savedAt: row[1], actor: row[2], reason: row[3], text: row[4])
  }
}
