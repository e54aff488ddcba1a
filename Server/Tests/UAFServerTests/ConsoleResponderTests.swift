import Logging
import NIOCore
import NIOHTTP1
import Testing
import UAFAdministration
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The console with the limits for its requests.
struct ConsoleResponderTests {
  private let responder: ConsoleResponder

  init() throws {
    let server = try TestServer()
    let environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: server.environment.now, random: server.environment.random,
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
    responder = ConsoleResponder(
      server.environment, environment,
      UAFRoutes(environment: server.environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        .passkeys.guarding,
      facts: .init(listeners: [], certificateEnds: { [] }, store: "SQLite", keys: { _ in [] }),
      port: nil, proxies: TrustedProxies(), logger: Logger(label: "test"))
  }

  private func ask(
    _ path: String, _ body: String? = nil, from address: String
  ) async throws -> HTTPResponseStatus {
    var headers: HTTPHeaders = ["Host": "console.test"]
    if body != nil {
      headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      headers.add(name: "Origin", value: "https://console.test")
    }
    return await responder.response(
      to: WebRequest(
        method: body == nil ? .GET : .POST, target: path, headers: headers, body: ByteBuffer(string: body ?? ""),
        peer: try SocketAddress(ipAddress: address, port: 4711))
    ).status
  }

  @Test func `sign-ins from one IPv6 network are counted together, and apart from those of other networks`()
    async throws
  {
    for number in 1...20 {
      #expect(try await ask("/console/sign-in", "name=alice", from: "2001:db8::\(number)") == .seeOther)
    }
    #expect(try await ask("/console/sign-in", "name=alice", from: "2001:db8::9999") == .tooManyRequests)
    #expect(try await ask("/console/sign-in", "name=alice", from: "2001:db8:0:1::1") == .seeOther)
  }

  @Test func `requests to the console without a session are limited`() async throws {
    for _ in 1...240 { #expect(try await ask("/console", from: "192.0.2.1") == .seeOther) }
    #expect(try await ask("/console/sign-in", from: "192.0.2.1") == .tooManyRequests)
    #expect(try await ask("/console/sign-in", from: "192.0.2.2") == .ok)
  }

  @Test(arguments: [
    ("/console/enrol-list/check", 100_000, HTTPResponseStatus.seeOther),
    ("/console/enrol-list/issue", 1 << 20, .seeOther), ("/console/enrol-list/check", 2 << 20, .payloadTooLarge),
    ("/console/enrol-list", 100_000, .payloadTooLarge), ("/console/people/add", 100_000, .payloadTooLarge),
  ]) func `a request body longer than any form is refused, except at the paths that accept a list`(
    path: String, size: Int, status: HTTPResponseStatus
  ) async throws {
    #expect(try await ask(path, String(repeating: "x", count: size), from: "192.0.2.1") == status)
  }

  private static let uploads = ["/console/enrol-list/check", "/console/enrol-list/issue"]
  private static let sizes: [(path: String, limit: Int)] =
    uploads.map { ($0, 1_056_768) }
    + ["/console/enrol-list", "/console/people/add", "/console/enrol-list/issue/"].map { ($0, 65_536) }

  @Test(arguments: sizes)
  func `a request body is accepted up to the last byte of its path's limit, and refused beyond it`(
    path: String, limit: Int
  ) async throws {
    for (size, status) in [
      (limit - 1, HTTPResponseStatus.seeOther), (limit, .seeOther), (limit + 1, .payloadTooLarge),
    ] {
      #expect(try await ask(path, String(repeating: "x", count: size), from: "192.0.2.1") == status, "\(size) bytes")
    }
  }

  @Test(arguments: sizes) func `a request is refused as soon as it announces a body above its path's limit`(
    path: String, limit: Int
  ) async throws {
    for (announced, status) in [
      (limit - 1, HTTPResponseStatus.seeOther), (limit, .seeOther), (limit + 1, .payloadTooLarge),
    ] {
      let request = WebRequest(
        method: .POST, target: path,
        headers: [
          "Host": "console.test", "Origin": "https://console.test", "Content-Length": "\(announced)",
          "Content-Type": "application/x-www-form-urlencoded",
        ], body: ByteBuffer(), peer: try SocketAddress(ipAddress: "192.0.2.1", port: 4711))
      #expect(await responder.response(to: request).status == status, "\(announced) bytes announced")
    }
  }

  @Test(arguments: [HTTPMethod.GET, .PUT, .HEAD])
  func `the larger limit for a request body applies only to sending a list`(
    method: HTTPMethod
  ) {
    for path in Self.uploads { #expect(ConsoleResponder.maximumBody(method, path) == 65_536) }
  }
}
