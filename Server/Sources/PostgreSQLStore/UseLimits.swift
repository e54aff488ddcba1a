import UAFService

/// The table of challenges that were answered with success.
struct UsedChallengeTable: UsedChallenges {
  /// The most challenges that one statement removes, so that nobody waits long for it.
  private static let mostForgotten: Int64 = 4096

  /// The time until which a challenge is kept, as SQL.
  ///
  /// That is the expiry of its request, which an instance has set by its own clock, but at least the lifetime of a request from
  /// now by the database's clock, which is the same for all instances. The difference between clocks is added: a challenge that
  /// has expired at one instance may still be valid at another one.
  static let keptUntil =
    "greatest(expiresAt, extract(epoch FROM clock_timestamp())::bigint + \(IssuedRequest.lifetime)) + \(InstanceClocks.mostApart)"

  /// Removes expired challenges, the oldest first, and skips those that a different instance is removing.
  ///
  /// The database's clock decides: an instance whose clock is fast would remove challenges that others still accept.
  /// `statement_timestamp()` has one value for the whole statement. With `clock_timestamp()`, which may change from row to row,
  /// PostgreSQL would read every row, which takes 290 ms of each second with 400,000 rows.
  static let forgetting = """
    WITH expired AS (
      SELECT hash, expiresAt FROM usedChallenge
      WHERE expiresAt >= $2 AND expiresAt <= extract(epoch FROM statement_timestamp())::bigint
      ORDER BY expiresAt LIMIT $1 FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM usedChallenge WHERE hash IN (SELECT hash FROM expired)
    )
    SELECT count(*), max(expiresAt), extract(epoch FROM statement_timestamp())::bigint FROM expired
    """

  let connection: Connection

  func contains(_ challenge: IssuedChallenge) throws -> Bool {
    // Only the hash is compared: `expiresAt` of a row is not the expiry of its challenge, but ``keptUntil``.
    try connection.execute("SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = $1)", [.bytes(challenge.hash)])
      .first?.boolean(0) == true
  }

  /// The hashes of those challenges that were answered with success.
  func used(among hashes: [[UInt8]]) throws -> Set<[UInt8]> {
    let rows = try connection.execute("SELECT hash FROM usedChallenge WHERE hash = ANY ($1)", [.byteStrings(hashes)])
      .rows
    return Set(try rows.map { try $0.requiredBytes(0) })
  }

  /// Removes challenges whose requests have expired, at most 4,096.
  ///
  /// - Parameter start: challenges that expired before this time are not considered.
  /// - Returns: the time up to which all challenges are removed.
  func forgetExpired(from start: Int64) throws -> Int64 {
    let row = try connection.execute(Self.forgetting, [.integer(Self.mostForgotten), .integer(start)]).first
    guard let row else { return start }
    return try row.integer(0) < Self.mostForgotten ? row.integer(2) : row.optionalInteger(1) ?? start
  }
}

/// The table of used proof tokens.
struct UsedProofTable: UsedProofs {
  /// Removes tokens that have expired by the clocks of all instances.
  ///
  /// Each check-in of a machine leaves a row for half an hour. So the statement needs an index, and one time for all rows: see
  /// ``UsedChallengeTable/forgetting``.
  static let forgetting =
    "DELETE FROM usedProof WHERE expiresAt <= extract(epoch FROM statement_timestamp())::bigint - $1"

  let connection: Connection

  func contains(tokenID: String) throws -> Bool {
    try connection.execute("SELECT 1 FROM usedProof WHERE tokenID = $1", [.text(tokenID)]).first != nil
  }

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try connection.execute(Self.forgetting, [.integer(InstanceClocks.mostApart)])
    return try connection.execute(
      "INSERT INTO usedProof (tokenID, expiresAt) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(tokenID), .integer(expiresAt)]
    ).changes == 1
  }
}

/// The table with the buckets of wrong answers.
struct WrongAnswerTable: WrongAnswers {
  let connection: Connection

  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64] {
    // The database's clock decides: an instance whose clock is fast would refill buckets that others have emptied.
    let rows = try connection.execute(
      """
      SELECT p.place, w.level, w.filledAt, extract(epoch FROM clock_timestamp())::bigint
      FROM unnest($1::bigint[]) AS p (place) LEFT JOIN wrongAnswer w ON w.place = p.place
      """, [.integers(Array(wanted.keys))]
    ).rows
    var taken: [Int64: Int64] = [:]
    var changed: [(place: Int64, bucket: TokenBucket)] = []
    for row in rows {
      let (place, now) = (try row.integer(0, as: Int64.self), try row.integer(3, as: Int64.self))
      var bucket = TokenBucket(
        level: try row.optionalInteger(1) ?? rate.full, filledAt: try row.optionalInteger(2) ?? now)
      bucket.fill(rate, now: now)
      let turns = bucket.take(wanted[place] ?? 0)
      taken[place] = turns
      if turns > 0 { changed.append((place, bucket)) }
    }
    guard !changed.isEmpty else { return taken }
    try connection.execute(
      """
      INSERT INTO wrongAnswer (place, level, filledAt) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
      ON CONFLICT (place) DO UPDATE SET level = excluded.level, filledAt = excluded.filledAt
      """,
      [
        .integers(changed.map(\.place)), .integers(changed.map(\.bucket.level)),
        .integers(changed.map(\.bucket.filledAt)),
      ])
    return taken
  }
}
