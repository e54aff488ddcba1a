import GRDB
import UAFCrypto

/// The one-time codes with which a person registers; one open code an account.
///
/// Wrong codes are not counted: a code has 160 random bits, and a count could be used up by whoever does not know it.
struct EnrolmentStore {
  let db: Database

  /// Opens a code; an earlier one of the account is closed by it.
  func open(code: String, for username: String, expiresAt: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
    try db.execute(
      sql: "INSERT INTO enrolment (username, codeHash, expiresAt) VALUES (?, ?, ?)",
      arguments: [username, try Self.hash(code).databaseBlob, expiresAt])
  }

  /// Finds the open code.
  ///
  /// Whoever comes with another one changes nothing.
  ///
  /// - Returns: the code's number; nil if the code is wrong, expired, used, or there is none.
  func check(code: String, for username: String, now: Int64) throws -> Int64? {
    // The hash of the wrong code is computed for unknown names too.
    let hash = try Self.hash(code)
    let row = try Row.fetchOne(
      db, sql: "SELECT id, codeHash FROM enrolment WHERE username = ? AND expiresAt > ?", arguments: [username, now])
    // How long it takes to compare hashes tells nothing of the code.
    guard let row, [UInt8](databaseBlob: row["codeHash"]) == hash else { return nil }
    return row["id"]
  }

  /// Binds the code to one challenge; the request that reserved it before can no longer be answered.
  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try db.execute(
      sql: "UPDATE enrolment SET reservedBy = ? WHERE id = ?", arguments: [challengeHash.databaseBlob, id])
  }

  /// Whether the code is alive and reserved by this challenge.
  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM enrolment WHERE id = ? AND reservedBy = ?)",
      arguments: [id, challengeHash.databaseBlob]) ?? false
  }

  /// Closes the code for good.
  func consume(id: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE id = ?", arguments: [id])
  }

  func close(for username: String) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
  }

  /// A plain hash will do: a code has 160 random bits, so there is nothing to guess.
  private static func hash(_ code: String) throws -> [UInt8] {
    try SHA256.hash(Array(code.utf8))
  }
}
