import GRDB
import UAFService

/// The table of challenges that were answered with success.
struct UsedChallengeTable: UsedChallenges {
  let db: Database

  /// The upgrade step from a table that is ordered by hash to one that is ordered by expiry.
  ///
  /// In the new table, a login writes to the end, and the expired rows are next to each other at the beginning.
  static let orderByExpiry = """
    ALTER TABLE usedChallenge RENAME TO challengeByHash;
    CREATE TABLE usedChallenge (
      expiresAt INTEGER NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (expiresAt, hash)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO usedChallenge (expiresAt, hash) SELECT expiresAt, hash FROM challengeByHash;
    DROP TABLE challengeByHash;
    """

  func contains(_ challenge: IssuedChallenge) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE expiresAt = ? AND hash = ?)"),
      arguments: [challenge.expiresAt, challenge.hash.databaseBlob]) ?? false
  }

  /// Removes challenges whose requests have expired.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - most: the most challenges to remove, so that nobody waits long for it.
  func forget(expiredAt now: Int64, most: Int) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM usedChallenge WHERE (expiresAt, hash) IN (
          SELECT expiresAt, hash FROM usedChallenge WHERE expiresAt <= ? ORDER BY expiresAt, hash LIMIT ?)
        """
    ).execute(arguments: [now, most])
  }
}

/// The table of used proof tokens.
struct UsedProofTable: UsedProofs {
  /// Removes expired tokens.
  ///
  /// Each check-in of a machine leaves a row for half an hour, so the statement needs an index.
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

/// The table with the buckets of wrong answers.
struct WrongAnswerTable: WrongAnswers {
  let db: Database

  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64] {
    var taken: [Int64: Int64] = [:]
    for (place, turns) in wanted {
      var bucket = try bucket(place) ?? TokenBucket(level: rate.full, filledAt: now)
      bucket.fill(rate, now: now)
      taken[place] = bucket.take(turns)
      if taken[place] != 0 { try store(bucket, place) }
    }
    return taken
  }

  private func bucket(_ place: Int64) throws -> TokenBucket? {
    try Row.fetchOne(db, sql: "SELECT level, filledAt FROM wrongAnswer WHERE place = ?", arguments: [place])
      .map { TokenBucket(level: $0["level"], filledAt: $0["filledAt"]) }
  }

  private func store(_ bucket: TokenBucket, _ place: Int64) throws {
    try db.execute(
      sql: """
        INSERT INTO wrongAnswer (place, level, filledAt) VALUES (?, ?, ?)
        ON CONFLICT (place) DO UPDATE SET level = excluded.level, filledAt = excluded.filledAt
        """, arguments: [place, bucket.level, bucket.filledAt])
  }
}
