import Foundation
import NIOCore
import NIOPosix
import Testing
import UAFCrypto
import UAFMessages
import UAFService

@testable import ServerTesting
@testable import UAFServer

/// Sinks against servers with real TLS on this machine.
@Suite struct AuditSinkTests {
  private static let rows = (Int64(1)...3).map {
    AuditRow(
      link: AuditLink(number: $0, hash: [UInt8](repeating: 0, count: 32)),
      event: AuditEntry(time: 1, kind: .login, account: "민아", actor: .person))
  }
  private static let secret = "0123456789abcdef0123456789abcdef"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func syslog(_ receiver: TLSReceiver, host: String = "localhost") throws -> SyslogSink {
    try SyslogSink(
      host: host, port: receiver.port, trust: SinkTrust(authorities: receiver.authorityPath), sender: "uaf1")
  }

  private func secretFile(_ text: String) throws -> String {
    let path = folder.path("secret")
    try? FileManager.default.removeItem(atPath: path)
    _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    return path
  }

  private func webhook(_ receiver: TLSReceiver) throws -> WebhookSink {
    let url = try #require(PublicURL(argument: "https://localhost:\(receiver.port)/audit"))
    return try WebhookSink(
      url: url, secret: WebhookSecret(path: secretFile(Self.secret)),
      trust: SinkTrust(authorities: receiver.authorityPath), now: { 1_800_000_000 })
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a syslog server has received all messages when the sink reports them as delivered`(host: String) async throws {
    let receiver = try await TLSReceiver(names: ["localhost"], addresses: ["127.0.0.1"])
    try await Self.syslog(receiver, host: host).send(Self.rows)
    let expected = Self.rows.flatMap { SyslogMessage.frame($0, host: "uaf1") }
    #expect(receiver.text == String(decoding: expected, as: UTF8.self))
    try await receiver.stop()
  }

  @Test func `the server sends nothing to a syslog server whose CA is not trusted`() async throws {
    let receiver = try await TLSReceiver(names: ["localhost"])
    let other = try await TLSReceiver(names: ["localhost"])
    let sink = try SyslogSink(
      host: "localhost", port: receiver.port, trust: SinkTrust(authorities: other.authorityPath), sender: "uaf1")
    await #expect(throws: SinkFailure.untrusted) { try await sink.send(Self.rows) }
    #expect(receiver.text.isEmpty)
    try await receiver.stop()
    try await other.stop()
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `the server sends nothing to a syslog server whose certificate is for a different name`(host: String)
    async throws
  {
    let receiver = try await TLSReceiver(names: ["uaf.example.org"], addresses: ["192.0.2.1"])
    let sink = try Self.syslog(receiver, host: host)
    await #expect(throws: SinkFailure.otherName) { try await sink.send(Self.rows) }
    #expect(receiver.text.isEmpty)
    try await receiver.stop()
  }

  @Test func `rows are not reported as delivered if the syslog server is away`() async throws {
    let receiver = try await TLSReceiver(names: ["localhost"])
    let sink = try Self.syslog(receiver)
    try await receiver.stop()
    await #expect(throws: SinkFailure.system(errorNumber: ECONNREFUSED)) { try await sink.send(Self.rows) }
  }

  @Test func `a syslog server that never closes does not delay the shutdown of this server`() async throws {
    // This server accepts connections and then does nothing with them.
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let sink = try SyslogSink(
      host: "127.0.0.1", port: channel.localAddress?.port ?? 0, trust: SinkTrust(authorities: nil), sender: "uaf1")
    let sending = Task { try await sink.send(Self.rows) }
    sending.cancel()
    await #expect(throws: SinkFailure.closed) { try await sending.value }
    try await channel.close()
  }

  @Test func `a syslog server that accepts no connection does not delay the shutdown of this server`() async throws {
    let listener = try FullListener()
    let sink = try SyslogSink(
      host: "127.0.0.1", port: listener.port, trust: SinkTrust(authorities: nil), sender: "uaf1")
    let sending = Task { try await sink.send(Self.rows) }
    sending.cancel()
    await #expect(throws: SinkFailure.closed) { try await sending.value }
  }

  @Test func `a webhook gets audit rows as lines of JSON, and a signature over time and body`() async throws {
    let receiver = try await TLSReceiver(
      names: ["localhost"], answer: "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
    let sink = try webhook(receiver)
    try await sink.send(Self.rows)
    await sink.close()
    let parts = receiver.text.components(separatedBy: "\r\n\r\n")
    let body = try #require(parts.last)
    #expect(body == Self.rows.map { AuditLine.json($0) + "\n" }.joined())
    let code = try HMACSHA256.authenticate(
      Array("1800000000.\(body)".utf8), keyInOrdinaryMemory: Array(Self.secret.utf8))
    let digits = code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(parts[0].contains("UAF-Audit-Signature: t=1800000000,v1=\(digits)"))
    #expect(parts[0].hasPrefix("POST /audit HTTP/1.1\r\n"))
    try await receiver.stop()
  }

  @Test func `text from a stranger adds neither a line nor a header to the requests that a webhook gets`() async throws
  {
    let receiver = try await TLSReceiver(
      names: ["localhost"], answer: "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
    let sink = try webhook(receiver)
    let hostile = "a\r\nX-Forged: 1\r\n\r\n{\"number\":9}\n\u{2028}\u{202E}"
    let row = AuditRow(
      link: AuditLink(number: 1, hash: [UInt8](repeating: 0, count: 32)),
      event: AuditEntry(
        time: 1, kind: .login, outcome: hostile, account: hostile, actor: .token(hostile), address: hostile,
        machine: hostile, detail: hostile))
    try await sink.send([row])
    await sink.close()
    let parts = receiver.text.components(separatedBy: "\r\n\r\n")
    #expect(parts.count == 2 && !parts[0].contains("X-Forged"))
    #expect(parts[1].utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A })
    #expect(parts[1].split(separator: "\n").count == 1 && parts[1].hasSuffix("}\n"))
    try await receiver.stop()
  }

  @Test(arguments: [
    "https://a.test/\r\nX: 1", "https://a.test\n", "https://a.test/ b", "https://user:word@a.test/", "http://a.test/",
    "file:///etc/passwd", "gopher://a.test/", "https://", "https://a.test/?to=1", "https://a.test/#f",
  ]) func `refuses a webhook's URL with a scheme other than https, an account or a line end`(text: String) {
    #expect(PublicURL(argument: text) == nil)
  }

  @Test func `the API has no route that configures a sink`() {
    let text = JSONValue.object(APIDescription.document(version: "1")).text
    for word in ["webhook", "syslog", "callback"] { #expect(!text.lowercased().contains(word)) }
  }

  @Test(arguments: ["500 No", "301 Moved\r\nLocation: https://localhost/", "404 No"])
  func `rows are not reported as delivered unless the webhook replies with success`(answer: String) async throws {
    let receiver = try await TLSReceiver(
      names: ["localhost"], answer: "HTTP/1.1 \(answer)\r\nContent-Length: 0\r\n\r\n")
    let sink = try webhook(receiver)
    let status = try #require(UInt(answer.prefix(3)))
    await #expect(throws: SinkFailure.status(status)) { try await sink.send(Self.rows) }
    await sink.close()
    try await receiver.stop()
  }

  @Test func `the server sends nothing to a webhook whose certificate is for a different name`() async throws {
    let receiver = try await TLSReceiver(names: ["uaf.example.org"], answer: "HTTP/1.1 200 OK\r\n\r\n")
    let sink = try webhook(receiver)
    await #expect(throws: SinkFailure.self) { try await sink.send(Self.rows) }
    #expect(receiver.text.isEmpty)
    await sink.close()
    try await receiver.stop()
  }

  @Test(arguments: ["", "short\n", String(repeating: "a", count: 300)])
  func `refuses a webhook's secret of the wrong length`(text: String) throws {
    let path = try secretFile(text)
    #expect(throws: ServerError.self) { try WebhookSecret(path: path) }
  }

  @Test func `refuses a webhook's secret that others can read, and ignores the final line end of its file`() throws {
    let path = try secretFile(Self.secret + "\n")
    let first = try WebhookSecret(path: path).signature(of: [1], now: 2)
    #expect(try WebhookSecret(path: secretFile(Self.secret)).signature(of: [1], now: 2) == first)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: ServerError.self) { try WebhookSecret(path: path) }
  }

  @Test func `refuses a file with a sink's CA that contains no certificate`() throws {
    let path = try secretFile("nothing\n")
    #expect(throws: ServerError.unusableFile(path: path, reason: "contains no certificate in PEM")) {
      try SyslogSink(host: "a", port: 1, trust: SinkTrust(authorities: path), sender: "uaf1")
    }
  }
}
