import GRDB
import UAFService

/// The table of the budgets of wrong answers.
struct WrongAnswerStore: WrongAnswers {
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
