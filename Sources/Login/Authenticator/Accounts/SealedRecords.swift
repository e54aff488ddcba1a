import SecretMemory
import UAFCrypto

/// The records of one account's file, each with a MAC under the device key.
///
/// The MAC (HMAC-SHA-256) covers kind, name, body and identity. It reveals damage, and edits by anyone without the device key.
/// It does not reveal edits by root, a deleted row, or an old copy of the whole file.
@safe final class SealedRecords {
  private let database: Database
  private let macKey: Secret
  private let uid: UInt32

  /// The version of the file's schema that this code reads and writes.
  static let schemaVersion: Int64 = 1

  /// The statements that make the tables, in the order of the tables' names.
  private static let tables = [
    """
    CREATE TABLE record (
      kind BLOB NOT NULL, name BLOB NOT NULL, body BLOB NOT NULL, mac BLOB NOT NULL, PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE reserve (page INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT",
  ]

  static let schema = tables.map { $0 + ";\n" }.joined() + "PRAGMA user_version = \(schemaVersion);"

  /// Opens the records of `uid` in a file that exists.
  ///
  /// - Throws: ``StateError``: `unknownSchema`, `damaged` for an empty file or for tables, triggers or views that this code did
  ///   not make, or SQLite's error.
  init(database: Database, uid: UInt32, deviceSecret: borrowing Secret) throws(StateError) {
    let version = try database.schemaVersion()
    guard version != 0 else { throw .damaged }
    guard version == Self.schemaVersion else { throw .unknownSchema(version) }
    // The schema is checked because MACs cover only rows: a trigger could restore an old row together with its MAC.
    let schema = try database.query("SELECT sql FROM sqlite_schema ORDER BY name").map { $0[0] }
    guard schema == Self.tables.map({ Array($0.utf8) }) else { throw .damaged }
    self.database = database
    self.uid = uid
    macKey = try Self.markKey("pam-uaf record mark", uid: uid, deviceSecret: deviceSecret)
  }

  /// The key for the MACs of the `kind` records of one account.
  static func markKey(_ kind: String, uid: UInt32, deviceSecret: borrowing Secret) throws(StateError) -> Secret {
    var info = RecordWriter(version: 1)
    info.put(kind)
    info.put(uid)
    do {
      return try HKDFSHA256.derive(secret: deviceSecret, salt: Secret(capacity: 0), info: info.bytes, length: 32)
    } catch { throw .cryptography }
  }

  /// Runs `body` inside one write transaction.
  func write<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result {
    try database.write(body)
  }

  /// The body of a record if its MAC is right; nil if there is no such record.
  ///
  /// - Throws: ``StateError/damaged`` for a wrong MAC.
  func body(_ kind: RecordKind, name: [UInt8] = [], of identity: AccountIdentity?) throws(StateError) -> [UInt8]? {
    let rows = try database.query(
      "SELECT body, mac FROM record WHERE kind = ? AND name = ?", [Array(kind.rawValue.utf8), name])
    guard let row = rows.first else { return nil }
    try check(kind, name, body: row[0], mac: row[1], identity)
    return row[0]
  }

  /// The record that something was once registered for the account; nil if there is none.
  ///
  /// - Throws: ``StateError``.
  func tombstone() throws(StateError) -> Tombstone? {
    guard let record = try body(.tombstone, of: nil) else { return nil }
    return try Tombstone(record: record)
  }

  /// Every record of the given kinds, ordered by kind and name.
  ///
  /// All are read at one moment.
  func records(_ kinds: [RecordKind], of identity: AccountIdentity?) throws(StateError) -> [SealedRecord] {
    var found: [SealedRecord] = []
    for row in try database.query("SELECT kind, name, body, mac FROM record ORDER BY kind, name") {
      guard let kind = kinds.first(where: { Array($0.rawValue.utf8) == row[0] }) else { continue }
      try check(kind, row[1], body: row[2], mac: row[3], identity)
      found.append(SealedRecord(kind: kind, name: row[1], body: row[2]))
    }
    return found
  }

  private func check(
    _ kind: RecordKind, _ name: [UInt8], body: [UInt8], mac: [UInt8], _ identity: AccountIdentity?
  ) throws(StateError) {
    let valid = try? HMACSHA256.isValid(
      mac, of: message(kind, name, body, identity), key: macKey)
    guard valid == true else { throw .damaged }
  }

  /// Adds or replaces a record; inside `write`.
  func put(
    _ kind: RecordKind, name: [UInt8] = [], body: [UInt8], of identity: AccountIdentity?
  ) throws(StateError) {
    guard let mac = try? HMACSHA256.authenticate(message(kind, name, body, identity), key: macKey)
    else { throw .cryptography }
    try database.query(
      """
      INSERT INTO record (kind, name, body, mac) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT DO UPDATE SET body = ?3, mac = ?4
      """, [Array(kind.rawValue.utf8), name, body, mac])
  }

  /// Removes a record, if there is one; inside `write`.
  func remove(_ kind: RecordKind, name: [UInt8] = []) throws(StateError) {
    try database.query("DELETE FROM record WHERE kind = ? AND name = ?", [Array(kind.rawValue.utf8), name])
  }

  private func message(
    _ kind: RecordKind, _ name: [UInt8], _ body: [UInt8], _ identity: AccountIdentity?
  ) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(uid)
    writer.put(kind.rawValue)
    writer.put(name)
    writer.put(body)
    writer.put(identity?.record ?? [])
    return writer.bytes
  }

  /// Makes the journal as large as any later write needs.
  ///
  /// This transaction changes a number of reserved pages, so SQLite makes its journal large enough to hold them, and the
  /// journal keeps that size. So later writes work even if the disk is full.
  func preallocateJournal() throws(StateError) {
    try database.write { () throws(StateError) in
      for page in 1...Self.reservedPages {
        try database.execute(
          "INSERT INTO reserve VALUES (\(page), zeroblob(3500)) ON CONFLICT DO NOTHING")
      }
    }
    try database.write { () throws(StateError) in
      try database.execute("UPDATE reserve SET filler = randomblob(3500)")
    }
  }

  /// How many pages a transaction of this code may change, with room to spare: 32 KiB.
  private static let reservedPages = 8
}
