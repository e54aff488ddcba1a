import UAFService

/// The table of texts that wait to be confirmed.
struct ApprovalTable: Approvals {
  let connection: Connection

  func open(_ text: String, code: String, for username: String, expiresAt: Int64) throws -> Int64 {
    try close(for: username)
    let row = try connection.execute(
      "INSERT INTO approval (username, shown, codeHash, expiresAt) VALUES ($1, $2, $3, $4) RETURNING id",
      [.text(username), .text(text), .bytes(try OneTimeCode.hash(code)), .integer(expiresAt)]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    return try row.integer(0)
  }

  func check(code: String, for username: String, now: Int64) throws -> Approval? {
    // The hash of the wrong code is computed for unknown names too.
    let hash = try OneTimeCode.hash(code)
    let row = try connection.execute(
      """
      SELECT id, shown, codeHash FROM approval
      WHERE username = $1 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > $2
      """, [.text(username), .integer(now)]
    ).first
    guard let row, row.bytes(2) == hash else { return nil }
    return Approval(id: try row.integer(0), shown: try row.text(1))
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try connection.execute(
      "UPDATE approval SET reservedBy = $1 WHERE id = $2", [.bytes(challengeHash), .integer(id)])
  }

  func text(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> String? {
    try connection.execute(
      """
      SELECT shown FROM approval
      WHERE id = $1 AND reservedBy = $2 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > $3
      """, [.integer(id), .bytes(challengeHash), .integer(now)]
    ).first?.text(0)
  }

  /// Marks the text as confirmed, if it is still open and reserved by this challenge.
  ///
  /// - Returns: whether it was.
  func confirm(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> Bool {
    try connection.execute(
      """
      UPDATE approval SET confirmedAt = $1
      WHERE id = $2 AND reservedBy = $3 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > $1
      """, [.integer(now), .integer(id), .bytes(challengeHash)]
    ).changes == 1
  }

  func deny(id: Int64, now: Int64) throws -> Bool {
    try connection.execute(
      "UPDATE approval SET deniedAt = $1 WHERE id = $2 AND confirmedAt IS NULL AND deniedAt IS NULL",
      [.integer(now), .integer(id)]
    ).changes == 1
  }

  func outcome(id: Int64, now: Int64) throws -> ApprovalOutcome {
    let row = try connection.execute(
      "SELECT confirmedAt, deniedAt, expiresAt FROM approval WHERE id = $1", [.integer(id)]
    ).first
    guard let row else { return .closed }
    if try row.optionalInteger(0) != nil { return .confirmed }
    if try row.optionalInteger(1) != nil { return .denied }
    return try row.integer(2) > now ? .open : .closed
  }

  func close(for username: String) throws {
    try connection.execute(
      "DELETE FROM approval WHERE username = $1 AND confirmedAt IS NULL AND deniedAt IS NULL", [.text(username)])
  }

  func closeAll() throws {
    try connection.execute("DELETE FROM approval WHERE confirmedAt IS NULL AND deniedAt IS NULL")
  }
}
