import UAFService

/// The table of the API's tokens.
struct AccessTokenTable: AccessTokens {
  let connection: Connection

  private static let columns = "name, role, createdBy, createdAt, expiresAt, addresses, lastUsedAt, revokedAt"

  func add(_ token: AccessToken, hash: [UInt8]) throws -> Bool {
    try connection.execute(
      """
      INSERT INTO accessToken (name, hash, role, createdBy, createdAt, expiresAt, addresses)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING
      """,
      [
        .text(token.name), .bytes(hash), .text(token.role), .text(token.createdBy), .integer(token.createdAt),
        .integer(token.expiresAt), .text(token.addresses.joined(separator: " ")),
      ]
    ).changes == 1
  }

  func token(hash: [UInt8]) throws -> AccessToken? {
    try connection.execute("SELECT \(Self.columns) FROM accessToken WHERE hash = $1", [.bytes(hash)])
      .first.map(Self.token)
  }

  func token(named name: String) throws -> AccessToken? {
    try connection.execute("SELECT \(Self.columns) FROM accessToken WHERE name = $1", [.text(name)])
      .first.map(Self.token)
  }

  func all() throws -> [AccessToken] {
    try connection.execute("SELECT \(Self.columns) FROM accessToken ORDER BY name").rows.map(Self.token)
  }

  func markUsed(_ name: String, now: Int64) throws {
    try connection.execute("UPDATE accessToken SET lastUsedAt = $1 WHERE name = $2", [.integer(now), .text(name)])
  }

  func revoke(_ name: String, now: Int64) throws -> Bool {
    try connection.execute(
      "UPDATE accessToken SET revokedAt = $1 WHERE name = $2 AND revokedAt IS NULL", [.integer(now), .text(name)]
    ).changes == 1
  }

  private static func token(_ row: QueryRow) throws -> AccessToken {
    AccessToken(
      name: try row.text(0), role: try row.text(1), createdBy: try row.text(2), createdAt: try row.integer(3),
      expiresAt: try row.integer(4), addresses: try row.text(5).split(separator: " ").map(String.init),
      lastUsedAt: try row.optionalInteger(6), revokedAt: try row.optionalInteger(7))
  }
}
