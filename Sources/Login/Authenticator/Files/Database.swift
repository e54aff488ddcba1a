import CSQLite
import Glibc

/// One open SQLite file, for use by one thread.
///
/// On the client side, nothing else calls SQLite.
///
/// It uses `journal_mode=PERSIST` and `synchronous=FULL`, which survived power cuts and a full disk in tests: the journal keeps
/// its disk blocks, so an attempt can be counted even if no block is free.
@safe final class Database {
  // SAFETY: opened in init, closed in deinit, never handed out.
  private let handle: OpaquePointer
  /// The statements that were prepared so far, by their SQL text.
  private var statements: [String: DatabaseStatement] = [:]

  /// How long a writer waits for another writer.
  ///
  /// A write takes milliseconds, so a process that holds the lock longer has been stopped. Each account has its own file, so
  /// only attempts on this account wait.
  static let busyTimeoutMilliseconds: CInt = 2000

  /// Seeds SQLite's random numbers, with which it distinguishes a journal's records from older ones.
  ///
  /// This must be done while the sandbox still lets `/dev/urandom` be opened.
  static func prepare() {
    var byte: UInt8 = 0
    // SAFETY: one byte is asked for.
    unsafe sqlite3_randomness(1, &byte)
  }

  /// Discards the state of SQLite's random numbers; the next number comes from a new seed.
  static func forgetRandomNumbers() {
    sqlite3_randomness(0, nil)
  }

  /// Opens an existing file.
  ///
  /// - Throws: ``StateError/database(code:)``.
  init(path: String) throws(StateError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    // SAFETY: SQLite copies the path; a handle is closed even when opening failed.
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      unsafe sqlite3_close_v2(opened)
      throw .database(code: code)
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
    for pragma in [
      "trusted_schema=OFF", "cell_size_check=ON", "temp_store=MEMORY", "mmap_size=0", "secure_delete=ON",
      "journal_mode=PERSIST", "journal_size_limit=-1", "synchronous=FULL",
    ] { try execute("PRAGMA \(pragma)") }
  }

  // SAFETY: if statements are still open, the database is closed when the last of them is finalised.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements without parameters and without results.
  func execute(_ sql: String) throws(StateError) {
    // SAFETY: no callback, no error text asked for.
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw .database(code: code) }
  }

  /// Runs one statement and returns its rows, with each column as bytes.
  ///
  /// Each SQL text is prepared only once: that takes 10 to 35 µs, and a login runs seven different texts 24 times in all.
  @discardableResult
  func query(_ sql: String, _ parameters: [[UInt8]] = []) throws(StateError) -> [[[UInt8]]] {
    if let statement = statements[sql] { return try statement.rows(parameters) }
    // SAFETY: the statement belongs to this connection, which is not closed before it ends.
    let statement = try unsafe DatabaseStatement(sql, on: handle)
    statements[sql] = statement
    return try statement.rows(parameters)
  }

  /// The version of the schema (`PRAGMA user_version`).
  func schemaVersion() throws(StateError) -> Int64 {
    let text = try query("PRAGMA user_version").first?.first ?? []
    guard let version = String(validating: text, as: UTF8.self).flatMap({ Int64($0) }) else { throw .damaged }
    return version
  }

  /// Runs `body` inside one write transaction.
  ///
  /// If `body` or the commit throws, the file stays as it was.
  func write<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result {
    try query("BEGIN IMMEDIATE")
    do throws(StateError) {
      let result = try body()
      try query("COMMIT")
      return result
    } catch {
      // SQLite may have rolled back already, as it does on a full disk. Then this statement fails, which does no harm.
      _ = try? query("ROLLBACK")
      throw error
    }
  }
}

/// One prepared statement of a ``Database``, run as often as it is needed.
@safe final class DatabaseStatement {
  // SAFETY: prepared in init, finalised in deinit, never handed out.
  private let statement: OpaquePointer

  /// Prepares a statement.
  ///
  /// - Throws: ``StateError/database(code:)``.
  @unsafe init(_ sql: String, on database: OpaquePointer) throws(StateError) {
    var prepared: OpaquePointer?
    // SAFETY: the text lives for the call; SQLite keeps a copy.
    let code = unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw .database(code: code) }
    unsafe self.statement = statement
  }

  // SAFETY: this was the last reference.
  deinit { unsafe sqlite3_finalize(statement) }

  /// Runs the statement and returns its rows, with each column as bytes.
  ///
  /// - Throws: ``StateError/database(code:)``; the statement can be run again.
  func rows(_ parameters: [[UInt8]]) throws(StateError) -> [[[UInt8]]] {
    // A statement that is positioned on a row keeps the file locked, and one that is not cleared keeps copies of the bound
    // values.
    // SAFETY: the statement is ours.
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    for (index, parameter) in parameters.enumerated() { try bind(parameter, at: CInt(index + 1)) }
    var rows: [[[UInt8]]] = []
    while true {
      // SAFETY: as above.
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(columns())
      case SQLITE_DONE: return rows
      case let code: throw .database(code: code)
      }
    }
  }

  private func bind(_ bytes: [UInt8], at index: CInt) throws(StateError) {
    // SQLITE_TRANSIENT (-1): SQLite makes a copy before the call returns. An empty array would bind
    // NULL, so it is bound as a blob of no length.
    // SAFETY: SQLite compares this pointer with -1, and never calls it.
    let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // SAFETY: the array is valid for the call.
    let code =
      bytes.isEmpty
      ? unsafe sqlite3_bind_zeroblob(statement, index, 0)
      : unsafe sqlite3_bind_blob64(statement, index, bytes, sqlite3_uint64(bytes.count), transient)
    guard code == SQLITE_OK else { throw .database(code: code) }
  }

  private func columns() -> [[UInt8]] {
    // SAFETY: the statement is positioned on a row.
    let count = unsafe sqlite3_column_count(statement)
    return (0..<count).map { column in
      // SAFETY: the pointer is valid until the next step and copied immediately; its length is asked for after it.
      guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
      return unsafe Array(
        UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
  }
}
