import UAFService

/// The table of texts that wait to be confirmed.
struct ApprovalTable<Connection: SQLConnection>: Approvals {
  let connection: Connection

  func open(_ text: String, code: String, for username: String, expiresAt: Int64) throws -> Int64 {
    try close(for: username)
    return try connection.requiredRow(
      "INSERT INTO approval (username, shown, codeHash, expiresAt) VALUES (?1, ?2, ?3, ?4) RETURNING id",
      [.text(username), .text(text), .bytes(try OneTimeCode.hash(code)), .integer(expiresAt)]
    ) { try $0.integer(0) }
  }

  func check(code: String, for username: String, now: Int64) throws -> Approval? {
    // The hash is computed before the name is looked up, so that an unknown name takes the same time.
    let hash = try OneTimeCode.hash(code)
    let found = try connection.row(
      """
      SELECT id, shown, codeHash FROM approval
      WHERE username = ?1 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?2
      """, [.text(username), .integer(now)]
    ) { (Approval(id: try $0.integer(0), shown: try $0.text(1)), try $0.requiredBytes(2)) }
    guard let (approval, kept) = found, kept == hash else { return nil }
    return approval
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try connection.run(
      "UPDATE approval SET reservedBy = ?1 WHERE id = ?2", [.bytes(challengeHash), .integer(id)])
  }

  func text(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> String? {
    try connection.row(
      """
      SELECT shown FROM approval
      WHERE id = ?1 AND reservedBy = ?2 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?3
      """, [.integer(id), .bytes(challengeHash), .integer(now)]
    ) { try $0.text(0) }
  }

  func confirm(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> Bool {
    try connection.run(
      """
      UPDATE approval SET confirmedAt = ?1
      WHERE id = ?2 AND reservedBy = ?3 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?1
      """, [.integer(now), .integer(id), .bytes(challengeHash)]) == 1
  }

  func deny(id: Int64, now: Int64) throws -> Bool {
    try connection.run(
      "UPDATE approval SET deniedAt = ?1 WHERE id = ?2 AND confirmedAt IS NULL AND deniedAt IS NULL",
      [.integer(now), .integer(id)]) == 1
  }

  func outcome(id: Int64, now: Int64) throws -> ApprovalOutcome {
    try connection.row(
      "SELECT confirmedAt, deniedAt, expiresAt FROM approval WHERE id = ?1", [.integer(id)]
    ) { try Self.outcome($0, now) } ?? .closed
  }

  /// The outcome, from a row that begins with the times of confirmation, denial and expiry.
  private static func outcome(_ row: Connection.ResultRow, _ now: Int64) throws -> ApprovalOutcome {
    if try row.optionalInteger(0) != nil { return .confirmed }
    if try row.optionalInteger(1) != nil { return .denied }
    return try row.integer(2) > now ? .open : .closed
  }

  func record(id: Int64, now: Int64) throws -> ApprovalRecord? {
    try connection.row("SELECT \(Self.columns) FROM approval WHERE id = ?1", [.integer(id)]) {
      try Self.record($0, now)
    }
  }

  func page(before id: Int64?, limit: Int, now: Int64) throws -> [ApprovalRecord] {
    try connection.rows(
      "SELECT \(Self.columns) FROM approval WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
      [.integer(id ?? .max), .integer(limit)]
    ) { try Self.record($0, now) }
  }

  func count(upTo limit: Int) throws -> Int {
    try connection.requiredRow(
      "SELECT count(*) FROM (SELECT 1 FROM approval LIMIT ?1) AS counted", [.integer(limit)]
    ) { try $0.integer(0, as: Int.self) }
  }

  private static var columns: String { "confirmedAt, deniedAt, expiresAt, id, username, shown" }

  private static func record(_ row: Connection.ResultRow, _ now: Int64) throws -> ApprovalRecord {
    ApprovalRecord(
      id: try row.integer(3), username: try row.text(4), shown: try row.text(5), expiresAt: try row.integer(2),
      outcome: try outcome(row, now))
  }

  func close(id: Int64) throws -> String? {
    try connection.row(
      "DELETE FROM approval WHERE id = ?1 AND confirmedAt IS NULL AND deniedAt IS NULL RETURNING username",
      [.integer(id)]
    ) { try $0.text(0) }
  }

  func close(for username: String) throws {
    try connection.run(
      "DELETE FROM approval WHERE username = ?1 AND confirmedAt IS NULL AND deniedAt IS NULL", [.text(username)])
  }

  func closeAll() throws {
    try connection.run("DELETE FROM approval WHERE confirmedAt IS NULL AND deniedAt IS NULL")
  }
}

/// The table of confirmed texts.
struct ConfirmedTextTable<Connection: SQLConnection>: ConfirmedTexts {
  /// How many texts are read at a time; a text and its proof can have some kilobytes.
  private static var page: Int { 256 }
  private static var columns: String {
    """
    SELECT id, username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm FROM confirmation
    """
  }

  let connection: Connection

  func add(_ confirmation: ConfirmedText) throws {
    try connection.run(
      """
      INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
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
      let texts = try connection.rows(
        "\(Self.columns) WHERE id > ?1 AND (?2 IS NULL OR username = ?2) ORDER BY id LIMIT ?3",
        [.integer(last), .text(username), .integer(Self.page)], Self.confirmation)
      for text in texts { try body(text) }
      guard let end = texts.last else { return }
      last = end.id
    }
  }

  func confirmation(_ number: Int64) throws -> ConfirmedText? {
    try connection.row("\(Self.columns) WHERE id = ?1", [.integer(number)], Self.confirmation)
  }

  private static func confirmation(_ row: Connection.ResultRow) throws -> ConfirmedText {
    ConfirmedText(
      id: try row.integer(0), username: try row.text(1), confirmedAt: try row.integer(2), shown: try row.text(3),
      fcParams: try row.text(4), assertion: try row.requiredBytes(5), publicKey: try row.requiredBytes(6),
      // An unknown algorithm becomes 0. The signature then fails verification, but the other texts can still be read.
      signatureAlgorithm: UInt16(exactly: try row.integer(7)) ?? 0)
  }
}
