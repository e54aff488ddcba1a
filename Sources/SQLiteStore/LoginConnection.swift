import CSQLite
import UAFMessages
import UAFService

/// One connection that only reads, used by one thread at a time.
///
/// Each read is one statement, so it sees one state of the store and needs no transaction around it.
@safe final class LoginConnection: @unchecked Sendable {
  // SAFETY: opened in init, closed in deinit, never handed out.
  private let handle: OpaquePointer
  private let keys: OpaquePointer
  private let isUsed: OpaquePointer

  /// How long a read waits where SQLite has to recover the file's journal first.
  private static let busyTimeoutMilliseconds: CInt = 5000

  private static let selectKeys = """
    SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = ?3), aaid, keyID, publicKey, signatureAlgorithm,
      signCounter, revokedAt, deviceID
    FROM credential WHERE username = ?1 AND appID = ?2 ORDER BY id
    """
  private static let selectUsed = "SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = ?3)"

  /// Opens a file.
  ///
  /// It is opened for writing, too: the last connection that is closed ends the journal. Nothing is written by a statement.
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
      // SAFETY: no callback, no error text asked for.
      let only = unsafe sqlite3_exec(handle, "PRAGMA query_only = ON", nil, nil, nil)
      guard only == SQLITE_OK else { throw SQLiteFailure(code: only) }
      unsafe keys = try Self.prepare(Self.selectKeys, handle)
      unsafe isUsed = try Self.prepare(Self.selectUsed, handle)
      unsafe self.handle = handle
    } catch {
      // SAFETY: with a statement left, it is closed when that is finalised; there is none where it could not be prepared.
      unsafe sqlite3_close_v2(opened)
      throw error
    }
  }

  deinit {
    // SAFETY: nobody has them any more.
    unsafe sqlite3_finalize(keys)
    unsafe sqlite3_finalize(isUsed)
    unsafe sqlite3_close_v2(handle)
  }

  /// The keys of an account, and whether a challenge was used.
  ///
  /// - Throws: ``SQLiteFailure``; what is wrong with a stored key.
  func found(for username: String, appID: String, challengeHash: [UInt8]?) throws -> LoginRecords {
    var stored: [StoredKey] = []
    var used = false
    // SAFETY: both statements live as long as this object.
    try unsafe rows(of: keys, username, appID, challengeHash) { row in
      used = row.integer(0) != 0
      stored.append(try Self.key(row))
    }
    if stored.isEmpty, challengeHash != nil {
      // SAFETY: as above.
      try unsafe rows(of: isUsed, nil, nil, challengeHash) { used = $0.integer(0) != 0 }
    }
    return LoginRecords(isUsed: used, keys: stored)
  }

  private static func key(_ row: borrowing LoginRow) throws -> StoredKey {
    guard let aaid = row.text(1), let algorithm = UInt16(exactly: row.integer(4)),
      let counter = UInt32(exactly: row.integer(5))
    else { throw SQLiteFailure(code: SQLITE_MISMATCH) }
    return StoredKey(
      aaid: try AAID(aaid), keyID: try KeyID(bytes: row.bytes(2)), publicKey: row.bytes(3),
      signatureAlgorithm: algorithm, signCounter: counter, isRevoked: !row.isNull(6), deviceID: row.text(7))
  }

  @unsafe private static func prepare(_ sql: String, _ handle: OpaquePointer) throws -> OpaquePointer {
    var prepared: OpaquePointer?
    // SAFETY: SQLite copies the text. The statement is the caller's, who finalises it.
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw SQLiteFailure(code: code) }
    return unsafe statement
  }

  /// Runs a statement with the parameters it has.
  @unsafe private func rows(
    of statement: OpaquePointer, _ username: String?, _ appID: String?, _ hash: [UInt8]?,
    _ body: (borrowing LoginRow) throws -> Void
  ) throws {
    // SAFETY: a statement that is reset holds no lock. Its bindings are copies.
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    if let username { try unsafe bind(username, at: 1, to: statement) }
    if let appID { try unsafe bind(appID, at: 2, to: statement) }
    if let hash {
      // SAFETY: the array is valid for the call, which copies.
      let code = unsafe sqlite3_bind_blob64(statement, 3, hash, sqlite3_uint64(hash.count), Self.copied)
      guard code == SQLITE_OK else { throw SQLiteFailure(code: code) }
    }
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: try body(unsafe LoginRow(statement))
      case SQLITE_DONE: return
      case let code: throw SQLiteFailure(code: code)
      }
    }
  }

  private func bind(_ text: String, at index: CInt, to statement: OpaquePointer) throws {
    var text = text
    let code = text.withUTF8 { utf8 in
      // SAFETY: the bytes are valid for the call, which copies; a text without bytes has an address, too.
      unsafe utf8.withMemoryRebound(to: CChar.self) {
        unsafe sqlite3_bind_text(statement, index, $0.baseAddress, CInt(clamping: $0.count), Self.copied)
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
