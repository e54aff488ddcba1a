import UAFService

/// The table of used proof tokens.
struct UsedProofTable: UsedProofs {
  let connection: Connection

  func contains(tokenID: String) throws -> Bool {
    try connection.execute("SELECT 1 FROM usedProof WHERE tokenID = $1", [.text(tokenID)]).first != nil
  }

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    // The database's clock decides: an instance whose clock is fast would forget what others still accept.
    try connection.execute(
      "DELETE FROM usedProof WHERE expiresAt + $1 <= extract(epoch FROM clock_timestamp())::bigint",
      [.integer(UsedChallengeTable.clocksApart)])
    return try connection.execute(
      "INSERT INTO usedProof (tokenID, expiresAt) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(tokenID), .integer(expiresAt)]
    ).changes == 1
  }
}
