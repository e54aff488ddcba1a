import GRDB
import UAFService

/// The table of administrators.
struct AdministratorStore: Administrators {
  let db: Database

  func set(_ administrator: StoredAdministrator) throws {
    try db.execute(
      sql: """
        INSERT INTO administrator (name, role, addedBy, addedAt) VALUES (?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET role = excluded.role, addedBy = excluded.addedBy, addedAt = excluded.addedAt
        """,
      arguments: [administrator.name, administrator.role, administrator.addedBy, administrator.addedAt])
  }

  func administrator(_ name: String) throws -> StoredAdministrator? {
    try Row.fetchOne(db, sql: "SELECT * FROM administrator WHERE name = ?", arguments: [name])
      .map(Self.administrator)
  }

  func all() throws -> [StoredAdministrator] {
    try Row.fetchAll(db, sql: "SELECT * FROM administrator ORDER BY name").map(Self.administrator)
  }

  func remove(_ name: String) throws -> Bool {
    try db.execute(sql: "DELETE FROM administrator WHERE name = ?", arguments: [name])
    return db.changesCount == 1
  }

  private static func administrator(_ row: Row) -> StoredAdministrator {
    StoredAdministrator(name: row["name"], role: row["role"], addedBy: row["addedBy"], addedAt: row["addedAt"])
  }
}

/// The table of the API's tokens.
struct AccessTokenStore: AccessTokens {
  let db: Database

  func add(_ token: AccessToken, hash: [UInt8]) throws -> Bool {
    try db.execute(
      sql: """
        INSERT INTO accessToken (name, hash, role, createdBy, createdAt, expiresAt, addresses) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO NOTHING
        """,
      arguments: [
        token.name, hash.databaseBlob, token.role, token.createdBy, token.createdAt, token.expiresAt,
        token.addresses.joined(separator: " "),
      ])
    return db.changesCount == 1
  }

  func token(hash: [UInt8]) throws -> AccessToken? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM accessToken WHERE hash = ?"), arguments: [hash.databaseBlob]
    ).map(Self.token)
  }

  func token(named name: String) throws -> AccessToken? {
    try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM accessToken WHERE name = ?"), arguments: [name])
      .map(Self.token)
  }

  func all() throws -> [AccessToken] {
    try Row.fetchAll(db, sql: "SELECT * FROM accessToken ORDER BY name").map(Self.token)
  }

  func markUsed(_ name: String, now: Int64) throws {
    try db.execute(sql: "UPDATE accessToken SET lastUsedAt = ? WHERE name = ?", arguments: [now, name])
  }

  func revoke(_ name: String, now: Int64) throws -> Bool {
    try db.execute(
      sql: "UPDATE accessToken SET revokedAt = ? WHERE name = ? AND revokedAt IS NULL", arguments: [now, name])
    return db.changesCount == 1
  }

  private static func token(_ row: Row) -> AccessToken {
    AccessToken(
      name: row["name"], role: row["role"], createdBy: row["createdBy"], createdAt: row["createdAt"],
      expiresAt: row["expiresAt"], addresses: (row["addresses"] as String).split(separator: " ").map(String.init),
      lastUsedAt: row["lastUsedAt"], revokedAt: row["revokedAt"])
  }
}

/// The table of those who have signed in to the console.
struct ConsoleSessionStore: ConsoleSessions {
  let db: Database

  static let schema = """
    CREATE TABLE consoleSession (
      tokenHash BLOB PRIMARY KEY NOT NULL,
      username TEXT NOT NULL,
      role TEXT NOT NULL,
      startedAt INTEGER NOT NULL,
      lastUsedAt INTEGER NOT NULL,
      stepID BLOB,
      stepText TEXT,
      stepAction TEXT,
      stepCode TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX consoleSessionByAccount ON consoleSession (username, startedAt);
    """

  func add(_ session: ConsoleSession, now: Int64) throws {
    try db.execute(
      sql: "DELETE FROM consoleSession WHERE lastUsedAt <= ? OR startedAt <= ?",
      arguments: [now - ConsoleSession.idle, now - ConsoleSession.lifetime])
    try db.execute(
      sql: """
        DELETE FROM consoleSession WHERE tokenHash IN (
          SELECT tokenHash FROM consoleSession WHERE username = ? ORDER BY startedAt DESC LIMIT -1 OFFSET ?)
        """, arguments: [session.username, ConsoleSession.mostOfAccount - 1])
    try db.execute(
      sql: "INSERT INTO consoleSession (tokenHash, username, role, startedAt, lastUsedAt) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        session.tokenHash.databaseBlob, session.username, session.role, session.startedAt, session.lastUsedAt,
      ])
  }

  func session(tokenHash: [UInt8]) throws -> ConsoleSession? {
    let row = try Row.fetchOne(
      db, sql: "SELECT * FROM consoleSession WHERE tokenHash = ?", arguments: [tokenHash.databaseBlob])
    guard let row else { return nil }
    var session = ConsoleSession(
      tokenHash: tokenHash, username: row["username"], role: row["role"], startedAt: row["startedAt"],
      lastUsedAt: row["lastUsedAt"])
    if row["stepText"] as String? != nil {
      session.step = ConsoleSession.WaitingStep(
        id: [UInt8](databaseBlob: row["stepID"]), text: row["stepText"], action: row["stepAction"],
        code: row["stepCode"])
    }
    return session
  }

  func use(tokenHash: [UInt8], at time: Int64) throws {
    try db.execute(
      sql: "UPDATE consoleSession SET lastUsedAt = ?1 WHERE tokenHash = ?2 AND lastUsedAt < ?1",
      arguments: [time, tokenHash.databaseBlob])
  }

  func setStep(_ step: ConsoleSession.WaitingStep?, tokenHash: [UInt8]) throws {
    try db.execute(
      sql: """
        UPDATE consoleSession SET stepID = ?, stepText = ?, stepAction = ?, stepCode = ? WHERE tokenHash = ?
        """, arguments: [step?.id.databaseBlob, step?.text, step?.action, step?.code, tokenHash.databaseBlob])
  }

  func removeAll() throws { try db.execute(sql: "DELETE FROM consoleSession") }

  func removeAll(of username: String) throws {
    try db.execute(sql: "DELETE FROM consoleSession WHERE username = ?", arguments: [username])
  }

  func remove(tokenHash: [UInt8]) throws {
    try db.execute(sql: "DELETE FROM consoleSession WHERE tokenHash = ?", arguments: [tokenHash.databaseBlob])
  }

  func stepText(id: [UInt8], of username: String) throws -> String? {
    try String.fetchOne(
      db, sql: "SELECT stepText FROM consoleSession WHERE username = ? AND stepID = ?",
      arguments: [username, id.databaseBlob])
  }
}
