import GRDB
import UAFService

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
