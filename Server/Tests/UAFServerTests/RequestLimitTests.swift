import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import ServerTesting
@testable import UAFServer

/// What a client may send on one connection, as bytes that pass through all its handlers.
struct RequestLimitTests {
  private let server: TestServer

  init() throws {
    server = try TestServer()
  }

  private func connection() async throws -> NIOAsyncTestingChannel {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let routes = UAFRoutes(environment: server.environment, logger: logger)
    let exchanges = ExchangeChannel(responder: routes.response(to:), limits: { [ExchangeDeadline(on: $0)] })
    let channel = NIOAsyncTestingChannel()
    try await channel.testingEventLoop.flatSubmit { exchanges.setup(channel: channel, logger: logger).map { _ in } }
      .get()
    try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
    return channel
  }

  /// What the server has sent until a text has occurred in it this many times.
  private func sent(
    _ channel: NIOAsyncTestingChannel, until text: String = "HTTP/1.1 ", times: Int = 1
  ) async throws -> String {
    var sent = ""
    while sent.split(separator: text, omittingEmptySubsequences: false).count <= times {
      sent += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
    }
    return sent
  }

  private func send(_ text: String, to channel: NIOAsyncTestingChannel) async throws {
    try await channel.writeInbound(ByteBuffer(string: text))
  }

  private static func get(_ fields: String = "", path: String = "/livez") -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
  }

  private static func post(_ fields: String) -> String {
    "POST /uaf/get HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(fields)"
  }

  private static func field(_ name: String, bytes: Int) -> String {
    "\(name): \(String(repeating: "a", count: bytes - name.utf8.count))\r\n"
  }

  private static func fields(_ count: Int) -> String { (0..<count).map { "X-\($0): a\r\n" }.joined() }

  private static let refused = [
    "a long field": get(field("X", bytes: 16_400)), "many fields": get(fields(100)),
    "long headers": get((0..<3).map { field("X\($0)", bytes: 11_000) }.joined()),
    "a long path": get(path: "/" + String(repeating: "a", count: 16_385)),
    "a field without an end": "GET /livez HTTP/1.1\r\nX: " + String(repeating: "a", count: 16_385),
    "a path without an end": "GET /" + String(repeating: "a", count: 16_385),
    "many fields after the body": post("Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n" + fields(100)),
    "length and chunks": post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    "two lengths": post("Content-Length: 5\r\nContent-Length: 6\r\n\r\naaaaaa"),
    "a negative length": post("Content-Length: -1\r\n\r\n"),
    "another coding": post("Transfer-Encoding: gzip\r\n\r\na"),
    "chunks that are not last": post("Transfer-Encoding: chunked, identity\r\n\r\n"),
    "a chunk of any size": post("Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"),
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1 called 2": "GET /livez HTTP/2.0\r\n\r\n",
    "no version": "GET /livez\r\n\r\n", "a space before the colon": get("X : a\r\n"),
    "a folded field": get(" folded\r\n"), "a zero byte": get("X: a\0b\r\n"),
    "lines without a return": "GET /livez HTTP/1.1\nHost: a\n\n",
    "CONNECT": "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\nbytes of another protocol",
    "Upgrade": get("Connection: Upgrade\r\nUpgrade: websocket\r\n") + "bytes of another protocol",
  ]

  @Test(arguments: refused.keys.sorted())
  func `the server refuses what is not an HTTP/1 request, and headers beyond the limits, and closes the connection`(
    what: String
  ) async throws {
    let request = try #require(Self.refused[what])
    let channel = try await connection()
    // The fault in the request may also be reported as an error of the channel.
    try? await send(request, to: channel)
    #expect(try await sent(channel).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    try? await channel.closeFuture.get()
    #expect(!channel.isActive)
  }

  private static let followed = [
    "a long field": field("X", bytes: 16_300), "many fields": fields(98), "a length": "Content-Length: 0\r\n",
    "an option": "connection: Keep-Alive\r\n",
  ]

  @Test(arguments: followed.keys.sorted())
  func `the server accepts requests within the limits, and leaves the connection open`(what: String) async throws {
    let channel = try await connection()
    for _ in 0..<2 {
      try await send(Self.get(#require(Self.followed[what])), to: channel)
      #expect(try await sent(channel, until: "ok\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
    #expect(channel.isActive)
  }

  @Test func `the server refuses a chunked body that becomes too long, and closes the connection`() async throws {
    let channel = try await connection()
    try await send(Self.post("Transfer-Encoding: chunked\r\n\r\n"), to: channel)
    let chunk = "8000\r\n" + String(repeating: " ", count: 32_768) + "\r\n"
    for _ in 0..<2 { try await send(chunk, to: channel) }
    try await send("1\r\n \r\n", to: channel)
    #expect(try await sent(channel).hasPrefix("HTTP/1.1 413 "))
    try await channel.closeFuture.get()
  }

  @Test(arguments: ["close", "Close", "keep-alive, CLOSE"])
  func `the server closes the connection if the client asks for that, in upper or lower case`(option: String)
    async throws
  {
    let channel = try await connection()
    try await send(Self.get("Connection: \(option)\r\n"), to: channel)
    #expect(try await sent(channel, until: "ok\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    try await channel.closeFuture.get()
  }

  @Test func `the server asks for a body that the client announces with Expect, unless the body is too long`()
    async throws
  {
    let channel = try await connection()
    try await send(Self.post("Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"), to: channel)
    #expect(try await sent(channel).hasPrefix("HTTP/1.1 100 Continue\r\n\r\n"))
    try await send("{}", to: channel)
    #expect(try await sent(channel).hasPrefix("HTTP/1.1 200 OK\r\n"))
    try await send(Self.post("Expect: 100-continue\r\nContent-Length: 65537\r\n\r\n"), to: channel)
    #expect(try await sent(channel, until: "HTTP/1.1 4").contains("HTTP/1.1 413 "))
    try await channel.closeFuture.get()
  }

  @Test func `requests that arrive together are answered one by one`() async throws {
    let channel = try await connection()
    try await send(Self.get() + Self.get(path: "/nowhere") + Self.get(), to: channel)
    let sent = try await sent(channel, until: "ok\n", times: 2)
    let statuses = sent.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("HTTP/1.1 ") }
    #expect(statuses == ["HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 200 OK"])
  }

  @Test func `the server answers the requests before one that is malformed, and then refuses the malformed one`()
    async throws
  {
    let channel = try await connection()
    try? await send(Self.get() + Self.get() + "no request\r\n\r\n", to: channel)
    let sent = try await sent(channel, until: "HTTP/1.1 400")
    let statuses = sent.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("HTTP/1.1 ") }
    #expect(statuses == ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 400 Bad Request"])
    try await channel.closeFuture.get()
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n"])
  func `the server closes an HTTP/1.0 connection, unless the client wants to keep it`(fields: String) async throws {
    let channel = try await connection()
    try await send("GET /livez HTTP/1.0\r\n\(fields)\r\n", to: channel)
    let sent = try await sent(channel, until: "ok\n")
    #expect(sent.contains("Connection: close\r\n") == fields.isEmpty)
    if fields.isEmpty { try await channel.closeFuture.get() } else { #expect(channel.isActive) }
  }

  @Test func `a server that stops closes an idle connection immediately, and a busy connection after its response`()
    async throws
  {
    let (idle, busy) = (try await connection(), try await connection())
    try await send("GET /livez HTTP/1.1\r\n", to: idle)
    try await send(Self.post("Content-Length: 2\r\n\r\n"), to: busy)
    for channel in [idle, busy] {
      try await channel.testingEventLoop.submit {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      }.get()
    }
    try await idle.closeFuture.get()
    #expect(busy.isActive)
    try await send("{}", to: busy)
    #expect(try await sent(busy).contains("\r\nConnection: close\r\n"))
    try await busy.closeFuture.get()
  }

  @Test func `the server reads nothing more from a connection while a further request waits`() async throws {
    let channel = try await connection()
    channel.isWritable = false
    let reads = ReadCounter()
    try await channel.testingEventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(reads, position: .first)
    }.get()
    let count: @Sendable () async throws -> Int = { try await channel.testingEventLoop.submit { reads.count }.get() }
    let before = try await count()
    try await send(Self.get() + Self.get(), to: channel)
    try await channel.testingEventLoop.submit { channel.pipeline.read() }.get()
    #expect(try await count() == before)
    channel.isWritable = true
    try await channel.testingEventLoop.submit { channel.pipeline.fireChannelWritabilityChanged() }.get()
    _ = try await sent(channel, until: "ok\n", times: 2)
    #expect(try await count() > before)
  }

  @Test func `a client that does not read its responses gets no further one until it does`()
    async throws
  {
    let channel = try await connection()
    channel.isWritable = false
    try await send(Self.get() + Self.get(), to: channel)
    #expect(try await channel.readOutbound(as: ByteBuffer.self) == nil)
    channel.isWritable = true
    try await channel.testingEventLoop.submit { channel.pipeline.fireChannelWritabilityChanged() }.get()
    #expect(try await sent(channel, until: "ok\n", times: 2).hasPrefix("HTTP/1.1 200 OK\r\n"))
  }
}
