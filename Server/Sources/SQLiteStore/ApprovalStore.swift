import GRDB
import UAFService

/// The table of texts that wait to be confirmed.
struct ApprovalStore: Approvals {
  let db: Database

  func open(_ text: String, code: String, for username: String, expiresAt: Int64) throws -> Int64 {
    try close(for: username)
    try db.execute(
      sql: "INSERT INTO approval (username, shown, codeHash, expiresAt) VALUES (?, ?, ?, ?)",
      arguments: [username, text, try OneTimeCode.hash(code).databaseBlob, expiresAt])
    return db.lastInsertedRowID
  }

  func check(code: String, for username: String, now: Int64) throws -> Approval? {
    // The hash of the wrong code is computed for unknown names too.
    let hash = try OneTimeCode.hash(code)
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT id, shown, codeHash FROM approval
        WHERE username = ? AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?
        """, arguments: [username, now])
    guard let row, [UInt8](databaseBlob: row["codeHash"]) == hash else { return nil }
    return Approval(id: row["id"], shown: row["shown"])
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try db.execute(
      sql: "UPDATE approval SET reservedBy = ? WHERE id = ?", arguments: [challengeHash.databaseBlob, id])
  }

  func text(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> String? {
    try String.fetchOne(
      db,
      sql: """
        SELECT shown FROM approval
        WHERE id = ? AND reservedBy = ? AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?
        """, arguments: [id, challengeHash.databaseBlob, now])
  }

  /// Marks the text as confirmed, if it is still open and reserved by this challenge.
  ///
  /// - Returns: whether it was.
  func confirm(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> Bool {
    try db.execute(
      sql: """
        UPDATE approval SET confirmedAt = ?1
        WHERE id = ?2 AND reservedBy = ?3 AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?1
        """, arguments: [now, id, challengeHash.databaseBlob])
    return db.changesCount == 1
  }

  func deny(id: Int64, now: Int64) throws -> Bool {
    try db.execute(
      sql: "UPDATE approval SET deniedAt = ? WHERE id = ? AND confirmedAt IS NULL AND deniedAt IS NULL",
      arguments: [now, id])
    return db.changesCount == 1
  }

  func outcome(id: Int64, now: Int64) throws -> ApprovalOutcome {
    let row = try Row.fetchOne(
      db, sql: "SELECT confirmedAt, deniedAt, expiresAt FROM approval WHERE id = ?", arguments: [id])
    return row.map { Self.outcome($0, now) } ?? .closed
  }

  private static func outcome(_ row: Row, _ now: Int64) -> ApprovalOutcome {
    if row["confirmedAt"] as Int64? != nil { return .confirmed }
    if row["deniedAt"] as Int64? != nil { return .denied }
    return row["expiresAt"] > now ? .open : .closed
  }

  func record(id: Int64, now: Int64) throws -> ApprovalRecord? {
    try Row.fetchOne(db, sql: "SELECT * FROM approval WHERE id = ?", arguments: [id]).map { Self.record($0, now) }
  }

  func page(before id: Int64?, limit: Int, now: Int64) throws -> [ApprovalRecord] {
    try Row.fetchAll(
      db, sql: "SELECT * FROM approval WHERE id < ? ORDER BY id DESC LIMIT ?", arguments: [id ?? .max, limit]
    ).map { Self.record($0, now) }
  }

  private static func record(_ row: Row, _ now: Int64) -> ApprovalRecord {
    ApprovalRecord(
      id: row["id"], username: row["username"], shown: row["shown"], expiresAt: row["expiresAt"],
      outcome: outcome(row, now))
  }

  func close(id: Int64) throws -> String? {
    try String.fetchOne(
      db,
      sql: "DELETE FROM approval WHERE id = ? AND confirmedAt IS NULL AND deniedAt IS NULL RETURNING username",
      arguments: [id])
  }

  func close(for username: String) throws {
    try db.execute(
      sql: "DELETE FROM approval WHERE username = ? AND confirmedAt IS NULL AND deniedAt IS NULL",
      arguments: [username])
  }

  func closeAll() throws {
    try db.execute(sql: "DELETE FROM approval WHERE confirmedAt IS NULL AND deniedAt IS NULL")
  }
}

/// The table of confirmed texts.
struct ConfirmedTextStore: ConfirmedTexts {
  let db: Database

  func add(_ confirmation: ConfirmedText) throws {
    try db.execute(
      sql: """
        INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        confirmation.username, confirmation.confirmedAt, confirmation.shown, confirmation.fcParams,
        confirmation.assertion.databaseBlob, confirmation.publicKey.databaseBlob, confirmation.signatureAlgorithm,
      ])
  }

  func forEach(of username: String?, _ body: (ConfirmedText) throws -> Void) throws {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT * FROM confirmation WHERE ?1 IS NULL OR username = ?1 ORDER BY id", arguments: [username])
    while let row = try rows.next() { try body(Self.confirmation(row)) }
  }

  func confirmation(_ number: Int64) throws -> ConfirmedText? {
    try Row.fetchOne(db, sql: "SELECT * FROM confirmation WHERE id = ?", arguments: [number]).map(Self.confirmation)
  }

  private static func confirmation(_ row: Row) -> ConfirmedText {
    ConfirmedText(
      id: row["id"], username: row["username"], confirmedAt: row["confirmedAt"], shown: row["shown"],
      fcParams: row["fcParams"], assertion: [UInt8](databaseBlob: row["assertion"]),
      publicKey: [UInt8](databaseBlob: row["publicKey"]),
      // An unknown algorithm cannot check a signature, and is not a reason to stop here.
      signatureAlgorithm: UInt16(exactly: row["signatureAlgorithm"] as Int64) ?? 0)
  }
}
