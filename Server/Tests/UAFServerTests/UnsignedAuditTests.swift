import Logging
import Testing
import UAFAdministration
import UAFCrypto

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// A server whose database prevents it from signing the audit, and what it says and does meanwhile.
@Suite(.onEachStore) struct UnsignedAuditTests {
  private let server: TestServer
  private let folder = try? TemporaryFolder()
  private let log = RecordedLog()
  private let standing = AuditStanding()

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2)) }

  private func keeper() throws -> AuditKeeper {
    let state = try ServerDirectory(path: try #require(folder).path("state"), create: true)
    let files = AuditHeadFiles(state: state, list: nil)
    return AuditKeeper(
      store: server.store, keys: server.environment.keys, published: try server.headKeys(), files: files,
      refusals: RefusalCount(), start: ServerEvents.start(version: "1", keys: "k", policy: nil, now: server.now),
      last: try files.last(server.headKeys())?.link, standing: standing,
      logger: Logger(label: "test") { [log] _ in log }, now: { [server] in server.now })
  }

  private func append() async throws {
    try await server.store.write { [now = server.now] in
      try $0.audit.append([AuditEntry(time: now, kind: .administratorChange, account: "mallory", actor: .server)])
    }
  }

  private func kinds() async throws -> [AuditKind] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100) }.map(\.event.kind)
  }

  private func summary() async throws -> AuditSummary {
    let verification = try server.verification()
    return try await verification.run()
  }

  @Test func `if rows are removed while the database drops heads, the server then signs a row that dates the gap`()
    async throws
  {
    let keeper = try keeper()
    await keeper.round()
    let from = server.now
    try await server.database.dropHeads()
    try await append()
    for _ in 0..<6 {
      server.advance(seconds: 60)
      await keeper.round()
    }
    #expect(standing.isOverdue(at: server.now))
    try await server.database.cutAudit(after: 1)
    try await server.database.keepHeads()
    await keeper.round()
    #expect(try await kinds() == [.serverStart, .unsigned])
    let found = try await summary()
    #expect(found.fault == nil && found.signed == 2)
    #expect(found.gaps == [AuditGap(after: 1, through: 1, from: from, until: server.now)])
    #expect(log.lines.contains("audit-head-dropped row=2") && log.lines.contains("audit-unsigned after=1 seconds=360"))
    #expect(!standing.isOverdue(at: server.now))
    server.advance(seconds: 60)
    await keeper.round()
    #expect(try await kinds().count == 2)
  }

  @Test func `a process that starts while the audit cannot be signed reports the whole gap`() async throws {
    let first = try keeper()
    await first.round()
    let from = server.now
    try await server.database.dropHeads()
    try await append()
    server.advance(seconds: 200)
    await first.round()
    try await server.database.cutAudit(after: 1)
    let second = try keeper()
    server.advance(seconds: 200)
    await second.round()
    try await server.database.keepHeads()
    await second.round()
    #expect(try await summary().gaps.first.map { [$0.after, $0.from, $0.until] } == [1, from, server.now])
  }

  @Test func `a minute without a signed head is not reported as a gap in the audit`() async throws {
    let keeper = try keeper()
    await keeper.round()
    try await server.database.dropHeads()
    try await append()
    server.advance(seconds: 60)
    await keeper.round()
    try await server.database.keepHeads()
    server.advance(seconds: 60)
    await keeper.round()
    #expect(try await kinds() == [.serverStart, .administratorChange])
    #expect(try await summary().gaps.isEmpty)
  }

  @Test func `a gap in the audit keeps growing while the database drops the row that reports it`() async throws {
    let keeper = try keeper()
    await keeper.round()
    server.advance(seconds: 400)
    switch StoreEngine.current {
    case .sqlite:
      try await server.database.execute(
        """
        CREATE TRIGGER hiding BEFORE INSERT ON audit WHEN NEW.kind = 'audit-unsigned'
          BEGIN SELECT RAISE(IGNORE); END
        """)
    case .postgresql:
      try await server.database.execute(
        "CREATE FUNCTION hidden() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
      try await server.database.execute(
        """
        CREATE TRIGGER hiding BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.kind = 'audit-unsigned')
          EXECUTE FUNCTION hidden()
        """)
    }
    await keeper.round()
    #expect(standing.isOverdue(at: server.now))
  }

  // MARK: What it says and refuses

  @Test func `a server that cannot sign the audit is ready, because logins continue, and says that it cannot sign`()
    async throws
  {
    standing.note(SignedMoment(link: .start, time: server.now))
    let watch = StoreWatch(server.store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { 0 })
    await watch.look()
    let health = HealthRoutes(
      watch: watch, policies: server.environment.policies, standing: standing, now: { [server] in server.now })
    #expect(health.isReady.body == Array("ok\n".utf8))
    server.advance(seconds: AuditGap.bound + 1)
    #expect(health.isReady.status == .ok && health.isReady.body == Array("ok audit-unsigned\n".utf8))
    let routes = MetricsRoutes(
      metrics: ServerMetrics(), health: health, connections: Connections(), certificateEnds: { [] })
    let figures = try ReadMetrics(routes.page)
    #expect(figures["uaf_audit_unsigned_seconds"] == 301 && figures["uaf_audit_signed_number"] == 0)
  }

  @Test
  func `while the audit is unsigned, a token may only read, and root at the server may still make changes`()
    async throws
  {
    let environment = environment()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
    let token = try await AccessAdministration(environment).createToken(
      "operator", role: .administrator, lifetime: 3600, addresses: [], by: root
    ).text
    let client = APIClient(api: APIResponder(environment, logger: logger))
    standing.note(SignedMoment(link: .start, time: server.now))
    server.advance(seconds: AuditGap.bound + 1)
    let (answer, json) = try await client.ask(
      .POST, "/api/v1/accounts", token: token, body: #"{"name":"mina"}"#)
    #expect(answer.status == .serviceUnavailable && json["code"] == .string("audit-unsigned"))
    #expect(try await client.ask(.GET, "/api/v1/me", token: token).answer.status == .ok)
    _ = try await AccountAdministration(environment).add("mina", by: root)
    standing.note(SignedMoment(link: .start, time: server.now))
    #expect(
      try await client.ask(.POST, "/api/v1/accounts", token: token, body: #"{"name":"nari"}"#).answer.status
        != .serviceUnavailable
    )
  }

  private func environment() -> AdministrationEnvironment {
    AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      isAuditUnsigned: { [standing, server] in standing.isOverdue(at: server.now) }, models: server.environment.models)
  }
}
