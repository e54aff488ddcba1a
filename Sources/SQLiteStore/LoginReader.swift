import Synchronization
import UAFService

/// Reads what each login reads, on connections of its own.
///
/// GRDB's way to a connection and around each statement takes longer than the statement.
final class LoginReader: Sendable {
  private let path: String
  private let idle = Mutex<[LoginConnection]>([])

  /// Makes a reader of a file whose tables are in their current form; it is opened when it is first read.
  init(path: String) { self.path = path }

  /// Reads on the caller's thread: a read takes a few microseconds, and less than the change to another thread would.
  ///
  /// - Throws: ``SQLiteFailure``, and then the connection is not used again; what `StoredKey` cannot be made of.
  func found(for username: String, appID: String, challenge: IssuedChallenge?) throws -> LoginRecords {
    let connection = try idle.withLock { $0.popLast() } ?? LoginConnection(path: path)
    let found = try connection.found(for: username, appID: appID, challenge: challenge)
    idle.withLock { $0.append(connection) }
    return found
  }
}
