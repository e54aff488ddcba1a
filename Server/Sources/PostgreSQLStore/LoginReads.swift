import SQLStore
import UAFService

/// Reads the rows of several logins in one statement.
///
/// An exchange with the server's process costs more than reading a row. So while one statement runs, further lookups are
/// collected for the next one.
final class LoginReads: Sendable {
  private struct Waiting {
    let lookup: LoginLookup
    let since: ContinuousClock.Instant
  }

  /// How long a lookup may wait for earlier statements.
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

  /// Reads the rows of one login.
  ///
  /// If the connection is lost immediately, they are read once more.
  ///
  /// - Throws: ``PostgreSQLError``; the error of a stored key that cannot be read.
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
    // After a refusal, the connection can be used again, because the statement is a transaction of its own.
    BatchQueue.outcomes(of: lookups, isUndone: PostgreSQLError.isUndone) { lookups in
      try select(lookups, connection.get())
    }
  }

  /// The keys of each account, and whether each challenge was used, in one statement.
  ///
  /// - Returns: for each lookup the records, or the error of a stored key that cannot be read.
  private static func select(
    _ lookups: [LoginLookup], _ connection: Connection
  ) throws -> [Result<LoginRecords, any Error>] {
    guard !lookups.isEmpty else { return [] }
    let rows = try connection.execute(
      selectLogins,
      [
        .texts(lookups.map(\.username)), .texts(lookups.map(\.appID)),
        // An empty hash stands for no challenge.
        .byteStrings(lookups.map { $0.challenge?.hash ?? [] }),
      ]
    ).rows
    var found: [[QueryRow]] = lookups.map { _ in [] }
    for row in rows {
      let number = try row.integer(9, as: Int.self)
      guard found.indices.contains(number - 1) else { throw PostgreSQLError.unreadable }
      found[number - 1].append(row)
    }
    return found.map { rows in Result { try records(rows) } }
  }

  private static func records(_ rows: [QueryRow]) throws -> LoginRecords {
    guard let first = rows.first else { throw PostgreSQLError.unreadable }
    // For an account without keys there is one row, in which all columns of the key are NULL.
    let hasKeys = first.bytes(0) != nil
    return LoginRecords(isUsed: try first.boolean(8), keys: hasKeys ? try rows.map { try StoredKey($0) } : [])
  }

  // OFFSET 0 makes PostgreSQL search the keys of each account separately. Otherwise it could read and sort all keys for a join,
  // and all challenges for EXISTS.
  static let selectLogins = """
    SELECT c.aaid, c.keyID, c.publicKey, c.signatureAlgorithm, c.signCounter, c.revokedAt, c.deviceID, c.deviceName,
      (SELECT true FROM usedChallenge u WHERE u.hash = a.hash) IS NOT NULL, a.number
    FROM unnest($1::text[], $2::text[], $3::bytea[]) WITH ORDINALITY AS a (username, appID, hash, number)
      LEFT JOIN LATERAL (
        SELECT * FROM credential WHERE username = a.username AND appID = a.appID OFFSET 0
      ) AS c ON true
    ORDER BY a.number, c.id
    """
}

/// The lookup of one login in the store.
struct LoginLookup {
  let username: String
  let appID: String
  let challenge: IssuedChallenge?
}
