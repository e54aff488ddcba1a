import GRDB
import UAFService

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
