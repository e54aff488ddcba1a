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

/// The routes that read and change what the server knows about people.
struct PeopleRouteTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let api: APIResponder

  init() async throws {
    server = try TestServer()
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      models: server.environment.models)
    api = APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await server.store.write { try $0.accounts.add(["mina", "jun"], now: 1) }
  }

  private func ask(
    _ method: HTTPMethod, _ target: String, _ body: String? = nil, as role: Role = .operator
  ) async throws -> (status: HTTPResponseStatus, json: JSONObject) {
    let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
    let name = "t\(try await server.store.read { try $0.audit.last().number })"
    let token = try await AccessAdministration(environment).createToken(
      name, role: role, lifetime: 3600, addresses: [], by: root)
    let (answer, json) = try await APIClient(api: api).ask(
      method, "/api/v1\(target)", token: token.text, body: body, headers: [:], from: "192.0.2.1")
    return (answer.status, json)
  }

  @Test func `the API changes the members that are given, shows them, and clears a field with an empty text`()
    async throws
  {
    let body =
      #"{"displayName":"김미나","mail":"mina@example.org","department":"Labs","externalID":"E-1","groups":["B","a"]}"#
    let (status, json) = try await ask(.PATCH, "/accounts/mina", body)
    #expect(status == .ok)
    let shown =
      #""displayName":"김미나","mail":"mina@example.org","department":"Labs","externalID":"E-1","groups":["a","B"]"#
    #expect(JSONValue.object(json).text == #"{"name":"mina","keys":0,"revokedKeys":0,"hasOpenCode":false,\#(shown)}"#)
    let cleared = try await ask(.PATCH, "/accounts/mina", #"{"mail":"","groups":[]}"#).json
    #expect(cleared["mail"] == nil && cleared["groups"] == nil && cleared["displayName"] == .string("김미나"))
    #expect(try await ask(.PATCH, "/accounts/mina", "{}").status == .ok)
    #expect(try await ask(.GET, "/accounts/mina", as: .auditor).json == cleared)
  }

  @Test func `the API finds accounts by a part of a text and by group, and lists the groups`() async throws {
    _ = try await ask(.PATCH, "/accounts/mina", #"{"displayName":"김미나","groups":["연구소"]}"#)
    _ = try await ask(.PATCH, "/accounts/jun", #"{"displayName":"미나리","groups":["연구소"]}"#)
    let first = try await ask(.GET, "/accounts?search=%EB%AF%B8%EB%82%98&limit=1").json
    #expect(first.objects("accounts").map { $0.text("name") } == ["mina"])
    let next = try #require(first.text("next"))
    let second = try await ask(.GET, "/accounts?search=%EB%AF%B8%EB%82%98&limit=1&after=\(next)").json
    #expect(second.objects("accounts").map { $0.text("name") } == ["jun"] && second.text("next") == nil)
    let members = try await ask(.GET, "/accounts?memberOf=%EC%97%B0%EA%B5%AC%EC%86%8C&limit=1").json
    #expect(members.objects("accounts").map { $0.text("name") } == ["jun"] && members.text("next") == "jun")
    let groups = try await ask(.GET, "/groups", as: .auditor).json
    #expect(JSONValue.object(groups).text == #"{"groups":[{"id":1,"name":"연구소","members":2}]}"#)
  }

  @Test func `the API renames and removes a group by its number`() async throws {
    _ = try await ask(.PATCH, "/accounts/mina", #"{"groups":["Labs"]}"#)
    #expect(try await ask(.PATCH, "/groups/1", #"{"name":"연구소"}"#, as: .auditor).status == .forbidden)
    #expect(try await ask(.PATCH, "/groups/1", #"{"name":"연구소"}"#).status == .noContent)
    #expect(try await ask(.GET, "/accounts/mina").json.texts("groups") == ["연구소"])
    #expect(try await ask(.DELETE, "/groups/x").status == .notFound)
    #expect(try await ask(.DELETE, "/groups/1").status == .noContent)
    #expect(try await ask(.DELETE, "/groups/1").status == .notFound)
    #expect(try await ask(.GET, "/accounts/mina").json["groups"] == nil)
  }

  @Test(arguments: [
    (#"{"mail":"mina"}"#, "mail"), (#"{"groups":["|"]}"#, "groups"), (#"{"groups":"a"}"#, "groups"),
    (#"{"displayName":"\u202e"}"#, "displayName"), (#"{"department":7}"#, "department"),
    (#"{"externalID":null}"#, "externalID"),
  ])
  func `the API refuses a value that breaks a rule, and names the member`(body: String, field: String) async throws {
    let (status, json) = try await ask(.PATCH, "/accounts/mina", body)
    #expect(status == .badRequest && json.text("code") == "invalid" && json.text("field") == field)
  }

  @Test func `the API refuses a change by an auditor whatever the body says, an unknown account and a taken ID`()
    async throws
  {
    #expect(try await ask(.PATCH, "/accounts/mina", #"{"mail":"x"}"#, as: .auditor).status == .forbidden)
    #expect(try await ask(.PATCH, "/accounts/nobody", #"{"mail":"a@b"}"#).status == .notFound)
    #expect(try await ask(.PATCH, "/accounts/mina", #"{"name":"jun"}"#).status == .badRequest)
    _ = try await ask(.PATCH, "/accounts/mina", #"{"externalID":"7"}"#)
    #expect(try await ask(.PATCH, "/accounts/jun", #"{"externalID":"7"}"#).status == .conflict)
    #expect(try await ask(.GET, "/accounts/jun").json["externalID"] == nil)
  }
}
