import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ServerTesting
@testable import UAFServer

/// One connection: requests collected whole, answers written at once.
struct ExchangeTests {
  private let server: TestServer

  init() throws {
    server = try TestServer()
  }

  private func connection() async throws -> NIOAsyncTestingChannel {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let responder = UAFRoutes(environment: server.environment, logger: logger).router.buildResponder()
    let channel = NIOAsyncTestingChannel()
    try await channel.testingEventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(Exchange(responder, on: channel.eventLoop, logger: logger))
    }.get()
    return channel
  }

  private func head(_ path: String, _ method: HTTPRequest.Method = .post, _ fields: HTTPFields = [:]) -> HTTPRequestPart
  {
    var head = HTTPRequest(method: method, scheme: "https", authority: "localhost", path: path)
    head.headerFields = fields
    return .head(head)
  }

  /// The next answer: its status, its fields and its body.
  private func answer(_ channel: NIOAsyncTestingChannel) async throws -> (head: HTTPResponse, body: String) {
    var (head, body) = (HTTPResponse(status: .ok), "")
    while true {
      switch try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) {
      case .head(let part): head = part
      case .body(let part): body += String(buffer: part)
      case .end: return (head, body)
      }
    }
  }

  @Test func `answers one request after another on a connection`() async throws {
    let channel = try await connection()
    for _ in 0..<2 {
      try await channel.writeInbound(head("/livez", .get))
      try await channel.writeInbound(HTTPRequestPart.end(nil))
      let answer = try await answer(channel)
      #expect(answer.head.status == .ok)
      #expect(answer.body == "ok\n")
      #expect(answer.head.headerFields[.server] == "uaf-server")
      #expect(answer.head.headerFields[.date] != nil)
    }
  }

  @Test func `joins a body that comes in parts`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/uaf/get", .post, [.contentType: "application/json"]))
    for part in [#"{"op":"#, #""Auth","context":"{\"user"#, #"name\":\"alice\"}"}"#] {
      try await channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: part)))
    }
    try await channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(try await answer(channel).body.contains(#""statusCode":1200"#))
  }

  @Test func `refuses a body that is announced too long before any of it comes`() async throws {
    let channel = try await connection()
    let fields: HTTPFields = [.contentType: "application/json", .contentLength: "65537"]
    try await channel.writeInbound(head("/uaf/get", .post, fields))
    #expect(try await answer(channel).head.status == .contentTooLarge)
    try await channel.closeFuture.get()
  }

  @Test func `refuses a body that becomes too long without saying so, and keeps no more of it`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/uaf/get", .post, [.contentType: "application/json"]))
    for _ in 0..<17 {
      try await channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0x20, count: 4096)))
    }
    #expect(try await answer(channel).head.status == .contentTooLarge)
    try await channel.closeFuture.get()
  }

  @Test func `closes the connection when the client asks for that`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/livez", .get, [.connection: "close"]))
    try await channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(try await answer(channel).head.status == .ok)
    try await channel.closeFuture.get()
  }

  @Test func `knows no other path`() async throws {
    let channel = try await connection()
    try await channel.writeInbound(head("/", .get))
    try await channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(try await answer(channel).head.status == .notFound)
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
    (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 GMT", "2024-02-29T12:34:56Z"),
  ])
  func `writes a second as HTTP and the log have it`(second: Int64, http: String, log: String) {
    for _ in 0..<2 {
      #expect(SecondText.http.text(at: second) == http)
      #expect(SecondText.iso8601.text(at: second) == log)
    }
  }
}
