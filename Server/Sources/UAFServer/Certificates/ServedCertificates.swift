import NIOSSL
import Synchronization
import UAFCrypto
import UAFService

/// The certificates that clients see, and the TLS context with the server's own certificate.
///
/// The files are read at the start, and again on SIGHUP.
final class ServedCertificates: Sendable {
  /// A certificate that clients see.
  struct Visible: Equatable {
    /// The path of its file.
    let path: String
    /// DER.
    let der: [UInt8]
  }

  /// The contents of the files when they were read.
  struct Content {
    let visible: [Visible]
    /// The server's own chain, or the certificates of a proxy, DER.
    let chain: [[UInt8]]
    /// When each certificate expires, in seconds since 1970.
    let ends: [Int64]
    /// The TLS context with the server's own certificate; nil if a proxy terminates TLS.
    let tls: NIOSSLContext?
  }

  /// Why a client will refuse a certificate.
  enum Fault: Equatable {
    case expired(Visible, end: Int64)
    case notYetValid(Visible, start: Int64)
    case otherName(Visible, host: String)
    case weak(Visible, X509.Weakness)
  }

  private let own: @Sendable () throws -> CertificateFiles?
  private let others: [String]
  private let content: Mutex<Content>

  /// Reads the files for the first time.
  ///
  /// - Parameters:
  ///   - others: the certificate files of a proxy, which clients see instead of the server's own; empty for none.
  ///   - own: reads the server's own certificate; returns nil if a proxy terminates TLS.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  init(others: [String] = [], own: @escaping @Sendable () throws -> CertificateFiles?) throws {
    self.own = own
    self.others = others
    content = Mutex(try Self.read(own(), others))
  }

  /// Reads the files as they are now, without using them.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func read() throws -> Content { try Self.read(own(), others) }

  /// Uses new content for all connections that begin from now on.
  func use(_ new: Content) { content.withLock { $0 = new } }

  var visible: [Visible] { content.withLock { $0.visible } }

  /// The server's own chain, or the certificates of a proxy, DER.
  var chain: [[UInt8]] { content.withLock { $0.chain } }

  /// When each visible certificate expires, in seconds since 1970.
  var ends: [Int64] { content.withLock { $0.ends } }

  /// The TLS context with the server's own certificate; nil if a proxy terminates TLS.
  var tls: NIOSSLContext? { content.withLock { $0.tls } }

  private static func read(_ files: CertificateFiles?, _ others: [String]) throws -> Content {
    let visible =
      others.isEmpty
      ? try files.map { [Visible(path: $0.certificatePath, der: try $0.leaf())] } ?? []
      : try others.map { Visible(path: $0, der: try CertificateFiles.leaf(path: $0)) }
    let ends = try visible.map { try X509.validity(der: $0.der).upperBound }
    let chain = others.isEmpty ? try files.map { try X509.certificates(pem: $0.chainPEM) } ?? [] : visible.map(\.der)
    return Content(visible: visible, chain: chain, ends: ends, tls: try files?.context())
  }

  /// The reasons, as far as they are visible in the certificates, for which clients will refuse them.
  ///
  /// - Parameters:
  ///   - host: the name or address by which clients know the server; nil if that is not known.
  ///   - now: seconds since 1970.
  func faults(host: String?, now: Int64) -> [Fault] {
    var faults: [Fault] = []
    for certificate in visible {
      guard let validity = try? X509.validity(der: certificate.der) else { continue }
      if now > validity.upperBound { faults.append(.expired(certificate, end: validity.upperBound)) }
      if now < validity.lowerBound { faults.append(.notYetValid(certificate, start: validity.lowerBound)) }
      if let weakness = (try? X509.weakness(der: certificate.der)) ?? nil {
        faults.append(.weak(certificate, weakness))
      }
      guard let host, (try? X509.isFor(host, der: certificate.der)) == false else { continue }
      faults.append(.otherName(certificate, host: host))
    }
    return faults
  }
}

/// Holds the server's identity, which changes when certificates are renewed.
///
/// If the port is 0, the identity is known only once the server listens.
final class IdentityBox: Sendable {
  /// How long the old certificates are still accepted in channel bindings after a renewal: a connection keeps the certificate
  /// that it began with, and a person needs time to type.
  static let overlap = Duration.seconds(300)

  private struct State {
    var identity: ServerIdentity?
    /// The identity without the old certificates, and the time from which it is used.
    var next: (identity: ServerIdentity, from: ContinuousClock.Instant)?
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

  func set(_ new: ServerIdentity) {
    state.withLock { $0 = State(identity: new) }
  }

  /// Accepts new certificates, and the earlier ones for ``overlap``.
  ///
  /// Does nothing if the identity is not known yet: it will be made from the certificates of that later moment.
  ///
  /// - Throws: ``CryptoError`` for a certificate that no channel binding can name; the identity is not changed then.
  func renew(_ certificates: [[UInt8]], after earlier: [[UInt8]]) throws {
    let from = now() + Self.overlap
    try state.withLock { state in
      guard let identity = state.identity else { return }
      let renewed = try identity.renewed(certificates)
      state = State(identity: try identity.renewed(certificates + earlier), next: (renewed, from))
    }
  }

  /// - Throws: ``ServerError/notListening``.
  func value() throws -> ServerIdentity {
    let now = now
    let value = state.withLock { state in
      if let next = state.next, now() >= next.from { state = State(identity: next.identity) }
      return state.identity
    }
    guard let value else { throw ServerError.notListening }
    return value
  }
}
