import GRDB
import UAFService

/// The table of used proof tokens.
struct UsedProofStore: UsedProofs {
  let db: Database

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try db.execute(sql: "DELETE FROM usedProof WHERE expiresAt <= ?", arguments: [now])
    try db.execute(
      sql: "INSERT INTO usedProof (tokenID, expiresAt) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [tokenID, expiresAt])
    return db.changesCount == 1
  }
}
