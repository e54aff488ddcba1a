import NIOCore
import NIOHTTP1
import Testing
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Joined machines that report over HTTP, with the store in each engine.
@Suite(.onEachStore) struct CheckInRouteTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
  }

  private func secret() async throws -> MachineSecret {
    try #require(try await server.joined(server.joinCode(), "d1"))
  }

  /// Sends the server a machine's report.
  private func checkIn(
    _ client: TestClient, _ secret: MachineSecret?, _ body: [UInt8], claim: MachineClaim? = nil,
    type: String = "application/json"
  ) async throws -> TestResponse {
    var headers: HTTPHeaders = ["Content-Type": type]
    if let secret {
      let proof = try claim.map { try server.proof(secret, $0) } ?? server.proof(secret, ofBody: body)
      headers.add(name: UAFRoutes.machineProof, value: proof)
    }
    return try await client.executeRequest(
      uri: "/uaf/machine", method: .POST, headers: headers, body: ByteBuffer(bytes: body))
  }

  @Test func `the log and the metrics record that a joined machine has checked in`() async throws {
    let (log, metrics) = (RecordedLog(), ServerMetrics())
    try await server.application(log: log, metrics: metrics).test { client in
      let secret = try await secret()
      let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
      let response = try await checkIn(client, secret, body)
      #expect(response.status == .ok && response.headers.first(name: "Cache-Control") == "no-store")
      let answer = try CheckInAnswer(parsing: [UInt8](buffer: response.body))
      #expect(answer.statusCode == .ok && answer.token != nil)
      #expect(log.lines.last == "checked-in code=1 device=d1 group=lab")
      _ = try await checkIn(client, nil, body)
      #expect(log.lines.last == "refused reason=wrong-proof route=machine status=1401 user=-")
    }
    var page = MetricsPage()
    metrics.requests.write(to: &page)
    let read = try ReadMetrics(page.text)
    #expect(read["uaf_requests_total{route=\"machine\",operation=\"none\",result=\"accepted\"}"] == 1)
    #expect(read["uaf_requests_total{route=\"machine\",operation=\"none\",result=\"refused\"}"] == 1)
    #expect(read["uaf_request_seconds_count{route=\"machine\"}"] == 2)
  }

  @Test func `a check-in needs a joined machine's proof over its body, and all others get the same refusal`()
    async throws
  {
    let alice = try await server.registered("alice")
    let own = try #require(
      try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [alice.keyID]))
    let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    try await server.application.test { client in
      let secret = try await secret()
      let refused = [
        try await checkIn(client, nil, body), try await checkIn(client, own, body, claim: .state(of: "alice")),
        try await checkIn(client, secret, body, claim: .state(of: "alice")),
        try await checkIn(client, secret, body, claim: .checkIn(bodyHash: Array(repeating: 0, count: 32))),
        try await checkIn(client, nil, Array("{}".utf8)),
      ]
      for answer in refused { #expect(answer.status == .forbidden && answer.body.readableBytes == 0) }
      #expect(try await server.store.read { try $0.joinedMachines.machine("d1")?.contact } == nil)
    }
  }

  @Test func `a machine that the server does not know gets a signed refusal, and appears in the metrics`() async throws
  {
    let stranger = try MachineSecret(machineID: Array(repeating: 1, count: 16), secret: Array(repeating: 2, count: 32))
    var report = TestServer.report(next: 1)
    report.deviceID = "d9"
    let body = CheckInRequest(report).jsonBytes
    try await server.application.test { client in
      let refused = try await checkIn(client, stranger, body)
      #expect(refused.status == .forbidden && refused.headers.first(name: "Cache-Control") == "no-store")
      let answer = try CheckInAnswer(parsing: [UInt8](buffer: refused.body))
      #expect(answer.statusCode == .forbidden && answer.token != nil)
      let left = try await secret()
      _ = try await server.left(left)
      #expect(try await checkIn(client, left, body).body.readableBytes > 0)
    }
    #expect(server.environment.unknown.all(now: server.now).map(\.id) == ["d9"])
  }

  @Test func `a report that was sent before gets a refusal without a reason, since the server knows its machine`()
    async throws
  {
    let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    try await server.application.test { client in
      let headers: HTTPHeaders = [
        "Content-Type": "application/json", UAFRoutes.machineProof: try await server.proof(secret(), ofBody: body),
      ]
      for status in [HTTPResponseStatus.ok, .forbidden] {
        let answer = try await client.executeRequest(
          uri: "/uaf/machine", method: .POST, headers: headers, body: ByteBuffer(bytes: body))
        #expect(answer.status == status && (status == .ok) == (answer.body.readableBytes > 0))
      }
    }
    #expect(server.environment.unknown.reports == 0)
  }

  @Test func `a check-in without a report, with a wrong type or method, or with a long body is refused`() async throws {
    let good = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    let spaces = [UInt8](repeating: 0x20, count: CheckInRequest.maximumBytes - good.count)
    try await server.application.test { client in
      let secret = try await secret()
      for body in ["", "{}", "[]"] {
        #expect(try await checkIn(client, secret, Array(body.utf8)).status == .badRequest)
      }
      #expect(try await checkIn(client, secret, good + spaces).status == .ok)
      #expect(try await checkIn(client, secret, good + spaces + [0x20]).status == .payloadTooLarge)
      for type in ["text/plain", "application/fido+uaf"] {
        #expect(try await checkIn(client, secret, good, type: type).status == .unsupportedMediaType)
      }
      let other = try await client.executeRequest(uri: "/uaf/machine", method: .GET, headers: [:], body: nil)
      #expect(other.status == .notFound)
    }
  }

  @Test func `a machine that checks in too often is refused, like strangers from its address`() async throws {
    let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    let secret = try await secret()
    let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    try await server.application(Admission(addressRate: 1, accountRate: 1)).test { client in
      var statuses: [HTTPResponseStatus] = []
      for _ in 0..<8 {
        let headers: HTTPHeaders = [
          "Content-Type": "application/json", UAFRoutes.machineProof: try server.proof(secret, ofBody: body),
        ]
        let request = WebRequest(
          method: .POST, target: "/uaf/machine", headers: headers, body: ByteBuffer(bytes: body), peer: address)
        statuses.append(await client.routes.response(to: request).status)
      }
      #expect(statuses.first == .ok && statuses.last == .tooManyRequests)
    }
  }

  @Test func `if the store fails during a check-in, nothing is recorded, and the machine may check in again`()
    async throws
  {
    let store = FailingStore(server.store)
    let secret = try await secret()
    let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    try await server.application(store: store).test { client in
      store.fails(.writes)
      let failed = try await checkIn(client, secret, body)
      #expect(failed.status == .internalServerError)
      store.fails(.nothing)
      #expect(try await checkIn(client, secret, body).status == .ok)
    }
  }
}
