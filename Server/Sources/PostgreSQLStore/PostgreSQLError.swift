import UAFService

/// Why a statement was not executed, or why it is unknown whether it was.
package enum PostgreSQLError: Error, Equatable {
  /// The server refused a statement; all changes of its transaction are undone.
  ///
  /// - Parameter sqlState: the error's class, five characters.
  case refused(sqlState: String, message: String)
  /// No connection could be made; nothing was sent to the server.
  case unreachable(message: String)
  /// The connection ended, its deadline passed, or the server warned during a commit.
  ///
  /// It is unknown whether a running commit is durable.
  case interrupted
  /// All connections were in use for too long; nothing was sent to the server.
  case busy
  /// A stored value has a form that this program never writes.
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
      "the connection to PostgreSQL was lost or took too long: the request may have been carried out anyway"
    case .busy: "every connection to PostgreSQL was in use for too long: try again"
    case .unreadable: "the store contains data that uaf-server did not write: restore it from a backup"
    case .closed: "the store was closed"
    }
  }
}

extension PostgreSQLError {
  package var isTemporary: Bool {
    switch self {
    case .unreachable, .interrupted, .busy, .closed: true
    // Class 53: the disk is full, or there are too many connections. 25006: the server has become a standby.
    case .refused(let sqlState, _): isConflict || sqlState.hasPrefix("53") || sqlState == "25006"
    case .unreadable: false
    }
  }

  /// The error that the server has for a change in a transaction that only reads.
  static let refusedInReading = PostgreSQLError.refused(
    sqlState: "25006", message: "a transaction that reads adds nothing to the audit")

  /// Whether the transaction conflicted with a different one (serialization_failure, deadlock_detected, unique_violation).
  ///
  /// Nothing was stored then, and it may succeed if it is repeated.
  var isConflict: Bool {
    guard case .refused(let sqlState, _) = self else { return false }
    return ["40001", "40P01", "23505"].contains(sqlState)
  }

  /// Whether the server has undone the changes of the statement.
  ///
  /// If the server ended the connection instead, it may have interrupted a commit that was waiting for its standby. That is
  /// ``interrupted``, whatever the server's message is.
  static func isUndone(_ error: any Error) -> Bool { if case PostgreSQLError.refused = error { true } else { false } }
}

/// Why a PostgreSQL database cannot be used as a store.
///
/// No text repeats the URL.
package enum PostgreSQLRefusal: Error, Equatable {
  case wrongURL
  case passwordInURL
  case settingNotAllowed(String)
  /// The connection leads to a pooler, so its settings may no longer apply at the next statement.
  case pooler
  case tooOld(version: Int)
  case otherEncoding
  case readOnly
  /// The server does not flush data to the disk, or commits do not wait for that.
  case notDurable(setting: String)
  /// The URL names several hosts, but none of them is a synchronous standby.
  case asynchronous
  /// The database contains no store, and the command does not create one.
  case empty
  case otherApplication
  case newer(migration: String)
  case noRights(message: String)
  /// An import into the store has not finished.
  case unfinished
}

extension PostgreSQLRefusal: CustomStringConvertible {
  /// What is wrong, and what to do about it.
  package var description: String {
    switch self {
    case .wrongURL: "the store's URL is not a PostgreSQL URL: write postgresql://HOST,HOST/DATABASE?SETTING=VALUE"
    case .passwordInURL:
      "the store's URL contains a password, which every process on the machine can see: change the password, and "
        + "name a passfile in the URL"
    case .settingNotAllowed(let name):
      "the store's URL has the setting \(name), which uaf-server does not accept: write out the settings for "
        + "which it stands"
    case .pooler:
      "the store's URL names a pooler, which may run each statement on a different connection, without the "
        + "settings that keep a commit durable: name PostgreSQL itself"
    case .tooOld(let version): "the store's PostgreSQL is version \(version / 10_000): 13 or newer is needed"
    case .otherEncoding: "the store's database is not in UTF-8: create it with ENCODING 'UTF8'"
    case .readOnly:
      "the store's database is read-only: name the primary in its URL, and check default_transaction_read_only"
    case .notDurable(let setting): "the store would lose logins in a power cut: its \(setting) must be on"
    case .asynchronous:
      "the store has several hosts but no synchronous standby, so a failover may lose logins: set "
        + "synchronous_standby_names, or give --allow-asynchronous"
    case .empty: "there is no store in this database: name the database with which 'uaf-server serve' was started"
    case .otherApplication: "the database belongs to another application: create a database only for uaf-server"
    case .newer(let migration):
      "the store was changed by a newer uaf-server (\(migration)): start that version, or restore the older store from a backup"
    case .noRights(let message): "the store's user lacks a right: \(message)"
    case .unfinished: StoreError.unfinishedText
    }
  }
}
