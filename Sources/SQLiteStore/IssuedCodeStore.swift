import GRDB
import UAFService

/// The table of the codes that were given out.
struct IssuedCodeStore: IssuedCodes {
  let db: Database

  func add(for username: String, by issuer: String, reachesPrivileged: Bool, now: Int64) throws {
    try db.execute(
      sql: """
        INSERT INTO issuedCode (number, username, issuedBy, reachesPrivileged, issuedAt, expiresAt)
        SELECT id, username, ?, ?, ?, expiresAt FROM enrolment WHERE username = ?
        """, arguments: [issuer, reachesPrivileged, now, username])
  }

  func markUsed(_ number: Int64, now: Int64) throws {
    try db.execute(sql: "UPDATE issuedCode SET usedAt = ? WHERE number = ?", arguments: [now, number])
  }

  func page(before number: Int64?, onlyOpen: Bool, limit: Int, now: Int64) throws -> [IssuedCode] {
    // Open codes are found from their own table, which has no others.
    let source =
      onlyOpen
      ? "enrolment e JOIN issuedCode i ON i.number = e.id WHERE e.expiresAt > ?2 AND e.id < ?1 ORDER BY e.id DESC"
      : "issuedCode i LEFT JOIN enrolment e ON e.id = i.number WHERE i.number < ?1 ORDER BY i.number DESC"
    return try Row.fetchAll(
      db, sql: "SELECT i.*, e.expiresAt > ?2 AS isOpen FROM \(source) LIMIT ?3",
      arguments: [number ?? .max, now, limit]
    ).map(Self.code)
  }

  func code(_ number: Int64) throws -> IssuedCode? {
    try Row.fetchOne(db, sql: "SELECT *, 0 AS isOpen FROM issuedCode WHERE number = ?", arguments: [number])
      .map(Self.code)
  }

  func accountsWithLesserCodes() throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT e.username FROM enrolment e LEFT JOIN issuedCode i ON i.number = e.id
        WHERE coalesce(i.reachesPrivileged, 0) = 0 ORDER BY e.username
        """)
  }

  func accounts(withCodesBy issuer: String) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT e.username FROM enrolment e JOIN issuedCode i ON i.number = e.id WHERE i.issuedBy = ? ORDER BY e.username
        """, arguments: [issuer])
  }

  private static func code(_ row: Row) -> IssuedCode {
    IssuedCode(
      number: row["number"], username: row["username"], issuedBy: row["issuedBy"],
      reachesPrivileged: row["reachesPrivileged"], issuedAt: row["issuedAt"], expiresAt: row["expiresAt"],
      usedAt: row["usedAt"], isOpen: row["isOpen"] ?? false)
  }
}
