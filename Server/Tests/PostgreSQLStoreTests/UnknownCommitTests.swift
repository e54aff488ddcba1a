import Testing
import UAFMessages

@testable import PostgreSQLStore
@testable import ServerTesting
@testable import UAFService

/// A commit whose outcome is unknown is never a success.
///
/// The cluster waits for a standby that does not exist, so each commit waits until somebody cancels it.
struct UnknownCommitTests {
  private let cluster: PostgreSQLCluster
  private let place: PostgreSQLTestDatabase.Place
  private let server: TestServer
  private let answers: [VerifiedResponse]

  init() async throws {
    cluster = try PostgreSQLCluster()
    place = try PostgreSQLTestDatabase.Place(in: cluster)
    server = try TestServer(database: PostgreSQLTestDatabase(in: place, connections: 4))
    let alice = try await server.registered("alice")
    var answers: [VerifiedResponse] = []
    for counter in 1...2 {
      let request = try await server.authenticationRequest("alice")
      guard case .authentication(let response) = try alice.authenticate(request, counter: UInt32(counter)) else {
        throw TestServer.Unexpected()
      }
      answers.append(try await VerifiedResponse.made(of: response, to: request, by: "alice", at: server))
    }
    self.answers = answers
    try wait(forStandby: "nobody")
  }

  private func wait(forStandby name: String) throws {
    let connection = try cluster.connection()
    try connection.execute("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
    try connection.execute("SELECT pg_reload_conf()")
    // Waits until the setting applies: new connections then see it.
    while try cluster.connection().execute("SELECT current_setting('synchronous_standby_names')").first?.text(0) != name
    {
    }
  }

  /// Calls an SQL function on each waiting commit, as an administrator would; returns how many commits wait.
  private func waiting(_ function: String = "") throws -> Int {
    try cluster.connection().execute(
      "SELECT \(function)(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    ).rows.count
  }

  @Test(arguments: ["pg_cancel_backend", "pg_terminate_backend"])
  func `a response is refused if somebody cancels its commit while it waits for the standby`(function: String)
    async throws
  {
    let outcome = Task { [server, answers] in try await server.store.store(answers[0]) }
    while try waiting(function) == 0 { await Task.yield() }
    await #expect(throws: PostgreSQLError.interrupted) { try await outcome.value }
    try wait(forStandby: "")
    // The commit took effect on this server all the same. So the response is used up, although its sender was told of no
    // success.
    #expect(try await server.store.refusal(of: answers[0]) == .unknownChallenge)
    #expect(try await server.store.refusal(of: answers[1]) == nil)
  }

  @Test func `a change is refused if somebody cancels its commit while it waits for the standby`() async throws {
    let change = Task { [server] in try await server.store.write { try $0.accounts.add("bob", now: 1) } }
    while try waiting("pg_cancel_backend") == 0 { await Task.yield() }
    await #expect(throws: PostgreSQLError.interrupted) { try await change.value }
    try wait(forStandby: "")
    try await server.store.write { try $0.accounts.add("bob", now: 1) }
  }

  @Test func `a response is refused if its commit takes longer than the deadline, while reads continue`() async throws {
    let clock = StoppedClock()
    let impatient = try PostgreSQLTestDatabase(in: place, connections: 2, deadline: .milliseconds(200), clock: clock)
    let outcome = Task { [answers] in try await impatient.store.store(answers[0]) }
    while try waiting() == 0 { await Task.yield() }
    clock.advance(.seconds(1))
    await #expect(throws: PostgreSQLError.interrupted) { try await outcome.value }
    #expect(try await impatient.store.read { try $0.accounts.exists("alice") })
    try wait(forStandby: "")
    #expect(try await server.store.refusal(of: answers[0]) == .unknownChallenge)
  }
}
