import GRDB
import UAFService

/// The table of join codes.
struct JoinCodeStore: JoinCodes {
  let db: Database

  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64 {
    try db.execute(
      sql: """
        INSERT INTO joinCode (codeHash, machineGroup, machines, issuedBy, issuedAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?)
        """, arguments: [try OneTimeCode.hash(code).databaseBlob, group, machines, issuer, now, expiresAt])
    return db.lastInsertedRowID
  }

  func code(_ code: String) throws -> JoinCode? {
    // The time of comparing hashes shows nothing of the code.
    try Row.fetchOne(
      db, sql: Self.codes("codeHash = ?"), arguments: [try OneTimeCode.hash(code).databaseBlob]
    ).map(Self.code)
  }

  func page(before number: Int64?, limit: Int) throws -> [JoinCode] {
    try Row.fetchAll(
      db, sql: Self.codes("number < ? ORDER BY number DESC LIMIT ?"), arguments: [number ?? .max, limit]
    ).map(Self.code)
  }

  func close(_ number: Int64) throws -> Bool {
    try db.execute(
      sql: "UPDATE joinCode SET codeHash = NULL WHERE number = ? AND codeHash IS NOT NULL", arguments: [number])
    return db.changesCount == 1
  }

  func closeAll() throws {
    try db.execute(sql: "UPDATE joinCode SET codeHash = NULL")
  }

  private static func codes(_ condition: String) -> String {
    """
    SELECT *, codeHash IS NULL AS isClosed,
      (SELECT count(*) FROM joinedMachine m WHERE m.codeNumber = joinCode.number) AS used
    FROM joinCode WHERE \(condition)
    """
  }

  private static func code(_ row: Row) -> JoinCode {
    JoinCode(
      number: row["number"], group: row["machineGroup"], machines: row["machines"], used: row["used"],
      issuedBy: row["issuedBy"], issuedAt: row["issuedAt"], expiresAt: row["expiresAt"], isClosed: row["isClosed"])
  }
}
