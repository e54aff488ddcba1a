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

/// A provisioning program: sends SCIM requests without a connection, with a token of its own.
struct SCIMClient: Sendable {
  struct Answer {
    let status: HTTPResponseStatus
    let json: JSONObject
    let headers: [(name: StaticString, value: String)]

    func header(_ name: String) -> String? { headers.first { "\($0.name)" == name }?.value }

    /// The id of the resource.
    var id: String { json.text("id") ?? "" }
    var scimType: String? { json.text("scimType") }
  }

  static let userSchema = #""schemas":["urn:ietf:params:scim:schemas:core:2.0:User"]"#
  static let groupSchema = #""schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"]"#
  static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

  let server: TestServer
  let environment: AdministrationEnvironment
  let api: APIResponder
  private let scim: SCIMResponder
  let token: String
  let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() async throws {
    let server = try TestServer()
    self.server = server
    environment = AdministrationEnvironment(
      store: server.store, group: { $0 == "vip" ? AccountGroup.privileged : nil }, now: { server.now },
      random: { try RandomBytes.make($0) }, publicURL: TestServer.publicURL, authority: { _ in nil },
      verdictKeys: { "keys" }, enrolments: { EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
    api = APIResponder(environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    scim = SCIMResponder(beside: api)
    token = try await AccessAdministration(environment).createToken(
      "idp", role: .provisioning, lifetime: 3600, by: root
    ).text
  }

  /// - Parameter path: below the prefix, encoded.
  func ask(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, headers: HTTPHeaders = [:], token: String? = nil
  ) async throws -> Answer {
    var headers = headers
    headers.add(name: "Authorization", value: "Bearer \(token ?? self.token)")
    if body != nil, !headers.contains(name: "Content-Type") {
      headers.add(name: "Content-Type", value: "application/scim+json; charset=utf-8")
    }
    let answer = await scim.response(
      to: WebRequest(
        method: method, target: "/scim/v2\(path)", headers: headers, body: ByteBuffer(string: body ?? ""),
        peer: try SocketAddress(ipAddress: "192.0.2.1", port: 1)))
    guard case .object(let json)? = try? JSONValue(parsing: answer.body) else {
      return Answer(status: answer.status, json: [:], headers: answer.headers)
    }
    return Answer(status: answer.status, json: json, headers: answer.headers)
  }

  /// Adds a user, and returns their id.
  func add(_ name: String, _ further: String = "") async throws -> String {
    let answer = try await ask(.POST, "/Users", #"{\#(Self.userSchema),"userName":"\#(name)"\#(further)}"#)
    #expect(answer.status == .created)
    return answer.id
  }

  /// Adds a group, and returns its id.
  func addGroup(_ name: String, _ members: [String] = []) async throws -> String {
    let list = members.map { #"{"value":"\#($0)"}"# }.joined(separator: ",")
    let answer = try await ask(
      .POST, "/Groups", #"{\#(Self.groupSchema),"displayName":"\#(name)","members":[\#(list)]}"#)
    #expect(answer.status == .created)
    return answer.id
  }

  func patch(_ path: String, _ operations: String..., headers: HTTPHeaders = [:]) async throws -> Answer {
    let schema = #""schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]"#
    return try await ask(
      .PATCH, path, #"{\#(schema),"Operations":[\#(operations.joined(separator: ","))]}"#, headers: headers)
  }

  /// The names that a search finds.
  func names(_ path: String, _ filter: String, _ attribute: String = "userName") async throws -> [String] {
    let text = filter.map { $0.isLetter || $0.isNumber ? String($0) : PathText.encoded(String($0)) }.joined()
    let answer = try await ask(.GET, "\(path)?filter=\(text)")
    #expect(answer.status == .ok, "\(answer.json.text("detail") ?? "")")
    return answer.json.objects("Resources").compactMap { $0.text(attribute) }
  }

  /// The kinds of the audit's rows from the provisioning program.
  func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 200) }.map(\.event)
      .filter { $0.actor == "token idp" }
  }
}
