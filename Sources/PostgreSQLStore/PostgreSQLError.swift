import UAFService

/// Why a statement was not done, or why it is not known whether it was.
package enum PostgreSQLError: Error, Equatable {
  /// The server refused a statement; whatever its transaction had changed is undone.
  ///
  /// - Parameter sqlState: the error's class, five characters.
  case refused(sqlState: String, message: String)
  /// No connection could be made; nothing was asked of the server.
  case unreachable(message: String)
  /// The connection ended, its deadline passed, or the server warned while it committed.
  ///
  /// It is not known whether a commit that was under way is durable.
  case interrupted
  /// All connections were in use for too long; nothing was asked of the server.
  case busy
  /// What is stored is not what this program stores.
  case unreadable
  /// The store was closed.
  case closed
}

extension PostgreSQLError: StoreFailure {
  package var logName: String {
    switch self {
    case .refused(let sqlState, _): "postgresql-\(sqlState)"
    case .unreachable: "postgresql-unreachable"
    case .interrupted: "postgresql-interrupted"
    case .busy: "postgresql-busy"
    case .unreadable: "postgresql-unreadable"
    case .closed: "postgresql-closed"
    }
  }

  package var text: String {
    switch self {
    case .refused(let sqlState, let message): "PostgreSQL says: \(message) (\(sqlState))"
    case .unreachable(let message): "PostgreSQL cannot be reached: \(message)"
    case .interrupted:
      "the connection to PostgreSQL was lost or took too long: what was asked for may be done all the same"
    case .busy: "every connection to PostgreSQL was in use for too long: try again"
    case .unreadable: "what is stored is not what uaf-server stores: restore it from a backup"
    case .closed: "the store was closed"
    }
  }
}

extension PostgreSQLError {
  package var isTemporary: Bool {
    switch self {
    case .unreachable, .interrupted, .busy, .closed: true
    // 53: no room on the disk, too many connections. 25006: the server has become a standby.
    case .refused(let sqlState, _): isConflict || sqlState.hasPrefix("53") || sqlState == "25006"
    case .unreadable: false
    }
  }

  /// What the server says of a change in a transaction that only reads.
  static let refusedInReading = PostgreSQLError.refused(
    sqlState: "25006", message: "a transaction that reads adds nothing to the audit")

  /// Whether nothing was stored, and the same transaction may succeed if it is repeated: it conflicted with another
  /// (serialization_failure, deadlock_detected, unique_violation).
  var isConflict: Bool {
    guard case .refused(let sqlState, _) = self else { return false }
    return ["40001", "40P01", "23505"].contains(sqlState)
  }

  /// Whether the server has undone what the statement changed.
  ///
  /// Where it ends the connection instead, it may have interrupted a commit that waits for its standby: that is
  /// ``interrupted``, whatever the server says.
  static func isUndone(_ error: any Error) -> Bool { if case PostgreSQLError.refused = error { true } else { false } }
}
