import Glibc
import Logging
import NIOPosix

import Testing
import UAFService

@testable import ServerTesting
@testable import UAFServer

/// Whether the server knows its AppID before a client can connect.
struct ServerStartTests {
  private let server: TestServer
  private let identity = IdentityBox()

  init() throws { server = try TestServer() }

  private func start(_ listen: ListenAddress, publicURL: PublicURL? = nil) -> ServerStart {
    ServerStart(
      listen: listen, publicURL: publicURL, facets: [], certificates: { [] }, channelBinding: .off, identity: identity,
      manager: ServiceManager(environment: [:], process: getpid(), loops: MultiThreadedEventLoopGroup.singleton),
      store: server.store, shapes: [KeyShapeKeeper()], logger: Logger(label: "test"))
  }

  @Test func `the server knows its AppID before it listens on a named port`() throws {
    try start(.network(host: "a.test", port: 8443)).prepare()
    #expect(try identity.value().appID == "https://a.test:8443/uaf/facets")
  }

  @Test func `the server knows its AppID before it listens if clients use a separate URL`() throws {
    try start(.network(host: "127.0.0.1", port: 0), publicURL: PublicURL(argument: "https://b.test")).prepare()
    #expect(try identity.value().appID == "https://b.test/uaf/facets")
  }

  @Test func `the server has no AppID until the system has chosen the port`() throws {
    try start(.network(host: "a.test", port: 0)).prepare()
    #expect(throws: ServerError.self) { try identity.value() }
  }
}
