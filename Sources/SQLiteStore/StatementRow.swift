import CSQLite

/// The row that a statement stands on; what is read is copied.
@safe struct StatementRow: ~Copyable {
  // SAFETY: the statement lives longer, and stands on a row until it is stepped again.
  private let statement: OpaquePointer

  @unsafe init(_ statement: OpaquePointer) {
    // SAFETY: the caller keeps the statement, and lends this row for as long as it does not step on.
    unsafe self.statement = statement
  }

  func integer(_ column: CInt) -> Int64 {
    // SAFETY: the statement stands on a row; of a column that it lacks, SQLite returns 0.
    unsafe sqlite3_column_int64(statement, column)
  }

  func isNull(_ column: CInt) -> Bool {
    // SAFETY: the statement stands on a row.
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The bytes of a BLOB or a text; none for NULL.
  func bytes(_ column: CInt) -> [UInt8] {
    // SAFETY: the pointer is valid until the next step and copied at once; its length is asked after it.
    guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// nil for NULL, and for what is no UTF-8.
  func text(_ column: CInt) -> String? {
    isNull(column) ? nil : String(validating: bytes(column), as: UTF8.self)
  }
}
