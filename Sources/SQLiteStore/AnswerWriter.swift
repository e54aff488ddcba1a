import GRDB
import Synchronization
import UAFService

/// Commits the verified answers of several callers together.
final class AnswerWriter: Sendable {
  /// The most used challenges that are forgotten at once, about 4 ms of work.
  private static let mostForgotten = 4096

  private let database: any DatabaseWriter
  // SQLite has one writer at a time.
  private let queue = BatchQueue<VerifiedAnswer, AnswerOutcome>(mostWorkers: 1) { ContinuousClock.now }
  private let forgetting = OncePerSecond()
  /// Made with the first batch.
  private let statements = Mutex<AnswerStatements?>(nil)

  /// Makes a writer for a database whose tables are in their current form.
  init(_ database: any DatabaseWriter) {
    self.database = database
  }

  /// How many answers wait for the next commit.
  var waitingCount: Int { queue.waitingCount }

  /// Stores an answer; returns when it is durable.
  ///
  /// - Throws: SQLite's errors. Then nothing of this answer is stored, unless the disk failed while it was flushed.
  func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome {
    try await queue.add(answer) { [self] in writeNext() }
  }

  /// Queued anew for each batch, so that other writers of this process get their turn.
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

  private func commit(_ batch: [VerifiedAnswer], _ db: Database) throws -> [AnswerOutcome] {
    let store = AnswerStore(db: db, statements: try prepared(on: db))
    // GRDB's own way prepares both statements for each transaction.
    try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
    do {
      let outcomes = try batch.map { try store.store($0) }
      try store.record(zip(batch, outcomes).compactMap { $1 == .stored ? $0.event : nil })
      try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
      return outcomes
    } catch {
      // SQLite may have ended the transaction itself.
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

  /// Forgets expired challenges, at most once a second, after the callers have got their outcome.
  private func forget(_ now: Int64, _ db: Database) {
    guard forgetting.isDue(at: now) else { return }
    // If it fails, the next second tries again; the answers were stored before.
    try? db.inTransaction(.immediate) {
      try UsedChallengeStore(db: db).forget(expiredAt: now, most: Self.mostForgotten)
      return .commit
    }
  }
}
