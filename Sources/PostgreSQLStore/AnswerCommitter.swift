import UAFService

/// Commits the verified answers of several callers together.
final class AnswerCommitter: Sendable {
  /// How many commits are under way at once: while one waits for a standby, the other is filled.
  private static let mostWriters = 2

  private let pool: ConnectionPool
  private let queue = AnswerQueue(mostWriters: mostWriters)

  init(pool: ConnectionPool) {
    self.pool = pool
  }

  /// Stores an answer; returns when it is durable.
  ///
  /// - Throws: ``PostgreSQLError``. After ``PostgreSQLError/interrupted`` it is not known whether it is stored.
  func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome {
    try await queue.store(answer) { [self] in writeNext() }
  }

  private func writeNext() {
    pool.submit { [self] connection in
      var now: Int64?
      let mustGoOn = queue.writeBatch { batch in
        do {
          let transaction = AnswerTransaction(connection: try connection.get())
          now = batch.last?.now
          return transaction.store(batch)
        } catch {
          return batch.map { _ in .failure(error) }
        }
      }
      if mustGoOn { writeNext() }
      if let now, queue.mustForget(at: now), let connection = try? connection.get(), connection.isOpen {
        forgetExpired(connection)
      }
    }
  }

  /// Forgets expired challenges, after the callers have got their outcome.
  private func forgetExpired(_ connection: Connection) {
    do {
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      try UsedChallengeTable(connection: connection).forgetExpired()
      try connection.commit()
    } catch {
      // The next second tries again; the answers were stored before.
      connection.rollback()
    }
  }
}
