import Logging
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFServer
@testable import UAFService

/// Refusals that the console and the API have in common, because the operation that both call refuses.
struct SameRefusalTests {
  /// 32 bytes in base64url.
  private static let keyID = String(repeating: "A", count: 43)

  private let server: TestServer
  private let administration: AdministrationEnvironment

  init() async throws {
    server = try TestServer()
    administration = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) }, models: server.environment.models)
    _ = try await server.registered("mina")
  }

  /// The refusal of a console form; nil if it is accepted.
  private func console(_ path: String, _ form: String, as role: Role) async throws -> AdministrationRefusal? {
    let environment = ConsoleEnvironment(
      administration: administration, keys: server.environment.keys,
      passkeys: PasskeyService(environment: server.environment),
      passkeyGuard: UAFRoutes(
        environment: server.environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      )
      .passkeys.guarding,
      publicURL: { TestServer.publicURL },
      admitsSignIn: { _ in true }, allowsAnonymous: { _ in true }, timeText: { String($0) }, readTime: { Int64($0) },
      version: "1", facts: ServerFacts(listeners: [], certificateEnds: { [] }, store: "SQLite", keys: { _ in [] }),
      report: { Issue.record($0) })
    let session = ConsoleSession(
      tokenHash: [1], username: "boss", role: role.rawValue, startedAt: server.now, lastUsedAt: server.now)
    let call = PageCall(
      signedIn: SignedIn(session: session, caller: caller(role), csrf: ""), language: .english, zone: .utc,
      path: path, fields: try #require(FormFields(Array(form.utf8))), environment: environment)
    let route = try #require(FormRoutes.all[path])
    do {
      _ = try await route.perform(call)
      return nil
    } catch let refusal as AdministrationRefusal {
      return refusal
    }
  }

  /// The refusal of an API request; nil if it is accepted.
  private func api(
    _ path: String, _ parts: [String: String], _ body: String, as role: Role
  ) async throws -> AdministrationRefusal? {
    let route = try #require(APIRoutes.all.first { $0.path == path && $0.body != nil })
    let call = APICall(
      caller: caller(role), environment: administration, path: parts, query: try QueryText(nil, names: []),
      body: try BodyMembers(Array(body.utf8), names: (route.body ?? []).map(\.name)))
    do {
      _ = try await route.handle(call)
      return nil
    } catch let refusal as AdministrationRefusal {
      return refusal
    }
  }

  private func caller(_ role: Role) -> Caller {
    Caller(actor: .commandLine(uid: 0, login: nil), role: role, address: "")
  }

  private func revocation(_ key: String, as role: Role) async throws -> [AdministrationRefusal?] {
    let form = "name=mina&key=\(FormFields.encoded(key))"
    let body = JSONValue.object(["key": .string(key)]).text
    return [
      try await console("/console/person/revoke", form, as: role),
      try await api("/accounts/{account}/revocations", ["account": "mina"], body, as: role),
    ]
  }

  private func isRevoked() async throws -> Bool {
    try await server.store.read { try $0.credentials.records(of: "mina") }.contains { $0.revocation != nil }
  }

  @Test(
    arguments: [
      "", " ", "5541#0001", "5541#0001 ", "5541#0001  \(keyID)", "5541#0001 \(keyID) by somebody",
      "5541#0001 \(keyID)=", "5541#0001 AAAA", "0001 \(keyID)", "\(keyID) 5541#0001", " 5541#0001 \(keyID)",
      "5541#0001\t\(keyID)",
    ], [Role.operator, .administrator])
  func `the console and the API refuse a malformed key name in the same words`(key: String, role: Role) async throws {
    let refusals = try await revocation(key, as: role)
    let expected = AdministrationRefusal.invalid(
      field: "key", .notAKey)
    #expect(refusals == [expected, expected])
    #expect(try await !isRevoked())
  }

  @Test func `the console and the API refuse a key that the account does not have in the same words`() async throws {
    let key = "5541#0001 \(Self.keyID)"
    let expected = AdministrationRefusal.unknown("key", name: key)
    #expect(try await revocation(key, as: .operator) == [expected, expected])
  }

  @Test(arguments: [Role.auditor, .helpdesk], ["5541#0001 \(keyID)", "no key"])
  func `a caller who may not revoke is refused for that reason first, even if the key name is malformed`(
    role: Role, key: String
  )
    async throws
  {
    let expected = AdministrationRefusal.notAllowed(.revoke)
    #expect(try await revocation(key, as: role) == [expected, expected])
    #expect(try await !isRevoked())
  }

  @Test(arguments: [
    (
      "/console/person/lock", "name=mina&seconds=60&reason=x", "/accounts/{account}/block",
      #"{"reason":"x","seconds":60}"#
    ),
    ("/console/person/disable", "name=mina&reason=x", "/accounts/{account}/block", #"{"reason":"x"}"#),
    ("/console/people/add", "name=bob", "/accounts", #"{"name":"bob"}"#),
    ("/console/person/unlock", "name=mina&machine=d&lifetime=900", "/accounts/{account}/unlocks", #"{"machine":"d"}"#),
    ("/console/approvals/ask", "name=mina&text=pay", "/approvals", #"{"account":"mina","text":"pay"}"#),
    ("/console/join-codes/issue", "group=lab&machines=1&lifetime=900", "/join-codes", #"{"group":"lab"}"#),
  ]) func `the console and the API refuse a caller without the permission in the same words`(
    form: String, fields: String, path: String, body: String
  ) async throws {
    let refusal = try await console(form, fields, as: .auditor)
    #expect(refusal == (try await api(path, ["account": "mina"], body, as: .auditor)))
    let isAboutPermission = if case .notAllowed? = refusal { true } else { false }
    #expect(isAboutPermission)
  }
}
