import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// How instances of a server learn that machines have left, with the store in each engine.
@Suite(.onEachStore) struct DepartedMachineTests {
  private let server: TestServer
  private let other: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    other = try TestServer(database: server.database.reopened(), keys: server.environment.keys)
  }

  private func renew(_ server: TestServer) async throws {
    try await server.environment.departed.renew(from: server.store, keys: server.environment.keys)
  }

  private func revoke(_ id: String) async throws {
    try await server.store.write { [now = server.now] in try $0.joinedMachines.revoke(id, now: now) }
  }

  /// Puts a new server secret into use, with a start time this many seconds ago.
  private func rotate(since seconds: Int64) throws {
    let keys = server.environment.keys
    let secret = try ServerSecret(RandomBytes.makeSecret(32))
    let entry = KeyRing<ServerSecret>.Entry(from: server.now - seconds, key: secret)
    keys.replace(
      by: ServerKeys.Rings(
        secrets: try #require(KeyRing(keys.rings.secrets.entries + [entry])), verdictKeys: keys.rings.verdictKeys,
        auditKeys: keys.rings.auditKeys))
  }

  @Test func `a different instance learns at its next look that a machine has left, and that it has joined again`()
    async throws
  {
    let code = try await server.joinCode()
    let secret = try #require(try await server.joined(code, "d1"))
    _ = try await server.left(secret)
    #expect(try other.known(secret) != nil)
    try await renew(other)
    #expect(try other.known(secret) == nil)
    try await server.joined(code, "d1")
    try await renew(other)
    #expect(try other.known(secret) != nil)
  }

  @Test func `after the next look, a revoked machine is unknown by each code that it used, and no other machine is`()
    async throws
  {
    let first = try #require(try await server.joined(server.joinCode(), "d1"))
    let second = try #require(try await server.joined(server.joinCode(), "d1", proving: first))
    let stays = try #require(try await server.joined(server.joinCode(), "d2"))
    try await revoke("d1")
    for instance in [server, other] {
      try await renew(instance)
      #expect(try instance.known(first) == nil && instance.known(second) == nil && instance.known(stays) != nil)
    }
  }

  @Test func `an instance learns of all machines that left, even if there are more than one read returns`() async throws
  {
    let code = try await server.joinCode(machines: 1200)
    let proofs = MachineProofs(keys: server.environment.keys)
    let secrets = try (0..<1200).map { try proofs.secret(ofMachine: "d\($0)", joinedWith: 1) }
    try await server.store.write { [now = server.now] records in
      for (number, secret) in secrets.enumerated() {
        let machine = JoinedMachine(
          codeNumber: 1, id: "d\(number)", name: nil, model: nil, system: nil, group: "lab", joinedAt: now)
        try records.joinedMachines.keep(machine, machineID: secret.machineID)
        if number != 600 { try records.joinedMachines.revoke(machine.id, now: now) }
      }
    }
    try await renew(other)
    #expect(secrets.map(\.machineID).count { other.environment.departed.contains($0) } == 1199)
    #expect(try other.known(secrets[600]) != nil)
    #expect(try await server.joinRefusal(code, "d3") == .machineRevoked)
  }

  @Test func `a machine that left stays unknown after a rotation of the server's secret`() async throws {
    let code = try await server.joinCode()
    let old = try #require(try await server.joined(code, "d1"))
    try rotate(since: 0)
    let new = try #require(try await server.joined(code, "d1"))
    #expect(new.machineID != old.machineID)
    #expect(try server.known(old)?.isCurrent == false && server.known(new)?.isCurrent == true)
    _ = try await server.left(new)
    try await renew(other)
    #expect(try other.known(old) == nil && other.known(new) == nil)
  }

  @Test func `after the next look, a machine that was revoked before a rotation is unknown by its new secret as well`()
    async throws
  {
    let code = try await server.joinCode()
    try await server.joined(code, "d1")
    try await revoke("d1")
    try await renew(other)
    try rotate(since: 0)
    let new = try MachineProofs(keys: server.environment.keys).secret(ofMachine: "d1", joinedWith: 1)
    #expect(try other.known(new) != nil)
    try await renew(other)
    #expect(try other.known(new) == nil)
  }

  @Test func `a day after a rotation the old secret of a joined machine proves nothing`() async throws {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    try rotate(since: KeyOverlap.seconds)
    #expect(try server.known(secret) == nil)
  }
}
