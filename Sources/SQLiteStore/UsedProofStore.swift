import GRDB
import UAFService

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
