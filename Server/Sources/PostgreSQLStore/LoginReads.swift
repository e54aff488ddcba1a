import UAFService

/// Reads what several logins need in one statement.
///
/// To wake a process of the server, and to be woken by it, costs more than to read a row. So while one statement is under way,
/// the next ones collect.
final class LoginReads: Sendable {
  private struct Waiting {
    let lookup: LoginLookup
    let since: ContinuousClock.Instant
  }

  /// How long a lookup waits for the statements before it.
  private static let longestWait = Duration.seconds(3)

  private let pool: ConnectionPool
  private let now: @Sendable () -> ContinuousClock.Instant
  private let queue: BatchQueue<Waiting, LoginRecords>

  init(pool: ConnectionPool, mostStatements: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.pool = pool
    self.now = now
    queue = BatchQueue(mostWorkers: mostStatements, now: now)
  }

  /// How many lookups wait for the next statement.
  var waitingCount: Int { queue.waitingCount }

  /// Reads what one login needs, and once more if the connection was lost at once.
  ///
  /// - Throws: ``PostgreSQLError``; what is wrong with a stored key.
  func records(for lookup: LoginLookup) async throws -> LoginRecords {
    let waiting = Waiting(lookup: lookup, since: now())
    do {
      return try await queue.add(waiting) { [self] in startReading() }
    } catch PostgreSQLError.interrupted where now() - waiting.since < ConnectionPool.soon {
      return try await queue.add(waiting) { [self] in startReading() }
    }
  }

  private func startReading() {
    pool.submit { [self] connection in
      queue.workBatch { batch in
        let start = now()
        let isLate = batch.map { start - $0.since >= Self.longestWait }
        var results = Self.read(zip(batch, isLate).filter { !$1 }.map(\.0.lookup), connection)[...]
        return isLate.map { $0 ? .failure(PostgreSQLError.busy) : results.removeFirst() }
      }
    }
  }

  private static func read(
    _ lookups: [LoginLookup], _ connection: Result<Connection, any Error>
  ) -> [Result<LoginRecords, any Error>] {
    // After a refusal the connection can be used again: the statement was a transaction of its own.
    BatchQueue.outcomes(of: lookups, isUndone: PostgreSQLError.isUndone) { lookups in
      try CredentialTable(connection: connection.get()).logins(lookups)
    }
  }
}

/// What one login asks the store for.
struct LoginLookup {
  let username: String
  let appID: String
  let challenge: IssuedChallenge?
}
