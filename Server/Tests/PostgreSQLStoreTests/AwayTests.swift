import Testing

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// A database server that disappears while it is used.
struct AwayTests {
  private let clock: StoppedClock
  private let place: PostgreSQLTestDatabase.Place
  private let store: PostgreSQLStore

  init() throws {
    let clock = StoppedClock()
    self.clock = clock
    place = try PostgreSQLTestDatabase.Place(in: .shared())
    store = try PostgreSQLStore(
      PostgreSQLAddress(place.cluster.url(place.name)), create: true, connections: 4, now: { clock.now })
  }

  /// Ends the store's connections.
  ///
  /// - Parameter allowing: whether the store can connect again.
  private func disconnect(allowing: Bool) throws {
    let connection = try place.cluster.connection()
    try connection.execute("ALTER DATABASE \(place.name) ALLOW_CONNECTIONS \(allowing)")
    let open = "FROM pg_stat_activity WHERE datname = '\(place.name)'"
    try connection.execute("SELECT pg_terminate_backend(pid) \(open)")
    while try connection.execute("SELECT 1 \(open)").first != nil {}
  }

  private func exists(_ name: String) async throws -> Bool { try await store.read { try $0.accounts.exists(name) } }

  @Test func `database connections that were closed are reopened before the next query`() async throws {
    try await store.write { try $0.accounts.add("alice", now: 1) }
    try disconnect(allowing: true)
    #expect(try await exists("alice"))
    try disconnect(allowing: true)
    try await store.write { try $0.accounts.add("bob", now: 1) }
    #expect(try await exists("bob"))
  }

  @Test func `the store refuses everything while the database server is away, and recovers by itself`() async throws {
    try await store.write { try $0.accounts.add("alice", now: 1) }
    try disconnect(allowing: false)
    for _ in 0..<20 {
      await #expect(throws: PostgreSQLError.self) { _ = try await exists("alice") }
      await #expect(throws: PostgreSQLError.self) { try await store.write { try $0.accounts.add("bob", now: 1) } }
    }
    try disconnect(allowing: true)
    clock.advance(.seconds(1))
    #expect(try await exists("alice"))
    #expect(try await exists("bob") == false)
  }

  @Test func `a text that PostgreSQL cannot store fails its own transaction, and no other transaction`() async throws {
    await #expect(throws: PostgreSQLError.self) {
      try await store.write { try $0.settings.set(.publicURL, to: "a\0b") }
    }
    try await store.write { try $0.settings.set(.publicURL, to: "a") }
    #expect(try await store.read { try $0.settings.value(of: .publicURL) } == "a")
  }

  @Test func `the store serves two hundred simultaneous reads over four connections`() async throws {
    try await store.write { try $0.accounts.add("alice", now: 1) }
    let found = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 { group.addTask { try await exists("alice") } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(found == 200)
  }
}
