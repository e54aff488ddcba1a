import GRDB
import UAFService

extension DatabaseError: StoreFailure {
  // An SQLite error's own description can have stored values, so only its code is reported.
  package var logName: String { "sqlite-\(extendedResultCode.rawValue)" }
  // Another command writes for longer than is waited, such as `migrate`. Only a store that was moved away has triggers.
  package var isTemporary: Bool {
    resultCode == .SQLITE_BUSY || extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER
  }
  package var text: String { message ?? "SQLite error \(resultCode.rawValue)" }
}
