import Logging
import NIOCore
import NIOHTTP1
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The API, with requests that need no connection.
struct APITests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let api: APIResponder
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() throws {
    server = try TestServer()
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
    api = APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func token(_ role: Role = .administrator, from addresses: [String] = []) async throws -> String {
    let name = "t\(role.rawValue)\(addresses.count)"
    return try await AccessAdministration(environment).createToken(
      name, role: role, lifetime: 3600, addresses: addresses, by: root
    ).text
  }

  private func ask(
    _ method: HTTPMethod, _ target: String, token: String? = nil, body: String? = nil,
    headers: HTTPHeaders = [:], from address: String = "192.0.2.1"
  ) async throws -> (answer: WebResponse, json: JSONObject) {
    try await APIClient(api: api).ask(method, target, token: token, body: body, headers: headers, from: address)
  }

  private func code(_ json: JSONObject) -> String? {
    if case .string(let code)? = json["code"] { code } else { nil }
  }

  private static func field(_ name: String, _ answer: WebResponse) -> String? {
    answer.headers.first { "\($0.name)" == name }?.value
  }

  // MARK: Who asks

  @Test func `the API refuses every request without a token, and its refusals do not show which paths exist`()
    async throws
  {
    for target in ["/api/v1/accounts", "/api/v1/nothing", "/api/v1/openapi.json", "/api/v2/accounts", "/api"] {
      let (answer, json) = try await ask(.GET, target)
      #expect(answer.status == .unauthorized && code(json) == "no-token", "\(target)")
      #expect(Self.field("WWW-Authenticate", answer) == "Bearer")
      #expect(Self.field("Content-Type", answer) == "application/problem+json")
      #expect(Self.field("Cache-Control", answer) == "no-store")
    }
  }

  @Test func `through the API an auditor reads how many keys each model has`() async throws {
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    try await server.database.addKeys([("mina", "5541#0002"), ("mina", "0a0b#0001"), ("mina", "5541#0002")])
    let (answer, json) = try await ask(.GET, "/api/v1/models", token: try await token(.auditor))
    #expect(answer.status == .ok && json.integer("time") == server.now)
    #expect(
      json.objects("models").map { JSONValue.object($0).text } == [
        #"{"aaid":"5541#0002","keys":2,"revokedKeys":0,"type":"pattern"}"#,
        #"{"aaid":"0a0b#0001","keys":1,"revokedKeys":0}"#,
      ])
  }

  @Test func `a token is accepted only from the addresses that it is restricted to`() async throws {
    let token = try await token(from: ["192.0.2.0/24"])
    #expect(try await ask(.GET, "/api/v1/me", token: token).answer.status == .ok)
    #expect(try await ask(.GET, "/api/v1/me", token: token, from: "198.51.100.1").answer.status == .unauthorized)
  }

  @Test func `the API refuses two tokens in a request, even if one of them is valid`() async throws {
    let token = try await token()
    let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
    let (answer, json) = try await ask(.GET, "/api/v1/me", token: token, headers: headers)
    #expect(answer.status == .badRequest && code(json) == "two-tokens")
  }

  @Test func `the API does not accept a token in the URL, and refuses it even next to a valid one`() async throws {
    let token = try await token()
    #expect(try await ask(.GET, "/api/v1/me?access_token=\(token)").answer.status == .unauthorized)
    let (answer, json) = try await ask(.GET, "/api/v1/me?access_token=\(token)", token: token)
    #expect(answer.status == .badRequest)
    #expect(!JSONValue.object(json).text.contains(token))
  }

  @Test func `an address is limited after too many wrong tokens, and a right token from it still works`() async throws {
    let token = try await token()
    var statuses: Set<UInt> = []
    for _ in 0..<30 {
      statuses.insert(try await ask(.GET, "/api/v1/me", token: String(token.dropLast())).answer.status.code)
    }
    #expect(statuses == [401, 429])
    #expect(try await ask(.GET, "/api/v1/me", token: token).answer.status == .ok)
    #expect(try await ask(.GET, "/api/v1/me", token: "x", from: "192.0.2.2").answer.status == .unauthorized)
  }

  @Test func `the API limits the requests of one token`() async throws {
    let slow = APIResponder(
      environment, rate: 1, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let headers: HTTPHeaders = ["Authorization": "Bearer \(try await token())"]
    var statuses: [UInt] = []
    for _ in 0..<3 {
      let request = WebRequest(method: .GET, target: "/api/v1/me", headers: headers, body: ByteBuffer(), peer: nil)
      statuses.append(await slow.response(to: request).status.code)
    }
    #expect(statuses == [200, 200, 429])
  }

  // MARK: What is asked for

  @Test func `a caller of the API whose role lacks the permission gets 403, and nothing is changed`() async throws {
    let (answer, json) = try await ask(
      .POST, "/api/v1/accounts", token: token(.auditor), body: #"{"name":"mina"}"#)
    #expect(answer.status == .forbidden && code(json) == "not-allowed")
    #expect(try await server.store.read { try !$0.accounts.exists("mina") })
  }

  @Test(arguments: [
    ("[]", "malformed"), ("{", "malformed"), (#"{"name":"a","name":"b"}"#, "malformed"), ("{}", "invalid"),
    (#"{"name":1}"#, "invalid"), (#"{"name":null}"#, "invalid"), (#"{"name":"a b"}"#, "invalid"),
    (#"{"name":"a\u0000"}"#, "invalid"), (#"{"name":"a","extra":1}"#, "invalid"), (#"{"name":"<b>한"}"#, "invalid"),
  ])
  func `the API refuses a body that the path does not accept`(body: String, expected: String) async throws {
    let (answer, json) = try await ask(.POST, "/api/v1/accounts", token: token(), body: body)
    #expect(answer.status == .badRequest && code(json) == expected)
  }

  @Test(arguments: [
    "limit=0", "limit=201", "limit=x", "limit=-1", "limit=1&limit=2", "limit", "after=%zz", "after=%00", "after=%ff",
    "sort=name", "&", "prefix=a%20b", "limit=99999999999999999999",
  ])
  func `the API refuses a query that the path does not accept`(query: String) async throws {
    #expect(try await ask(.GET, "/api/v1/accounts?\(query)", token: token()).answer.status == .badRequest)
  }

  @Test func `the API refuses wrong methods, media types, bodies and paths`() async throws {
    let token = try await token()
    let patch = try await ask(.PATCH, "/api/v1/accounts", token: token).answer
    #expect(patch.status == .methodNotAllowed && Self.field("Allow", patch) == "GET, POST")
    let form: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
    let typed = try await ask(.POST, "/api/v1/accounts", token: token, body: "name=a", headers: form)
    #expect(typed.answer.status == .unsupportedMediaType)
    let long = String(repeating: " ", count: RequestBody.maximum + 1)
    #expect(try await ask(.POST, "/api/v1/accounts", token: token, body: long).answer.status == .payloadTooLarge)
    #expect(try await ask(.GET, "/api/v1/accounts", token: token, body: "{}").answer.status == .badRequest)
    for path in ["/api/v1/", "/api/v1/accounts/", "/api/v1//accounts", "/api/v1/accounts/a/b", "/api/v1/Accounts"] {
      #expect(try await ask(.GET, path, token: token).answer.status == .notFound, "\(path)")
    }
  }

  @Test func `the API finds a machine whose id has a slash and letters beyond ASCII by the encoded id`() async throws {
    _ = try await server.registered("mina", deviceID: "a/ㄱ", deviceName: "<script>")
    let (answer, json) = try await ask(.GET, "/api/v1/machines/a%2F%E3%84%B1", token: token(.auditor))
    #expect(answer.status == .ok)
    guard case .object(let machine)? = json["machine"] else {
      Issue.record("no machine")
      return
    }
    #expect(machine["device"] == .string("a/ㄱ") && machine["name"] == .string("<script>"))
  }

  @Test func `the API revokes one key by its name`() async throws {
    let key = try await server.registered("mina", deviceID: "d")
    let body = #"{"key":"\#(key.aaid.text) \#(key.keyID.text)","reason":"lost"}"#
    let (answer, json) = try await ask(
      .POST, "/api/v1/accounts/mina/revocations", token: token(.operator), body: body)
    #expect(answer.status == .ok && json["revoked"] == .integer(1))
  }

  // MARK: Repeated requests

  @Test
  func `a request that is sent twice with one idempotency key is performed once, and its code is not shown again`()
    async throws
  {
    let token = try await token(.helpdesk)
    let key: HTTPHeaders = ["Idempotency-Key": "k1"]
    let body = #"{"account":"mina"}"#
    let first = try await ask(.POST, "/api/v1/enrolment-codes", token: token, body: body, headers: key)
    let second = try await ask(.POST, "/api/v1/enrolment-codes", token: token, body: body, headers: key)
    #expect(first.answer.status == .created && second.answer.status == .created)
    #expect(first.json["payload"] != nil && second.json["payload"] == nil)
    #expect(second.json["expires"] == first.json["expires"])
    #expect(Self.field("Idempotency-Replayed", second.answer) == "true")
    let rows = try await server.store.read {
      try $0.audit.rows(AuditFilter(kind: .enrolmentCode), limit: 9)
    }
    #expect(rows.count == 1)
    let kept = try await server.database.texts("SELECT answer FROM repeatableRequest").compactMap { $0 }
    guard case .string(let payload)? = first.json["payload"], case .string(let code)? = first.json["code"] else {
      Issue.record("no payload, or no code")
      return
    }
    #expect(try EnrolmentPayload(encoded: payload).code?.text == code && second.json["code"] == nil)
    #expect(kept.count == 1 && !kept[0].contains(payload) && !kept[0].contains(code))
  }

  @Test func `an idempotency key of a different request, or of one with an unknown outcome, is refused`() async throws {
    let token = try await token()
    let key: HTTPHeaders = ["Idempotency-Key": "k1"]
    #expect(
      try await ask(.POST, "/api/v1/accounts", token: token, body: #"{"name":"a"}"#, headers: key).answer.status
        == .created)
    let other = try await ask(.POST, "/api/v1/accounts", token: token, body: #"{"name":"b"}"#, headers: key)
    #expect(other.answer.status == .unprocessableEntity && code(other.json) == "key-of-other-request")
    try await server.database.execute("UPDATE repeatableRequest SET answer = NULL")
    let open = try await ask(.POST, "/api/v1/accounts", token: token, body: #"{"name":"a"}"#, headers: key)
    #expect(open.answer.status == .conflict && code(open.json) == "under-way")
    let long: HTTPHeaders = ["Idempotency-Key": String(repeating: "k", count: 256)]
    #expect(
      try await ask(.POST, "/api/v1/accounts", token: token, body: #"{"name":"c"}"#, headers: long).answer.status
        == .badRequest)
  }

  @Test func `an idempotency key belongs to its caller, and can be used again after a refusal and after a day`()
    async throws
  {
    let (one, two) = (try await token(), try await token(.operator))
    let key: HTTPHeaders = ["Idempotency-Key": "k1"]
    let body = #"{"name":"a"}"#
    #expect(
      try await ask(.POST, "/api/v1/accounts", token: one, body: body, headers: key).answer.status == .created)
    #expect(
      try await ask(.POST, "/api/v1/accounts", token: two, body: body, headers: key).answer.status == .conflict)
    let free = try await ask(.POST, "/api/v1/accounts", token: two, body: #"{"name":"b"}"#, headers: key)
    #expect(free.answer.status == .created)
    server.advance(seconds: 86_400)
    let later = try await AccessAdministration(environment).createToken(
      "later", role: .administrator, lifetime: 60, by: root)
    _ = try await ask(.POST, "/api/v1/accounts", token: later.text, body: #"{"name":"d"}"#, headers: key)
    #expect(try await server.database.integers("SELECT count(*) FROM repeatableRequest") == [1])
  }

  // MARK: The description

  @Test func `the API's description has each route once, and no other path`() async throws {
    let (answer, document) = try await ask(.GET, "/api/v1/openapi.json", token: token(.auditor))
    #expect(answer.status == .ok && document["openapi"] == .string("3.1.0"))
    guard case .object(let paths)? = document["paths"] else {
      Issue.record("no paths")
      return
    }
    var described: [String] = []
    var ids: Set<String> = []
    for path in paths.members {
      guard case .object(let item) = path.value else { continue }
      for operation in item.members {
        described.append("\(operation.name.uppercased()) \(path.name)")
        guard case .object(let members) = operation.value, case .string(let id)? = members["operationId"] else {
          Issue.record("no id of \(path.name)")
          continue
        }
        #expect(ids.insert(id).inserted, "\(id)")
      }
    }
    #expect(described.sorted() == APIRoutes.all.map { "\($0.method.rawValue) \($0.path)" }.sorted())
  }

  @Test(arguments: APIRoutes.all.map { "\($0.method.rawValue) \($0.path)" })
  func `each route of the API answers at its path, and accepts its own example`(name: String) async throws {
    let route = try #require(APIRoutes.all.first { "\($0.method.rawValue) \($0.path)" == name })
    let path = route.path.replacing("{number}", with: "1").replacing(/\{[a-z]+\}/, with: "x")
    let body = route.bodyExample.map { JSONValue.object($0).text }
    let (answer, json) = try await ask(route.method, "/api/v1" + path, token: token(), body: body)
    #expect(![400, 405, 415, 500].contains(answer.status.code), "\(answer.status) \(json)")
    if answer.status == .notFound { #expect(code(json) == "unknown") }
    #expect((route.body == nil) == (route.bodyExample == nil))
    #expect((route.status == .noContent) == (route.example == nil))
  }

  // MARK: The socket

  @Test func `only root and the server's own user may use the API's socket`() throws {
    #expect(try LocalChannel.caller(uid: 0, process: 1, own: 990).role == .administrator)
    #expect(try LocalChannel.caller(uid: 990, process: 1, own: 990).actor.text.hasPrefix("command-line uid 990"))
    #expect(throws: LocalChannel.Stranger.self) { try LocalChannel.caller(uid: 1000, process: 1, own: 990) }
  }

  @Test func `for the administration listener, a port without an address means this machine`() {
    #expect(AdminAddress(argument: "9443")?.host == "127.0.0.1")
    #expect(AdminAddress(argument: "[::]:9443")?.host == "::")
    for wrong in ["", "unix:/s", "70000", "a", ":1"] { #expect(AdminAddress(argument: wrong) == nil) }
  }
}
