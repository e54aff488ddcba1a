import Logging
import NIOHTTP1
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Join codes and joined machines through the API, with requests that need no connection.
struct JoinCodeAPITests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func environment() -> AdministrationEnvironment {
    AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
  }

  private func token(_ role: Role) async throws -> String {
    let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
    return try await AccessAdministration(environment()).createToken(
      role.rawValue, role: role, lifetime: 3600, by: root
    ).text
  }

  @Test func `the API issues, lists and closes join codes, and shows a payload once`() async throws {
    let api = APIClient(
      api: APIResponder(environment(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let token = try await token(.operator)
    let body = #"{"group":"lab","machines":2,"lifetime":60}"#
    let key: HTTPHeaders = ["Idempotency-Key": "k"]
    let made = try await api.ask(.POST, "/api/v1/join-codes", token: token, body: body, headers: key)
    #expect(made.answer.status == .created)
    let payload = try MachinePayload(encoded: try #require(made.json.text("payload")))
    #expect(made.json.text("fingerprint")?.count == 64 && made.json.integer("expires") == server.now + 60)
    let again = try await api.ask(.POST, "/api/v1/join-codes", token: token, body: body, headers: key)
    #expect(again.answer.status == .created && again.json.text("payload") == nil && again.json.integer("number") == 1)
    try await server.joined(payload.code, "d1")
    let list = try await api.ask(.GET, "/api/v1/join-codes", token: token)
    let row = try #require(list.json.objects("codes").first)
    #expect(row.integer("used") == 1 && row.text("state") == "open" && row["payload"] == nil && row["code"] == nil)
    let machine = try await api.ask(.GET, "/api/v1/machines", token: token).json.objects("machines").first
    #expect(machine?.text("group") == "lab" && machine?.integer("joined") == server.now && machine?["left"] == nil)
    #expect(machine?["lastContact"] == nil && machine?["locks"] == nil)
    #expect(try await api.ask(.DELETE, "/api/v1/join-codes/1", token: token).answer.status == .noContent)
    #expect(try await api.ask(.DELETE, "/api/v1/join-codes/1", token: token).answer.status == .notFound)
  }

  @Test func `the API says which machines lack a coming key, and refuses what is no name of one`() async throws {
    let key = (id: "0123456789abcdef", from: server.now + 60)
    let environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" }, comingKeys: { [key] },
      models: server.environment.models)
    let api = APIClient(api: APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let token = try await token(.auditor)
    try await server.joined(server.joinCode(), "d1", name: "desk-17")
    try await server.joined(server.joinCode(), "d2")
    try await server.store.write {
      try $0.machineTrusts.note(KnownTrust(verdictKeys: [key.id], authorities: []), of: "d2")
    }
    let coming = try await api.ask(.GET, "/api/v1/coming-trust", token: token).json.objects("coming")
    #expect(coming.count == 1 && coming[0].text("kind") == "verdict-key" && coming[0].text("name") == key.id)
    #expect(coming[0].integer("usedFrom") == key.from && coming[0].integer("lacking") == 1)
    #expect(coming[0]["machines"] == .array([.string("desk-17")]))
    let list = try await api.ask(.GET, "/api/v1/machines?lacks=\(key.id)", token: token)
    #expect(list.json.objects("machines").map { $0.text("device") } == ["d1"])
    let typed = try await api.ask(.GET, "/api/v1/machines?lacks=\(key.id.uppercased())", token: token)
    #expect(typed.json.objects("machines").map { $0.text("device") } == ["d1"])
    #expect(coming[0]["more"] == nil && coming[0]["learningNone"] == nil)
    try await server.store.write { [now = server.now] in
      try $0.machineTrusts.announce(
        AnnouncedAuthority(
          fingerprint: String(repeating: "a", count: 64), certificate: [1], announcedBy: "test", announcedAt: now,
          usedFrom: now))
    }
    let both = try await api.ask(.GET, "/api/v1/coming-trust", token: token).json.objects("coming")
    #expect(both.count == 2 && both[1].integer("lacking") == 1 && both[1].integer("learningNone") == 1)
    for more in ["words=d", "state=silent", "sort=name"] {
      let refused = try await api.ask(.GET, "/api/v1/machines?lacks=\(key.id)&\(more)", token: token)
      #expect(refused.answer.status == .badRequest, "\(more)")
    }
    for name in ["", "%25", "0123"] {
      let refused = try await api.ask(.GET, "/api/v1/machines?lacks=\(name)", token: token)
      #expect(refused.answer.status == .badRequest, "\(name)")
    }
  }

  @Test func `the API shows what a machine reported last, in the list and for the machine alone`() async throws {
    let api = APIClient(
      api: APIResponder(environment(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let token = try await token(.auditor)
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    var report = TestServer.report(next: 1)
    report.policy = 3
    let key = try await server.registered("mina", deviceID: "d1")
    report.locks = [
      try ReportedLock.made(of: "mina", .remote, until: 5, on: secret, by: server.accountSecret("mina", key))
    ]
    report.moreLocks = 4
    _ = try await server.checkIn(secret, report)
    _ = try await server.checkIn(secret, TestServer.report(mark: 9, next: 9, module: "1.1"))
    let listed = try await api.ask(.GET, "/api/v1/machines", token: token).json.objects("machines").first
    #expect(listed?.text("module") == "1.1" && listed?.integer("copySeen") == server.now && listed?["policy"] == nil)
    _ = try await server.checkIn(secret, report)
    let one = try await api.ask(.GET, "/api/v1/machines/d1", token: token).json
    guard case .object(let machine)? = one["machine"] else { throw TestServer.Unexpected() }
    #expect(machine.integer("lastContact") == server.now && machine.integer("policy") == 3)
    #expect(machine.integer("moreLocks") == 4 && machine.objects("locks").first?.text("origin") == "remote")
  }

  @Test(arguments: [Role.auditor, .helpdesk])
  func `a role below operator sees join codes through the API and cannot issue any`(
    role: Role
  ) async throws {
    let api = APIClient(
      api: APIResponder(environment(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let token = try await token(role)
    #expect(try await api.ask(.GET, "/api/v1/join-codes", token: token).answer.status == .ok)
    #expect(try await api.ask(.POST, "/api/v1/join-codes", token: token, body: "{}").answer.status == .forbidden)
    #expect(try await api.ask(.DELETE, "/api/v1/join-codes/1", token: token).answer.status == .forbidden)
  }
}
