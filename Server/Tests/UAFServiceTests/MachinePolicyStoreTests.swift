import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// How each engine keeps the policies for workstations, and how the server signs them.
@Suite(.onEachStore) struct MachinePolicyStoreTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func policy(_ number: Int64, _ group: String = "lab", text: String = "") -> SavedMachinePolicy {
    SavedMachinePolicy(
      number: number, group: group, lifetime: 86_400, savedAt: 10, actor: "test", reason: "because", text: text)
  }

  @discardableResult private func add(_ policies: SavedMachinePolicy...) async throws -> [Bool] {
    try await server.store.write { records in try policies.map { try records.machinePolicies.add($0) } }
  }

  private func numbers(before number: Int64 = .max, of group: String? = nil, limit: Int = 9) async throws -> [Int64] {
    try await server.store.read {
      try $0.machinePolicies.policies(before: number, of: group, limit: limit).map(\.number)
    }
  }

  @Test func `the store keeps every policy for workstations, and puts each group's newest in force`() async throws {
    #expect(try await server.store.read { try $0.machinePolicies.lastNumber() } == 0)
    try await add(policy(1), policy(2, "office"), policy(3, text: "# 한국어\n"))
    let found = try await server.store.read { records in
      (
        try records.machinePolicies.current(of: "lab"), try records.machinePolicies.current(of: "office"),
        try records.machinePolicies.current(of: "lab "), try records.machinePolicies.policy(1)
      )
    }
    #expect(found.0 == policy(3, text: "# 한국어\n") && found.1 == policy(2, "office") && found.2 == nil)
    #expect(found.3 == policy(1))
    #expect(try await server.store.read { try $0.machinePolicies.lastNumber() } == 3)
  }

  @Test func `the store lists the policies for workstations of one group or of all in pages, the newest first`()
    async throws
  {
    try await add(policy(1), policy(2, "office"), policy(3), policy(7))
    #expect(try await numbers() == [7, 3, 2, 1])
    #expect(try await numbers(limit: 2) == [7, 3])
    #expect(try await numbers(before: 3) == [2, 1])
    #expect(try await numbers(of: "lab") == [7, 3, 1])
    #expect(try await numbers(before: 7, of: "lab", limit: 1) == [3])
    #expect(try await numbers(of: "none").isEmpty)
  }

  @Test func `the store lists the policies in force in pages, in the byte order of their groups`() async throws {
    try await add(policy(1), policy(2, "office"), policy(3), policy(4, "lab-2"), policy(5, "9"))
    let pages = try await server.store.read { records in
      try [("", 9), ("", 2), ("lab", 9), ("office", 9)].map {
        try records.machinePolicies.inForce(after: $0.0, limit: $0.1).map(\.number)
      }
    }
    #expect(pages == [[5, 3, 4, 2], [5, 3], [4, 2], []])
  }

  @Test func `the store refuses a policy's number that is not higher than all other numbers, whatever their group`()
    async throws
  {
    #expect(try await add(policy(5)) == [true])
    #expect(try await add(policy(5), policy(4, "office"), policy(5, "office")) == [false, false, false])
    #expect(try await numbers() == [5])
  }

  // MARK: Who is in a group

  @Test func `the store counts the machines that are in a group now`() async throws {
    let lab = try await server.joinCode("lab", machines: 9)
    let office = try await server.joinCode("office", machines: 9)
    #expect(try await count("lab") == 0)
    for device in ["a", "b", "c", "d"] { try await server.joined(lab, device) }
    #expect(try await count("lab") == 4)
    let moving = try #require(try await server.joined(lab, "a"))
    try await server.joined(office, "a", proving: moving)
    #expect(try await count("lab") == 3, "a machine is where it has joined last")
    #expect(try await count("office") == 1)
    let secret = try #require(try await server.joined(lab, "b"))
    _ = try await server.left(secret)
    try await server.store.write { [now = server.now] in try $0.joinedMachines.revoke("c", now: now) }
    #expect(try await count("lab") == 1)
    let counts = try await server.store.read { records in
      (try records.joinedMachines.counts(in: ["lab", "office", "none"]), try records.joinedMachines.counts(in: []))
    }
    #expect(counts.0 == ["lab": 1, "office": 1] && counts.1.isEmpty)
  }

  private func count(_ group: String) async throws -> Int {
    try await server.store.read { try $0.joinedMachines.count(in: group) }
  }

  // MARK: Signing

  private var service: MachinePolicyService {
    MachinePolicyService(store: server.store, keys: server.environment.keys, now: server.environment.now)
  }

  private func handed(to device: String, group: String = "lab") async throws -> String? {
    try await service.policy(
      for: JoinedMachine(
        codeNumber: 1, id: device, name: nil, model: nil, system: nil, group: group, joinedAt: 1)
    )?.document
  }

  @Test func `a machine gets the policy in force for its group, signed for this machine and valid from now on`()
    async throws
  {
    try await add(policy(1, text: "# old"), policy(2, text: "[passcode]\nmin_length = 12\n"))
    let token = try #require(try await handed(to: "desk-17"))
    let parts = token.split(separator: ".").map(String.init)
    let claims = try JSONValue(parsing: Base64URL.decode(parts[1], maximumCount: 4096))
    guard case .object(let object) = claims else { throw TestServer.Unexpected() }
    #expect(
      WorkstationPolicy(claims: object)
        == WorkstationPolicy(
          deviceID: "desk-17", group: try #require(MachineGroup("lab")), version: 2,
          text: "[passcode]\nmin_length = 12\n", issuedAt: server.now, notBefore: server.now,
          expiresAt: server.now + 86_400))
    let header = String(decoding: try Base64URL.decode(parts[0], maximumCount: 256), as: UTF8.self)
    #expect(header.contains(#""typ":"workstation-policy+jwt""#) && header.contains(#""alg":"ES256""#))
  }

  @Test func `a machine gets no policy if there is none`() async throws {
    #expect(try await handed(to: "desk-17") == nil)
    try await add(policy(4))
    #expect(try await handed(to: "desk-17", group: "office") == nil)
    #expect(try await handed(to: "desk-17") != nil)
  }

  @Test func `the server announces the last policy number that it has learnt, whatever its group`() async throws {
    let service = service
    try await service.renew()
    #expect(service.news == nil)
    try await add(policy(3), policy(5, "office"))
    #expect(service.news == nil)
    try await service.renew()
    #expect(service.news == 5)
  }
}
