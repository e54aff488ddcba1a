import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Join codes and joined machines, as administrators handle them.
@Suite(.onEachStore) struct JoinCodeAdministrationTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let caller: Caller

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in "authority" }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
    caller = try await server.token("ops", .operator)
  }

  private var codes: JoinCodeAdministration { JoinCodeAdministration(environment) }
  private var machines: MachineAdministration { MachineAdministration(environment) }

  private func lastRow() async throws -> AuditEntry? {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100) }.last?.event
  }

  @Test func `a machine payload names the server, its trusted keys and the group, and its code lets machines join`()
    async throws
  {
    let issued = try await codes.issue(group: "lab", machines: 2, lifetime: 60, by: caller)
    let payload = try MachinePayload(encoded: issued.payload.encoded)
    #expect(payload.server == TestServer.publicURL && payload.ca == "authority" && payload.verdictKeys == "keys")
    #expect(payload.group.name == "lab" && payload.expires == server.now + 60)
    #expect(try Base64URL.decode(payload.code, maximumCount: 64).count == 20)
    #expect(issued.fingerprint == Hexadecimal.text(try SHA256.hash(payload.fingerprinted)) && issued.number == 1)
    #expect(try await server.joinRefusal(payload.code, "d1") == nil)
    let row = try await codes.page(by: caller).rows.first
    #expect(row?.used == 1 && row?.machines == 2 && row?.issuedBy == "token ops" && row?.group == "lab")
  }

  @Test func `a machine payload contains the CA that was named, and a CA that is not a certificate is refused`()
    async throws
  {
    let pem = String(decoding: TestServerKeys.certificatePEM, as: UTF8.self)
    #expect(try await codes.issue(authority: pem, by: caller).payload.ca == pem)
    for wrong in ["", "authority", String(repeating: pem, count: 40)] {
      await #expect(throws: AdministrationRefusal.self) { try await codes.issue(authority: wrong, by: caller) }
    }
    #expect(try await codes.page(by: caller).rows.count == 1)
  }

  @Test func `the payloads of two join codes show the same fingerprint of the server, and have different codes`()
    async throws
  {
    let (one, two) = (try await codes.issue(by: caller), try await codes.issue(group: "b", by: caller))
    #expect(one.fingerprint == two.fingerprint && one.payload.code != two.payload.code)
  }

  @Test func `the audit says who issued and closed which join code, and never the code itself`() async throws {
    let issued = try await codes.issue(group: "lab", machines: 3, lifetime: 60, by: caller)
    let first = try #require(try await lastRow())
    #expect(first.kind == .joinCode && first.actor == "token ops" && first.address == "192.0.2.7")
    #expect(first.detail == #"{"group":"lab","machines":3,"seconds":60,"code":1}"#)
    try await codes.close(issued.number, by: caller)
    let second = try #require(try await lastRow())
    #expect(second.kind == .joinCodeClosure && second.detail == #"{"code":1}"#)
    #expect(try await server.joinRefusal(issued.payload.code, "d1") == .wrongJoinCode)
  }

  @Test(
    arguments: [
      ("", 1, 60), ("Lab", 1, 60), ("-a", 1, 60), ("a b", 1, 60), ("lab", 0, 60), ("lab", 10_001, 60), ("lab", -1, 60),
      ("lab", 1, 59), ("lab", 1, 2_592_001), ("lab", 1, Int64.min),
    ] as [(String, Int64, Int64)])
  func `refuses a join code with an invalid group, number of machines or lifetime`(
    group: String, machines: Int64, lifetime: Int64
  ) async throws {
    await #expect(throws: AdministrationRefusal.self) {
      try await codes.issue(group: group, machines: machines, lifetime: lifetime, by: caller)
    }
    #expect(try await codes.page(by: caller).rows.isEmpty)
  }

  @Test func `refuses to close a join code that is closed already or does not exist`() async throws {
    let number = try await codes.issue(by: caller).number
    try await codes.close(number, by: caller)
    for number in [number, 7] {
      await #expect(throws: AdministrationRefusal.unknown("open join code", name: String(number))) {
        try await codes.close(number, by: caller)
      }
    }
  }

  @Test func `pages of join codes follow each other without a gap, the newest code first`() async throws {
    for _ in 0..<5 { _ = try await codes.issue(by: caller) }
    let first = try await codes.page(limit: 2, by: caller)
    #expect(first.rows.map(\.number) == [5, 4] && first.next == "4")
    let last = try await codes.page(before: 4, limit: 3, by: caller)
    #expect(last.rows.map(\.number) == [3, 2, 1] && last.next == nil)
    await #expect(throws: AdministrationRefusal.self) { try await codes.page(limit: 201, by: caller) }
  }

  // MARK: Machines

  @Test func `machines with keys and machines that joined are in one list, without a gap`() async throws {
    let code = try await server.joinCode(machines: 9)
    for id in ["b", "d", "e\u{301}", "é"] { try await server.joined(code, id, name: "joined \(id)") }
    for id in ["a", "b", "c"] { _ = try await server.registered("alice", deviceID: id, deviceName: "key \(id)") }
    var found: [FleetMachine] = []
    var after = ""
    while true {
      let page = try await machines.page(after: after, limit: 2, by: caller)
      found += page.rows
      guard let next = page.next else { break }
      after = next
    }
    #expect(found.map { Array($0.id.utf8) } == ["a", "b", "c", "d", "e\u{301}", "é"].map { Array($0.utf8) })
    #expect(found.map(\.keys) == [1, 1, 1, 0, 0, 0])
    #expect(found.map(\.joined?.group) == [nil, "lab", nil, "lab", "lab", "lab"])
    #expect(found[1].name == "key b" && found[3].name == "joined d" && found[3].registeredAt == nil)
  }

  @Test func `a machine that joined and has no key can be found and revoked, and an unknown machine cannot`()
    async throws
  {
    try await server.joined(server.joinCode(), "d1")
    let found = try await machines.machine("d1", by: caller)
    #expect(found.keys.isEmpty && found.machine.joined?.departedAt == nil)
    #expect(try await machines.revoke("d1", reason: "stolen", by: caller) == 0)
    #expect(try await machines.machine("d1", by: caller).machine.joined?.departedAt == server.now)
    #expect(try await lastRow()?.kind == .revocation)
    await #expect(throws: AdministrationRefusal.unknown("machine", name: "d2")) {
      _ = try await machines.revoke("d2", by: caller)
    }
  }

  @Test func `revoking the keys of one account on a machine does not revoke the machine itself`() async throws {
    try await server.joined(server.joinCode(), "d1")
    _ = try await server.registered("alice", deviceID: "d1")
    _ = try await KeyAdministration(environment).revoke(.onMachine("d1", of: "alice"), by: caller)
    #expect(try await machines.machine("d1", by: caller).machine.joined?.departedAt == nil)
  }
}
