import CSQLite
import GRDB
import UAFMessages
import UAFService

/// The statements of each verified answer, on the connection that writes.
///
/// GRDB's way around each of them takes longer than the statement. They are used on the database's queue alone.
final class AnswerStatements: @unchecked Sendable {
  private let raise: PreparedStatement
  private let use: PreparedStatement
  private let end: PreparedStatement
  private let append: PreparedStatement

  private static let raiseCounter = """
    UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
    WHERE aaid = ?3 AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
      AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
      AND NOT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = ?6)
    """
  private static let useChallenge = "INSERT INTO usedChallenge (hash, expiresAt) VALUES (?1, ?2)"

  /// Prepares the statements on a connection.
  ///
  /// - Throws: ``SQLiteFailure``.
  init(_ db: Database) throws {
    // SAFETY: the statements are this object's, and GRDB closes its connection by `sqlite3_close_v2`.
    guard let handle = unsafe db.sqliteConnection else { throw SQLiteFailure(code: SQLITE_MISUSE) }
    raise = try unsafe PreparedStatement(Self.raiseCounter, on: handle)
    use = try unsafe PreparedStatement(Self.useChallenge, on: handle)
    end = try unsafe PreparedStatement(AuditStore.end, on: handle)
    append = try unsafe PreparedStatement(AuditStore.append, on: handle)
  }

  /// Stores the counter of a verified signature, if it is higher than the stored one, or both are 0, and if the challenge was
  /// not used.
  ///
  /// - Throws: ``SQLiteFailure``.
  func raiseCounter(_ signature: VerifiedAuthentication, of answer: VerifiedAnswer, _ db: Database) throws -> Bool {
    try raise.run([
      .integer(Int64(signature.signCounter)), .integer(answer.now), .text(signature.aaid.text),
      .bytes(signature.keyID.bytes), .text(answer.username), .bytes(answer.challengeHash),
    ])
    return db.changesCount == 1
  }

  /// Marks an answer's challenge as used.
  ///
  /// - Throws: ``SQLiteFailure``, also if it was used before.
  func useChallenge(of answer: VerifiedAnswer) throws {
    try use.run([.bytes(answer.challengeHash), .integer(answer.expiresAt)])
  }

  /// Adds the rows of stored answers to the audit.
  ///
  /// - Throws: ``SQLiteFailure``; ``CryptoError``.
  func append(_ events: [AuditEntry]) throws {
    guard !events.isEmpty else { return }
    var link = AuditLink.start
    // Read anew for each batch: another process may have added rows.
    try end.run([]) { link = AuditLink(number: $0.integer(0), hash: $0.bytes(1)) }
    for event in events {
      link = try link.next(event.body)
      let texts = event.texts.map { StatementValue.text($0) }
      try append.run([.integer(link.number), .integer(event.time)] + texts + [.bytes(link.hash)])
    }
  }
}
