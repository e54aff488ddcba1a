import UAFService

/// A failure of SQLite, by its code.
struct SQLiteFailure: StoreFailure {
  /// The extended result code.
  let code: CInt

  var logName: String { "sqlite-\(code)" }
  var text: String { "SQLite error \(code)" }
}
