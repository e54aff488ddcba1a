import GRDB
import UAFCrypto

/// The texts that somebody waits to have confirmed, each with a one-time code; one open text an account.
///
/// Wrong codes are not counted, for the reason that ``EnrolmentStore`` gives. Wrong answers need the code.
struct ApprovalStore {
  let db: Database

  /// What became of a text.
  enum Outcome: Equatable, Sendable {
    case open
    case confirmed
    /// The person said no, for good.
    case denied
    /// Expired, closed by a newer one, or with the account's keys.
    case closed
  }

  /// A text that waits.
  struct Approval: Equatable, Sendable {
    let id: Int64
    /// As it is shown, and as it is signed.
    let shown: String
  }

  /// Opens a text; an earlier one of the account that is still open is closed by it.
  ///
  /// - Returns: its number.
  func open(_ text: String, code: String, for username: String, expiresAt: Int64) throws -> Int64 {
    try close(for: username)
    try db.execute(
      sql: "INSERT INTO approval (username, shown, codeHash, expiresAt) VALUES (?, ?, ?, ?)",
      arguments: [username, text, try Self.hash(code).databaseBlob, expiresAt])
    return db.lastInsertedRowID
  }

  /// Finds the open text.
  ///
  /// Whoever comes with another code changes nothing.
  ///
  /// - Returns: nil if the code is wrong, expired, used, or there is none.
  func check(code: String, for username: String, now: Int64) throws -> Approval? {
    // The hash of the wrong code is computed for unknown names too.
    let hash = try Self.hash(code)
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT id, shown, codeHash FROM approval
        WHERE username = ? AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?
        """, arguments: [username, now])
    guard let row, [UInt8](databaseBlob: row["codeHash"]) == hash else { return nil }
    return Approval(id: row["id"], shown: row["shown"])
  }

  /// Binds the text to one challenge; the request that reserved it before can no longer be answered.
  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try db.execute(
      sql: "UPDATE approval SET reservedBy = ? WHERE id = ?", arguments: [challengeHash.databaseBlob, id])
  }

  /// Whether the text is alive and reserved by this challenge.
  func isReserved(id: Int64, by challengeHash: [UInt8], now: Int64) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM approval
          WHERE id = ? AND reservedBy = ? AND confirmedAt IS NULL AND deniedAt IS NULL AND expiresAt > ?)
        """, arguments: [id, challengeHash.databaseBlob, now]) ?? false
  }

  /// Marks the text as confirmed; its code is good for nothing from then on.
  func confirm(id: Int64, now: Int64) throws {
    try db.execute(sql: "UPDATE approval SET confirmedAt = ? WHERE id = ?", arguments: [now, id])
  }

  /// Marks the text as denied; its code is good for nothing from then on, nor is a request that was issued before.
  func deny(id: Int64, now: Int64) throws {
    try db.execute(sql: "UPDATE approval SET deniedAt = ? WHERE id = ?", arguments: [now, id])
  }

  /// What became of a text, for whoever waits.
  func outcome(id: Int64, now: Int64) throws -> Outcome {
    let row = try Row.fetchOne(
      db, sql: "SELECT confirmedAt, deniedAt, expiresAt FROM approval WHERE id = ?", arguments: [id])
    guard let row else { return .closed }
    if row["confirmedAt"] as Int64? != nil { return .confirmed }
    if row["deniedAt"] as Int64? != nil { return .denied }
    return row["expiresAt"] > now ? .open : .closed
  }

  /// Drops what nobody has confirmed or denied, and nobody can any more.
  func close(for username: String) throws {
    try db.execute(
      sql: "DELETE FROM approval WHERE username = ? AND confirmedAt IS NULL AND deniedAt IS NULL",
      arguments: [username])
  }

  /// A plain hash will do: a code has 160 random bits, so there is nothing to guess.
  private static func hash(_ code: String) throws -> [UInt8] {
    try SHA256.hash(Array(code.utf8))
  }
}
