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

/// Which refusals have a row of the audit, and which are only counted.
@Suite(.onEachStore) struct AuditRefusalTests {
  private let server: TestServer
  private let count = RefusalCount()
  private let peer: SocketAddress

  init() throws {
    server = try TestServer()
    peer = try SocketAddress(ipAddress: "192.0.2.7", port: 1)
  }

  /// Two wrong responses a minute are allowed, and so a burst of four.
  private func routes(accountRate: Int64 = 2) -> UAFRoutes {
    UAFRoutes(
      environment: server.environment, logger: .init(label: "test") { _ in RecordedLog() },
      admission: Admission(addressRate: 0, accountRate: accountRate), refusals: count)
  }

  private func post(_ path: String, _ body: [UInt8], to routes: UAFRoutes) async -> WebResponse {
    await routes.response(
      to: WebRequest(
        method: .POST, target: path, headers: ["Content-Type": "application/fido+uaf"], body: ByteBuffer(bytes: body),
        peer: peer))
  }

  private func send(_ response: UAFResponse, to routes: UAFRoutes) async {
    _ = await post("/uaf/respond", SendUAFResponse(uafResponse: response.text).jsonBytes, to: routes)
  }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100) }.map(\.event)
  }

  /// A key whose counter at the server is far ahead.
  private func aheadOfItsCounter() async throws -> FakeAuthenticator {
    let alice = try await server.registered("alice")
    let right = try await alice.authenticate(server.authenticationRequest("alice"), counter: 9)
    #expect(try await server.respond(right).0 == nil)
    return alice
  }

  @Test func `a refused response of a registered key within the budget gets an audit row with reason, address and key`()
    async throws
  {
    let alice = try await aheadOfItsCounter()
    await send(try alice.authenticate(try await server.authenticationRequest("alice"), counter: 1), to: routes())
    #expect(
      try await rows().last
        == AuditEntry(
          time: server.now, kind: .login, outcome: "counter-not-increased", account: "alice", actor: .person,
          address: "192.0.2.7", authenticators: "\(alice.aaid.text) \(alice.keyID.text)"))
    #expect(count.take(now: 1) == nil)
  }

  @Test func `the audit row of a refused response has the service that the machine has named`() async throws {
    let alice = try await aheadOfItsCounter()
    var context = RequestContext(username: "alice")
    context.service = PAMServiceName("sshd")
    let request = try TestServer.authenticationRequest(in: await server.get(.authentication, context))
    let response = try alice.authenticate(request, counter: 1)
    let body = SendUAFResponse(uafResponse: response.text, context: context.jsonText)
    _ = await post("/uaf/respond", body.jsonBytes, to: routes())
    let row = try #require(try await rows().last)
    #expect(row.outcome == "counter-not-increased" && row.service == "sshd")
  }

  @Test func `refused responses of a registered key beyond the budget are counted, and get no audit row`() async throws
  {
    let (routes, alice) = (routes(), try await aheadOfItsCounter())
    let before = try await rows().count
    for _ in 0..<9 {
      await send(try alice.authenticate(try await server.authenticationRequest("alice"), counter: 1), to: routes)
    }
    #expect(try await rows().count == before + 4)
    #expect(try #require(count.take(now: 1)).detail.hasPrefix(#"{"count":5,"reasons":{"limited":5}"#))
  }

  @Test func `refused responses of strangers are counted and write nothing, even with the account's KeyID`()
    async throws
  {
    let alice = try await server.registered("alice")
    let (routes, thief) = (routes(), try FakeAuthenticator(keyID: alice.keyID))
    let before = try await server.database.changes()
    for stranger in [try FakeAuthenticator(), thief] {
      for account in ["alice", "nobody"] {
        let request = try await server.authenticationRequest(account)
        await send(try stranger.authenticate(request, counter: 1), to: routes)
      }
    }
    #expect(try await server.database.changes() == before)
    #expect(try #require(count.take(now: 1)).detail.hasPrefix(#"{"count":4,"#))
  }

  @Test func `without a limit per account, refused responses are only counted`() async throws {
    let (routes, stranger) = (routes(accountRate: 0), try FakeAuthenticator())
    await send(try stranger.authenticate(try await server.authenticationRequest("alice"), counter: 1), to: routes)
    #expect(try await rows().isEmpty)
    #expect(try #require(count.take(now: 1)).detail.hasPrefix(#"{"count":1,"reasons":{"unknown-key-id":1}"#))
  }

  @Test func `responses that match no request, and refused requests, are counted and write nothing`() async throws {
    let routes = routes()
    _ = await post("/uaf/respond", Array("junk".utf8), to: routes)
    _ = await post("/uaf/get", Array("junk".utf8), to: routes)
    // The requests that `uafctl doctor` sends.
    for path in ["/uaf/respond", "/uaf/get"] { _ = await post(path, Array("{}".utf8), to: routes) }
    let body = GetUAFRequest(op: .registration, context: RequestContext(username: "alice").jsonText)
    _ = await post("/uaf/get", body.jsonBytes, to: routes)
    let changes = try await server.database.changes()
    let login = GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText)
    #expect(await post("/uaf/get", login.jsonBytes, to: routes).status == .ok)
    #expect(try await server.database.changes() == changes)
    #expect(try await rows().isEmpty)
    let detail = try #require(count.take(now: 1)).detail
    #expect(detail.contains(#""malformed-request":2"#) && detail.contains(#""authorization-required":1"#))
  }

  @Test func `the audit row of an accepted response contains the address that it came from`() async throws {
    let alice = try await server.registered("alice")
    await send(try alice.authenticate(try await server.authenticationRequest("alice"), counter: 1), to: routes())
    let row = try #require(try await rows().last)
    #expect(row.kind == .login && row.outcome == AuditEntry.done && row.address == "192.0.2.7")
  }
}
