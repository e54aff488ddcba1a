import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import WebMessages

@testable import ServerTesting
@testable import UAFServer

/// One connection: the server collects complete requests, and writes complete responses.
struct ExchangeTests {
  private let server: TestServer

  init() throws {
    server = try TestServer()
  }

  private func connection() async throws -> NIOAsyncTestingChannel {
    let routes = UAFRoutes(
      environment: server.environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let channel = NIOAsyncTestingChannel()
    try await channel.testingEventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(Exchange(routes.response(to:), on: channel.eventLoop))
    }.get()
    return channel
  }

  private func head(_ path: String, _ method: HTTPMethod = .POST, _ headers: HTTPHeaders = [:]) -> HTTPServerRequestPart
  {
    .head(HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers))
  }

  private static let end = HTTPServerRequestPart.end(nil)

  private static func part(_ content: ByteBuffer) -> HTTPServerRequestPart { .body(content) }

  /// The next response: its status, its headers as lines, and its body.
  private func answer(
    _ channel: NIOAsyncTestingChannel
  ) async throws -> (status: String, headers: [String], body: String) {
    var (status, headers, body) = ("", [String](), "")
    while true {
      switch try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self) {
      case .head(let head):
        status = "\(head.version) \(head.status.code) \(head.status.reasonPhrase)"
        headers = head.headers.map { "\($0.name): \($0.value)" }
      case .body(.byteBuffer(let part)): body += String(buffer: part)
      case .body: Issue.record("a file is sent")
      case .end: return (status, headers, body)
      }
    }
  }

  @Test func `the server answers several requests on a connection, one after the other`() async throws {
    let channel = try await connection()
    for _ in 0..<2 {
      try await channel.writeInbound(head("/livez", .GET))
      try await channel.writeInbound(Self.end)
      let answer = try await answer(channel)
      #expect(answer.status == "HTTP/1.1 200 OK")
      #expect(answer.body == "ok\n")
      #expect(answer.headers.contains("Server: uaf-server") && answer.headers.contains("Content-Length: 3"))
      #expect(answer.headers.contains { $0.hasPrefix("Date: ") })
    }
  }

  @Test func `a response to HEAD states the length of the body, and has no body`() async throws {
    let channel = try await connection()
    for method in [HTTPMethod.HEAD, .GET, .HEAD] {
      try await channel.writeInbound(head("/livez", method))
      try await channel.writeInbound(Self.end)
      let answer = try await answer(channel)
      #expect(answer.status == "HTTP/1.1 200 OK" && answer.body == (method == .GET ? "ok\n" : ""))
      #expect(answer.headers.contains("Content-Length: 3"))
    }
  }

  @Test(arguments: [HTTPResponseStatus.noContent, .notModified])
  func `a response whose status allows no body states no length`(status: HTTPResponseStatus) async throws {
    let exchanges = ExchangeChannel(responder: { _ in WebResponse(status: status, body: [0x78]) }, limits: { _ in [] })
    let channel = NIOAsyncTestingChannel()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    try await channel.testingEventLoop.flatSubmit { exchanges.setup(channel: channel, logger: logger).map { _ in } }
      .get()
    try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
    try await channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    try await channel.closeFuture.get()
    var text = ""
    while let part = try await channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
    #expect(text.hasPrefix("HTTP/1.1 \(status.code) ") && text.hasSuffix("\r\n\r\n"))
    #expect(!text.lowercased().contains("content-length") && !text.lowercased().contains("transfer-encoding"))
  }

  @Test func `the server joins a request's body that arrives in parts`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/uaf/get", .POST, ["Content-Type": "application/json"]))
    for part in [#"{"op":"#, #""Auth","context":"{\"user"#, #"name\":\"alice\"}"}"#] {
      try await channel.writeInbound(Self.part(ByteBuffer(string: part)))
    }
    try await channel.writeInbound(Self.end)
    #expect(try await answer(channel).body.contains(#""statusCode":1200"#))
  }

  @Test func `the server refuses a body that is announced as too long before any of it arrives`() async throws {
    let channel = try await connection()
    let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "65537"]
    try await channel.writeInbound(head("/uaf/get", .POST, headers))
    #expect(try await answer(channel).status == "HTTP/1.1 413 Payload Too Large")
    try await channel.closeFuture.get()
  }

  @Test func `the server refuses a body that becomes too long without announcing it, and reads no more of it`()
    async throws
  {
    let channel = try await connection()
    try await channel.writeInbound(head("/uaf/get", .POST, ["Content-Type": "application/json"]))
    for _ in 0..<17 {
      try await channel.writeInbound(Self.part(ByteBuffer(repeating: 0x20, count: 4096)))
    }
    #expect(try await answer(channel).status == "HTTP/1.1 413 Payload Too Large")
    try await channel.closeFuture.get()
  }

  @Test func `the server closes the connection after its response if the client asks for that`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/livez", .GET, ["Connection": "close"]))
    try await channel.writeInbound(Self.end)
    #expect(try await answer(channel).status == "HTTP/1.1 200 OK")
    try await channel.closeFuture.get()
  }

  /// What a client does that closes TLS properly: it sends the closing message, and waits for the server's.
  private func closeInput(_ channel: NIOAsyncTestingChannel) async throws {
    try await channel.testingEventLoop.submit {
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }.get()
  }

  @Test(arguments: [false, true])
  func `the server closes the connection of a client that has finished sending, with half a request or none`(half: Bool)
    async throws
  {
    let channel = try await connection()
    if half { try await channel.writeInbound(head("/livez", .GET)) }
    try await closeInput(channel)
    try await channel.closeFuture.get()
    #expect(try await channel.readOutbound(as: HTTPServerResponsePart.self) == nil)
  }

  @Test func `the server answers everything that a client requested before it finished sending`() async throws {
    let channel = try await connection()
    for part in [head("/livez", .GET), Self.end, head("/livez", .GET), Self.end, head("/livez", .GET)] {
      try await channel.writeInbound(part)
    }
    try await closeInput(channel)
    for _ in 0..<2 { #expect(try await answer(channel).status == "HTTP/1.1 200 OK") }
    try await channel.closeFuture.get()
    #expect(try await channel.readOutbound(as: HTTPServerResponsePart.self) == nil)
  }

  @Test func `the server answers an unknown path with 404`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/", .GET))
    try await channel.writeInbound(Self.end)
    #expect(try await answer(channel).status == "HTTP/1.1 404 Not Found")
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
    (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 GMT", "2024-02-29T12:34:56Z"),
  ])
  func `the server writes a time in the formats of HTTP and of the log`(second: Int64, http: String, log: String) {
    for _ in 0..<2 {
      #expect(SecondText.http.text(at: second) == http)
      #expect(SecondText.iso8601.text(at: second) == log)
    }
  }
}
