import Testing

@testable import ServerTesting
@testable import UAFService

/// How many turns are left of a budget, and how the store keeps this number.
@Suite(.onEachStore) struct TokenBucketTests {
  private let rate = TokenBucket.Rate(perMinute: 2)

  @Test func `a token bucket gives only as many turns as it has, and refills at its rate`() {
    var bucket = TokenBucket(level: rate.full, filledAt: 0)
    #expect(bucket.take(9) == 4)
    #expect(bucket.take(1) == 0)
    bucket.fill(rate, now: 30)
    #expect(bucket.take(9) == 1)
    bucket.fill(rate, now: 9999)
    #expect(bucket.take(9) == 4)
  }

  @Test(arguments: [Int64.max, .min, -1, 100_000])
  func `a stored level that is impossible is read as empty or full, and does not end the server`(level: Int64) {
    var bucket = TokenBucket(level: level, filledAt: .min)
    bucket.fill(rate, now: .max)
    #expect((0...rate.full).contains(bucket.level))
  }

  @Test func `the store takes turns from several buckets, and keeps the remaining ones`() async throws {
    let server = try TestServer()
    // Both steps are in one transaction: PostgreSQL uses its own clock, and on a busy machine minutes may pass between two.
    let taken = try await server.store.write { [now = server.now] records in
      try [[7: 3, 65_535: 9], [7: 3, 0: 1, 65_535: 1]].map {
        try records.wrongAnswers.take($0, at: TokenBucket.Rate(perMinute: 2), now: now)
      }
    }
    #expect(taken == [[7: 3, 65_535: 4], [7: 1, 0: 1, 65_535: 0]])
    #expect(try await server.database.integers("SELECT count(*) FROM wrongAnswer") == [3])
  }

  @Test func `a new rate applies to a bucket that was stored with a different rate`() async throws {
    let server = try TestServer()
    let now = server.now
    let taken = try await server.store.write { records in
      [
        try records.wrongAnswers.take([1: 1], at: TokenBucket.Rate(perMinute: 100), now: now),
        try records.wrongAnswers.take([1: 99], at: TokenBucket.Rate(perMinute: 1), now: now),
      ]
    }
    #expect(taken == [[1: 1], [1: 2]])
  }
}
