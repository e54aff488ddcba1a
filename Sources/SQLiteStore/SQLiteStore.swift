// Purpose: The store of uaf-server in one SQLite file, through GRDB. The only target that may import GRDB. PostgreSQLStore has
// the same tables in its own SQL, and neither imports the other. The protocols in UAFService/Store say what each table promises.
// Here is only what SQLite needs.

import GRDB
import UAFService

/// A store in one SQLite file, which several processes may have open.
///
/// Readers do not wait for writers. Transactions that write come one after another, each with a commit of its own; verified
/// answers share one.
package struct SQLiteStore: ServerStore {
  /// To how many bytes SQLite's log is cut once nobody needs more of it.
  ///
  /// It has 4 MiB under load.
  static let largestIdleLog = 64 << 20

  let database: any DatabaseWriter
  private let answers: AnswerWriter
  private let logins: LoginReader

  /// Takes a database, and brings its tables to their current form.
  ///
  /// - Throws: ``StoreError``; SQLite's own errors.
  private init(_ database: DatabasePool, allowsUnfinished: Bool, allowsMoved: Bool) throws {
    let migrator = Schema.migrator
    guard try !database.read(migrator.hasBeenSuperseded) else { throw StoreError.newer }
    let move = try database.read { db in
      try db.tableExists("setting") ? SettingStore(db: db).value(of: .movedTo).map(StoreMove.init) : nil
    }
    if let move, !allowsMoved { throw StoreError.moved(to: move.place) }
    // Nobody changes a store that was moved away, not to bring it to another form either.
    if move == nil { try migrator.migrate(database) }
    let mark = try database.read { db in try SettingStore(db: db).value(of: .unfinishedImport) }
    guard mark == nil || allowsUnfinished else { throw StoreError.unfinished }
    self.database = database
    answers = AnswerWriter(database)
    logins = LoginReader(path: database.path)
  }

  /// Opens a file, for this process beside others, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - allowsUnfinished: opens it also if an import into it has not ended.
  ///   - allowsMoved: opens it also if it was moved away; then it can be read alone, and taken back.
  /// - Throws: ``StoreError``; ``StoreFailure``.
  package init(path: String, allowsUnfinished: Bool = false, allowsMoved: Bool = false) throws {
    var configuration = Configuration()
    // `enrol` runs beside `serve`: readers do not wait, and a second writer waits this many seconds at most.
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(5)
    let database = try DatabasePool(path: path, configuration: configuration)
    // GRDB lowers this in WAL mode; but a taken challenge or a raised counter must survive a power cut, or the answer
    // that was accepted could be sent again.
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // While somebody reads for long (`export`), the log grows by 13 KB a login, and would keep that size.
      try db.execute(sql: "PRAGMA journal_size_limit = \(Self.largestIdleLog)")
    }
    try self.init(database, allowsUnfinished: allowsUnfinished, allowsMoved: allowsMoved)
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try readNow(body)
  }

  /// Reads on the caller's thread: a read takes a few microseconds, and less than the change to another thread would.
  private func readNow<Value>(_ body: (any StoreTransaction) throws -> Value) throws -> Value {
    try database.unsafeRead { db in
      // GRDB's own way prepares four statements for each read.
      try db.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
      defer {
        do {
          try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
          // The connection is used again: no transaction may stay open.
          try? db.execute(sql: "ROLLBACK TRANSACTION")
        }
      }
      return try body(SQLiteTransaction(db: db))
    }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await database.write { db in try body(SQLiteTransaction(db: db)) }
  }

  package func login(
    of username: String, appID: String, challenge: IssuedChallenge?
  ) async throws -> LoginRecords {
    try logins.found(for: username, appID: appID, challenge: challenge)
  }

  package func store(_ answer: VerifiedAnswer) async throws -> AnswerOutcome {
    try await answers.store(answer)
  }

  /// That the store was moved away; nil if it was not.
  package func move() async throws -> StoreMove? {
    try await read { try $0.settings.value(of: .movedTo) }.map(StoreMove.init)
  }

  /// Lets a store that was moved away be used again.
  ///
  /// - Parameter changes: is done in the same transaction.
  /// - Throws: ``StoreFailure``; what `changes` throws.
  package func takeBack(_ changes: @escaping @Sendable (any StoreTransaction) throws -> Void) async throws {
    try await database.write { db in
      try ChangeBan.remove(from: db)
      try SettingStore(db: db).remove(.movedTo)
      try changes(SQLiteTransaction(db: db))
    }
  }

  /// Copies the whole store, as it is at one moment, into a file that is empty; others read and write meanwhile.
  ///
  /// - Throws: ``StoreFailure``.
  package func copy(to path: String) throws {
    let copy = try DatabaseQueue(path: path)
    try database.backup(to: copy)
    try copy.close()
  }
}
