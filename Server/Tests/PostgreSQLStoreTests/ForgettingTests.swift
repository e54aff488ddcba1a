import Testing

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// How expired rows are found and removed.
struct ForgettingTests {
  private let database: PostgreSQLTestDatabase

  init() throws { database = try PostgreSQLTestDatabase() }

  /// Adds used challenges that expired at these seconds.
  private func add(_ times: ClosedRange<Int>) async throws {
    try await database.execute(
      """
      INSERT INTO usedChallenge SELECT sha256(n::text::bytea), n
      FROM generate_series(\(times.lowerBound), \(times.upperBound)) AS n
      """)
  }

  private func forget(from start: Int64) async throws -> Int64 {
    try await database.postgresql.loginPool.run { try UsedChallengeTable(connection: $0).forgetExpired(from: start) }
  }

  private func left() async throws -> [String?] {
    try await database.texts("SELECT count(*)::text FROM usedChallenge")
  }

  @Test(arguments: [(UsedProofTable.forgetting, [900]), (UsedChallengeTable.forgetting, [4096, 1])])
  func `the store finds expired rows by reading only an index`(sql: String, values: [Int64]) async throws {
    let plan = try await database.postgresql.pool.run { connection in
      // Without these settings PostgreSQL would choose a different plan, because the table is empty.
      for other in ["enable_seqscan", "enable_bitmapscan"] { try connection.execute("SET \(other) = off") }
      return try connection.execute("EXPLAIN \(sql)", values.map { .integer($0) }).rows.map { try $0.text(0) }
    }
    #expect(plan.contains { $0.contains("Index Cond: (") && $0.contains("expiresat <=") }, "\(plan)")
    #expect(!plan.contains { $0.contains("Filter:") || $0.contains("Seq Scan") }, "\(plan)")
  }

  @Test func `the store removes 4,096 expired rows at a time, and then continues where it stopped`() async throws {
    try await add(1...5000)
    #expect(try await forget(from: 0) == 4096)
    #expect(try await left() == ["904"])
    #expect(try await forget(from: 4096) > 5000)
    #expect(try await left() == ["0"])
  }

  @Test func `removing expired rows leaves those before its starting point, and rows that have not expired`()
    async throws
  {
    try await add(1...10)
    try await database.execute("INSERT INTO usedChallenge VALUES (sha256('later'), 9000000000)")
    #expect(try await forget(from: 6) < 9_000_000_000)
    #expect(
      try await database.texts("SELECT expiresAt::text FROM usedChallenge ORDER BY expiresAt")
        == ["1", "2", "3", "4", "5", "9000000000"])
  }

  @Test func `removing expired rows leaves rows that another instance has locked, and does not wait for that instance`()
    async throws
  {
    try await add(1...10)
    let other = try database.place.cluster.connection(to: database.place.name)
    try other.execute("BEGIN")
    try other.execute("SELECT 1 FROM uaf.usedChallenge WHERE expiresAt = 3 FOR UPDATE")
    _ = try await forget(from: 0)
    #expect(try await left() == ["1"])
    try other.execute("ROLLBACK")
    _ = try await forget(from: 0)
    #expect(try await left() == ["0"])
  }

  @Test func `removing expired rows begins where the last run ended, and once an hour with the oldest row`() {
    let progress = ForgettingProgress()
    #expect(progress.start(at: 10_000) == 0)
    progress.reached(700)
    #expect(progress.start(at: 10_001) == 700)
    #expect(progress.start(at: 13_599) == 700)
    #expect(progress.start(at: 13_600) == 0)
    progress.reached(900)
    #expect(progress.start(at: 13_601) == 900)
  }

  @Test func `removing expired rows begins with the oldest row if the clock was set back`() {
    let progress = ForgettingProgress()
    _ = progress.start(at: 10_000)
    progress.reached(10_000)
    #expect(progress.start(at: 9_999) == 0)
  }
}
