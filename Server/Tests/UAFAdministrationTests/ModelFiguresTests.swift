import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// How many keys there are of each model.
@Suite(.onEachStore) struct ModelFiguresTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let auditor = Caller(actor: .administrator("ada"), role: .auditor, address: "")

  init() throws {
    server = try TestServer()
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: server.environment.now, random: server.environment.random,
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
  }

  private func add(_ keys: [(username: String, aaid: String)]) async throws {
    try await server.store.write { records in
      for key in keys { try records.accounts.add(key.username, now: 1) }
    }
    try await server.database.addKeys(keys)
  }

  private func lines() async throws -> [String] {
    try await ModelAdministration(environment).figures(by: auditor).models.map { model in
      "\(model.count.aaid.text) \(model.type ?? "-") \(model.count.keys) \(model.count.revokedKeys)"
    }
  }

  @Test func `the server counts usable and revoked keys of each model, the model with the most usable keys first`()
    async throws
  {
    try await add([
      ("mina", "5541#0001"), ("mina", "5541#0002"), ("jun", "5541#0002"), ("hana", "0A0b#00Ff"), ("hana", "0A0B#00fF"),
      ("gone", "5541#0001"),
    ])
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "gone", now: 1) }
    let found = try await lines()
    #expect(found.map { $0.lowercased() } == ["0a0b#00ff - 2 0", "5541#0002 pattern 2 0", "5541#0001 passcode 1 1"])
  }

  @Test func `the server lists no models if nobody has a key`() async throws {
    #expect(try await lines().isEmpty)
  }

  @Test func `the server counts the keys of each model at most once a minute, and again if the clock was set back`()
    async throws
  {
    #expect(try await lines().isEmpty)
    try await add([("mina", "5541#0001")])
    server.advance(seconds: ModelFigureMemory.age - 1)
    #expect(try await lines().isEmpty)
    server.advance(seconds: 1)
    #expect(try await lines() == ["5541#0001 passcode 1 0"])
    try await add([("jun", "5541#0001")])
    server.advance(seconds: -1)
    #expect(try await lines() == ["5541#0001 passcode 2 0"])
  }
}
