import Testing

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// Two instances whose clocks differ.
struct ClocksApartTests {
  private let database: PostgreSQLTestDatabase

  init() throws { database = try PostgreSQLTestDatabase() }

  private func now() async throws -> Int64 {
    try await database.postgresql.pool.run { connection in
      try connection.execute("SELECT extract(epoch FROM clock_timestamp())::bigint").first?.integer(0) ?? 0
    }
  }

  /// Uses a proof that expires a minute from now by the database's clock, at an instance whose clock is ahead.
  private func use(_ tokenID: String, ahead: Int64 = 0) async throws -> Bool {
    let now = try await now()
    return try await database.store.write {
      try $0.usedProofs.use(tokenID: tokenID, expiresAt: now + 60, now: now + ahead)
    }
  }

  @Test func `the store refuses a used proof, even if it had expired by the clock of the instance that used it`()
    async throws
  {
    #expect(try await use("one"))
    #expect(try await use("two", ahead: 600))
    #expect(try await !use("one"))
    #expect(try await !use("two"))
  }

  @Test func `the store forgets a used proof once it has expired by every instance's clock`() async throws {
    #expect(try await use("one"))
    try await database.execute("UPDATE usedProof SET expiresAt = 1")
    #expect(try await use("two"))
    #expect(try await database.texts("SELECT tokenID FROM usedProof") == ["two"])
  }
}
