import CSQLite
import Synchronization
import UAFMessages
import UAFService

/// Reads the rows of each login, on connections of its own.
///
/// GRDB's overhead for a connection and a statement takes longer than the statement itself.
final class LoginReads: Sendable {
  private let path: String
  private let idle = Mutex<[LoginConnection]>([])

  /// Makes a reader for a file whose tables are up to date; the file is opened at the first read.
  init(path: String) { self.path = path }

  /// Reads on the caller's thread: a read takes a few microseconds, which is less than a change of threads.
  ///
  /// - Throws: ``SQLiteFailure``; the error of a stored key that cannot be read. The connection is not used again then.
  func found(for username: String, appID: String, challenge: IssuedChallenge?) throws -> LoginRecords {
    let connection = try idle.withLock { $0.popLast() } ?? LoginConnection(path: path)
    let found = try connection.found(for: username, appID: appID, challenge: challenge)
    idle.withLock { $0.append(connection) }
    return found
  }
}

/// One connection that only reads, used by one thread at a time.
///
/// Each read is one statement, so it sees one state of the store and needs no transaction.
@safe final class LoginConnection: @unchecked Sendable {
  // SAFETY: opened in init, closed in deinit, never handed out.
  private let handle: OpaquePointer
  private let keys: PreparedStatement
  private let isUsed: PreparedStatement

  /// How long a read waits while SQLite recovers the write-ahead log.
  private static let busyTimeoutMilliseconds: CInt = 5000

  private static let selectKeys = """
    SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ?3 AND hash = ?4), aaid, keyID, publicKey, signatureAlgorithm,
      signCounter, revokedAt, deviceID, deviceName
    FROM credential WHERE username = ?1 AND appID = ?2 ORDER BY id
    """
  private static let selectUsed = "SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ?1 AND hash = ?2)"

  /// Opens a file.
  ///
  /// It is opened for writing too, because closing the last connection checkpoints the write-ahead log. No statement writes.
  ///
  /// - Throws: ``SQLiteFailure``.
  init(path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // SAFETY: SQLite copies the path; a handle is closed even when opening failed.
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    do {
      guard code == SQLITE_OK, let handle = unsafe opened else { throw SQLiteFailure(code: code) }
      unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
      // SAFETY: no callback, and no error text is requested.
      let only = unsafe sqlite3_exec(handle, "PRAGMA query_only = ON", nil, nil, nil)
      guard only == SQLITE_OK else { throw SQLiteFailure(code: only) }
      keys = try unsafe PreparedStatement(Self.selectKeys, on: handle)
      isUsed = try unsafe PreparedStatement(Self.selectUsed, on: handle)
      unsafe self.handle = handle
    } catch {
      // SAFETY: with a statement left, it is closed when that is finalised; there is none if it could not be prepared.
      unsafe sqlite3_close_v2(opened)
      throw error
    }
  }

  deinit {
    // SAFETY: this was the last reference. It is closed when its statements end, which they do now.
    unsafe sqlite3_close_v2(handle)
  }

  /// The keys of an account, and whether a challenge was used.
  ///
  /// - Throws: ``SQLiteFailure``; the error of a stored key that cannot be read.
  func found(for username: String, appID: String, challenge: IssuedChallenge?) throws -> LoginRecords {
    var stored: [StoredKey] = []
    var used = false
    let sought: [StatementValue] = [.integer(challenge?.expiresAt ?? 0), .bytes(challenge?.hash)]
    try keys.run([.text(username), .text(appID)] + sought) { row in
      used = row.integer(0) != 0
      stored.append(try Self.key(row))
    }
    if stored.isEmpty, challenge != nil {
      try isUsed.run(sought) { used = $0.integer(0) != 0 }
    }
    return LoginRecords(isUsed: used, keys: stored)
  }

  private static func key(_ row: borrowing StatementRow) throws -> StoredKey {
    guard let aaid = row.text(1), let algorithm = UInt16(exactly: row.integer(4)),
      let counter = UInt32(exactly: row.integer(5))
    else { throw SQLiteFailure(code: SQLITE_MISMATCH) }
    return StoredKey(
      aaid: try AAID(aaid), keyID: try KeyID(bytes: row.bytes(2)), publicKey: row.bytes(3),
      signatureAlgorithm: algorithm, signCounter: counter, isRevoked: !row.isNull(6), deviceID: row.text(7),
      deviceName: row.text(8))
  }
}
