import ArgumentParser
import Foundation
import Logging
import NIOHTTP1
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Unlocks through the API and on the command line.
struct UnlockAPITests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func environment() -> AdministrationEnvironment {
    let keys = server.environment.keys
    return AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      unlocks: { UnlockGrants(keys: keys) },
      enrolments: { EnrolmentSeal(keys: keys) }, models: server.environment.models)
  }

  private func client(_ role: Role) async throws -> (APIClient, String) {
    let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
    let token = try await AccessAdministration(environment()).createToken(
      role.rawValue, role: role, lifetime: 3600, by: root
    ).text
    let api = APIResponder(environment(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return (APIClient(api: api), token)
  }

  @Test func `the API shows both forms of an unlock once, and neither again for the same idempotency key`() async throws
  {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (api, token) = try await client(.helpdesk)
    let body = #"{"machine":"d-1","lifetime":600,"reason":"called"}"#
    let key: HTTPHeaders = ["Idempotency-Key": "k"]
    let made = try await api.ask(.POST, "/api/v1/accounts/mina/unlocks", token: token, body: body, headers: key)
    #expect(made.answer.status == .created && made.json.integer("expires") == server.now + 600)
    #expect(made.json.text("payload")?.split(separator: ".").count == 3)
    #expect(made.json.objects("codes").first?.text("code")?.count == 29)
    #expect(made.json.text("device") == "d-1" && made.json.text("account") == "mina")
    let again = try await api.ask(.POST, "/api/v1/accounts/mina/unlocks", token: token, body: body, headers: key)
    #expect(again.answer.status == .created && again.json.text("id") == made.json.text("id"))
    #expect(again.json["payload"] == nil && again.json["codes"] == nil)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .unlock), limit: 9) }
    #expect(rows.count == 1)
  }

  @Test(arguments: [
    ("nobody", #"{"machine":"d-1"}"#, HTTPResponseStatus.notFound), ("mina", #"{"machine":"d-2"}"#, .notFound),
    ("mina", "{}", .badRequest), ("mina", #"{"machine":7}"#, .badRequest),
    ("mina", #"{"machine":"d-1","lifetime":299}"#, .badRequest),
    ("mina", #"{"machine":"d-1","reason":"a\u0000"}"#, .badRequest),
  ]) func `the API refuses an unlock for an unknown account or machine, and with an invalid body`(
    name: String, body: String, status: HTTPResponseStatus
  ) async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (api, token) = try await client(.helpdesk)
    let answer = try await api.ask(.POST, "/api/v1/accounts/\(name)/unlocks", token: token, body: body)
    #expect(answer.answer.status == status)
  }

  @Test(arguments: [Role.auditor, .operator]) func `a role that may not unlock accounts is refused by the API`(
    role: Role
  ) async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (api, token) = try await client(role)
    let answer = try await api.ask(
      .POST, "/api/v1/accounts/mina/unlocks", token: token, body: #"{"machine":"d-1"}"#)
    #expect(answer.answer.status == .forbidden)
  }

  @Test(arguments: [
    ["unlock", "--machine", "d", "--state", "d"], ["unlock", "a", "--state", "d"],
    ["unlock", "a b", "--machine", "d", "--state", "d"],
    ["unlock", "a", "--machine", "d", "--state", "d", "--lifetime", "299"],
    ["unlock", "a", "--machine", "d", "--state", "d", "--lifetime", "604801"],
  ]) func `the unlock command refuses an invalid command line`(arguments: [String]) {
    #expect(throws: (any Error).self) { try UAFServerCommand.parseAsRoot(arguments) }
  }

  @Test
  func `the unlock command writes its payload to a new file for the owner only, and none for an unknown account`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "unlock-\(UUID().uuidString)").path()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let state = try ServerDirectory(path: folder, create: true)
    let store = try state.openStore(create: true)
    let file = folder + "/mina.unlock"
    let arguments = ["mina", "--machine", "d-1", "--state", folder, "--payload-file", file, "--json"]
    let command = try await GiveUnlockCommand.asyncParse(arguments)
    await #expect(throws: (any Error).self) { try await command.run() }
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(try await store.read { try $0.audit.rows(AuditFilter(kind: .unlock), limit: 9) }.isEmpty)
  }
}
