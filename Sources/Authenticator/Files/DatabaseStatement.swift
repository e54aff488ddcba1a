import CSQLite

/// One prepared statement of a ``Database``, run as often as it is needed.
@safe final class DatabaseStatement {
  // SAFETY: prepared in init, finalised in deinit, never handed out.
  private let statement: OpaquePointer

  /// Prepares it.
  ///
  /// - Throws: ``StateError/database(code:)``.
  @unsafe init(_ sql: String, on database: OpaquePointer) throws(StateError) {
    var prepared: OpaquePointer?
    // SAFETY: the text lives for the call; SQLite keeps a copy.
    let code = unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw .database(code: code) }
    unsafe self.statement = statement
  }

  // SAFETY: nobody has it any more.
  deinit { unsafe sqlite3_finalize(statement) }

  /// Runs it and returns its rows, each column as bytes.
  ///
  /// - Throws: ``StateError/database(code:)``; it can be run again.
  func rows(_ parameters: [[UInt8]]) throws(StateError) -> [[[UInt8]]] {
    // A statement that stands on a row keeps the file locked, and one that is not cleared keeps copies of what was bound.
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
    // SAFETY: the statement stands on a row.
    let count = unsafe sqlite3_column_count(statement)
    return (0..<count).map { column in
      // SAFETY: the pointer is valid until the next step and copied at once; its length is asked after it.
      guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
      return unsafe Array(
        UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
  }
}
