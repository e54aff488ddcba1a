// Purpose: The store of uaf-server in one SQLite file, through GRDB. This is the only target that may import GRDB. The tables
// that are the same in PostgreSQLStore are in SQLStore, and neither store imports the other. The protocols in UAFService/Store
// say what each table promises. This target contains only what SQLite needs.

import CSQLite
import GRDB
import SQLStore
import UAFService

/// A store in one SQLite file, which several processes may open.
///
/// Readers do not wait for writers. Transactions that write run one after the other, each with a commit of its own; verified
/// answers can share a commit.
package struct SQLiteStore: ServerStore {
  /// The size in bytes to which SQLite shortens its write-ahead log when nobody needs more of it.
  ///
  /// Under load the log has 4 MiB.
  static let largestIdleLog = 64 << 20

  /// Ends SQLite's count of its memory, which takes a lock for each allocation: some hundred for a login.
  ///
  /// Nobody reads the count. If SQLite is in use already, it goes on counting.
  private static let countsNoMemory: Void = { _ = pam_uaf_sqlite_count_no_memory() }()

  let database: any DatabaseWriter
  private let answers: AnswerCommitter
  private let logins: LoginReads

  /// Takes a database, and upgrades its tables to the current version.
  ///
  /// - Throws: ``StoreError``; SQLite's own errors.
  private init(_ database: DatabasePool, allowsUnfinished: Bool, allowsMoved: Bool) throws {
    let migrator = Schema.migrator
    guard try !database.read(migrator.hasBeenSuperseded) else { throw StoreError.newer }
    let move = try database.read { db in
      try db.tableExists("setting")
        ? SQLiteTransaction(connection: db).settings.value(of: .movedTo).map(StoreMove.init) : nil
    }
    if let move, !allowsMoved { throw StoreError.moved(to: move.place) }
    // A store that was moved away must not be changed, not even to upgrade its tables.
    if move == nil { try migrator.migrate(database) }
    let mark = try database.read { db in
      try SQLiteTransaction(connection: db).settings.value(of: .unfinishedImport)
    }
    guard mark == nil || allowsUnfinished else { throw StoreError.unfinished }
    self.database = database
    answers = AnswerCommitter(database)
    logins = LoginReads(path: database.path)
  }

  /// Opens a file that other processes may use too; creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - allowsUnfinished: whether the store is opened even if an import into it has not finished.
  ///   - allowsMoved: whether the store is opened even if it was moved away; it can then only be read, or taken back.
  /// - Throws: ``StoreError``; ``StoreFailure``.
  package init(path: String, allowsUnfinished: Bool = false, allowsMoved: Bool = false) throws {
    Self.countsNoMemory
    var configuration = Configuration()
    // `enrol` and other commands run while `serve` does. With a write-ahead log, readers do not wait, and a second writer waits
    // at most this many seconds.
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(5)
    let database = try DatabasePool(path: path, configuration: configuration)
    // GRDB sets `synchronous` to a lower level in WAL mode. But a used challenge or a raised counter must survive a power cut,
    // or the accepted answer could be used again.
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // While a command such as `export` reads for a long time, the log grows by 13 KB with each login. Without a limit it
      // would keep that size.
      try db.execute(sql: "PRAGMA journal_size_limit = \(Self.largestIdleLog)")
    }
    try self.init(database, allowsUnfinished: allowsUnfinished, allowsMoved: allowsMoved)
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try readNow(body)
  }

  /// Reads on the caller's thread: a read takes a few microseconds, which is less than a change of threads.
  private func readNow<Value>(_ body: (any StoreTransaction) throws -> Value) throws -> Value {
    try database.unsafeRead { db in
      // GRDB's own functions would prepare four statements for each read.
      try db.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
      defer {
        do {
          try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
          // The connection will be used again, so no transaction must stay open.
          try? db.execute(sql: "ROLLBACK TRANSACTION")
        }
      }
      return try body(SQLiteTransaction(connection: db))
    }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await database.write { db in try body(SQLiteTransaction(connection: db)) }
  }

  package func login(
    of username: String, appID: String, challenge: IssuedChallenge?
  ) async throws -> LoginRecords {
    try logins.found(for: username, appID: appID, challenge: challenge)
  }

  package func store(_ answer: VerifiedResponse) async throws {
    try await answers.store(answer)
  }

  /// The record of the move if the store was moved away; nil if it was not.
  package func move() async throws -> StoreMove? {
    try await read { try $0.settings.value(of: .movedTo) }.map(StoreMove.init)
  }

  /// Makes a store that was moved away usable again.
  ///
  /// - Parameter changes: makes further changes in the same transaction.
  /// - Throws: ``StoreFailure``; the errors of `changes`.
  package func takeBack(_ changes: @escaping @Sendable (any StoreTransaction) throws -> Void) async throws {
    try await database.write { db in
      let transaction = SQLiteTransaction(connection: db)
      try ChangeBan.remove(from: db)
      try transaction.settings.remove(.movedTo)
      try changes(transaction)
    }
  }

  /// Copies the whole store, in its state at one moment, into an empty file.
  ///
  /// Others can read and write in the meantime.
  ///
  /// - Throws: ``StoreFailure``.
  package func copy(to path: String) throws {
    let copy = try DatabaseQueue(path: path)
    try database.backup(to: copy)
    try copy.close()
  }
}

/// One transaction of a ``SQLiteStore``, with the tables that are specific to SQLite.
struct SQLiteTransaction: SQLTransaction {
  let connection: Database

  var audit: any AuditTrail { AuditTable(connection: connection) }
  var contents: any StoreContents { ContentsTable(connection: connection) }
  var usedChallenges: any UsedChallenges { UsedChallengeTable(db: connection) }
  var usedProofs: any UsedProofs { UsedProofTable(db: connection) }
  var wrongAnswers: any WrongAnswers { WrongAnswerTable(db: connection) }

  func keeping(if changes: () throws -> Bool) throws {
    try connection.inSavepoint { try changes() ? .commit : .rollback }
  }
}

/// A failure of SQLite, with its code.
struct SQLiteFailure: StoreFailure {
  /// The extended result code.
  let code: CInt

  var logName: String { "sqlite-\(code)" }
  // The low eight bits are the primary result code. The second code is that of a trigger: only a store that was moved away has
  // triggers, and its server must be restarted.
  var isTemporary: Bool { code & 0xff == SQLITE_BUSY || code == SQLITE_CONSTRAINT | 7 << 8 }
  var text: String { "SQLite error \(code)" }
}

extension DatabaseError: StoreFailure {
  // The description of an SQLite error can contain stored values, so only the code is reported.
  package var logName: String { "sqlite-\(extendedResultCode.rawValue)" }
  // Busy: a different command, such as `migrate`, writes for longer than this one waits. Trigger: only a store that was moved
  // away has triggers.
  package var isTemporary: Bool {
    resultCode == .SQLITE_BUSY || extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER
  }
  package var text: String { message ?? "SQLite error \(resultCode.rawValue)" }
}

/// Prevents all others from writing to a store's file while its rows are copied; they can still read.
///
/// It is an open transaction that has changed nothing yet. If the process ends, the file is unchanged, and others can write
/// again.
package final class StoreHold: Sendable {
  private let database: DatabaseQueue

  /// Waits until nobody writes, and then prevents others from writing.
  ///
  /// - Parameter patience: for how many seconds it waits at most.
  /// - Throws: ``StoreError/busy``; ``StoreError/moved(to:)`` if a different command has moved the store in the meantime;
  ///   ``StoreFailure``.
  package init(path: String, patience: Double = 5) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(patience)
    // GRDB must allow this because the transaction begins here, and ends in a different call.
    configuration.allowsUnsafeTransactions = true
    database = try DatabaseQueue(path: path, configuration: configuration)
    do {
      try database.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "BEGIN IMMEDIATE TRANSACTION")
        // A different move may have finished while this one waited.
        if let move = try SQLiteTransaction(connection: db).settings.value(of: .movedTo) {
          throw StoreError.moved(to: StoreMove(move).place)
        }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw StoreError.busy
    }
  }

  /// Closes the store permanently: after the commit, nobody can change it, and no command opens it.
  ///
  /// - Parameters:
  ///   - place: the hosts and the database to which the rows were moved, for people.
  ///   - mark: the id of the move.
  /// - Throws: ``StoreFailure``. If the disk failed during the commit, the store may be closed all the same.
  package func close(movedTo place: String, mark: String) throws {
    try database.writeWithoutTransaction { db in
      try SQLiteTransaction(connection: db).settings.set(.movedTo, to: StoreMove(mark: mark, place: place).text)
      try ChangeBan.add(to: db)
      try db.execute(sql: "COMMIT TRANSACTION")
    }
  }

  /// Lets others write again, unless the store was closed.
  package func release() { try? database.close() }
}

/// Triggers that refuse every change of a store's rows.
///
/// They work even against servers of other versions that have the store open.
enum ChangeBan {
  private static let prefix = "movedAway"

  static func add(to db: Database) throws {
    for table in MovedTable.all.map(\.name) + MovedTable.left {
      for deed in ["INSERT", "UPDATE", "DELETE"] {
        // The names are constants of this program, so they need not be escaped.
        try db.execute(
          sql: """
            CREATE TRIGGER \(prefix)_\(table)_\(deed) BEFORE \(deed) ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(StoreError.movedShortText)'); END
            """)
      }
    }
  }

  static func remove(from db: Database) throws {
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
      arguments: [prefix.count, prefix])
    for name in names { try db.execute(sql: "DROP TRIGGER \(name)") }
  }
}
