import UAFMessages
import UAFService

/// The table of keys that were deregistered.
struct DeregisteredKeyTable {
  /// The numbers are in the order of the deregistrations.
  static let migration = Migration(
    name: "deregistered keys",
    statements: [
      """
      CREATE TABLE deregisteredKey (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        username text COLLATE "C" NOT NULL REFERENCES account (username),
        keyID bytea NOT NULL,
        deviceID text
      )
      """,
      "CREATE INDEX deregisteredKeyByAccount ON deregisteredKey (username, number)",
    ])

  let connection: Connection

  /// The newest KeyIDs of an account.
  func keyIDs(of username: String) throws -> [KeyID] {
    try connection.execute(
      "SELECT keyID FROM deregisteredKey WHERE username = $1 ORDER BY number", [.text(username)]
    ).rows.map { try KeyID(bytes: $0.requiredBytes(0)) }
  }

  /// Adds keys, and forgets the oldest ones of the account.
  func add(_ keyIDs: [KeyID], of username: String, deviceID: String?) throws {
    guard !keyIDs.isEmpty else { return }
    try connection.execute(
      "INSERT INTO deregisteredKey (username, keyID, deviceID) SELECT $1, k, $3 FROM unnest($2::bytea[]) AS k",
      [.text(username), .byteStrings(keyIDs.map(\.bytes)), .text(deviceID)])
    try connection.execute(
      """
      DELETE FROM deregisteredKey WHERE username = $1 AND number NOT IN (
        SELECT number FROM deregisteredKey WHERE username = $1 ORDER BY number DESC LIMIT $2)
      """, [.text(username), .integer(DeregisteredKeys.mostKept)])
  }

  /// Forgets what a revocation covers.
  func forget(_ keys: KeySelection) throws {
    switch keys {
    case KeySelection.all(let username):
      try connection.execute("DELETE FROM deregisteredKey WHERE username = $1", [.text(username)])
    case .onMachine(let id, let username):
      try connection.execute(
        "DELETE FROM deregisteredKey WHERE username = $1 AND deviceID = $2", [.text(username), .text(id)])
    case .machine(let id): try connection.execute("DELETE FROM deregisteredKey WHERE deviceID = $1", [.text(id)])
    case .one: break
    }
  }
}
