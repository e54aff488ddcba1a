import AsyncHTTPClient
import NIOCore
import UAFService

/// A program behind an HTTPS URL that takes rows as JSON lines.
struct WebhookSink: RowSink {
  /// The header with time and code.
  static let header = "UAF-Audit-Signature"
  private static let limit = TimeAmount.seconds(30)

  let name = "webhook"

  private let url: PublicURL
  private let secret: WebhookSecret
  private let client: HTTPClient
  private let now: @Sendable () -> Int64

  /// Makes a sink; nothing is sent yet.
  ///
  /// ``close()`` must be called.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(url: PublicURL, secret: WebhookSecret, trust: SinkTrust, now: @escaping @Sendable () -> Int64) throws {
    client = try trust.client()
    self.url = url
    self.secret = secret
    self.now = now
  }

  func send(_ rows: [AuditRow]) async throws(SinkFailure) {
    do {
      let status = try await status(of: rows.map { AuditLine.json($0) + "\n" }.joined())
      guard (200..<300).contains(status) else { throw SinkFailure.status(status) }
    } catch {
      throw SinkFailure(error)
    }
  }

  func close() async { try? await client.shutdown() }

  private func status(of body: String) async throws -> UInt {
    let body = Array(body.utf8)
    var request = HTTPClientRequest(url: url.text)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-ndjson")
    request.headers.add(name: Self.header, value: try secret.signature(of: body, now: now()))
    request.body = .bytes(ByteBuffer(bytes: body))
    return try await client.execute(request, timeout: Self.limit).status.code
  }
}
