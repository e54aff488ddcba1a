import UAFService

/// The table of used proof tokens.
struct UsedProofTable: UsedProofs {
  let connection: Connection

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try connection.execute("DELETE FROM usedProof WHERE expiresAt <= $1", [.integer(now)])
    return try connection.execute(
      "INSERT INTO usedProof (tokenID, expiresAt) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(tokenID), .integer(expiresAt)]
    ).changes == 1
  }
}
