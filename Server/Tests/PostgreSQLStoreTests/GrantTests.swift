import Testing

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// Rights that the server's database role loses while the server runs.
struct GrantTests {
  private static let role = "grantee"

  private let server: TestServer
  private let database: PostgreSQLTestDatabase
  /// The store of `database`, opened by a role that owns nothing in it.
  private let store: PostgreSQLStore

  init() throws {
    let clock = StoppedClock()
    database = try PostgreSQLTestDatabase(connections: 2)
    server = try TestServer(database: database)
    let connection = try database.place.cluster.connection(to: database.place.name)
    try connection.execute(
      """
      DO $$ BEGIN CREATE ROLE \(Self.role) LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
      """)
    try connection.execute("GRANT ALL ON SCHEMA uaf TO \(Self.role)")
    try connection.execute("GRANT ALL ON ALL TABLES IN SCHEMA uaf TO \(Self.role)")
    store = try PostgreSQLStore(
      PostgreSQLAddress(database.place.cluster.url(database.place.name, user: Self.role)), create: false,
      connections: 2, now: { clock.now })
  }

  @Test(arguments: ["INSERT ON usedChallenge", "INSERT ON audit", "UPDATE ON credential", "UPDATE ON auditEnd"])
  func `a login fails and stores nothing while the server's database user lacks a right`(right: String) async throws {
    let answer = try await VerifiedResponse.first(of: "alice", at: server)
    let before = try await server.store.read { try $0.audit.last() }
    try await database.execute("REVOKE \(right) FROM \(Self.role)")
    for _ in 0..<3 {
      await #expect(throws: PostgreSQLError.self) { try await store.store(answer) }
    }
    #expect(try await server.store.read { try $0.audit.last() } == before)
    #expect(try await server.store.read { try $0.credentials.records(of: "alice") }.map(\.signCounter) == [0])
    #expect(try await server.store.read { try !$0.usedChallenges.contains(answer.challenge) })
    try await database.execute("GRANT \(right) TO \(Self.role)")
    #expect(try await store.refusal(of: answer) == nil)
  }
}
