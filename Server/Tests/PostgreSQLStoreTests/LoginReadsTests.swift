import Testing
import UAFMessages

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// Logins that the store reads together in one statement.
struct LoginReadsTests {
  private let clock: StoppedClock
  private let database: PostgreSQLTestDatabase
  private let server: TestServer

  init() async throws {
    clock = StoppedClock()
    database = try PostgreSQLTestDatabase(
      in: PostgreSQLTestDatabase.Place(in: .shared()), connections: 1, clock: clock)
    server = try TestServer(database: database)
  }

  /// Asks for the keys of accounts while a lock prevents all reads.
  ///
  /// So all accounts but the first are read in one statement.
  ///
  /// - Parameter meanwhile: what to do while the lock is held.
  private func keys(
    of names: [String], meanwhile: () -> Void = {}
  ) async throws -> [String: Result<Int, PostgreSQLError>] {
    let (store, appID) = (database.postgresql, server.identity.appID)
    let lock = try database.place.cluster.connection(to: database.place.name)
    try lock.execute("BEGIN")
    try lock.execute("LOCK TABLE uaf.credential IN ACCESS EXCLUSIVE MODE")
    return try await withThrowingTaskGroup(of: (String, Result<Int, PostgreSQLError>).self) { group in
      let ask = { @Sendable (name: String) async throws -> (String, Result<Int, PostgreSQLError>) in
        do {
          return (name, .success(try await store.login(of: name, appID: appID, challenge: nil).keys.count))
        } catch let error as PostgreSQLError {
          return (name, .failure(error))
        }
      }
      group.addTask { try await ask("first") }
      let blocked = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'uaf.credential'::regclass"
      while try lock.execute(blocked).first == nil { await Task.yield() }
      for name in names { group.addTask { try await ask(name) } }
      while store.logins.waitingCount < names.count { await Task.yield() }
      meanwhile()
      try lock.execute("COMMIT")
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func addKeys(_ keys: [(username: String, aaid: String)]) async throws {
    for name in Set(keys.map(\.username)) { try await server.store.write { try $0.accounts.add(name, now: 1) } }
    try await server.database.addKeys(keys)
  }

  @Test func `several logins that are read in one statement each get their own keys`() async throws {
    try await addKeys([("alice", "0001#0001"), ("alice", "0001#0002"), ("bob", "0001#0001")])
    #expect(
      try await keys(of: ["alice", "nobody", "bob"]) == [
        "first": .success(0), "alice": .success(2), "nobody": .success(0), "bob": .success(1),
      ])
  }

  @Test func `a name that PostgreSQL cannot read fails its own login, and no other login`() async throws {
    try await addKeys([("alice", "0001#0001"), ("bob", "0001#0001")])
    let found = try await keys(of: ["alice", "a\0b", "bob"])
    #expect(found["alice"] == .success(1))
    #expect(found["bob"] == .success(1))
    guard case .failure(.refused)? = found["a\0b"] else {
      Issue.record("\(String(describing: found["a\0b"]))")
      return
    }
  }

  @Test func `a stored key that is damaged blocks only its own account`() async throws {
    try await addKeys([("alice", "0001#0001"), ("bob", "0001#0001")])
    try await database.execute("UPDATE credential SET signCounter = 9223372036854775807 WHERE username = 'bob'")
    let found = try await keys(of: ["alice", "bob"])
    #expect(found["alice"] == .success(1))
    #expect(found["bob"] == .failure(.unreadable))
  }

  @Test func `a login that has waited three seconds for its keys is refused as busy`() async throws {
    try await addKeys([("alice", "0001#0001")])
    let found = try await keys(of: ["alice"]) { clock.advance(.seconds(3)) }
    #expect(found == ["first": .success(0), "alice": .failure(.busy)])
  }

  @Test func `logins continue while all database connections that they do not use are busy`() async throws {
    try await addKeys([("alice", "0001#0001")])
    let lock = try database.place.cluster.connection(to: database.place.name)
    try lock.execute("BEGIN")
    try lock.execute("LOCK TABLE uaf.turn IN EXCLUSIVE MODE")
    let change = Task { [store = database.postgresql] in try await store.write { try $0.accounts.add("bob", now: 1) } }
    let blocked = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'uaf.turn'::regclass"
    while try lock.execute(blocked).first == nil { await Task.yield() }
    let found = try await server.store.login(of: "alice", appID: server.identity.appID, challenge: nil)
    #expect(found.keys.count == 1)
    try lock.execute("COMMIT")
    try await change.value
  }

  @Test func `a response is stored while another response waits for its own account`() async throws {
    let answers = [
      try await VerifiedResponse.first(of: "alice", at: server),
      try await VerifiedResponse.first(of: "bob", at: server),
    ]
    let lock = try database.place.cluster.connection(to: database.place.name)
    try lock.execute("BEGIN")
    try lock.execute("SELECT 1 FROM uaf.credential WHERE username = 'alice' FOR UPDATE")
    let first = Task { [server, answer = answers[0]] in try await server.store.store(answer) }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while try lock.execute(blocked).first == nil { await Task.yield() }
    clock.advance(.milliseconds(20))
    #expect(try await server.store.refusal(of: answers[1]) == nil)
    try lock.execute("COMMIT")
    try await first.value
  }

  @Test func `logins find rows through indexes, even if the tables were empty when the statement was planned`()
    async throws
  {
    let answer = try await VerifiedResponse.first(of: "alice", at: server)
    try await database.execute("TRUNCATE usedChallenge")
    try await database.execute("VACUUM ANALYZE usedChallenge")
    let plans = try await database.postgresql.loginPool.run { connection in
      let reading = try connection.execute(
        "EXPLAIN \(LoginReads.selectLogins)", [.texts(["alice"]), .texts(["a"]), .byteStrings([[1]])])
      let storing = try connection.execute(
        "EXPLAIN \(AnswerTransaction.auditedStatement)", AnswerTransaction.auditedParameters([answer]))
      return try [reading, storing].map { try $0.rows.map { try $0.text(0) }.joined(separator: "\n") }
    }
    for plan in plans {
      #expect(!plan.contains("Seq Scan on usedchallenge"), "\(plan)")
      #expect(!plan.contains("Seq Scan on credential"), "\(plan)")
    }
    #expect(
      plans[0].contains("Index Scan using credential") || plans[0].contains("Index Scan on credential"), "\(plans[0])")
  }
}
