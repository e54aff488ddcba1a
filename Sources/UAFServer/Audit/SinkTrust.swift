import AsyncHTTPClient
import NIOPosix
import NIOSSL

/// Which certificates of the other side are accepted, a sink of the audit or a server that a command asks, and which
/// certificate of our own it gets.
struct SinkTrust {
  /// PEM file of authorities; nil for the system's.
  let authorities: String?
  /// Our own certificate chain and key, PEM files; nil for none.
  var own: (certificate: String, key: String)?

  /// TLS 1.2 or later, with certificate and host name checked.
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
        throw ServerError.unusableFile(path: authorities, reason: "holds no certificate in PEM")
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

  /// A client of HTTP for one place: what is signed, or a token, goes there and nowhere else.
  ///
  /// It must be shut down.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func client() throws -> HTTPClient {
    var settings = HTTPClient.Configuration(
      tlsConfiguration: try configuration(), redirectConfiguration: .disallow)
    settings.timeout.connect = .seconds(10)
    // Whoever uses it repeats, and says why.
    settings.connectionPool.retryConnectionEstablishment = false
    settings.httpVersion = .http1Only
    return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
  }

  /// What connections are made with.
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
