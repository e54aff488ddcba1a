import GRDB
import UAFMessages
import UAFService

/// The statements of each verified answer, on the connection that writes.
///
/// GRDB's way around each of them takes longer than the statement. They are used on the database's queue alone.
final class AnswerStatements: @unchecked Sendable {
  private let raise: PreparedStatement
  private let use: PreparedStatement
  private let audit: AuditStatements

  private static let raiseCounter = """
    UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
    WHERE aaid = ?3 AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
      AND (blockedUntil IS NULL OR blockedUntil <= ?2)
      AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
      AND NOT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ?6 AND hash = ?7)
    """
  private static let useChallenge = "INSERT INTO usedChallenge (expiresAt, hash) VALUES (?1, ?2)"

  /// Prepares the statements on a connection.
  ///
  /// - Throws: ``SQLiteFailure``.
  init(_ db: Database) throws {
    raise = try PreparedStatement(Self.raiseCounter, on: db)
    use = try PreparedStatement(Self.useChallenge, on: db)
    audit = try AuditStatements(db)
  }

  /// Stores the counter of a verified signature, if it is higher than the stored one, or both are 0, and if the challenge was
  /// not used, and the account not blocked.
  ///
  /// - Throws: ``SQLiteFailure``.
  func raiseCounter(_ signature: VerifiedAuthentication, of answer: VerifiedAnswer, _ db: Database) throws -> Bool {
    try raise.run([
      .integer(Int64(signature.signCounter)), .integer(answer.now), .text(signature.aaid.text),
      .bytes(signature.keyID.bytes), .text(answer.username), .integer(answer.expiresAt), .bytes(answer.challengeHash),
    ])
    return db.changesCount == 1
  }

  /// Marks an answer's challenge as used.
  ///
  /// - Throws: ``SQLiteFailure``, also if it was used before.
  func useChallenge(of answer: VerifiedAnswer) throws {
    try use.run([.integer(answer.expiresAt), .bytes(answer.challengeHash)])
  }

  /// Adds the rows of stored answers to the audit.
  ///
  /// - Throws: ``SQLiteFailure``; ``CryptoError``.
  func append(_ events: [AuditEntry]) throws { try audit.append(events) }
}
