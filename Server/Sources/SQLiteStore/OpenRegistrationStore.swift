import GRDB
import UAFMessages
import UAFService

/// The table of open requests for a registration.
struct OpenRegistrationStore: OpenRegistrations {
  let db: Database

  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws {
    try db.execute(sql: "DELETE FROM openRegistration WHERE expiresAt <= ?", arguments: [now])
    try db.execute(
      sql: """
        INSERT INTO openRegistration (hash, username, appID, policy, deviceID, deviceName, deviceModel, deviceOS,
          enrolmentID, expiresAt, lostKeyIDs)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        issued.challengeHash.databaseBlob, issued.username, issued.appID, issued.policy.jsonText, issued.device.id,
        issued.device.name, issued.device.model, issued.device.os, enrolmentID, issued.expiresAt,
        issued.lostKeyIDs.isEmpty ? nil : issued.lostKeyIDs.map(\.text).joined(separator: " "),
      ])
    // SQLite gives a new row the highest number there is, and one more.
    try db.execute(
      sql: "DELETE FROM openRegistration WHERE rowid <= ?", arguments: [db.lastInsertedRowID - maximumOpen])
  }

  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)? {
    let row = try Row.fetchOne(
      db, sql: "SELECT * FROM openRegistration WHERE hash = ?", arguments: [hash.databaseBlob])
    guard let row else { return nil }
    var device = Device()
    device.id = row["deviceID"]
    device.name = row["deviceName"]
    device.model = row["deviceModel"]
    device.os = row["deviceOS"]
    let lostKeyIDs: String? = row["lostKeyIDs"]
    let issued = IssuedRequest(
      operation: .registration, username: row["username"], challengeHash: hash, appID: row["appID"],
      serverData: serverData, policy: try Policy(parsing: row["policy"] as String), transaction: nil, device: device,
      expiresAt: row["expiresAt"],
      lostKeyIDs: try lostKeyIDs?.split(separator: " ").map { try KeyID(json: .string(String($0)), path: "lostKeyIDs") }
        ?? [])
    return (issued, row["enrolmentID"])
  }

  func take(hash: [UInt8]) throws -> Bool {
    try db.execute(sql: "DELETE FROM openRegistration WHERE hash = ?", arguments: [hash.databaseBlob])
    return db.changesCount == 1
  }

  func removeAll() throws {
    try db.execute(sql: "DELETE FROM openRegistration")
  }
}

/// The table of requests that clients may send again.
struct RepeatableRequestStore: RepeatableRequests {
  let db: Database

  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest? {
    try db.execute(sql: "DELETE FROM repeatableRequest WHERE expiresAt <= ?", arguments: [now])
    let row = try Row.fetchOne(
      db, sql: "SELECT * FROM repeatableRequest WHERE caller = ? AND key = ?",
      arguments: [request.caller, request.key.databaseBlob])
    if let row {
      return RepeatableRequest(
        caller: request.caller, key: request.key, digest: [UInt8](databaseBlob: row["digest"]),
        expiresAt: row["expiresAt"], answer: row["answer"])
    }
    try db.execute(
      sql: "INSERT INTO repeatableRequest (caller, key, digest, expiresAt) VALUES (?, ?, ?, ?)",
      arguments: [request.caller, request.key.databaseBlob, request.digest.databaseBlob, request.expiresAt])
    return nil
  }

  func finish(_ request: RepeatableRequest) throws {
    try db.execute(
      sql: "UPDATE repeatableRequest SET answer = ? WHERE caller = ? AND key = ?",
      arguments: [request.answer, request.caller, request.key.databaseBlob])
  }

  func forget(_ request: RepeatableRequest) throws {
    try db.execute(
      sql: "DELETE FROM repeatableRequest WHERE caller = ? AND key = ?",
      arguments: [request.caller, request.key.databaseBlob])
  }
}

/// The table of challenges that were answered with success.
struct UsedChallengeStore: UsedChallenges {
  let db: Database

  /// The step from the table that lay by the hashes to the one that lies by expiry.
  ///
  /// A login writes to the end of that one, and what has expired is one piece of it.
  static let orderByExpiry = """
    ALTER TABLE usedChallenge RENAME TO challengeByHash;
    CREATE TABLE usedChallenge (
      expiresAt INTEGER NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (expiresAt, hash)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO usedChallenge (expiresAt, hash) SELECT expiresAt, hash FROM challengeByHash;
    DROP TABLE challengeByHash;
    """

  func contains(_ challenge: IssuedChallenge) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ? AND hash = ?)"),
      arguments: [challenge.expiresAt, challenge.hash.databaseBlob]) ?? false
  }

  /// Forgets challenges whose requests have expired.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - most: how many are forgotten at most, so that nobody waits long for it.
  func forget(expiredAt now: Int64, most: Int) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM usedChallenge WHERE (expiresAt, hash) IN (
          SELECT expiresAt, hash FROM usedChallenge WHERE expiresAt <= ? ORDER BY expiresAt, hash LIMIT ?)
        """
    ).execute(arguments: [now, most])
  }
}

/// The table of used proof tokens.
struct UsedProofStore: UsedProofs {
  /// Forgets what has expired.
  ///
  /// Each machine that checks in has a proof here for half an hour, so the statement needs an index.
  static let forgetting = "DELETE FROM usedProof WHERE expiresAt <= ?"

  let db: Database

  func contains(tokenID: String) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM usedProof WHERE tokenID = ?)", arguments: [tokenID]) ?? false
  }

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try db.execute(sql: Self.forgetting, arguments: [now])
    try db.execute(
      sql: "INSERT INTO usedProof (tokenID, expiresAt) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [tokenID, expiresAt])
    return db.changesCount == 1
  }
}

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
