import GRDB
import UAFService

/// The table of enrolment codes.
struct EnrolmentStore: Enrolments {
  let db: Database

  func open(code: String, for username: String, expiresAt: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
    try db.execute(
      sql: "INSERT INTO enrolment (username, codeHash, expiresAt) VALUES (?, ?, ?)",
      arguments: [username, try OneTimeCode.hash(code).databaseBlob, expiresAt])
  }

  func check(code: String, for username: String, now: Int64) throws -> Int64? {
    // The hash of the wrong code is computed for unknown names too.
    let hash = try OneTimeCode.hash(code)
    let row = try Row.fetchOne(
      db, sql: "SELECT id, codeHash FROM enrolment WHERE username = ? AND expiresAt > ?", arguments: [username, now])
    // The time of comparing hashes shows nothing of the code.
    guard let row, [UInt8](databaseBlob: row["codeHash"]) == hash else { return nil }
    return row["id"]
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try db.execute(
      sql: "UPDATE enrolment SET reservedBy = ? WHERE id = ?", arguments: [challengeHash.databaseBlob, id])
  }

  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM enrolment WHERE id = ? AND reservedBy = ?)",
      arguments: [id, challengeHash.databaseBlob]) ?? false
  }

  func consume(id: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE id = ?", arguments: [id])
  }

  func close(for username: String) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
  }

  func closeAll() throws {
    try db.execute(sql: "DELETE FROM enrolment")
  }
}
