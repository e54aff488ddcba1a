import UAFService

/// The table of enrolment codes.
struct EnrolmentTable: Enrolments {
  /// Codes that were given out before are closed: nobody knows their keys.
  static let migration = Migration(
    name: "keys of enrolment codes",
    statements: ["DELETE FROM enrolment", "ALTER TABLE enrolment RENAME COLUMN codeHash TO sealedKey"])

  let connection: Connection

  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws {
    try close(for: username)
    try connection.execute(
      "INSERT INTO enrolment (username, sealedKey, expiresAt) VALUES ($1, $2, $3)",
      [.text(username), .bytes(sealedKey), .integer(expiresAt)])
  }

  func find(for username: String, now: Int64) throws -> OpenEnrolment? {
    let row = try connection.execute(
      "SELECT id, sealedKey FROM enrolment WHERE username = $1 AND expiresAt > $2", [.text(username), .integer(now)]
    ).first
    guard let row, let sealedKey = row.bytes(1) else { return nil }
    return OpenEnrolment(id: try row.integer(0), sealedKey: sealedKey)
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try connection.execute(
      "UPDATE enrolment SET reservedBy = $1 WHERE id = $2", [.bytes(challengeHash), .integer(id)])
  }

  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool {
    try connection.execute(
      "SELECT EXISTS (SELECT 1 FROM enrolment WHERE id = $1 AND reservedBy = $2)",
      [.integer(id), .bytes(challengeHash)]
    ).first?.boolean(0) == true
  }

  func consume(id: Int64) throws {
    try connection.execute("DELETE FROM enrolment WHERE id = $1", [.integer(id)])
  }

  func close(for username: String) throws {
    try connection.execute("DELETE FROM enrolment WHERE username = $1", [.text(username)])
  }

  func closeAll() throws {
    try connection.execute("DELETE FROM enrolment")
  }
}
