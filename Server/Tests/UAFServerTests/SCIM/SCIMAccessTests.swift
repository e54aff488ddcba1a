import NIOCore
import NIOHTTP1
import Testing
import UAFAdministration
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Who may use SCIM, what else a provisioning program may do, and how this server describes itself.
struct SCIMAccessTests {
  private let client: SCIMClient

  init() async throws { client = try await SCIMClient() }

  @Test(arguments: Role.ofPeople) func `a token of another role is refused at SCIM`(role: Role) async throws {
    let token = try await AccessAdministration(client.environment).createToken(
      "other", role: role, lifetime: 3600, by: client.root
    ).text
    for path in ["/Users", "/ServiceProviderConfig", "/nothing"] {
      let answer = try await client.ask(.GET, path, token: token)
      #expect(answer.status == .forbidden && answer.json.text("status") == "403")
    }
  }

  @Test(arguments: APIRoutes.all.map { "\($0.method.rawValue) \($0.path)" } + ["GET /openapi.json", "GET /nothing"])
  func `a provisioning token is refused at every path of the API`(route: String) async throws {
    let parts = route.split(separator: " ").map(String.init)
    let (answer, json) = try await APIClient(api: client.api).ask(
      HTTPMethod(rawValue: parts[0]), "/api/v1\(parts[1])", token: client.token, body: "{}")
    #expect(answer.status == .forbidden && json.text("code") == "not-allowed")
  }

  @Test(arguments: Permission.allCases)
  func `the role allows provisioning alone, and no other role allows it`(permission: Permission) {
    #expect(Role.provisioning.allows(permission) == (permission == .provision))
    #expect(Role.ofPeople.allSatisfy { !$0.allows(.provision) } && !Role.provisioning.reachesPrivileged)
  }

  @Test func `no person can have the role`() async throws {
    try await client.server.store.write { try $0.accounts.add("mina", now: 1) }
    await #expect(throws: AdministrationRefusal.invalid(field: "role", .unknown)) {
      try await AccessAdministration(client.environment).setAdministrator("mina", role: .provisioning, by: client.root)
    }
    let token = try await AccessAdministration(client.environment).createToken(
      "root", role: .administrator, lifetime: 3600, by: client.root
    ).text
    let (answer, json) = try await APIClient(api: client.api).ask(
      .PUT, "/api/v1/administrators/mina", token: token, body: #"{"role":"provisioning"}"#)
    #expect(answer.status == .badRequest && json.text("field") == "role")
  }

  @Test func `a revoked token is refused, and no token and a wrong one are told apart from nothing`() async throws {
    #expect(try await client.ask(.GET, "/Users").status == .ok)
    try await AccessAdministration(client.environment).revokeToken("idp", by: client.root)
    for token in [client.token, "uafs_x", ""] {
      let answer = try await client.ask(.GET, "/Users", token: token)
      #expect(answer.status == .unauthorized && answer.header("WWW-Authenticate") == "Bearer")
      #expect(answer.header("Content-Type") == "application/scim+json")
    }
  }

  @Test func `SCIM and the API count wrong tokens together`() async throws {
    for _ in 0..<2 * APIResponder.wrongRate {
      _ = try await APIClient(api: client.api).ask(.GET, "/api/v1/me", token: "uafs_x")
    }
    #expect(try await client.ask(.GET, "/Users", token: "uafs_x").status == .tooManyRequests)
    #expect(try await client.ask(.GET, "/Users").status == .ok)
  }

  @Test func `bulk operations, the own user and a search over everything are refused by name`() async throws {
    for (method, path) in [(HTTPMethod.POST, "/Bulk"), (.GET, "/Me"), (.POST, "/.search")] {
      let answer = try await client.ask(method, path, "{}")
      #expect(answer.status == .notImplemented && answer.json.text("detail") != nil)
    }
  }

  @Test func `an unknown path, a wrong method, a wrong media type and a long body are refused`() async throws {
    #expect(try await client.ask(.GET, "/nothing").status == .notFound)
    #expect(try await client.ask(.GET, "").status == .notFound)
    let wrong = try await client.ask(.PUT, "/Users", "{}")
    #expect(wrong.status == .methodNotAllowed && wrong.header("Allow") == "GET, POST")
    let form = try await client.ask(.POST, "/Users", "a=b", headers: ["Content-Type": "text/plain"])
    #expect(form.status == .unsupportedMediaType)
    let long = try await client.ask(.POST, "/Users", String(repeating: " ", count: SCIMResponder.maximumBody + 1))
    #expect(long.status == .payloadTooLarge)
    #expect(
      !SCIMResponder.isSCIM("/scimitar") && SCIMResponder.isSCIM("/scim") && SCIMResponder.isSCIM("/scim/v2/Users"))
  }

  @Test func `the server describes what it can do, its types and its schemas`() async throws {
    let provider = try await client.ask(.GET, "/ServiceProviderConfig").json
    #expect(provider["patch"] == .object(["supported": .bool(true)]))
    for path in ["/ResourceTypes", "/Schemas"] {
      let list = try await client.ask(.GET, path).json
      for resource in list.objects("Resources") {
        let id = try #require(resource.text("id"))
        #expect(try await client.ask(.GET, "\(path)/\(id)").json == resource)
      }
      #expect(try await client.ask(.GET, "\(path)/nothing").status == .notFound)
      #expect(try await client.ask(.GET, "\(path)?filter=id+pr").status == .forbidden)
    }
  }

  @Test func `while the audit is unsigned a provisioning program may only read`() async throws {
    let environment = AdministrationEnvironment(
      store: client.server.store, group: { _ in nil }, now: { [client] in client.server.now },
      random: client.environment.random, authority: { _ in nil }, verdictKeys: { "keys" },
      isAuditUnsigned: { true }, models: client.server.environment.models)
    let unsigned = SCIMResponder(beside: APIResponder(environment, logger: client.api.logger))
    for (method, status) in [(HTTPMethod.GET, HTTPResponseStatus.ok), (.POST, .serviceUnavailable)] {
      let request = WebRequest(
        method: method, target: "/scim/v2/Users", headers: ["Authorization": "Bearer \(client.token)"],
        body: .init(string: ""), peer: nil)
      #expect(await unsigned.response(to: request).status == status)
    }
  }
}
