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

/// The route that searches and sorts machines.
struct MachineSearchRouteTests {
  private let environment: AdministrationEnvironment
  private let api: APIResponder

  init() async throws {
    let server = try TestServer()
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      models: server.environment.models)
    api = APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    try await server.database.addMachines(5)
    try await server.database.execute("UPDATE credential SET lastUsedAt = 9 WHERE deviceID = 'dev-00003'")
  }

  private func ask(_ query: String) async throws -> (status: HTTPResponseStatus, json: JSONObject) {
    let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
    let name = "t\(try RandomBytes.make(8).map(String.init).joined())"
    let token = try await AccessAdministration(environment).createToken(
      name, role: .auditor, lifetime: 3600, addresses: [], by: root)
    let (answer, json) = try await APIClient(api: api).ask(
      .GET, "/api/v1/machines\(query)", token: token.text, body: nil, headers: [:], from: "192.0.2.1")
    return (answer.status, json)
  }

  private func ids(_ query: String) async throws -> [String] {
    try await ask(query).json.objects("machines").map { $0.text("device") ?? "" }
  }

  @Test func `the API sorts machines, and the next page continues the order`() async throws {
    let first = try await ask("?sort=-lastUsed&limit=2").json
    #expect(first.objects("machines").map { $0.text("device") } == ["dev-00003", "dev-00004"])
    let next = try #require(first.text("next"))
    #expect(try await ids("?sort=-lastUsed&limit=2&after=\(next)") == ["dev-00002", "dev-00001"])
    #expect(try await ids("?limit=2&after=dev-00002") == ["dev-00003", "dev-00004"])
  }

  @Test func `the API finds machines by words and by state`() async throws {
    #expect(try await ids("?words=00002") == ["dev-00002"])
    #expect(try await ids("?state=notJoined&words=DEV-").count == 5)
    #expect(try await ids("?state=reporting") == [])
  }

  @Test(arguments: [
    ("?sort=tired", "sort"), ("?sort=-", "sort"), ("?sort=", "sort"), ("?state=tired", "state"),
    ("?sort=name&after=dev-00002", "after"), ("?words=" + String(repeating: "w", count: 257), "words"),
  ])
  func `the API refuses an order, a state and a place that do not exist, and names the parameter`(
    query: String, field: String
  ) async throws {
    let (status, json) = try await ask(query)
    #expect(status == .badRequest && json.text("code") == "invalid" && json.text("field") == field)
  }
}
