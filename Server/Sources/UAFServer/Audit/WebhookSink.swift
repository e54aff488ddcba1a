import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import SecretMemory
import Synchronization
import UAFCrypto
import UAFMessages
import UAFService

/// A sink that receives rows as JSON lines at an HTTPS URL.
struct WebhookSink: RowSink {
  /// The header with the time and the MAC of a request.
  static let header = "UAF-Audit-Signature"
  private static let limit = TimeAmount.seconds(30)

  let name = "webhook"

  private let url: PublicURL
  private let secret: WebhookSecret
  private let client: HTTPClient
  private let now: @Sendable () -> Int64

  /// Makes a sink; nothing is sent yet.
  ///
  /// The caller must call ``close()``.
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

/// The secret with which portions of rows are signed for a webhook.
final class WebhookSecret: Sendable {
  /// The allowed lengths of the secret, in bytes.
  private static let lengths = 32...256

  private let key: Mutex<Secret>

  /// Reads the first line of a file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(path: String) throws {
    guard let line = try StateFile.readPassword(path: path) else {
      throw ServerError.unusableFile(path: path, reason: "no such file")
    }
    let count = line.withBytes { bytes in
      var count = bytes.count
      while count > 0, bytes[count - 1] == 0 { count -= 1 }
      return count
    }
    guard Self.lengths.contains(count) else {
      throw ServerError.unusableFile(
        path: path,
        reason:
          "must have \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) bytes: 'openssl rand -hex 32' makes one"
      )
    }
    key = Mutex(try line.withBytes { try Secret(copying: $0.extracting(0..<count)) })
  }

  /// The value of the header: the time, and an HMAC-SHA-256 in hexadecimal digits.
  ///
  /// The HMAC covers the time, a full stop, and the body.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``CryptoError``.
  func signature(of body: [UInt8], now: Int64) throws -> String {
    let message = Array("\(now).".utf8) + body
    let code = try key.withLock { key in try HMACSHA256.authenticate(message, key: key) }
    return "t=\(now),v1=\(Hexadecimal.text(code))"
  }
}

/// How a TLS client of this program authenticates the server, which is a sink of the audit or the server that a command
/// administers, and how it authenticates itself.
struct SinkTrust {
  /// A PEM file of CA certificates; nil for the system's CAs.
  let authorities: String?
  /// The PEM files of the client's certificate chain and key; nil for none.
  var own: (certificate: String, key: String)?

  /// A configuration for TLS 1.2 or later that checks certificate and host name.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func configuration() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.certificateVerification = .fullVerification
    if let authorities {
      guard let bytes = try StateFile.read(path: authorities, isSecret: false, maximumLength: 1 << 20) else {
        throw ServerError.unusableFile(path: authorities, reason: "no such file")
      }
      try PEMForm.require(bytes, of: authorities)
      guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
        throw ServerError.unusableFile(path: authorities, reason: "contains no certificate in PEM")
      }
      configuration.trustRoots = .certificates(certificates)
    }
    if let own {
      let files = try CertificateFiles(certificatePath: own.certificate, privateKeyPath: own.key)
      let served = try files.tlsConfiguration()
      configuration.certificateChain = served.certificateChain
      configuration.privateKey = served.privateKey
    }
    return configuration
  }

  /// An HTTP client that follows no redirects, so that signed rows, or a token, are sent only to the configured server.
  ///
  /// The caller must shut it down.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func client() throws -> HTTPClient {
    var settings = HTTPClient.Configuration(
      tlsConfiguration: try configuration(), redirectConfiguration: .disallow)
    settings.timeout.connect = .seconds(10)
    // The caller retries itself, and logs the reason.
    settings.connectionPool.retryConnectionEstablishment = false
    settings.httpVersion = .http1Only
    return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
  }

  /// The context with which TLS connections are made.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func context(_ configuration: TLSConfiguration) throws -> NIOSSLContext {
    guard let context = try? NIOSSLContext(configuration: configuration) else {
      throw ServerError.unusableFile(
        path: authorities ?? own?.certificate ?? "the system's authorities", reason: "TLS cannot use it")
    }
    return context
  }
}
