import SQLStore
import Synchronization
import UAFService

/// A store in a PostgreSQL database, which several instances of the server may use.
///
/// Transactions that write run one after the other, even if they come from different instances: they wait for the lock of a
/// table, as in SQLite they wait for the lock of the file. Verified answers do not wait for it: each is stored by one
/// statement, which checks the rows that it changes.
package struct PostgreSQLStore: ServerStore {
  /// How often a transaction is attempted if it conflicts with verified answers.
  private static let mostAttempts = 16

  /// How many batches of logins may be read at the same time, and how many may be committed.
  private static let mostBatches = 2

  /// How long an upgrade of the tables may take: a day.
  private static let upgrade = Duration.seconds(86_400)

  let pool: ConnectionPool
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The pool for logins.
  ///
  /// Its connections always use indexes; see ``Connection/preferIndexes()``.
  let loginPool: ConnectionPool
  let logins: LoginReads
  private let answers: AnswerCommitter

  /// Connects, checks the server, and upgrades the tables to the current version.
  ///
  /// - Parameters:
  ///   - create: whether the tables are created if there are none.
  ///   - allowsUnfinished: whether a store is used even if an import into it has not finished.
  ///   - allowsAsynchronous: whether a store with several hosts is used even if it has no synchronous standby.
  ///   - connections: the most connections, in addition to the four for logins.
  ///   - deadline: how long one transaction may take.
  ///   - now: a monotonic clock.
  /// - Throws: ``PostgreSQLRefusal``; ``PostgreSQLError``.
  package init(
    _ address: PostgreSQLAddress, create: Bool, allowsUnfinished: Bool = false, allowsAsynchronous: Bool = false,
    connections: Int = 4, deadline: Duration = .seconds(10),
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) throws {
    self.now = now
    let search = HostSearch(address, now: now)
    let (first, check) = try search.find()
    first.setDeadline(now() + .seconds(60))
    guard try address.hosts == 1 || allowsAsynchronous || check.hasSynchronousStandby else {
      throw PostgreSQLRefusal.asynchronous
    }
    // Creating an index on a large audit may take long. If the upgrade gave up earlier, it would begin again at each start.
    first.setDeadline(now() + Self.upgrade)
    try Migrator(connection: first).migrate(create: create)
    let mark = try PostgreSQLTransaction(connection: first).settings.value(of: .unfinishedImport)
    guard mark == nil || allowsUnfinished else { throw PostgreSQLRefusal.unfinished }
    pool = ConnectionPool(size: connections, deadline: deadline, now: now) { try search.connect() }
    // Logins have connections of their own, so that administrators' requests never make them wait.
    loginPool = ConnectionPool(size: 2 * Self.mostBatches, deadline: deadline, now: now) {
      let connection = try search.connect()
      try connection.preferIndexes()
      return connection
    }
    logins = LoginReads(pool: loginPool, mostStatements: Self.mostBatches, now: now)
    answers = AnswerCommitter(pool: loginPool, mostCommits: Self.mostBatches, now: now)
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await afterLoss { connection, _ in
      try Self.attempt(connection) {
        try connection.enqueue("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        let transaction = PostgreSQLTransaction(connection: connection)
        let value = try body(transaction)
        // In a transaction that only reads, buffered rows would silently be lost: they are added only at the end of one that
        // writes.
        guard transaction.auditBuffer.events.isEmpty else { throw PostgreSQLError.refusedInReading }
        // Nothing was changed, so nobody has to wait for the commit.
        try connection.enqueue("COMMIT")
        try connection.send()
        return value
      }
    }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await afterLoss { connection, begun in
      var attempt = 1
      while true {
        do {
          return try Self.attempt(connection) {
            // At this isolation level, each statement sees what was committed before it, including the end of the audit's
            // chain. Only logins can commit in the meantime, and each statement that changes the same rows checks them again.
            try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
            try connection.execute("LOCK TABLE turn IN EXCLUSIVE MODE")
            begun()
            let transaction = PostgreSQLTransaction(connection: connection)
            let value = try body(transaction)
            try AuditChaining(connection: connection).enqueue(transaction.auditBuffer.events)
            try connection.commit()
            return value
          }
        } catch let error as PostgreSQLError where error.isConflict && attempt < Self.mostAttempts {
          attempt += 1
        }
      }
    }
  }

  package func login(
    of username: String, appID: String, challenge: IssuedChallenge?
  ) async throws -> LoginRecords {
    try await logins.records(for: LoginLookup(username: username, appID: appID, challenge: challenge))
  }

  package func store(_ answer: VerifiedResponse) async throws {
    try await answers.store(answer)
  }

  /// Does work on a connection.
  ///
  /// If the connection is lost immediately, before the work has begun to change anything, the work is done once more on a
  /// second one: the server had closed the first while it was idle.
  private func afterLoss<Value: Sendable>(
    _ work: @escaping @Sendable (Connection, _ begun: () -> Void) throws -> Value
  ) async throws -> Value {
    let start = now()
    let hasBegun = Atomic(false)
    do {
      return try await pool.run { try work($0) { hasBegun.store(true, ordering: .relaxed) } }
    } catch PostgreSQLError.interrupted where !hasBegun.load(ordering: .relaxed) && now() - start < ConnectionPool.soon
    {
      return try await pool.run { try work($0) {} }
    }
  }

  /// Makes one attempt at a transaction, and rolls it back if it fails.
  private static func attempt<Value>(_ connection: Connection, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      // If the rollback fails too, the connection is given up, and the server rolls the transaction back.
      connection.rollback()
      throw error
    }
  }
}

/// One transaction of a ``PostgreSQLStore``, with the tables that are specific to PostgreSQL.
struct PostgreSQLTransaction: SQLTransaction {
  let connection: Connection
  let auditBuffer = AuditBuffer()

  var audit: any AuditTrail { AuditTable(connection: connection, buffer: auditBuffer) }
  var contents: any StoreContents { ContentsTable(connection: connection) }
  var usedChallenges: any UsedChallenges { UsedChallengeTable(connection: connection) }
  var usedProofs: any UsedProofs { UsedProofTable(connection: connection) }
  var wrongAnswers: any WrongAnswers { WrongAnswerTable(connection: connection) }

  func keeping(if changes: () throws -> Bool) throws {
    try connection.enqueue("SAVEPOINT changes")
    let rows = auditBuffer.events.count
    do {
      guard try changes() else {
        try connection.execute("ROLLBACK TO SAVEPOINT changes")
        auditBuffer.cut(to: rows)
        return
      }
    } catch {
      try connection.execute("ROLLBACK TO SAVEPOINT changes")
      auditBuffer.cut(to: rows)
      throw error
    }
    try connection.execute("RELEASE SAVEPOINT changes")
  }
}

/// Remembers up to which time used challenges have been removed.
///
/// A removed row stays in its index as long as any older transaction runs in the database. During a dump of an hour, each
/// search would have to skip everything that was removed in that hour. So each search begins where the previous one ended.
final class ForgettingProgress: Sendable {
  /// After how many seconds a search begins at the oldest row again: rows that a different instance was about to remove may be
  /// left.
  private static let fullEvery: Int64 = 3600

  private let state = Mutex((reached: Int64(0), beganAt: Int64(0)))

  /// The time at which the next search begins, in seconds since 1970 by the database's clock.
  ///
  /// - Parameter now: seconds since 1970, by this machine's clock.
  func start(at now: Int64) -> Int64 {
    state.withLock { state in
      if now < state.beganAt || now - state.beganAt >= Self.fullEvery { state = (0, now) }
      return state.reached
    }
  }

  /// Notes the time up to which all challenges are removed.
  func reached(_ time: Int64) { state.withLock { $0.reached = time } }
}

/// The rows that a transaction will add to the audit when it ends.
///
/// The end of the chain is locked after all other changes of the transaction, and only until the commit. So transactions that
/// write cannot deadlock, and none waits long.
final class AuditBuffer {
  private(set) var events: [AuditEntry] = []

  func append(_ more: [AuditEntry]) { events += more }

  /// Removes all rows except the first `count`.
  func cut(to count: Int) { events.removeLast(events.count - count) }
}
