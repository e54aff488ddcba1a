import Testing
import UAFMessages

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// The database row with the end of the audit's chain, which every login changes.
struct AuditEndTests {
  private let database: PostgreSQLTestDatabase
  private let server: TestServer

  init() async throws {
    database = try PostgreSQLTestDatabase()
    server = try TestServer(database: database)
  }

  @Test
  func `the end of the audit is found through an index, however many old versions of its row a transaction keeps`()
    async throws
  {
    let answer = try await VerifiedResponse.first(of: "alice", at: server)
    let plan = try await database.postgresql.loginPool.run { connection in
      try connection.execute(
        "EXPLAIN \(AnswerTransaction.auditedStatement)", AnswerTransaction.auditedParameters([answer])
      ).rows.map { try $0.text(0) }
    }
    #expect(plan.contains { $0.contains("using auditendbynumber on auditend") }, "\(plan)")
    #expect(!plan.contains { $0.contains("Seq Scan on auditend") }, "\(plan)")
  }

  @Test func `a response that waited for an earlier commit continues the audit's chain after that commit`() async throws
  {
    let answer = try await VerifiedResponse.first(of: "alice", at: server)
    let outcome = try await outcome(of: answer) { lock in
      try lock.execute("SET search_path TO uaf")
      try AuditChaining(connection: lock).enqueue([AuditEntry(time: 1, kind: .revocation, actor: .server)])
    }
    try outcome.get()
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 9) }
    #expect(rows.map(\.event.kind).suffix(2) == [.revocation, .login])
  }

  @Test
  func `a response is refused as a whole if the audit was emptied while it waited, and is accepted if sent again`()
    async throws
  {
    let answer = try await VerifiedResponse.first(of: "alice", at: server)
    let outcome = try await outcome(of: answer) { lock in
      try lock.execute("DELETE FROM uaf.audit")
      try lock.execute("UPDATE uaf.auditEnd SET number = 0, hash = decode(repeat('00', 32), 'hex')")
    }
    #expect(throws: PostgreSQLError.self) { try outcome.get() }
    #expect(try await server.store.refusal(of: answer) == nil)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 9) }
    #expect(rows.map(\.number) == [1])
    #expect(rows.map(\.event.kind) == [.login])
  }

  /// Stores a response while a second transaction holds the end of the chain.
  ///
  /// The second transaction then commits its own change.
  private func outcome(
    of answer: VerifiedResponse, change: (Connection) throws -> Void
  ) async throws -> Result<Void, any Error> {
    let lock = try database.place.cluster.connection(to: database.place.name)
    try lock.execute("BEGIN")
    try lock.execute("SELECT 1 FROM uaf.auditEnd FOR UPDATE")
    let stored = Task { [server] in try await server.store.store(answer) }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while try lock.execute(blocked).first == nil { await Task.yield() }
    try change(lock)
    try lock.execute("COMMIT")
    return await stored.result
  }
}
