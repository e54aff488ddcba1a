import UAFService

/// Commits the verified answers of several callers together.
final class AnswerCommitter: Sendable {
  private let pool: ConnectionPool
  private let queue: BatchQueue<VerifiedAnswer, AnswerOutcome>
  private let forgetting = OncePerSecond()
  private let progress = ForgettingProgress()

  /// Makes a committer.
  ///
  /// - Parameters:
  ///   - mostCommits: how many commits may be under way at once. A second one waits for the end of the audit's chain, which the
  ///     first has locked until it is durable. But the first may not have come so far: it may wait for an account.
  ///   - now: a clock that runs while the machine does.
  init(pool: ConnectionPool, mostCommits: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.pool = pool
    queue = BatchQueue(mostWorkers: mostCommits, now: now)
  }

  /// Stores an answer; returns when it is durable.
  ///
  /// - Throws: ``PostgreSQLError``. After ``PostgreSQLError/interrupted`` it is not known whether it is stored.
  func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome {
    try await queue.add(answer) { [self] in startWriting() }
  }

  private func startWriting() {
    pool.submit { [self] connection in
      var now: Int64?
      let mustGoOn = queue.workBatch { batch in
        do {
          let transaction = AnswerTransaction(connection: try connection.get())
          now = batch.last?.now
          return transaction.store(batch)
        } catch {
          return batch.map { _ in .failure(error) }
        }
      }
      if let now, forgetting.isDue(at: now), let connection = try? connection.get(), connection.isOpen {
        forgetExpired(connection, now: now)
      }
      return mustGoOn
    }
  }

  /// Forgets expired challenges, after the callers have got their outcome.
  private func forgetExpired(_ connection: Connection, now: Int64) {
    do {
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      let end = try UsedChallengeTable(connection: connection).forgetExpired(from: progress.start(at: now))
      try connection.commit()
      progress.reached(end)
    } catch {
      // The next second tries again; the answers were stored before.
      connection.rollback()
    }
  }
}
