import CSQLite
import Foundation
import GRDB

/// One statement of one connection, prepared once, and used by one thread at a time.
@safe final class PreparedStatement {
  // SAFETY: made in init, finalised in deinit, never handed out.
  private let statement: OpaquePointer

  /// Prepares a statement.
  ///
  /// - Parameter handle: the connection. It may be closed with `sqlite3_close_v2` while this object exists, but then the object
  ///   must not be used any more.
  /// - Throws: ``SQLiteFailure``.
  @unsafe init(_ sql: String, on handle: OpaquePointer) throws {
    var prepared: OpaquePointer?
    // SAFETY: SQLite copies the text.
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw SQLiteFailure(code: code) }
    unsafe self.statement = statement
  }

  /// Prepares a statement on a connection of GRDB.
  ///
  /// - Throws: ``SQLiteFailure``.
  convenience init(_ sql: String, on db: Database) throws {
    // SAFETY: the statement is this object's, and GRDB closes its connection by `sqlite3_close_v2`.
    guard let handle = unsafe db.sqliteConnection else { throw SQLiteFailure(code: SQLITE_MISUSE) }
    try unsafe self.init(sql, on: handle)
  }

  deinit {
    // SAFETY: this was the last reference.
    unsafe sqlite3_finalize(statement)
  }

  /// Runs the statement with values for its parameters, beginning with ?1.
  ///
  /// - Parameters:
  ///   - values: one for each parameter.
  ///   - body: is called for each row.
  /// - Throws: ``SQLiteFailure``; the errors of `body`.
  func run(_ values: [StatementValue], _ body: (borrowing StatementRow) throws -> Void = { _ in }) throws {
    // SAFETY: a statement that was reset holds no lock. Its bindings are copies.
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { try bind(value, at: CInt(clamping: index + 1)) }
    while true {
      // SAFETY: the statement lives as long as this object. The row is lent for the call.
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: try body(unsafe StatementRow(statement))
      case SQLITE_DONE: return
      case let code: throw SQLiteFailure(code: code)
      }
    }
  }

  private func bind(_ value: StatementValue, at index: CInt) throws {
    let code: CInt
    // SAFETY: bytes are valid for their call, which copies. A text or array without bytes has an address, too.
    switch value {
    case .integer(let number):
      code = unsafe sqlite3_bind_int64(statement, index, number)
    case .bytes(nil):
      code = unsafe sqlite3_bind_null(statement, index)
    case .bytes(let bytes?):
      code = unsafe sqlite3_bind_blob64(statement, index, bytes, sqlite3_uint64(bytes.count), Self.copied)
    case .text(var text):
      code = text.withUTF8 { utf8 in
        unsafe utf8.withMemoryRebound(to: CChar.self) {
          unsafe sqlite3_bind_text(statement, index, $0.baseAddress, CInt(clamping: $0.count), Self.copied)
        }
      }
    }
    guard code == SQLITE_OK else { throw SQLiteFailure(code: code) }
  }

  /// SQLITE_TRANSIENT: SQLite makes a copy before the call returns.
  private static var copied: sqlite3_destructor_type? {
    // SAFETY: SQLite compares this pointer with -1, and never calls it.
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

/// The current row of a statement; values are copied.
@safe struct StatementRow: ~Copyable {
  // SAFETY: the statement lives longer, and stays on its row until it is stepped again.
  private let statement: OpaquePointer

  @unsafe init(_ statement: OpaquePointer) {
    // SAFETY: the caller keeps the statement, and lends this row until it steps again.
    unsafe self.statement = statement
  }

  func integer(_ column: CInt) -> Int64 {
    // SAFETY: the statement is on a row; for a column that does not exist, SQLite returns 0.
    unsafe sqlite3_column_int64(statement, column)
  }

  func isNull(_ column: CInt) -> Bool {
    // SAFETY: the statement is on a row.
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The bytes of a BLOB or a text; empty for NULL.
  func bytes(_ column: CInt) -> [UInt8] {
    // SAFETY: the pointer is valid until the next step and copied immediately; the length is read after it.
    guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// The text of a column; nil for NULL, and for bytes that are not UTF-8.
  func text(_ column: CInt) -> String? {
    isNull(column) ? nil : String(validating: bytes(column), as: UTF8.self)
  }
}

/// A parameter of a ``PreparedStatement``.
enum StatementValue {
  case integer(Int64)
  case text(String)
  /// nil is NULL.
  case bytes([UInt8]?)
}

// GRDB uses Data, but everything else here uses arrays of bytes.
extension [UInt8] {
  /// The bytes as SQLite stores them: a BLOB, even if it is empty.
  var databaseBlob: Data { Data(self) }

  /// The bytes of a BLOB; none for NULL.
  init(databaseBlob: Data?) {
    self = databaseBlob.map { [UInt8]($0) } ?? []
  }
}
