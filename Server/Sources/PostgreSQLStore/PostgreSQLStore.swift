import SQLStore
import Synchronization
import UAFService

/// A store in a PostgreSQL database, which several instances of the server may use.
///
/// Transactions that write run one after the other, even across all instances: they wait for the lock of one table, as SQLite's
/// wait for the lock of their file. Verified answers do not wait for it: each is one statement that checks the rows that it
/// changes.
package struct PostgreSQLStore: ServerStore {
  /// How often a transaction is repeated that conflicts with an answer.
  private static let mostAttempts = 16

  /// How many batches of logins may be read at the same time, and how many committed.
  private static let mostBatches = 2

  /// How long an upgrade of the tables may take: a day.
  private static let upgrade = Duration.seconds(86_400)

  let pool: ConnectionPool
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Its connections search rows in indexes; see ``Connection/preferIndexes()``.
  let loginPool: ConnectionPool
  let logins: LoginReads
  private let answers: AnswerCommitter

  /// Connects, checks the server, and brings the tables to their current form.
  ///
  /// - Parameters:
  ///   - create: makes them if there are none.
  ///   - allowsUnfinished: uses a store even if an import into it has not ended.
  ///   - allowsAsynchronous: uses a store of several hosts even without a synchronous standby.
  ///   - connections: the maximum number of connections, besides the four for logins.
  ///   - deadline: how long one transaction may take.
  ///   - now: a clock that runs while the machine runs.
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
    // The time for an index of a large audit is not limited: if the upgrade gave up, it would begin again at each start.
    first.setDeadline(now() + Self.upgrade)
    try Migrator(connection: first).migrate(create: create)
    let mark = try PostgreSQLTransaction(connection: first).settings.value(of: .unfinishedImport)
    guard mark == nil || allowsUnfinished else { throw PostgreSQLRefusal.unfinished }
    pool = ConnectionPool(size: connections, deadline: deadline, now: now) { try search.connect() }
    // An administrator's request never takes a connection from a login.
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
        // Otherwise they would be added at the end of a transaction that writes.
        guard transaction.auditBuffer.events.isEmpty else { throw PostgreSQLError.refusedInReading }
        // Nobody has to wait for the end of a transaction that changes nothing.
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
            // Each statement sees what was committed before it, including the end of the audit's chain. Only logins commit at
            // the same time. Each statement that changes the same rows checks them again.
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

  /// Does work on a connection, and once more on a second one if the first was lost immediately, before the work had begun to
  /// change anything: the server had ended it while it was idle.
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

  /// Makes one attempt at a transaction, and undoes it if it fails.
  private static func attempt<Value>(_ connection: Connection, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      // If the rollback fails too, the connection is given up, and the server undoes the transaction.
      connection.rollback()
      throw error
    }
  }
}

/// One transaction of a ``PostgreSQLStore``, with a value for each table that is PostgreSQL's own.
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

/// The time up to which used challenges are forgotten.
///
/// A removed row stays in its index until no transaction of the database is older than the removal. While a dump runs for an
/// hour, each second would read everything that was removed in that hour. So each search begins where the one before ended.
final class ForgettingProgress: Sendable {
  /// After how many seconds it begins from the oldest row again: a row that a different instance was removing may be left.
  private static let fullEvery: Int64 = 3600

  private let state = Mutex((reached: Int64(0), beganAt: Int64(0)))

  /// Where the next search begins, in the database's seconds since 1970.
  ///
  /// - Parameter now: seconds since 1970, by this machine's clock.
  func start(at now: Int64) -> Int64 {
    state.withLock { state in
      if now < state.beganAt || now - state.beganAt >= Self.fullEvery { state = (0, now) }
      return state.reached
    }
  }

  /// Notes the time up to which all are forgotten.
  func reached(_ time: Int64) { state.withLock { $0.reached = time } }
}

/// The rows of the audit that a transaction adds when it ends.
///
/// The end of the chain is locked only from then until the commit, after all other changes of the transaction. So two
/// transactions that write never wait for each other, and none waits long.
final class AuditBuffer {
  private(set) var events: [AuditEntry] = []

  func append(_ more: [AuditEntry]) { events += more }

  /// Forgets the rows after the first `count`.
  func cut(to count: Int) { events.removeLast(events.count - count) }
}
