import UAFService

/// The table of enrolment codes.
struct EnrolmentTable: Enrolments {
  let connection: Connection

  func open(code: String, for username: String, expiresAt: Int64) throws {
    try close(for: username)
    try connection.execute(
      "INSERT INTO enrolment (username, codeHash, expiresAt) VALUES ($1, $2, $3)",
      [.text(username), .bytes(try OneTimeCode.hash(code)), .integer(expiresAt)])
  }

  func check(code: String, for username: String, now: Int64) throws -> Int64? {
    // The hash of the wrong code is computed for unknown names too.
    let hash = try OneTimeCode.hash(code)
    let row = try connection.execute(
      "SELECT id, codeHash FROM enrolment WHERE username = $1 AND expiresAt > $2", [.text(username), .integer(now)]
    ).first
    // The time of comparing hashes shows nothing of the code.
    guard let row, row.bytes(1) == hash else { return nil }
    return try row.integer(0)
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
