import GRDB
import SQLStore
import Synchronization
import UAFMessages
import UAFService

/// Stores one verified answer.
struct AnswerTransaction {
  let db: Database
  let statements: AnswerStatements

  /// Stores an answer, completely or not at all, within the transaction of its batch.
  ///
  /// A savepoint is needed only for several changes: if there is only one that can be refused, a refusal leaves nothing to
  /// undo.
  ///
  /// - Throws: ``ServiceRefusal``; SQLite's errors.
  func store(_ answer: VerifiedResponse) throws {
    guard answer.signatures.count > 1 || answer.approvalID != nil else { return try change(for: answer) }
    try db.inSavepoint {
      try change(for: answer)
      return .commit
    }
  }

  /// Adds the rows of stored answers to the audit, in the transaction of their batch.
  func record(_ events: [AuditEntry]) throws { try statements.append(events) }

  private func refusal(of answer: VerifiedResponse) throws -> ServiceRefusal {
    if try UsedChallengeTable(db: db).contains(answer.challenge) { return .unknownChallenge }
    return answer.refusal(by: try SQLiteTransaction(connection: db).accounts.block(of: answer.username))
  }

  private func change(for answer: VerifiedResponse) throws {
    let records = SQLiteTransaction(connection: db)
    for signature in answer.signatures {
      guard try statements.raiseCounter(signature, of: answer, db) else { throw try refusal(of: answer) }
    }
    if let passkey = answer.passkey {
      guard try statements.use(passkey, of: answer, db) else { throw try refusal(of: answer) }
    }
    if let id = answer.approvalID {
      let isConfirmed = try records.confirmApproval(id: id, reservedBy: answer.challengeHash, now: answer.now)
      guard isConfirmed else { throw ServiceRefusal.approvalCodeUsed }
    }
    try statements.useChallenge(of: answer)
    for text in answer.confirmedTexts { try records.confirmedTexts.add(text) }
  }
}

/// Commits the verified answers of several callers together.
final class AnswerCommitter: Sendable {
  /// The most used challenges that one statement removes, which takes about 4 ms.
  private static let mostForgotten = 4096

  private let database: any DatabaseWriter
  // SQLite has one writer at a time.
  private let queue = BatchQueue<VerifiedResponse, Void>(mostWorkers: 1) { ContinuousClock.now }
  private let forgetting = OncePerSecond()
  /// The prepared statements; they are made for the first batch.
  private let statements = Mutex<AnswerStatements?>(nil)

  /// Makes a committer for a database whose tables are up to date.
  init(_ database: any DatabaseWriter) {
    self.database = database
  }

  /// How many answers wait for the next commit.
  var waitingCount: Int { queue.waitingCount }

  /// Stores an answer; returns when it is durable.
  ///
  /// - Throws: ``ServiceRefusal``; SQLite's errors. Nothing of the answer is stored then, unless the disk failed during the
  ///   flush.
  func store(_ answer: VerifiedResponse) async throws {
    try await queue.add(answer) { [self] in writeNext() }
  }

  /// Writes the next batch.
  ///
  /// Each batch is queued separately, so that other writers of this process get their turn.
  private func writeNext() {
    database.asyncWriteWithoutTransaction { [self] db in
      var now: Int64?
      let mustGoOn = queue.workBatch { batch in
        now = batch.last?.now
        return BatchQueue.outcomes(of: batch) { try commit($0, db) }
      }
      if let now { forget(now, db) }
      if mustGoOn { writeNext() }
    }
  }

  private func commit(_ batch: [VerifiedResponse], _ db: Database) throws -> [Result<Void, any Error>] {
    let store = AnswerTransaction(db: db, statements: try prepared(on: db))
    // GRDB's own function for transactions would prepare BEGIN and COMMIT again each time.
    try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
    do {
      var events: [AuditEntry] = []
      let outcomes = try batch.map { answer -> Result<Void, any Error> in
        do {
          try store.store(answer)
        } catch let refusal as ServiceRefusal {
          return .failure(refusal)
        }
        events.append(answer.event)
        return .success(())
      }
      try store.record(events)
      try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
      return outcomes
    } catch {
      // After some errors, SQLite has already rolled the transaction back.
      if db.isInsideTransaction { try? db.execute(sql: "ROLLBACK TRANSACTION") }
      throw error
    }
  }

  private func prepared(on db: Database) throws -> AnswerStatements {
    try statements.withLock { statements in
      if let statements { return statements }
      let made = try AnswerStatements(db)
      statements = made
      return made
    }
  }

  /// Removes expired challenges, at most once a second, after the callers have received their outcomes.
  private func forget(_ now: Int64, _ db: Database) {
    guard forgetting.isDue(at: now) else { return }
    // A failure is ignored: it is tried again a second later, and the answers are already stored.
    try? db.inTransaction(.immediate) {
      try UsedChallengeTable(db: db).forget(expiredAt: now, most: Self.mostForgotten)
      return .commit
    }
  }
}

/// The prepared statements for verified answers, on the connection that writes.
///
/// They bypass GRDB, whose overhead for a statement takes longer than the statement itself. They are used only on the
/// database's queue.
final class AnswerStatements: @unchecked Sendable {
  private let raise: PreparedStatement
  private let usePasskey: PreparedStatement
  private let use: PreparedStatement
  private let audit: AuditStatements

  private static let raiseCounter = """
    UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
    WHERE aaid = ?3 AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
      AND (blockedUntil IS NULL OR blockedUntil <= ?2)
      AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
      AND NOT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ?6 AND hash = ?7)
    """
  private static let usePasskey = """
    UPDATE passkey SET signCounter = ?1, isBackedUp = ?2, lastUsedAt = ?3
    WHERE credentialID = ?4 AND username = ?5 AND revokedAt IS NULL
      AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
      AND NOT EXISTS (SELECT 1 FROM account WHERE username = ?5 AND blockedUntil > ?3)
      AND NOT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ?6 AND hash = ?7)
    """
  private static let useChallenge = "INSERT INTO usedChallenge (expiresAt, hash) VALUES (?1, ?2)"

  /// Prepares the statements on a connection.
  ///
  /// - Throws: ``SQLiteFailure``.
  init(_ db: Database) throws {
    raise = try PreparedStatement(Self.raiseCounter, on: db)
    usePasskey = try PreparedStatement(Self.usePasskey, on: db)
    use = try PreparedStatement(Self.useChallenge, on: db)
    audit = try AuditStatements(db)
  }

  /// Stores the counter of a verified signature, if it is higher than the stored one or both are 0, and if the challenge was
  /// not used and the account is not blocked.
  ///
  /// - Throws: ``SQLiteFailure``.
  func raiseCounter(_ signature: VerifiedAuthentication, of answer: VerifiedResponse, _ db: Database) throws -> Bool {
    try raise.run([
      .integer(Int64(signature.signCounter)), .integer(answer.now), .text(signature.aaid.text),
      .bytes(signature.keyID.bytes), .text(answer.username), .integer(answer.expiresAt), .bytes(answer.challengeHash),
    ])
    return db.changesCount == 1
  }

  /// Stores what a verified assertion says of its passkey, on the same conditions as for the counter of a signature.
  ///
  /// - Throws: ``SQLiteFailure``.
  func use(_ passkey: UsedPasskey, of answer: VerifiedResponse, _ db: Database) throws -> Bool {
    try usePasskey.run([
      .integer(Int64(passkey.signCounter)), .integer(passkey.isBackedUp ? 1 : 0), .integer(answer.now),
      .bytes(passkey.id), .text(answer.username), .integer(answer.expiresAt), .bytes(answer.challengeHash),
    ])
    return db.changesCount == 1
  }

  /// Marks an answer's challenge as used.
  ///
  /// - Throws: ``SQLiteFailure``, also if the challenge was used before.
  func useChallenge(of answer: VerifiedResponse) throws {
    try use.run([.integer(answer.expiresAt), .bytes(answer.challengeHash)])
  }

  /// Adds the rows of stored answers to the audit.
  ///
  /// - Throws: ``SQLiteFailure``; ``CryptoError``.
  func append(_ events: [AuditEntry]) throws { try audit.append(events) }
}
