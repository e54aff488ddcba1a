import CSQLite
import GRDB
import UAFService

/// The tables of the audit and of its signed heads.
struct AuditStore: AuditTrail {
  /// The end of the chain: number, hash.
  static let end = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
  /// A row: number, time, the texts, hash.
  static let append = """
    INSERT INTO audit (number, time, kind, outcome, account, actor, address, machine, authenticators, detail, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """

  let db: Database

  func append(_ events: [AuditEntry]) throws {
    var link = try last()
    for event in events {
      link = try link.next(event.body)
      try db.cachedStatement(sql: Self.append).execute(
        arguments: [link.number, event.time] + StatementArguments(event.texts) + [link.hash.databaseBlob])
    }
  }

  func last() throws -> AuditLink {
    try Row.fetchOne(db.cachedStatement(sql: Self.end))
      .map { AuditLink(number: $0[0], hash: [UInt8](databaseBlob: $0[1])) } ?? .start
  }

  func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow] {
    let (conditions, arguments) = Self.conditions(filter)
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT number, hash, time, kind, outcome, account, actor, address, machine, authenticators, detail FROM audit
        WHERE \(conditions) ORDER BY number LIMIT ?
        """, arguments: arguments + [limit])
    return try rows.map { row in
      let texts = try (3..<11).map { try row.decode(String.self, atIndex: $0) }
      guard let event = AuditEntry(time: try row.decode(atIndex: 2), texts: texts) else {
        throw SQLiteFailure(code: SQLITE_MISMATCH)
      }
      return AuditRow(link: AuditLink(number: row[0], hash: [UInt8](databaseBlob: row[1])), event: event)
    }
  }

  private static func conditions(_ filter: AuditFilter) -> (String, StatementArguments) {
    var (conditions, arguments): ([String], StatementArguments) = (["number > ?"], [filter.after])
    for (column, text) in [("account", filter.account), ("kind", filter.kind?.rawValue), ("outcome", filter.outcome)] {
      guard let text else { continue }
      conditions.append("\(column) = ?")
      arguments += [text]
    }
    for (comparison, time) in [("time >= ?", filter.since), ("time < ?", filter.until)] {
      guard let time else { continue }
      conditions.append(comparison)
      arguments += [time]
    }
    return (conditions.joined(separator: " AND "), arguments)
  }

  func firstNumber(since time: Int64) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT min(number) FROM audit WHERE time >= ?", arguments: [time])
  }

  func heads(after number: Int64, limit: Int) throws -> [StoredHead] {
    try Row.fetchAll(
      db, sql: "SELECT number, token FROM auditHead WHERE number > ? ORDER BY number LIMIT ?",
      arguments: [number, limit]
    ).map { StoredHead(number: $0[0], token: $0[1]) }
  }

  func lastHead() throws -> StoredHead? {
    try Row.fetchOne(db, sql: "SELECT number, token FROM auditHead ORDER BY number DESC LIMIT 1")
      .map { StoredHead(number: $0[0], token: $0[1]) }
  }

  func keep(_ head: StoredHead) throws {
    try db.execute(
      sql:
        "INSERT INTO auditHead (number, token) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET token = excluded.token",
      arguments: [head.number, head.token])
  }

  func remove(through number: Int64) throws -> Int {
    try db.execute(sql: "DELETE FROM auditHead WHERE number <= ?", arguments: [number])
    try db.execute(sql: "DELETE FROM audit WHERE number <= ?", arguments: [number])
    return db.changesCount
  }
}
