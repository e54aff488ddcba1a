import Logging
import NIOHTTP1
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Policies, blocked accounts and the search of the audit through the API, on each store.
@Suite(.onEachStore) struct PolicyRoutesTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let client: APIClient
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() throws {
    server = try TestServer()
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
    client = APIClient(api: APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
  }

  private func token(_ role: Role) async throws -> String {
    try await AccessAdministration(environment).createToken(
      "t-\(role.rawValue)", role: role, lifetime: 3600, addresses: [], by: root
    ).text
  }

  @Test func `the API saves a policy, shows it, and refuses a policy that was based on an older one`() async throws {
    let token = try await token(.administrator)
    let body = #"{"policy": "{\"accepted\": [[\"pattern\"]]}", "reason": "patterns", "after": 0}"#
    let (saved, json) = try await client.ask(.POST, "/api/v1/policies", token: token, body: body)
    #expect(saved.status == .created)
    #expect(json["number"] == .integer(1) && json["actor"] == .string("token t-administrator"))
    let (_, shown) = try await client.ask(.GET, "/api/v1/policies/1", token: token)
    #expect(shown["policy"] == .string(#"{"accepted": [["pattern"]]}"#))
    #expect(try await client.ask(.POST, "/api/v1/policies", token: token, body: body).answer.status == .conflict)
    let page = try await client.ask(.GET, "/api/v1/policies", token: token).json
    guard case .array(let rows)? = page["policies"] else { throw TestServer.Unexpected() }
    #expect(rows.count == 1)
  }

  @Test func `the API says what is wrong with a policy, and saves nothing`() async throws {
    let token = try await token(.administrator)
    for policy in [#"{\"accepted\": []}"#, #"{\"more\": 1}"#, "x"] {
      let body = #"{"policy": "\#(policy)", "reason": "a test", "after": 0}"#
      let (answer, json) = try await client.ask(.POST, "/api/v1/policies", token: token, body: body)
      #expect(answer.status == .badRequest && json["field"] == .string("policy"), "\(policy)")
    }
    #expect(try await server.store.read { try $0.policyVersions.lastNumber() } == 0)
  }

  @Test(arguments: [Role.auditor, .helpdesk, .operator])
  func `through the API, any role but administrator is refused when it saves a policy`(role: Role) async throws {
    let body = #"{"policy": "{}", "reason": "a test", "after": 0}"#
    let token = try await token(role)
    #expect(try await client.ask(.POST, "/api/v1/policies", token: token, body: body).answer.status == .forbidden)
    #expect(
      try await client.ask(.POST, "/api/v1/policy-previews", token: token, body: #"{"policy": "{}"}"#).answer.status
        == .ok)
    #expect(try await server.store.read { try $0.policyVersions.lastNumber() } == 0)
  }

  @Test func `through the API, an operator disables, locks and enables an account, and the account shows its state`()
    async throws
  {
    let token = try await token(.operator)
    try await server.enrol("mina")
    let path = "/api/v1/accounts/mina/block"
    let lock = #"{"reason": "lost phone", "seconds": 60}"#
    #expect(try await client.ask(.PUT, path, token: token, body: lock).answer.status == .noContent)
    guard case .object(let block)? = try await client.ask(.GET, "/api/v1/accounts/mina", token: token).json["block"]
    else { throw TestServer.Unexpected() }
    #expect(block["until"] == .integer(server.now + 60) && block["reason"] == .string("lost phone"))
    #expect(
      try await client.ask(.PUT, path, token: token, body: #"{"reason": "left"}"#).answer.status == .noContent)
    #expect(try await client.ask(.PUT, path, token: token, body: lock).answer.status == .conflict)
    #expect(try await client.ask(.DELETE, path, token: token).answer.status == .noContent)
    #expect(try await client.ask(.DELETE, path, token: token).answer.status == .conflict)
    let shown = try await client.ask(.GET, "/api/v1/accounts/mina", token: token).json
    #expect(shown["block"] == nil)
  }

  @Test func `the API refuses to block an account for the helpdesk, without a reason, and for an unknown name`()
    async throws
  {
    try await server.enrol("mina")
    let body = #"{"reason": "left"}"#
    let (helpdesk, admin) = (try await token(.helpdesk), try await token(.administrator))
    let path = "/api/v1/accounts/mina/block"
    #expect(try await client.ask(.PUT, path, token: helpdesk, body: body).answer.status == .forbidden)
    #expect(try await client.ask(.PUT, path, token: admin, body: "{}").answer.status == .badRequest)
    let nobody = "/api/v1/accounts/nobody/block"
    #expect(try await client.ask(.PUT, nobody, token: admin, body: body).answer.status == .notFound)
    #expect(try await server.store.read { try $0.accounts.block(of: "mina") } == nil)
  }

  @Test func `the API searches the audit by words and by negated conditions`() async throws {
    let token = try await token(.auditor)
    try await server.store.write { records in
      try records.audit.append([
        AuditEntry(time: 5, kind: .login, account: "mina", actor: .person, address: "192.0.2.7"),
        AuditEntry(time: 6, kind: .registration, account: "hana", actor: .person),
      ])
    }
    let found = try await client.ask(.GET, "/api/v1/audit?words=192.0.2.7", token: token).json
    guard case .array(let rows)? = found["rows"] else { throw TestServer.Unexpected() }
    #expect(rows.count == 1)
    let others = try await client.ask(
      .GET, "/api/v1/audit?kind=login&account=mina&not=kind,account", token: token
    ).json
    guard case .array(let rest)? = others["rows"] else { throw TestServer.Unexpected() }
    #expect(rest.count == 2)
    #expect(try await client.ask(.GET, "/api/v1/audit?not=number", token: token).answer.status == .badRequest)
  }
}
