import GRDB
import UAFService

/// The table of enrolment codes.
struct EnrolmentStore: Enrolments {
  /// Codes that were given out before are closed: nobody knows their keys.
  static let sealedKeys = """
    DELETE FROM enrolment;
    ALTER TABLE enrolment RENAME COLUMN codeHash TO sealedKey;
    """

  let db: Database

  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
    try db.execute(
      sql: "INSERT INTO enrolment (username, sealedKey, expiresAt) VALUES (?, ?, ?)",
      arguments: [username, sealedKey.databaseBlob, expiresAt])
  }

  func find(for username: String, now: Int64) throws -> OpenEnrolment? {
    try Row.fetchOne(
      db, sql: "SELECT id, sealedKey FROM enrolment WHERE username = ? AND expiresAt > ?", arguments: [username, now]
    ).map { OpenEnrolment(id: $0["id"], sealedKey: [UInt8](databaseBlob: $0["sealedKey"])) }
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
