import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The API and the console over real connections: TLS at a port, and the socket of the state folder.
///
/// A stand-in replaces the console.
struct AdministrationListenersTests {
  private let server: TestServer
  private let folder: TemporaryFolder
  private let environment: AdministrationEnvironment
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() throws {
    server = try TestServer()
    folder = try TemporaryFolder()
    environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: { [server] in server.now }, random: { try RandomBytes.make($0) },
      publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
  }

  /// Runs the listeners, and passes the port and the socket's path on.
  private func run(_ body: @Sendable (_ port: Int, _ socket: String) async throws -> Void) async throws {
    let log = LoggedLines()
    let logger = Logger(label: "test") { _ in log }
    let directory = try ServerDirectory(path: folder.path("state"), create: true)
    let certificates = try ServedCertificates {
      try CertificateFiles(development: directory, hosts: [], now: Terminal.now)
    }
    let address = try #require(AdminAddress(argument: "0"))
    let services = AdministrationListeners(
      api: APIResponder(environment, logger: logger), socketPath: directory.adminSocketPath,
      console: { _ in WebResponse(status: .ok, body: Array("console".utf8)) }, proxies: TrustedProxies(),
      // On a busy machine each step of a test may wait for minutes.
      patience: ListenerPatience(handshake: .hours(1), exchange: .hours(1), idle: .hours(1)), logger: logger
    ).services(at: address, certificates)
    #expect(services.count == 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for service in services { group.addTask { try? await service.run() } }
      var (port, isLocal) = (0, false)
      for await line in log.lines {
        if let number = line.split(separator: "listening on 127.0.0.1:").last.flatMap({ Int($0) }) { port = number }
        if line.contains("listening on socket path") { isLocal = true }
        if port != 0, isLocal { break }
      }
      try await body(port, directory.adminSocketPath)
      group.cancelAll()
    }
  }

  /// Sends a request, and reads until the server closes.
  private func exchange(_ request: String, _ connect: (ClientBootstrap) -> EventLoopFuture<any Channel>, tls: Bool)
    async throws -> String
  {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: String.self)
    let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        if tls {
          var configuration = TLSConfiguration.makeClientConfiguration()
          configuration.certificateVerification = .none
          let context = try NIOSSLContext(configuration: configuration)
          try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
        }
        try channel.pipeline.syncOperations.addHandler(WholeAnswer(answer))
      }
    }
    let channel = try await connect(bootstrap).get()
    try await channel.writeAndFlush(ByteBuffer(string: request)).get()
    return try await answer.futureResult.get()
  }

  private static func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n"
  }

  @Test func `over TLS the API accepts only a token, and every other path belongs to the console`() async throws {
    let made = try await AccessAdministration(environment).createToken(
      "deploy", role: .auditor, lifetime: 60, addresses: ["127.0.0.1"], by: root)
    try await run { port, _ in
      let ask = { (request: String) in
        try await exchange(request, { $0.connect(host: "127.0.0.1", port: port) }, tls: true)
      }
      let right = try await ask(Self.get("/api/v1/me", "Authorization: Bearer \(made.text)\r\n"))
      #expect(right.hasPrefix("HTTP/1.1 200 OK") && right.hasSuffix(#"{"actor":"token deploy","role":"auditor"}"#))
      #expect(try await ask(Self.get("/api/v1/me")).hasPrefix("HTTP/1.1 401 Unauthorized"))
      #expect(try await ask(Self.get("/accounts")).hasSuffix("console"))
      #expect(try await ask(Self.get("/apiary")).hasSuffix("console"))
    }
  }

  @Test func `a command reaches a running server over TLS with a token from a file, and is told why it is refused`()
    async throws
  {
    let made = try await AccessAdministration(environment).createToken(
      "reader", role: .auditor, lifetime: 60, addresses: [], by: root)
    let (right, wrong) = (folder.path("right"), folder.path("wrong"))
    _ = try StateFile.create(path: right, mode: 0o600, contents: Array((made.text + "\n").utf8))
    _ = try StateFile.create(path: wrong, mode: 0o600, contents: Array("uafs_other\n".utf8))
    let authority = folder.path("state/ca.pem")
    try await run { port, _ in
      let address = try #require(APIAddress(argument: "https://localhost:\(port)"))
      func ask(_ request: APIRequest, token: String, trust: String?) async throws -> JSONObject {
        let link = try RemoteLink(
          to: address, token: LinkToken(path: token), trust: SinkTrust(authorities: trust))
        let answer = await Result { try await link.ask(request) }
        await link.close()
        return try answer.get()
      }
      let me = APIRequest(.GET, ["me"])
      #expect(try await ask(me, token: right, trust: authority).text("actor") == "token reader")
      let unknown = await #expect(throws: Problem.self) { try await ask(me, token: wrong, trust: authority) }
      #expect(unknown?.code == "no-token" && unknown?.exit == .refused)
      let refused = await #expect(throws: Problem.self) {
        try await ask(APIRequest(.DELETE, ["tokens", "reader"]), token: right, trust: authority)
      }
      #expect(refused?.code == "not-allowed")
      // A server whose certificate is not trusted never receives the token.
      let untrusted = await #expect(throws: LinkError.self) { try await ask(me, token: right, trust: nil) }
      #expect(untrusted?.description.contains("certificate is not from a trusted authority") == true)
    }
  }

  @Test func `a command at the API's socket acts as its own user, and reports a socket on which nobody listens`()
    async throws
  {
    try await run { _, socket in
      let link = try RemoteLink(
        to: #require(APIAddress(argument: "unix:" + socket)), token: nil, trust: SinkTrust(authorities: nil))
      let added = await Result { try await link.ask(APIRequest(.POST, ["accounts"], body: ["name": .string("a%b/c")])) }
      let found = await Result { try await link.ask(APIRequest(.GET, ["accounts", "a%b/c"])) }
      await link.close()
      #expect(try added.get().text("name") == "a%b/c")
      #expect(try found.get().integer("keys") == 0)
    }
    let link = try RemoteLink(
      to: #require(APIAddress(argument: "unix:" + folder.path("nobody.sock"))), token: nil,
      trust: SinkTrust(authorities: nil))
    let away = await Result { try await link.ask(APIRequest(.GET, ["me"])) }
    await link.close()
    #expect(throws: LinkError.self) { try away.get() }
  }

  @Test func `the port for API and console answers nothing without TLS`() async throws {
    try await run { port, _ in
      let plain = try await exchange(
        Self.get("/api/v1/me"), { $0.connect(host: "127.0.0.1", port: port) }, tls: false)
      #expect(!plain.contains("HTTP/1.1"))
    }
  }

  @Test func `the API's socket recognises this process's user without a token, and nobody else may open it`()
    async throws
  {
    try await run { _, socket in
      let answer = try await exchange(
        Self.get("/api/v1/me"), { $0.connect(unixDomainSocketPath: socket) }, tls: false)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
      #expect(answer.contains(#"{"actor":"command-line uid \#(geteuid())"#))
      #expect(
        try await exchange(Self.get("/"), { $0.connect(unixDomainSocketPath: socket) }, tls: false).contains("404"))
    }
  }
}
