import GRDB
import UAFMessages
import UAFService

/// The table of keys that were deregistered.
struct DeregisteredKeyStore {
  /// The numbers are in the order of the deregistrations.
  static let schema = """
    CREATE TABLE deregisteredKey (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      username TEXT NOT NULL REFERENCES account (username),
      keyID BLOB NOT NULL,
      deviceID TEXT
    ) STRICT;
    CREATE INDEX deregisteredKeyByAccount ON deregisteredKey (username, number);
    """

  let db: Database

  /// The newest KeyIDs of an account.
  func keyIDs(of username: String) throws -> [KeyID] {
    try Row.fetchAll(
      db, sql: "SELECT keyID FROM deregisteredKey WHERE username = ? ORDER BY number", arguments: [username]
    ).map { try KeyID(bytes: [UInt8](databaseBlob: $0[0])) }
  }

  /// Adds keys, and forgets the oldest ones of the account.
  func add(_ keyIDs: [KeyID], of username: String, deviceID: String?) throws {
    guard !keyIDs.isEmpty else { return }
    for keyID in keyIDs {
      try db.execute(
        sql: "INSERT INTO deregisteredKey (username, keyID, deviceID) VALUES (?, ?, ?)",
        arguments: [username, keyID.bytes.databaseBlob, deviceID])
    }
    try db.execute(
      sql: """
        DELETE FROM deregisteredKey WHERE username = ?1 AND number NOT IN (
          SELECT number FROM deregisteredKey WHERE username = ?1 ORDER BY number DESC LIMIT ?2)
        """, arguments: [username, DeregisteredKeys.mostKept])
  }

  /// Forgets what a revocation covers.
  func forget(_ keys: KeySelection) throws {
    switch keys {
    case .all(let username):
      try db.execute(sql: "DELETE FROM deregisteredKey WHERE username = ?", arguments: [username])
    case .onMachine(let id, let username):
      try db.execute(
        sql: "DELETE FROM deregisteredKey WHERE username = ? AND deviceID = ?", arguments: [username, id])
    case .machine(let id): try db.execute(sql: "DELETE FROM deregisteredKey WHERE deviceID = ?", arguments: [id])
    case .one: break
    }
  }
}
