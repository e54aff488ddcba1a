import Logging
import NIOCore
import NIOHTTP1
import SQLiteStore
import Synchronization
import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

import struct UAFMessages.RequestContext

/// What is reported about a failing store, and to whom.
struct StoreWatchTests {
  let server: TestServer
  private let store: FailingStore
  private let log = RecordedLog()

  init() throws {
    server = try TestServer()
    store = FailingStore(server.store)
  }

  private var logger: Logger { Logger(label: "test") { _ in log } }

  private func watch() async throws -> StoreWatch {
    try await server.store.write { try $0.settings.set(.publicURL, to: "https://a.test") }
    return StoreWatch(store, logger: logger, now: { server.now })
  }

  private func application(_ watch: StoreWatch) -> TestClient {
    let known = server.environment
    let environment = ServiceEnvironment(
      store: store, keys: known.keys, models: known.models, policies: known.policies, identity: known.identity,
      now: known.now, random: known.random)
    return TestClient(routes: UAFRoutes(environment: environment, logger: logger, watch: watch))
  }

  private func status(_ client: TestClient, _ path: String) async throws -> HTTPResponseStatus {
    try await client.executeRequest(uri: path, method: .GET, headers: [:], body: nil).status
  }

  @Test func `the server is ready only after the store has answered, and not while the store fails`() async throws {
    let watch = try await watch()
    try await application(watch).test { client in
      #expect(try await status(client, "/readyz") == .serviceUnavailable)
      await watch.look()
      #expect(try await status(client, "/readyz") == .ok)
      store.fails(.everything)
      await watch.look()
      let answer = try await client.executeRequest(uri: "/readyz", method: .GET, headers: [:], body: nil)
      #expect(answer.status == .serviceUnavailable && String(buffer: answer.body) == "store\n")
      #expect(try await status(client, "/livez") == .ok)
      store.fails(.nothing)
      await watch.look()
      #expect(try await status(client, "/readyz") == .ok)
    }
  }

  @Test func `the server is not ready while the store cannot read a login`() async throws {
    let watch = try await watch()
    store.fails(.logins)
    await watch.look()
    #expect(!watch.isReady)
    #expect(log.lines.filter { $0.contains("store-failed") }.count == 1)
    store.fails(.nothing)
    await watch.look()
    #expect(watch.isReady)
  }

  @Test func `health checks by strangers never reach the store`() async throws {
    let watch = try await watch()
    try await application(watch).test { client in
      for path in ["/livez", "/readyz"] {
        for _ in 0..<50 { _ = try await status(client, path) }
      }
      #expect(store.uses == 0)
    }
  }

  @Test func `the server is not ready while its check of the store gets no answer`() async throws {
    let watch = try await watch()
    await watch.look()
    store.hangs(true)
    let look = Task { await watch.look() }
    await store.isAsked()
    #expect(watch.isReady)
    server.advance(seconds: StoreWatch.patience)
    #expect(!watch.isReady)
    store.hangs(false)
    await look.value
    #expect(watch.isReady)
  }

  @Test func `the log says once that the store fails, and once that it is back`() async throws {
    let watch = try await watch()
    store.fails(.everything)
    for _ in 0..<5 { await watch.look() }
    for _ in 0..<5 { watch.failed(FailingStore.Failure()) }
    #expect(log.lines == ["store-failed error=test-1 text=no space left"])
    store.fails(.nothing)
    for _ in 0..<5 { await watch.look() }
    #expect(log.lines == ["store-failed error=test-1 text=no space left", "store-back"])
  }

  @Test func `after a failure the check of the store rewrites existing settings, and adds none`() async throws {
    let watch = StoreWatch(store, logger: logger, now: { server.now })
    for id in [nil, "01234567"] {
      if let id { try await server.store.write { try $0.settings.set(.decoySecret, to: id) } }
      store.fails(.everything)
      await watch.look()
      store.fails(.nothing)
      await watch.look()
      #expect(watch.isReady)
      #expect(try await server.store.read { try $0.settings.value(of: .decoySecret) } == id)
      #expect(try await server.store.read { try $0.settings.value(of: .publicURL) } == nil)
    }
    #expect(log.lines.count { $0 == "store-back" } == 2)
  }

  @Test func `on a full disk reads continue, a response is refused as a temporary failure, and the log has one line`()
    async throws
  {
    let authenticator = try await server.registered("alice")
    let watch = try await watch()
    await watch.look()
    store.fails(.writes)
    try await application(watch).test { client in
      for counter in 1...3 {
        let answer = try await ask(client)
        #expect(answer.statusCode == .ok)
        let request = try TestServer.authenticationRequest(in: answer)
        let response = try await respond(client, authenticator.authenticate(request, counter: UInt32(counter)))
        #expect(response.statusCode == .internalServerError && response.additionalTokens.isEmpty)
        await watch.look()
        #expect(try await status(client, "/readyz") == .ok)
      }
      store.fails(.nothing)
      await watch.look()
      let request = try TestServer.authenticationRequest(in: try await ask(client))
      #expect(try await respond(client, authenticator.authenticate(request, counter: 9)).statusCode == .ok)
    }
    let told = log.lines.filter { $0.hasPrefix("store-") || $0.hasPrefix("failed") }
    #expect(told == ["store-failed error=test-1 text=no space left", "store-back"])
  }

  private func post(_ client: TestClient, _ path: String, _ body: [UInt8]) async throws -> [UInt8] {
    let headers: HTTPHeaders = ["Content-Type": "application/json"]
    let answer = try await client.executeRequest(
      uri: path, method: .POST, headers: headers, body: ByteBuffer(bytes: body))
    #expect(answer.status == .ok, "a UAF client reads the status in the body")
    return [UInt8](buffer: answer.body)
  }

  private func ask(_ client: TestClient) async throws -> ReturnUAFRequest {
    let body = GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText)
    return try ReturnUAFRequest(parsing: await post(client, "/uaf/get", body.jsonBytes))
  }

  private func respond(_ client: TestClient, _ response: UAFResponse) async throws -> ServerResponse {
    try ServerResponse(
      parsing: await post(client, "/uaf/respond", SendUAFResponse(uafResponse: response.text).jsonBytes))
  }
}
