import GRDB
import UAFService

extension DatabaseError: StoreFailure {
  // An SQLite error's own description can hold values, so its code is all that is told.
  package var logName: String { "sqlite-\(extendedResultCode.rawValue)" }
  package var text: String { message ?? "SQLite error \(resultCode.rawValue)" }
}
