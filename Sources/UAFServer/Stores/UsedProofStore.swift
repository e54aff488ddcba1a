import GRDB

/// The proof tokens that have served, until they would have expired anyway.
struct UsedProofStore {
  let db: Database

  /// Marks a token as used.
  ///
  /// - Returns: false if it was used before.
  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try db.execute(sql: "DELETE FROM usedProof WHERE expiresAt <= ?", arguments: [now])
    try db.execute(
      sql: "INSERT INTO usedProof (tokenID, expiresAt) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [tokenID, expiresAt])
    return db.changesCount == 1
  }
}
