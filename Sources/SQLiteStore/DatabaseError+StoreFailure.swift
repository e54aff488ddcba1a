import GRDB
import UAFService

extension DatabaseError: StoreFailure {
  // An SQLite error's own description can have stored values, so only its code is reported.
  package var logName: String { "sqlite-\(extendedResultCode.rawValue)" }
  package var text: String { message ?? "SQLite error \(resultCode.rawValue)" }
}
