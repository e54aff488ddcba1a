import CSQLite
import UAFService

/// A failure of SQLite, by its code.
struct SQLiteFailure: StoreFailure {
  /// The extended result code.
  let code: CInt

  var logName: String { "sqlite-\(code)" }
  // The low eight bits are the primary code. Only a store that was moved away has triggers: its server has to be started anew.
  var isTemporary: Bool { code & 0xff == SQLITE_BUSY || code == SQLITE_CONSTRAINT | 7 << 8 }
  var text: String { "SQLite error \(code)" }
}
