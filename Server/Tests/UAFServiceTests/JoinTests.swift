import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Machines that join with a code and leave, with the store in each engine.
@Suite(.onEachStore) struct JoinTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func second() throws -> TestServer {
    try TestServer(database: server.database.reopened(), keys: server.environment.keys)
  }

  private func codes() async throws -> [JoinCode] {
    try await server.store.read { try $0.joinCodes.page(before: nil, limit: 9) }
  }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100) }.map(\.event)
  }

  // MARK: Joining

  @Test
  func `a joining machine gets its secret in a signed statement that names its request, its group and the machine`()
    async throws
  {
    let code = try await server.joinCode("lab-2")
    let request = try TestServer.joinRequest(code, "d1", name: "desk-17")
    guard case .joined(let answer, let machine) = try await JoinService(environment: server.environment).join(request)
    else { throw TestServer.Unexpected() }
    let secret = try #require(answer.machineSecret)
    let parts = try #require(answer.token).split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let key = server.environment.keys.verdictKey
    #expect(
      try String(decoding: Base64URL.decode(parts[0], maximumCount: 256), as: UTF8.self)
        == #"{"alg":"ES256","kid":"\#(key.id)","typ":"machine-join+jwt"}"#)
    #expect(
      P256.isValidSignature(
        try Base64URL.decode(parts[2], maximumCount: 64), of: Array("\(parts[0]).\(parts[1])".utf8),
        publicKey: key.publicKey))
    guard case .object(let claims) = try JSONValue(parsing: Base64URL.decode(parts[1], maximumCount: 1024)) else {
      throw TestServer.Unexpected()
    }
    let group = try #require(MachineGroup("lab-2"))
    #expect(
      try JoinStatement(claims: claims)
        == JoinStatement(
          deviceID: "d1", nonce: request.nonce, group: group, secretHash: SHA256.hash(secret.bytes),
          issuedAt: server.now))
    #expect(machine.name == "desk-17" && machine.group == "lab-2" && machine.joinedAt == server.now)
  }

  @Test func `the signed statement about a join is not a verdict`() async throws {
    guard case .joined(let answer, _) = try await server.join(server.joinCode(), "d1") else {
      throw TestServer.Unexpected()
    }
    #expect(VerdictToken(keys: server.environment.keys).claims(of: try #require(answer.token)) == nil)
  }

  @Test func `a join and its audit row are one commit, and the store does not contain the code`() async throws {
    let code = try await server.joinCode()
    let before = try await rows().count
    try await server.joined(code, "d1", name: "desk-17")
    let all = try await rows()
    let row = try #require(all.last)
    #expect(all.count == before + 1 && row.kind == .machineJoin && row.actor == "machine" && row.machine == "desk-17")
    #expect(row.detail == #"{"code":1,"group":"lab","device":"d1"}"# && row.address == "192.0.2.1")
    #expect(try await server.database.texts("SELECT issuedBy FROM joinCode") == ["test"])
    let hash = server.database.literal(try OneTimeCode.hash(code))
    #expect(try await server.database.integers("SELECT count(*) FROM joinCode WHERE codeHash = \(hash)") == [1])
  }

  @Test
  func `a machine that joins again with its code counts once and gets the same secret, even if the code is used up`()
    async throws
  {
    let code = try await server.joinCode(machines: 1)
    let secret = try await server.joined(code, "d1", name: "old")
    #expect(try await server.joined(code, "d1", name: "new") == secret && secret != nil)
    #expect(try await codes().map(\.used) == [1])
    let machine = try await server.store.read { try $0.joinedMachines.machine("d1") }
    #expect(machine?.name == "new")
    #expect(try await rows().last?.detail == #"{"code":1,"group":"lab","device":"d1","again":true}"#)
  }

  private func joinedMachine(_ id: String = "d1") async throws -> JoinedMachine? {
    try await server.store.read { try $0.joinedMachines.machine(id) }
  }

  @Test
  func `refuses another code to a sender who only names a joined machine, even before that machine has reported`()
    async throws
  {
    let first = try #require(try await server.joined(server.joinCode(), "d1"))
    let office = try await server.joinCode("office", machines: 9)
    #expect(try await server.joinRefusal(office, "d1") == .machineJoined)
    let stranger = try #require(try await server.joined(office, "d2"))
    #expect(try await server.joinRefusal(office, "d1", proving: stranger) == .machineJoined)
    #expect(try await joinedMachine()?.group == "lab")
    #expect(try server.known(first) != nil)
    #expect(try await codes().map(\.used) == [1, 1])
  }

  @Test func `a machine that proves itself joins with a different code, and its old secret is no longer valid`()
    async throws
  {
    let first = try #require(try await server.joined(server.joinCode(), "d1"))
    let second = try #require(try await server.joined(server.joinCode("office"), "d1", proving: first))
    #expect(first.machineID != second.machineID && first.secret != second.secret)
    #expect(try server.known(first) == nil && server.known(second) != nil)
    #expect(try await joinedMachine()?.group == "office")
    #expect(try await server.checkIn(first, TestServer.report(next: 1)) == nil)
    #expect(try await server.checkIn(second, TestServer.report(next: 1)) != nil)
  }

  @Test
  func `refuses the same code to a sender who only names a machine that has reported, and accepts the machine`()
    async throws
  {
    let code = try await server.joinCode(machines: 2)
    let secret = try #require(try await server.joined(code, "d1"))
    let other = try #require(try await server.joined(code, "d2"))
    _ = try await server.checkIn(secret, TestServer.report(next: 1))
    #expect(try await server.joinRefusal(code, "d1") == .machineJoined)
    #expect(try await server.joinRefusal(code, "d1", proving: other) == .machineJoined)
    #expect(try await server.joined(code, "d1", proving: secret) == secret)
    // The server's reply may be lost again, so the same request is accepted once more.
    #expect(try await server.joined(code, "d1") == secret)
  }

  @Test func `a machine's proof for a join is not accepted with a different body`() async throws {
    let code = try await server.joinCode(machines: 2)
    let secret = try #require(try await server.joined(code, "d1"))
    let machine = try #require(
      server.environment.machine(proving: server.proof(secret, .joining(bodyHash: SHA256.hash([1])))))
    #expect(try JoinService.isProved([1], by: machine))
    #expect(try !JoinService.isProved([2], by: machine))
    #expect(try await JoinService(environment: server.environment).leave(machine) == nil)
    let told = try #require(
      server.environment.machine(proving: server.proof(secret, .checkIn(bodyHash: SHA256.hash([1])))))
    #expect(try !JoinService.isProved([1], by: told))
  }

  @Test func `a machine that left joins with a second code and then with the first again, and is counted once`()
    async throws
  {
    let codes = [try await server.joinCode(machines: 2), try await server.joinCode("office", machines: 2)]
    let first = try #require(try await server.joined(codes[0], "d1"))
    _ = try await server.left(first)
    let second = try #require(try await server.joined(codes[1], "d1"))
    #expect(try await joinedMachine()?.group == "office")
    _ = try await server.left(second)
    #expect(try await server.joined(codes[0], "d1") == first)
    #expect(try await joinedMachine()?.group == "lab")
    #expect(try await server.checkIn(first, TestServer.report(next: 1)) != nil)
    let counts = try await server.store.read { try $0.joinedMachines.counts(in: ["lab", "office"]) }
    #expect(counts == ["lab": 1])
  }

  @Test func `a machine whose secret is no longer valid joins with any open code`() async throws {
    try await server.joined(server.joinCode(), "d1")
    let restored = try TestServer(database: server.database.reopened())
    #expect(try await restored.joinRefusal(restored.joinCode("office"), "d1") == nil)
  }

  @Test func `refuses a wrong join code, and a closed code as if it were wrong`() async throws {
    let code = try await server.joinCode()
    #expect(try await server.joinRefusal(code + "A", "d1") == .wrongJoinCode)
    #expect(try await server.store.write { try $0.joinCodes.close(1) })
    #expect(try await server.joinRefusal(code, "d1") == .wrongJoinCode)
    #expect(try await server.store.write { try !$0.joinCodes.close(1) && !$0.joinCodes.close(2) })
    #expect(try await codes().map { $0.state(at: server.now) } == [.closed])
  }

  @Test func `refuses an expired join code, even from a machine that has joined with it`() async throws {
    let code = try await server.joinCode(machines: 2, lifetime: 60)
    try await server.joined(code, "d1")
    server.advance(seconds: 60)
    #expect(try await server.joinRefusal(code, "d2") == .joinCodeExpired)
    #expect(try await server.joinRefusal(code, "d1") == .joinCodeExpired)
    #expect(try await codes().map { $0.state(at: server.now) } == [.expired])
  }

  @Test func `refuses a join code that is used up, even if one of its machines has left`() async throws {
    let code = try await server.joinCode(machines: 2)
    let secret = try #require(try await server.joined(code, "d1"))
    try await server.joined(code, "d2")
    #expect(try await server.joinRefusal(code, "d3") == .joinCodeUsedUp)
    _ = try await server.left(secret)
    #expect(try await server.joinRefusal(code, "d3") == .joinCodeUsedUp)
    #expect(try await codes().map { $0.state(at: server.now) } == [.usedUp])
  }

  @Test func `of forty machines at two instances, only as many join as the code allows`() async throws {
    let code = try await server.joinCode(machines: 7)
    let instances = [server, try second()]
    let refusals = try await withThrowingTaskGroup(of: ServiceRefusal?.self) { group in
      for number in 0..<40 {
        group.addTask { try await instances[number % 2].joinRefusal(code, "d\(number)") }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals.count { $0 == nil } == 7 && refusals.count { $0 == .joinCodeUsedUp } == 33)
    #expect(try await codes().map(\.used) == [7])
    #expect(try await rows().count { $0.kind == .machineJoin } == 7)
  }

  @Test func `twenty requests of one machine at two instances use a join code once`() async throws {
    let code = try await server.joinCode(machines: 2)
    let instances = [server, try second()]
    let secrets = try await withThrowingTaskGroup(of: MachineSecret?.self) { group in
      for number in 0..<20 { group.addTask { try await instances[number % 2].joined(code, "d1") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(secrets.map { $0?.secret }).count == 1)
    #expect(try await codes().map(\.used) == [1])
  }

  // MARK: Leaving

  @Test func `a machine that left is unknown to the server, and cannot leave again`() async throws {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    #expect(try await server.left(secret)?.leftAt == server.now)
    #expect(try server.known(secret) == nil)
    #expect(try await server.left(secret) == nil)
    let row = try #require(try await rows().last)
    #expect(row.kind == .machineLeave && row.detail == #"{"code":1,"group":"lab","device":"d1"}"#)
  }

  @Test func `a machine cannot leave with the secret of an account`() async throws {
    let key = try await server.registered("alice")
    let secret = try #require(
      try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [key.keyID]))
    #expect(try server.known(secret) != nil)
    #expect(try await server.left(secret) == nil)
  }

  @Test func `with a proof for a UAF request no machine can leave`() async throws {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    let claim = MachineClaim(operation: .authentication, isAnswer: false, username: "alice")
    let machine = try #require(server.environment.machine(proving: server.proof(secret, claim)))
    #expect(try await JoinService(environment: server.environment).leave(machine) == nil)
  }

  @Test func `a machine that left joins again with the same code, which counts it only once`() async throws {
    let code = try await server.joinCode()
    let secret = try #require(try await server.joined(code, "d1"))
    _ = try await server.left(secret)
    server.advance(seconds: 5)
    #expect(try await server.joined(code, "d1") == secret)
    #expect(try server.known(secret) != nil)
    let machine = try await server.store.read { try $0.joinedMachines.machine("d1") }
    #expect(machine?.departedAt == nil && machine?.joinedAt == server.now)
    #expect(try await codes().map(\.used) == [1])
  }

  @Test func `a revoked machine cannot join again with the same code, and can with a different one`() async throws {
    let code = try await server.joinCode(machines: 2)
    let secret = try #require(try await server.joined(code, "d1"))
    _ = try await server.left(secret)
    try await server.store.write { [now = server.now] in try $0.joinedMachines.revoke("d1", now: now) }
    #expect(try await server.joinRefusal(code, "d1") == .machineRevoked)
    #expect(try await server.joinRefusal(server.joinCode(), "d1") == nil)
  }
}
