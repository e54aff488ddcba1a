import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Unlocks, as the helpdesk issues them.
@Suite(.onEachStore) struct UnlockAdministrationTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let caller: Caller

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    let keys = server.environment.keys
    environment = AdministrationEnvironment(
      store: server.store, group: { $0 == "ceo" ? AccountGroup.privileged : nil }, now: { [server] in server.now },
      random: { try RandomBytes.make($0) }, authority: { _ in nil }, verdictKeys: { "keys" },
      unlocks: { UnlockGrants(keys: keys) },
      enrolments: { EnrolmentSeal(keys: keys) }, models: server.environment.models)
    caller = try await server.token("desk", .helpdesk)
  }

  private var unlocks: UnlockAdministration { UnlockAdministration(environment) }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(kind: .unlock), limit: 100) }.map(\.event)
  }

  private func keyID(of name: String) async throws -> KeyID {
    try #require(try await server.store.read { try $0.credentials.records(of: name) }.last).keyID
  }

  @Test func `an unlock names the account and the machine, and its code is made with the machine's secret`()
    async throws
  {
    _ = try await server.registered("mina", deviceID: "d-1")
    let issued = try await unlocks.issue(for: "mina", on: "d-1", lifetime: 600, reason: "called", by: caller)
    #expect(issued.statement.account == "mina" && issued.statement.target == .device("d-1"))
    #expect(issued.statement.issuedAt == server.now && issued.statement.expiresAt == server.now + 600)
    #expect(issued.codes.count == 1)
    let keyID = try await keyID(of: "mina")
    let secret = try #require(
      try MachineProofs(keys: server.environment.keys).secret(of: "mina", holding: [keyID]))
    #expect(issued.codes.first?.label == UnlockCode.label(ofMachine: secret.machineID))
  }

  @Test func `an account's keys on one machine share one unlock code, made with the secret of the first unrevoked key`()
    async throws
  {
    let first = try await server.registered("mina", deviceID: "d-1")
    let second = try await server.registered("mina", deviceID: "d-1", model: "5541#0002")
    let proofs = MachineProofs(keys: server.environment.keys)
    for key in [first, second] {
      let issued = try await unlocks.issue(for: "mina", on: "d-1", by: caller)
      let secret = try #require(try proofs.secret(of: "mina", holding: [key.keyID]))
      #expect(issued.codes.map(\.label) == [UnlockCode.label(ofMachine: secret.machineID)])
      let used = KeySelection.one(key.aaid, key.keyID, of: "mina")
      _ = try await server.store.write { try $0.credentials.revoke(used, Revocation(time: server.now, by: "test")) }
    }
  }

  @Test func `the audit says who unlocked whom, where and why, and contains neither payload nor code`() async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    let issued = try await unlocks.issue(for: "mina", on: "d-1", lifetime: 600, reason: "called", by: caller)
    let row = try #require(try await rows().first)
    #expect(row.account == "mina" && row.machine == "d-1" && row.actor == "token desk" && row.address == "192.0.2.7")
    #expect(row.detail == #"{"id":"\#(issued.id)","seconds":600,"reason":"called"}"#)
    #expect(try await rows().count == 1)
  }

  @Test func `a machine without an id is named in an unlock by the account's key on it`() async throws {
    _ = try await server.registered("mina")
    let keyID = try await keyID(of: "mina")
    let issued = try await unlocks.issue(for: "mina", on: keyID.text, by: caller)
    #expect(issued.statement.target == .key(keyID) && issued.codes.count == 1)
    #expect(try await rows().first?.detail.contains(keyID.text) == true)
  }

  @Test func `an account, a machine or a key that does not exist gets no unlock and no audit row`() async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    _ = try await server.registered("jun", deviceID: "d-2")
    let other = try await keyID(of: "jun").text
    for (name, machine) in [("nobody", "d-1"), ("mina", "d-2"), ("mina", other), ("mina", "")] {
      await #expect(throws: AdministrationRefusal.self) { try await unlocks.issue(for: name, on: machine, by: caller) }
    }
    let root = Caller(actor: .server, role: .administrator, address: "")
    _ = try await KeyAdministration(environment).revoke(.all(of: "mina"), by: root)
    await #expect(throws: AdministrationRefusal.self) { try await unlocks.issue(for: "mina", on: "d-1", by: caller) }
    #expect(try await rows().isEmpty)
  }

  @Test func `the helpdesk cannot unlock a privileged account, and an administrator can`() async throws {
    _ = try await server.registered("ceo", deviceID: "d-1")
    await #expect(throws: AdministrationRefusal.privileged(account: "ceo")) {
      try await unlocks.issue(for: "ceo", on: "d-1", by: caller)
    }
    #expect(try await rows().isEmpty)
    let root = Caller(actor: .server, role: .administrator, address: "")
    #expect(try await unlocks.issue(for: "ceo", on: "d-1", by: root).codes.count == 1)
  }

  @Test(arguments: [Role.auditor, .operator]) func `an auditor or an operator who asks for an unlock is refused`(
    role: Role
  )
    async throws
  {
    _ = try await server.registered("mina", deviceID: "d-1")
    await #expect(throws: AdministrationRefusal.notAllowed(.unlock)) {
      try await unlocks.issue(for: "mina", on: "d-1", by: Caller(actor: .server, role: role, address: ""))
    }
  }

  @Test(arguments: [Int64.min, 0, 299, 604_801, .max]) func `refuses an unlock with an invalid lifetime`(seconds: Int64)
    async throws
  {
    await #expect(throws: AdministrationRefusal.self) {
      try await unlocks.issue(for: "mina", on: "d-1", lifetime: seconds, by: caller)
    }
  }
}
