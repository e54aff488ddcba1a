import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What a server says to machines that it does not know, and what it remembers about them.
struct UnknownMachineTests {
  private let server: TestServer
  private let secret: MachineSecret

  init() throws {
    server = try TestServer()
    secret = try MachineSecret(
      machineID: Array(repeating: 7, count: MachineSecret.machineIDByteCount),
      secret: Array(repeating: 8, count: MachineSecret.secretByteCount))
  }

  private func body(_ device: String? = "d1") -> [UInt8] {
    var report = TestServer.report(next: 1)
    (report.deviceID, report.deviceName) = (device, "desk-17")
    return CheckInRequest(report).jsonBytes
  }

  private func denial(of header: String?, over body: [UInt8]) throws -> CheckInAnswer? {
    try CheckInService(environment: server.environment).denial(of: header, over: body, from: "192.0.2.1")
  }

  private var known: [UnknownMachine] { server.environment.unknown.all(now: server.now) }

  @Test func `a server signs that it does not know the machine which made exactly this proof`() throws {
    let header = try server.proof(secret, ofBody: body())
    let answer = try #require(try denial(of: header, over: body()))
    #expect(answer.statusCode == .forbidden && answer.policy == nil)
    let parts = try #require(answer.token).split(separator: ".").map(String.init)
    let key = server.environment.keys.verdictKey
    #expect(
      try String(decoding: Base64URL.decode(parts[0], maximumCount: 256), as: UTF8.self)
        == #"{"alg":"ES256","kid":"\#(key.id)","typ":"machine-unknown+jwt"}"#)
    guard case .object(let claims) = try JSONValue(parsing: Base64URL.decode(parts[1], maximumCount: 1024)) else {
      throw TestServer.Unexpected()
    }
    #expect(
      UnknownMachineStatement(claims: claims)
        == UnknownMachineStatement(proofHash: try SHA256.hash(Array(header.utf8)), issuedAt: server.now))
    #expect(VerdictToken(keys: server.environment.keys).claims(of: try #require(answer.token)) == nil)
    #expect(
      known == [
        UnknownMachine(
          id: "d1", name: "desk-17", address: "192.0.2.1", firstAt: server.now, lastAt: server.now, count: 1)
      ])
  }

  @Test func `a server gives no statement for a proof of something else, out of time, or without a report`() throws {
    let header = try server.proof(secret, ofBody: body())
    #expect(try denial(of: nil, over: body()) == nil)
    #expect(try denial(of: "x", over: body()) == nil)
    #expect(try denial(of: header, over: body("d2")) == nil)
    #expect(try denial(of: server.proof(secret, .state(of: "alice")), over: body()) == nil)
    #expect(try denial(of: server.proof(secret, ofBody: Array("{}".utf8)), over: Array("{}".utf8)) == nil)
    server.advance(seconds: MachineProofs.clockTolerance + 1)
    #expect(try denial(of: header, over: body()) == nil)
    #expect(known.isEmpty && server.environment.unknown.reports == 0)
  }

  @Test func `a machine of an earlier version is listed by the ID that a server gave it`() throws {
    _ = try denial(of: server.proof(secret, ofBody: body(nil)), over: body(nil))
    #expect(known.map(\.id) == [Base64URL.encode(secret.machineID)])
  }

  @Test func `an unknown machine is listed once, and no longer after it has joined or after a week`() async throws {
    for _ in 0..<3 { _ = try denial(of: server.proof(secret, ofBody: body()), over: body()) }
    #expect(known.map(\.count) == [3] && server.environment.unknown.reports == 3)
    try await server.joined(server.joinCode(), "d1")
    #expect(known.isEmpty)
    _ = try denial(of: server.proof(secret, ofBody: body("d2")), over: body("d2"))
    server.advance(seconds: UnknownMachines.lifetime - 1)
    #expect(known.map(\.id) == ["d2"])
    server.advance(seconds: 1)
    #expect(known.isEmpty && server.environment.unknown.reports == 4)
  }

  @Test func `invented machines take no more room than there is, and displace only those from their own address`() {
    let machines = UnknownMachines()
    for number in 1...20 { machines.note("real \(number)", name: nil, from: "192.0.2.1", now: 1) }
    for number in 1...2000 { machines.note("invented \(number)", name: nil, from: "198.51.100.1", now: 2) }
    #expect(machines.all(now: 3).count == UnknownMachines.most && machines.reports == 2020)
    #expect(machines.all(now: 3).count { $0.address == "192.0.2.1" } == 20)
    machines.note("real 21", name: nil, from: "192.0.2.1", now: 3)
    #expect(machines.all(now: 3).count { $0.address == "192.0.2.1" } == 21)
    #expect(machines.all(now: 3).count == UnknownMachines.most)
  }

  @Test func `a store that is older than a machine's join does not know it, and the machine joins it again`()
    async throws
  {
    let older = try TestServer(keys: server.environment.keys)
    let joined = try #require(try await server.joined(server.joinCode(), "d1"))
    let machine = try #require(older.environment.machine(proving: older.proof(joined, ofBody: body())))
    let request = try CheckInRequest(parsing: body())
    guard case .unknown = try await CheckInService(environment: older.environment).checkIn(request, by: machine) else {
      throw TestServer.Unexpected()
    }
    let again = try #require(try await older.joined(older.joinCode(machines: 2), "d1", proving: joined))
    #expect(try await older.checkIn(again, TestServer.report(next: 1)) != nil)
  }

  @Test func `a machine whose last join a restored store has lost proves itself by its secret, and nobody else does`()
    async throws
  {
    let older = try TestServer(keys: server.environment.keys)
    for store in [server, older] {
      let first = try #require(try await store.joined(store.joinCode(), "d1"))
      _ = try await store.checkIn(first, TestServer.report(next: 1))
    }
    let first = try MachineProofs(keys: server.environment.keys).secret(ofMachine: "d1", joinedWith: 1)
    let second = try #require(try await server.joined(server.joinCode(), "d1", proving: first))
    #expect(second != first)
    let other = try #require(try await server.joined(server.joinCode(), "d2"))
    let code = try await older.joinCode(machines: 3)
    #expect(try await older.joinRefusal(code, "d1") == .machineJoined)
    #expect(try await older.joinRefusal(code, "d1", proving: other) == .machineJoined)
    #expect(try await older.joined(code, "d1", proving: second) != nil)
  }

  @Test func `a secret that a later join has replaced does not prove a machine, because the store knows it`()
    async throws
  {
    let first = try #require(try await server.joined(server.joinCode(), "d1"))
    let second = try #require(try await server.joined(server.joinCode(), "d1", proving: first))
    _ = try await server.checkIn(second, TestServer.report(next: 1))
    // An instance that does not know yet that the first join has ended admits the proof.
    let code = try await server.joinCode()
    let request = try TestServer.joinRequest(code, "d1")
    let proof = try server.proof(first, .joining(bodyHash: SHA256.hash(request.jsonBytes)))
    let machine = try MachineProofs(keys: server.environment.keys).machine(proving: proof, now: server.now)
    guard
      case .refused(let refusal) = try await JoinService(environment: server.environment)
        .join(request, provedBy: machine)
    else { throw TestServer.Unexpected() }
    #expect(refusal == .machineJoined)
  }
}
