import UAFService

/// The table of administrators.
struct AdministratorTable<Connection: SQLConnection>: Administrators {
  let connection: Connection

  func set(_ administrator: StoredAdministrator) throws {
    try connection.run(
      """
      INSERT INTO administrator (name, role, addedBy, addedAt, groupID) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (name) DO UPDATE
        SET role = excluded.role, addedBy = excluded.addedBy, addedAt = excluded.addedAt, groupID = excluded.groupID
      """,
      [
        .text(administrator.name), .text(administrator.role), .text(administrator.addedBy),
        .integer(administrator.addedAt), .integer(administrator.group),
      ])
  }

  private static var columns: String { "name, role, addedBy, addedAt, groupID" }

  func administrator(_ name: String) throws -> StoredAdministrator? {
    try connection.row(
      "SELECT \(Self.columns) FROM administrator WHERE name = ?1", [.text(name)], Self.administrator)
  }

  func all() throws -> [StoredAdministrator] {
    try connection.rows("SELECT \(Self.columns) FROM administrator ORDER BY name", Self.administrator)
  }

  func remove(_ name: String) throws -> Bool {
    try connection.run("DELETE FROM administrator WHERE name = ?1", [.text(name)]) == 1
  }

  private static func administrator(_ row: Connection.ResultRow) throws -> StoredAdministrator {
    StoredAdministrator(
      name: try row.text(0), role: try row.text(1), addedBy: try row.text(2), addedAt: try row.integer(3),
      group: try row.optionalInteger(4))
  }
}

/// The table of the API's tokens.
struct AccessTokenTable<Connection: SQLConnection>: AccessTokens {
  let connection: Connection

  private static var columns: String { "name, role, createdBy, createdAt, expiresAt, addresses, lastUsedAt, revokedAt" }

  func add(_ token: AccessToken, hash: [UInt8]) throws -> Bool {
    try connection.run(
      """
      INSERT INTO accessToken (name, hash, role, createdBy, createdAt, expiresAt, addresses)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (name) DO NOTHING
      """,
      [
        .text(token.name), .bytes(hash), .text(token.role), .text(token.createdBy), .integer(token.createdAt),
        .integer(token.expiresAt), .text(token.addresses.joined(separator: " ")),
      ]) == 1
  }

  func token(hash: [UInt8]) throws -> AccessToken? {
    try connection.row("SELECT \(Self.columns) FROM accessToken WHERE hash = ?1", [.bytes(hash)], Self.token)
  }

  func token(named name: String) throws -> AccessToken? {
    try connection.row("SELECT \(Self.columns) FROM accessToken WHERE name = ?1", [.text(name)], Self.token)
  }

  func all() throws -> [AccessToken] {
    try connection.rows("SELECT \(Self.columns) FROM accessToken ORDER BY name", Self.token)
  }

  func markUsed(_ name: String, now: Int64) throws {
    try connection.run("UPDATE accessToken SET lastUsedAt = ?1 WHERE name = ?2", [.integer(now), .text(name)])
  }

  func revoke(_ name: String, now: Int64) throws -> Bool {
    try connection.run(
      "UPDATE accessToken SET revokedAt = ?1 WHERE name = ?2 AND revokedAt IS NULL", [.integer(now), .text(name)]) == 1
  }

  private static func token(_ row: Connection.ResultRow) throws -> AccessToken {
    AccessToken(
      name: try row.text(0), role: try row.text(1), createdBy: try row.text(2), createdAt: try row.integer(3),
      expiresAt: try row.integer(4), addresses: try row.text(5).split(separator: " ").map(String.init),
      lastUsedAt: try row.optionalInteger(6), revokedAt: try row.optionalInteger(7))
  }
}

/// The table of the console's sessions.
struct ConsoleSessionTable<Connection: SQLConnection>: ConsoleSessions {
  let connection: Connection

  func add(_ session: ConsoleSession, now: Int64) throws {
    try connection.run(
      "DELETE FROM consoleSession WHERE lastUsedAt <= ?1 OR startedAt <= ?2",
      [.integer(now - ConsoleSession.idle), .integer(now - ConsoleSession.lifetime)])
    try connection.run(
      """
      DELETE FROM consoleSession WHERE username = ?1 AND tokenHash NOT IN (
        SELECT tokenHash FROM consoleSession WHERE username = ?1 ORDER BY startedAt DESC LIMIT ?2)
      """, [.text(session.username), .integer(ConsoleSession.mostOfAccount - 1)])
    try connection.run(
      "INSERT INTO consoleSession (tokenHash, username, role, startedAt, lastUsedAt) VALUES (?1, ?2, ?3, ?4, ?5)",
      [
        .bytes(session.tokenHash), .text(session.username), .text(session.role), .integer(session.startedAt),
        .integer(session.lastUsedAt),
      ])
  }

  func session(tokenHash: [UInt8]) throws -> ConsoleSession? {
    try connection.row(
      """
      SELECT username, role, startedAt, lastUsedAt, stepID, stepText, stepAction, stepCode FROM consoleSession
      WHERE tokenHash = ?1
      """, [.bytes(tokenHash)]
    ) { row in
      var session = ConsoleSession(
        tokenHash: tokenHash, username: try row.text(0), role: try row.text(1), startedAt: try row.integer(2),
        lastUsedAt: try row.integer(3))
      if let id = try row.bytes(4) {
        session.step = ConsoleSession.WaitingStep(
          id: id, text: try row.text(5), action: try row.text(6), code: try row.text(7))
      }
      return session
    }
  }

  func use(tokenHash: [UInt8], at time: Int64) throws {
    try connection.run(
      "UPDATE consoleSession SET lastUsedAt = ?1 WHERE tokenHash = ?2 AND lastUsedAt < ?1",
      [.integer(time), .bytes(tokenHash)])
  }

  func setStep(_ step: ConsoleSession.WaitingStep?, tokenHash: [UInt8]) throws {
    try connection.run(
      """
      UPDATE consoleSession SET stepID = ?1, stepText = ?2, stepAction = ?3, stepCode = ?4 WHERE tokenHash = ?5
      """, [.bytes(step?.id), .text(step?.text), .text(step?.action), .text(step?.code), .bytes(tokenHash)])
  }

  func removeAll() throws { try connection.run("DELETE FROM consoleSession") }

  func removeAll(of username: String) throws {
    try connection.run("DELETE FROM consoleSession WHERE username = ?1", [.text(username)])
  }

  func remove(tokenHash: [UInt8]) throws {
    try connection.run("DELETE FROM consoleSession WHERE tokenHash = ?1", [.bytes(tokenHash)])
  }

  func stepText(id: [UInt8], of username: String) throws -> String? {
    try connection.row(
      "SELECT stepText FROM consoleSession WHERE username = ?1 AND stepID = ?2", [.text(username), .bytes(id)]
    ) { try $0.optionalText(0) } ?? nil
  }
}
