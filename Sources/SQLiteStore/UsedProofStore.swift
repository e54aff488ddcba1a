import GRDB
import UAFService

/// The table of used proof tokens.
struct UsedProofStore: UsedProofs {
  let db: Database

  func contains(tokenID: String) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM usedProof WHERE tokenID = ?)", arguments: [tokenID]) ?? false
  }

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try db.execute(sql: "DELETE FROM usedProof WHERE expiresAt <= ?", arguments: [now])
    try db.execute(
      sql: "INSERT INTO usedProof (tokenID, expiresAt) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [tokenID, expiresAt])
    return db.changesCount == 1
  }
}
