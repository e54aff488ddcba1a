import NIOCore
import NIOHTTP1
import Testing
import UAFCrypto
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

import struct UAFMessages.RequestContext

/// Machines that join and leave over HTTP, with the store in each engine.
@Suite(.onEachStore) struct JoinRouteTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
  }

  private func post(
    _ client: TestClient, _ path: String, _ body: [UInt8] = [],
    _ headers: HTTPHeaders = ["Content-Type": "application/json"]
  ) async throws -> TestResponse {
    try await client.executeRequest(uri: path, method: .POST, headers: headers, body: ByteBuffer(bytes: body))
  }

  private func join(_ client: TestClient, _ code: String, _ device: String = "d1") async throws -> TestResponse {
    try await post(client, "/uaf/join", TestServer.joinRequest(code, device).jsonBytes)
  }

  private func answer(_ response: TestResponse) throws -> JoinAnswer {
    #expect(response.status == .ok)
    #expect(response.headers.first(name: "Content-Type") == "application/json; charset=utf-8")
    #expect(response.headers.first(name: "Cache-Control") == "no-store")
    return try JoinAnswer(parsing: [UInt8](buffer: response.body))
  }

  private func secret(_ client: TestClient, _ device: String = "d1") async throws -> MachineSecret {
    let response = try await join(client, server.joinCode(), device)
    return try #require(try answer(response).machineSecret)
  }

  private func leave(_ client: TestClient, _ proof: String?) async throws -> TestResponse {
    try await post(client, "/uaf/leave", [], proof.map { [UAFRoutes.machineProof: $0] } ?? [:])
  }

  /// Requests a login for an account on behalf of a machine.
  private func get(
    _ client: TestClient, _ account: String, by secret: MachineSecret?
  ) async throws -> HTTPResponseStatus {
    var headers: HTTPHeaders = ["Content-Type": "application/fido+uaf"]
    let claim = MachineClaim(operation: .authentication, isAnswer: false, username: account)
    if let secret { headers.add(name: UAFRoutes.machineProof, value: try server.proof(secret, claim)) }
    let body = GetUAFRequest(op: .authentication, context: RequestContext(username: account).jsonText)
    return try await post(client, "/uaf/get", body.jsonBytes, headers).status
  }

  // MARK: Joining

  @Test func `the log and the metrics record that a machine has joined`() async throws {
    let (log, metrics) = (RecordedLog(), ServerMetrics())
    let code = try await server.joinCode("lab-2")
    try await server.application(log: log, metrics: metrics).test { client in
      let answer = try answer(await join(client, code))
      #expect(answer.statusCode == .ok && answer.machineSecret != nil && answer.token != nil)
      _ = try await join(client, code + "x")
    }
    #expect(log.lines.first == "joined code=1 device=d1 group=lab-2")
    #expect(log.lines.last == "refused reason=wrong-join-code route=join status=1401 user=-")
    #expect(!log.lines.joined().contains(code))
    var page = MetricsPage()
    metrics.requests.write(to: &page)
    let read = try ReadMetrics(page.text)
    #expect(read["uaf_requests_total{route=\"join\",operation=\"none\",result=\"accepted\"}"] == 1)
    #expect(read["uaf_requests_total{route=\"join\",operation=\"none\",result=\"refused\"}"] == 1)
    #expect(read["uaf_refusals_total{route=\"join\",reason=\"wrong-join-code\"}"] == 1)
    #expect(read["uaf_request_seconds_count{route=\"join\"}"] == 2)
  }

  @Test func `the refusal of a join has its status and nothing else`() async throws {
    let (used, ended) = (try await server.joinCode(), try await server.joinCode(lifetime: 60))
    try await server.joined(used, "d0")
    server.advance(seconds: 60)
    try await server.application.test { client in
      for (code, status) in [("wrong", 1401), (ended, 1404), (used, 1491)] as [(String, UInt32)] {
        let answer = try answer(await join(client, code))
        #expect(answer == JoinAnswer(statusCode: UAFStatusCode(rawValue: status)))
      }
    }
  }

  @Test
  func `refuses a different join code for a joined machine's name, unless the machine proves the request's body`()
    async throws
  {
    let (log, office) = (RecordedLog(), try await server.joinCode("office", machines: 9))
    try await server.application(log: log).test { client in
      let secret = try await secret(client)
      #expect(try answer(await join(client, office)) == JoinAnswer(statusCode: .forbidden))
      #expect(log.lines.last == "refused reason=machine-joined route=join status=1403 user=-")
      let body = try TestServer.joinRequest(office, "d1").jsonBytes
      for (hashed, isTaken) in [(body + [0x20], false), (body, true)] {
        let proof = try server.proof(secret, .joining(bodyHash: SHA256.hash(hashed)))
        let headers: HTTPHeaders = ["Content-Type": "application/json", UAFRoutes.machineProof: proof]
        let moved = try answer(await post(client, "/uaf/join", body, headers))
        #expect(moved.statusCode == (isTaken ? .ok : .forbidden))
      }
    }
  }

  @Test func `refuses a join without a request to join, with a wrong type or method, or with a long body`() async throws
  {
    let good = try TestServer.joinRequest("code", "d1").jsonBytes
    try await server.application.test { client in
      for body in ["", "{}", "[]", #"{"v":2,"code":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","deviceID":"d"}"#] {
        #expect(try await post(client, "/uaf/join", Array(body.utf8)).status == .badRequest, "\(body)")
      }
      let spaces = [UInt8](repeating: 0x20, count: JoinRequest.maximumBytes - good.count)
      #expect(try await post(client, "/uaf/join", good + spaces).status == .ok)
      #expect(try await post(client, "/uaf/join", good + spaces + [0x20]).status == .payloadTooLarge)
      for type in ["text/plain", "application/fido+uaf"] {
        #expect(try await post(client, "/uaf/join", good, ["Content-Type": type]).status == .unsupportedMediaType)
      }
      let preflight: HTTPHeaders = ["Content-Type": "application/json", "Access-Control-Request-Method": "POST"]
      #expect(try await post(client, "/uaf/join", good, preflight).status == .forbidden)
      for path in ["/uaf/join", "/uaf/leave"] {
        let other = try await client.executeRequest(uri: path, method: .GET, headers: [:], body: nil)
        #expect(other.status == .notFound)
      }
    }
  }

  /// The status with which the routes answer a request from an address.
  private func status(
    _ client: TestClient, _ path: String, _ body: [UInt8], from address: SocketAddress
  ) async -> HTTPResponseStatus {
    await client.routes.response(
      to: WebRequest(
        method: .POST, target: path, headers: ["Content-Type": "application/json"], body: ByteBuffer(bytes: body),
        peer: address)
    ).status
  }

  @Test func `a wrong join code counts as a wrong response of its address, and does not stop a right code`()
    async throws
  {
    let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    let code = try await server.joinCode()
    let (wrong, right) = (try TestServer.joinRequest("wrong", "d1"), try TestServer.joinRequest(code, "d1"))
    await server.application(Admission(addressRate: 2)).test { client in
      #expect(await status(client, "/uaf/join", wrong.jsonBytes, from: address) == .ok)
      for _ in 0..<3 { #expect(await status(client, "/uaf/respond", Array("{}".utf8), from: address) == .ok) }
      #expect(await status(client, "/uaf/respond", Array("{}".utf8), from: address) == .tooManyRequests)
      #expect(await status(client, "/uaf/join", wrong.jsonBytes, from: address) == .tooManyRequests)
      #expect(await status(client, "/uaf/join", right.jsonBytes, from: address) == .ok)
    }
  }

  @Test func `an address that sends too many requests joins no machine, and a machine at a different address joins`()
    async throws
  {
    let (office, home) = (
      try SocketAddress(ipAddress: "192.0.2.1", port: 1), try SocketAddress(ipAddress: "192.0.2.2", port: 1)
    )
    let body = try await TestServer.joinRequest(server.joinCode(), "d1").jsonBytes
    await server.application(Admission(addressRate: 1)).test { client in
      for _ in 0..<2 { #expect(await status(client, "/uaf/join", [], from: office) == .badRequest) }
      #expect(await status(client, "/uaf/join", body, from: office) == .tooManyRequests)
      #expect(await status(client, "/uaf/join", body, from: home) == .ok)
    }
  }

  @Test func `if the store fails during a join, the machine gets no secret`() async throws {
    let store = FailingStore(server.store)
    let code = try await server.joinCode()
    try await server.application(store: store).test { client in
      store.fails(.everything)
      let failed = try await join(client, code)
      #expect(failed.status == .internalServerError && failed.body.readableBytes == 0)
      store.fails(.writes)
      #expect(try await join(client, code).status == .internalServerError)
    }
    #expect(try await server.store.read { try $0.joinedMachines.machine("d1") } == nil)
  }

  // MARK: What a joined machine may do

  @Test func `a joined machine is served for any account while strangers have used up the account's requests`()
    async throws
  {
    try await server.application(Admission(accountRate: 2)).test { client in
      let secret = try await secret(client)
      for account in ["alice", "nobody"] {
        var statuses: [HTTPResponseStatus] = []
        for _ in 0..<6 { statuses.append(try await get(client, account, by: nil)) }
        #expect(statuses.last == .tooManyRequests)
        #expect(try await get(client, account, by: secret) == .ok)
      }
    }
  }

  @Test func `a joined machine has one budget for all accounts that it names, and beyond it counts as a stranger`()
    async throws
  {
    let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    let admission = Admission(addressRate: 1, accountRate: 2)
    let machines = try (0..<6).map { number in
      try #require(
        server.environment.machine(
          proving: server.proof(
            secret, MachineClaim(operation: .authentication, isAnswer: false, username: "user\(number)"),
            for: number < 3 ? .own : .remote)))
    }
    let standings = machines.map { admission.admits($0, from: address, now: 0) }
    #expect(standings.prefix(4) == machines.prefix(4).map { .machine($0.claim) }[...])
    #expect(standings.suffix(2) == [.stranger, .stranger])
  }

  @Test func `a joined machine does not learn the state of an account`() async throws {
    _ = try await server.registered("alice")
    try await server.application.test { client in
      let secret = try await secret(client)
      for account in ["alice", "nobody"] {
        let proof = try server.proof(secret, .state(of: account))
        let answer = try await post(client, "/uaf/account", [], [UAFRoutes.machineProof: proof])
        #expect(answer.status == .forbidden && answer.body.readableBytes == 0)
      }
    }
  }

  @Test func `a login at a joined machine also gives the machine the account's secret`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let body = SendUAFResponse(uafResponse: try alice.authenticate(request, counter: 1).text).jsonBytes
    try await server.application.test { client in
      let secret = try await secret(client)
      let claim = MachineClaim(operation: .authentication, isAnswer: true, username: "alice")
      let headers: HTTPHeaders = [
        "Content-Type": "application/fido+uaf", UAFRoutes.machineProof: try server.proof(secret, claim),
      ]
      let answer = try ServerResponse(parsing: [UInt8](buffer: await post(client, "/uaf/respond", body, headers).body))
      #expect(answer.statusCode == .ok)
      let own = try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [alice.keyID])
      #expect(answer.machineSecret == own && own != nil)
    }
  }

  // MARK: Leaving

  @Test func `a machine leaves the server once, and is a stranger from then on`() async throws {
    let log = RecordedLog()
    try await server.application(Admission(accountRate: 1), log: log).test { client in
      let secret = try await secret(client)
      let proof = try server.proof(secret, .state(of: "alice"))
      let left = try await leave(client, proof)
      #expect(try answer(left) == JoinAnswer(statusCode: .ok))
      #expect(log.lines.contains("left code=1 device=d1 group=lab"))
      #expect(try await leave(client, proof).status == .forbidden)
      var statuses: [HTTPResponseStatus] = []
      for _ in 0..<4 { statuses.append(try await get(client, "alice", by: secret)) }
      #expect(statuses.last == .tooManyRequests)
    }
  }

  @Test func `a joined machine leaves only with its own proof for leaving`()
    async throws
  {
    let alice = try await server.registered("alice")
    let own = try #require(
      try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [alice.keyID]))
    try await server.application.test { client in
      let secret = try await secret(client)
      let request = MachineClaim(operation: .authentication, isAnswer: false, username: "alice")
      let proofs: [String?] = [
        nil, "x", try server.proof(own, .state(of: "alice")), try server.proof(secret, request),
      ]
      for proof in proofs {
        let answer = try await leave(client, proof)
        #expect(answer.status == .forbidden && answer.body.readableBytes == 0)
      }
      #expect(try await server.store.read { try $0.joinedMachines.machine("d1")?.departedAt } == nil)
    }
  }

  @Test func `a joined machine that an administrator revoked loses its rights once the instance looks for changes`()
    async throws
  {
    try await server.application(Admission(accountRate: 1)).test { client in
      let secret = try await secret(client)
      try await server.store.write { [now = server.now] in try $0.joinedMachines.revoke("d1", now: now) }
      let follower = DepartureFollower(
        departed: server.environment.departed, store: server.store, keys: server.environment.keys)
      try await follower.prepare()
      #expect(try await leave(client, server.proof(secret, .state(of: "alice"))).status == .forbidden)
    }
  }
}
