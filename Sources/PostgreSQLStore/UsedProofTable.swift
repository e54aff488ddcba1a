import UAFService

/// The table of used proof tokens.
struct UsedProofTable: UsedProofs {
  /// Forgets what has expired for all instances.
  ///
  /// Each machine that checks in has a proof here for half an hour, so the statement needs an index, and one time for all rows:
  /// see ``UsedChallengeTable/forgetting``.
  static let forgetting =
    "DELETE FROM usedProof WHERE expiresAt <= extract(epoch FROM statement_timestamp())::bigint - $1"

  let connection: Connection

  func contains(tokenID: String) throws -> Bool {
    try connection.execute("SELECT 1 FROM usedProof WHERE tokenID = $1", [.text(tokenID)]).first != nil
  }

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try connection.execute(Self.forgetting, [.integer(UsedChallengeTable.clocksApart)])
    return try connection.execute(
      "INSERT INTO usedProof (tokenID, expiresAt) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(tokenID), .integer(expiresAt)]
    ).changes == 1
  }
}
