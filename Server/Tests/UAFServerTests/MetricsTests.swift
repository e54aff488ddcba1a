import ArgumentParser
import Logging
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

/// What the server reveals about its work, and what it does not reveal.
struct MetricsTests {
  private let server: TestServer
  private let store: FailingStore
  private let metrics = ServerMetrics()
  private let unknown = UnknownMachines()
  private let watch: StoreWatch

  init() throws {
    server = try TestServer()
    store = FailingStore(server.store)
    watch = StoreWatch(store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { 0 })
    routes = MetricsRoutes(
      metrics: metrics, health: HealthRoutes(watch: watch, policies: server.environment.policies),
      connections: Connections(), unknown: unknown,
      certificateEnds: { [1_800_000_000] })
  }

  @Test func `metrics show unknown machines and new troubles as numbers, from the start`() throws {
    let before = try read()
    #expect(before["uaf_unknown_machines"] == 0 && before["uaf_unknown_machine_reports_total"] == 0)
    for kind in ["lock", "wrong-values", "failure"] {
      #expect(before["uaf_machine_troubles_total{kind=\"\(kind)\"}"] == 0)
    }
    for _ in 0..<3 { unknown.note("d1", name: "desk-17", from: "192.0.2.1", now: 0) }
    let after = try read()
    #expect(after["uaf_unknown_machines"] == 1 && after["uaf_unknown_machine_reports_total"] == 3)
    #expect(!routes.page.contains("d1") && !routes.page.contains("desk-17") && !routes.page.contains("192.0.2.1"))
  }

  @Test func `metrics show when a certificate expires`() throws {
    #expect(try read()["uaf_certificate_end_timestamp_seconds{certificate=\"0\"}"] == 1_800_000_000)
  }

  private let routes: MetricsRoutes

  private func read() throws -> ReadMetrics { try ReadMetrics(routes.page) }

  private func application(_ admission: Admission = Admission()) -> TestClient {
    server.application(admission, store: MeteredStore(store: store, metrics: metrics.store), metrics: metrics)
  }

  private func post(_ client: TestClient, _ path: String, _ body: [UInt8]) async throws -> [UInt8] {
    let answer = try await client.executeRequest(
      uri: path, method: .POST, headers: ["Content-Type": "application/json"], body: ByteBuffer(bytes: body))
    return [UInt8](buffer: answer.body)
  }

  private func ask(_ client: TestClient, for name: String = "alice") async throws -> [UInt8] {
    let body = GetUAFRequest(op: .authentication, context: RequestContext(username: name).jsonText)
    return try await post(client, "/uaf/get", body.jsonBytes)
  }

  /// Logs alice in, with a damaged signature if requested.
  private func login(_ client: TestClient, _ authenticator: FakeAuthenticator, counter: UInt32) async throws {
    let request = try TestServer.authenticationRequest(in: ReturnUAFRequest(parsing: await ask(client)))
    let response = try authenticator.authenticate(request, counter: counter)
    _ = try await post(client, "/uaf/respond", SendUAFResponse(uafResponse: response.text).jsonBytes)
  }

  private static func requests(_ route: String, _ operation: String, _ result: String) -> String {
    "uaf_requests_total{route=\"\(route)\",operation=\"\(operation)\",result=\"\(result)\"}"
  }

  @Test func `metrics count a login as one issued request and one accepted response`() async throws {
    let authenticator = try await server.registered("alice")
    try await application().test { client in
      try await login(client, authenticator, counter: 1)
      try await login(client, authenticator, counter: 2)
    }
    let page = try read()
    #expect(page[Self.requests("get", "Auth", "issued")] == 2)
    #expect(page[Self.requests("respond", "Auth", "accepted")] == 2)
    #expect(page["uaf_request_seconds_count{route=\"get\"}"] == 2)
    #expect(page["uaf_request_seconds_count{route=\"respond\"}"] == 2)
    #expect(page["uaf_store_seconds_count{operation=\"answer\"}"] == 2)
    let others = page.values.filter { $0.key.hasPrefix("uaf_requests_total") }.values.reduce(0, +)
    #expect(others == 4)
  }

  @Test func `metrics count a refusal once, with its reason`() async throws {
    let authenticator = try await server.registered("alice")
    try await application().test { client in
      try await login(client, authenticator, counter: 5)
      try await login(client, authenticator, counter: 5)
      _ = try await post(client, "/uaf/respond", Array("{}".utf8))
    }
    let page = try read()
    #expect(page[Self.requests("respond", "Auth", "refused")] == 1)
    #expect(page["uaf_refusals_total{route=\"respond\",reason=\"counter-not-increased\"}"] == 1)
    #expect(page[Self.requests("respond", "none", "refused")] == 1)
    #expect(page["uaf_refusals_total{route=\"respond\",reason=\"malformed-request\"}"] == 1)
    #expect(page[Self.requests("respond", "Auth", "accepted")] == 1)
  }

  @Test func `metrics count a request that a rate limit stops as limited, and not as a refusal`() async throws {
    try await application(Admission(addressRate: 0, accountRate: 1)).test { client in
      for _ in 0..<5 { _ = try await ask(client) }
    }
    let page = try read()
    #expect(page[Self.requests("get", "Auth", "issued")] == 2)
    #expect(page[Self.requests("get", "Auth", "limited")] == 3)
    #expect(page["uaf_limited_total{by=\"account\"}"] == 3)
    #expect(page["uaf_limited_total{by=\"address\"}"] == 0)
    #expect(page[Self.requests("get", "Auth", "refused")] == 0)
  }

  @Test func `metrics count a failure of the store, and show the store as down`() async throws {
    await watch.look()
    #expect(try read()["uaf_store_up"] == 1)
    store.fails(.everything)
    try await application().test { client in _ = try await ask(client) }
    await watch.look()
    let page = try read()
    #expect(page["uaf_store_up"] == 0)
    #expect(page["uaf_store_failures_total{operation=\"login\"}"] == 1)
    #expect(page[Self.requests("get", "Auth", "failed")] == 1)
    #expect(page["uaf_store_under_way{operation=\"login\"}"] == 0)
  }

  @Test func `metrics count an access to the store as running until it has ended`() async throws {
    let metered = MeteredStore(store: store, metrics: metrics.store)
    store.hangs(true)
    let use = Task { try await metered.login(of: "alice", appID: "a", challenge: nil) }
    await store.isAsked()
    #expect(try read()["uaf_store_under_way{operation=\"login\"}"] == 1)
    store.hangs(false)
    _ = try await use.value
    #expect(try read()["uaf_store_under_way{operation=\"login\"}"] == 0)
  }

  @Test func `metrics do not count a refusal in a transaction as a failure of the store`() async throws {
    struct Refused: Error {}
    let metered = MeteredStore(store: server.store, metrics: metrics.store)
    await #expect(throws: Refused.self) { try await metered.write { _ in throw Refused() } }
    #expect(try read()["uaf_store_failures_total{operation=\"write\"}"] == 0)
    #expect(try read()["uaf_store_seconds_count{operation=\"write\"}"] == 1)
  }

  @Test func `every series of the metrics exists from the start, so that no first event is missed`() async throws {
    let before = try read()
    let authenticator = try await server.registered("alice")
    try await application().test { client in try await login(client, authenticator, counter: 1) }
    #expect(try Set(before.values.keys) == Set(read().values.keys))
    #expect(before.values.filter { $0.key.hasPrefix("uaf_requests_total") }.values.allSatisfy { $0 == 0 })
  }

  @Test func `metrics reveal no name, no address and no key`() async throws {
    let authenticator = try await server.registered("alice")
    try await application().test { client in
      try await login(client, authenticator, counter: 1)
      _ = try await ask(client, for: "mallory\"}\n1 2")
    }
    for word in ["alice", "127.0.0", "mallory"] { #expect(!routes.page.contains(word)) }
  }

  @Test func `a bucket of the metrics counts everything that took at most as long as the bucket's bound`() throws {
    let histogram = DurationHistogram()
    for duration in [Duration.zero, .microseconds(500), .microseconds(501), .seconds(10), .seconds(11)] {
      histogram.count(duration)
    }
    #expect(histogram.figures.atMost == [2] + Array(repeating: 3, count: 12) + [4])
    #expect(histogram.figures.count == 5)
    #expect(abs(histogram.figures.seconds - 21.001001) < 1e-9)
  }

  @Test
  func `metrics take the memory from the second number of statm, and omit it if there are fewer than two numbers`() {
    #expect(ProcessFigures.residentPages(Array("5000 1200 300 1 0 2 0\n".utf8)) == 1200)
    for text in ["", "5000", "5000 x"] { #expect(ProcessFigures.residentPages(Array(text.utf8)) == nil) }
  }

  @Test(arguments: [
    (HTTPMethod.POST, "/metrics"), (.GET, "/"), (.GET, "/uaf/facets"), (.POST, "/uaf/get"), (.GET, "/metrics/"),
  ])
  func `the listener of the metrics refuses everything except its own pages`(method: HTTPMethod, path: String) async {
    let request = WebRequest(method: method, target: path, headers: [:], body: ByteBuffer(), peer: nil)
    #expect(await routes.response(to: request).status == .notFound)
  }

  @Test func `strangers do not get the page of metrics from the port for logins`() async throws {
    try await application().test { client in
      let answer = try await client.executeRequest(uri: "/metrics", method: .GET, headers: [:], body: nil)
      #expect(answer.status == .notFound)
    }
  }

  @Test func `the metrics' listener accepts no socket in the file system`() {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    #expect(MetricsListener(.unixSocket(path: "/run/a"), routes, logger: logger) == nil)
    #expect(throws: (any Error).self) {
      try ServeCommand.parse(["--development", "--metrics-listen", "unix:/run/a"])
    }
  }
}
