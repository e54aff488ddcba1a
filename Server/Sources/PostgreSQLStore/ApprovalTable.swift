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
    return try row.map { try Self.outcome($0, now) } ?? .closed
  }

  /// The outcome by a row that begins with the three times.
  private static func outcome(_ row: QueryRow, _ now: Int64) throws -> ApprovalOutcome {
    if try row.optionalInteger(0) != nil { return .confirmed }
    if try row.optionalInteger(1) != nil { return .denied }
    return try row.integer(2) > now ? .open : .closed
  }

  func record(id: Int64, now: Int64) throws -> ApprovalRecord? {
    try connection.execute("SELECT \(Self.columns) FROM approval WHERE id = $1", [.integer(id)])
      .first.map { try Self.record($0, now) }
  }

  func page(before id: Int64?, limit: Int, now: Int64) throws -> [ApprovalRecord] {
    try connection.execute(
      "SELECT \(Self.columns) FROM approval WHERE id < $1 ORDER BY id DESC LIMIT $2",
      [.integer(id ?? .max), .integer(limit)]
    ).rows.map { try Self.record($0, now) }
  }

  private static let columns = "confirmedAt, deniedAt, expiresAt, id, username, shown"

  private static func record(_ row: QueryRow, _ now: Int64) throws -> ApprovalRecord {
    ApprovalRecord(
      id: try row.integer(3), username: try row.text(4), shown: try row.text(5), expiresAt: try row.integer(2),
      outcome: try outcome(row, now))
  }

  func close(id: Int64) throws -> String? {
    try connection.execute(
      "DELETE FROM approval WHERE id = $1 AND confirmedAt IS NULL AND deniedAt IS NULL RETURNING username",
      [.integer(id)]
    ).first?.text(0)
  }

  func close(for username: String) throws {
    try connection.execute(
      "DELETE FROM approval WHERE username = $1 AND confirmedAt IS NULL AND deniedAt IS NULL", [.text(username)])
  }

  func closeAll() throws {
    try connection.execute("DELETE FROM approval WHERE confirmedAt IS NULL AND deniedAt IS NULL")
  }
}

/// The table of confirmed texts.
struct ConfirmedTextTable: ConfirmedTexts {
  /// How many are read at once: a text and its proof can have some kilobytes.
  private static let page: Int64 = 256
  private static let columns = """
    SELECT id, username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm FROM confirmation
    """

  let connection: Connection

  func add(_ confirmation: ConfirmedText) throws {
    try connection.execute(
      """
      INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(confirmation.username), .integer(confirmation.confirmedAt), .text(confirmation.shown),
        .text(confirmation.fcParams), .bytes(confirmation.assertion), .bytes(confirmation.publicKey),
        .integer(confirmation.signatureAlgorithm),
      ])
  }

  func forEach(of username: String?, _ body: (ConfirmedText) throws -> Void) throws {
    var last: Int64 = 0
    while true {
      let rows = try connection.execute(
        "\(Self.columns) WHERE id > $1 AND ($2::text IS NULL OR username = $2) ORDER BY id LIMIT $3",
        [.integer(last), .text(username), .integer(Self.page)]
      ).rows
      for row in rows { try body(Self.confirmation(row)) }
      guard let end = rows.last else { return }
      last = try end.integer(0)
    }
  }

  func confirmation(_ number: Int64) throws -> ConfirmedText? {
    try connection.execute("\(Self.columns) WHERE id = $1", [.integer(number)]).first.map(Self.confirmation)
  }

  private static func confirmation(_ row: QueryRow) throws -> ConfirmedText {
    ConfirmedText(
      id: try row.integer(0), username: try row.text(1), confirmedAt: try row.integer(2), shown: try row.text(3),
      fcParams: try row.text(4), assertion: try row.requiredBytes(5), publicKey: try row.requiredBytes(6),
      // An unknown algorithm cannot check a signature, and is not a reason to stop here.
      signatureAlgorithm: UInt16(exactly: try row.integer(7)) ?? 0)
  }
}
