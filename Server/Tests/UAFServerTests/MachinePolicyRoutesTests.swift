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

/// The policies for workstations through the API, on each store.
@Suite(.onEachStore) struct MachinePolicyRoutesTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let client: APIClient
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private static let body =
    #"{"group": "lab", "policy": "[passcode]\nmin_length = 12\n", "reason": "longer", "after": 0}"#

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

  @Test func `the API saves a policy for workstations, shows it, and refuses one that was based on an older one`()
    async throws
  {
    let token = try await token(.administrator)
    let (saved, json) = try await client.ask(.POST, "/api/v1/machine-policies", token: token, body: Self.body)
    #expect(saved.status == .created)
    #expect(json["number"] == .integer(1) && json["group"] == .string("lab"))
    #expect(json["lifetime"] == .integer(7_776_000) && json["actor"] == .string("token t-administrator"))
    let (_, shown) = try await client.ask(.GET, "/api/v1/machine-policies/1", token: token)
    #expect(shown["policy"] == .string("[passcode]\nmin_length = 12\n"))
    #expect(
      try await client.ask(.POST, "/api/v1/machine-policies", token: token, body: Self.body).answer.status == .conflict)
    for (query, count) in [("", 1), ("?group=lab", 1), ("?group=office", 0), ("?after=1", 0)] {
      let page = try await client.ask(.GET, "/api/v1/machine-policies" + query, token: token).json
      guard case .array(let rows)? = page["machinePolicies"] else { throw TestServer.Unexpected() }
      #expect(rows.count == count, "\(query)")
    }
    #expect(try await client.ask(.GET, "/api/v1/machine-policies/2", token: token).answer.status == .notFound)
  }

  @Test func `the API says what a policy for workstations would change`() async throws {
    let token = try await token(.administrator)
    _ = try await client.ask(.POST, "/api/v1/machine-policies", token: token, body: Self.body)
    let body = #"{"group": "lab", "policy": "[passcode]\nmin_length = 14\n"}"#
    let (answer, json) = try await client.ask(.POST, "/api/v1/machine-policy-previews", token: token, body: body)
    #expect(answer.status == .ok && json["machines"] == .integer(0) && json["present"] == .integer(1))
    let change: JSONObject = [
      "key": .string("passcode.min_length"), "before": .string("12"), "after": .string("14"),
    ]
    #expect(json["changes"] == .array([.object(change)]))
  }

  @Test func `the API says what is wrong with a policy for workstations, and saves nothing`() async throws {
    let token = try await token(.administrator)
    for (body, field) in [
      (#"{"group": "lab", "policy": "[server]", "reason": "r", "after": 0}"#, "policy"),
      (#"{"group": "Lab", "policy": "", "reason": "r", "after": 0}"#, "group"),
      (#"{"group": "lab", "policy": "", "reason": "", "after": 0}"#, "reason"),
      (#"{"group": "lab", "policy": "", "reason": "r"}"#, "after"),
      (#"{"group": "lab", "policy": "", "reason": "r", "after": 0, "lifetime": 60}"#, "lifetime"),
      (#"{"group": "lab", "reason": "r", "after": 0}"#, "policy"),
    ] {
      let (answer, json) = try await client.ask(.POST, "/api/v1/machine-policies", token: token, body: body)
      #expect(answer.status == .badRequest && json["field"] == .string(field), "\(body)")
    }
    #expect(try await server.store.read { try $0.machinePolicies.lastNumber() } == 0)
  }

  @Test(arguments: [Role.auditor, .helpdesk, .operator])
  func `through the API, any role but administrator reads and previews policies for workstations, and saves none`(
    role: Role
  ) async throws {
    let token = try await token(role)
    #expect(
      try await client.ask(.POST, "/api/v1/machine-policies", token: token, body: Self.body).answer.status
        == .forbidden)
    #expect(
      try await client.ask(
        .POST, "/api/v1/machine-policy-previews", token: token, body: #"{"group": "lab", "policy": ""}"#
      ).answer.status == .ok)
    #expect(try await client.ask(.GET, "/api/v1/machine-policies", token: token).answer.status == .ok)
    #expect(try await server.store.read { try $0.machinePolicies.lastNumber() } == 0)
  }
}
