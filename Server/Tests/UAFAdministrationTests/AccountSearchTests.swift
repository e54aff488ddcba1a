import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Which accounts a search finds, on each store.
@Suite(.onEachStore) struct AccountSearchTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let auditor = Caller(actor: .person, role: .auditor, address: "")
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, members: { $0 == "office" ? ["b", "d", "nobody"] : nil },
      now: { [server] in server.now }, random: { try RandomBytes.make($0) }, publicURL: TestServer.publicURL,
      authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) }, models: server.environment.models)
  }

  private func found(
    group: String? = nil, mostLookedAt: Int = 100, _ change: (inout AccountQuery) -> Void
  ) async throws -> Page<String> {
    var query = AccountQuery(limit: 50)
    change(&query)
    let page = try await AccountAdministration(environment, mostLookedAt: mostLookedAt).page(
      query, group: group, by: auditor)
    return Page(rows: page.rows.map(\.summary.username), next: page.next)
  }

  /// Accounts a to f: b is disabled, c is locked for a minute, and d was locked until now.
  private func fill() async throws {
    let accounts = AccountAdministration(environment)
    for name in ["a", "b", "c", "d", "e", "f"] { try await accounts.add(name, by: root) }
    let states = AccountStateAdministration(environment)
    try await states.disable("b", reason: "left", by: root)
    try await states.lock("d", seconds: 60, reason: "lost", by: root)
    server.advance(seconds: 60)
    try await states.lock("c", seconds: 60, reason: "lost", by: root)
  }

  @Test func `a search finds accounts by their state, and an expired lock does not count as a lock`() async throws {
    try await fill()
    #expect(try await found { $0.state = .disabled }.rows == ["b"])
    #expect(try await found { $0.state = .locked }.rows == ["c"])
    #expect(try await found { $0.state = .active }.rows == ["a", "d", "e", "f"])
    #expect(try await found { ($0.state, $0.prefix) = (.disabled, "c") }.rows == [])
    #expect(try await found { ($0.state, $0.after) = (.active, "d") }.rows == ["e", "f"])
  }

  @Test func `a search finds the existing accounts of a group`() async throws {
    try await fill()
    #expect(try await found(group: "office") { _ in }.rows == ["b", "d"])
    #expect(try await found(group: "office") { $0.state = .active }.rows == ["d"])
    let first = try await found(group: "office") { $0.limit = 1 }
    #expect(first.rows == ["b"] && first.next == "b")
    #expect(try await found(group: "office") { $0.after = "b" }.rows == ["d"])
  }

  @Test func `a search for a group that the policy does not have is refused, instead of finding everybody`()
    async throws
  {
    try await fill()
    await #expect(throws: AdministrationRefusal.self) { _ = try await found(group: "nowhere") { _ in } }
  }

  @Test
  func `a search finds accounts whose keys were not used since a given time, and those whose keys were never used`()
    async throws
  {
    let key = try await server.registered("mina", deviceID: "d-1")
    _ = try await server.registered("bob", deviceID: "d-2")
    server.advance(seconds: 1000)
    let used = server.now
    let request = try await server.authenticationRequest("mina")
    let (refusal, _) = try await server.respond(try key.authenticate(request, counter: 1))
    #expect(refusal == nil)
    #expect(try await found { $0.idleSince = used }.rows == ["bob"])
    #expect(try await found { $0.idleSince = used + 1 }.rows == ["bob", "mina"])
    #expect(try await found { ($0.idleSince, $0.prefix) = (used, "m") }.rows == [])
  }

  @Test func `a page of a search that reads few accounts says where the next page continues, and skips no account`()
    async throws
  {
    try await fill()
    var names: [String] = []
    var (after, pages) = ("", 0)
    while true {
      let page = try await found(mostLookedAt: 2) { ($0.idleSince, $0.state, $0.after) = (0, .active, after) }
      names += page.rows
      pages += 1
      guard let next = page.next else { break }
      after = next
    }
    #expect(names == ["a", "d", "e", "f"] && pages == 3)
  }

  @Test func `SQL in the name of a group's member is treated as text`() async throws {
    let odd = #"x'"],--"#
    try await AccountAdministration(environment).add(odd, by: root)
    var query = AccountQuery(limit: 10)
    query.names = [odd, "?1", "$2"]
    let found = try await server.store.read { [query, now = server.now] in try $0.accounts.page(query, now: now) }
    #expect(found.map(\.username) == [odd])
  }
}
