import UAFService

/// The table of the budgets of wrong answers.
struct WrongAnswerTable: WrongAnswers {
  let connection: Connection

  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64] {
    // The database's clock decides: an instance whose clock is fast would refill the budgets that others have used up.
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
