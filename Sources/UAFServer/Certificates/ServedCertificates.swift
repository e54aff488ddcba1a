import NIOSSL
import Synchronization
import UAFCrypto

/// The certificates that clients see, and TLS with the server's own: read at the start, and again on SIGHUP.
final class ServedCertificates: Sendable {
  /// A certificate that clients see.
  struct Visible: Equatable {
    /// Its file.
    let path: String
    /// DER.
    let der: [UInt8]
  }

  /// What files held when they were read.
  struct Content {
    let visible: [Visible]
    /// When each of them ends, in seconds since 1970.
    let ends: [Int64]
    /// TLS with the server's own certificate; nil where TLS ends elsewhere.
    let tls: NIOSSLContext?
  }

  /// Why a client will refuse a certificate.
  enum Fault: Equatable {
    case expired(Visible, end: Int64)
    case notYetValid(Visible, start: Int64)
    case otherName(Visible, host: String)
  }

  private let own: @Sendable () throws -> CertificateFiles?
  private let others: [String]
  private let content: Mutex<Content>

  /// Reads them for the first time.
  ///
  /// - Parameters:
  ///   - others: the files of those that clients see in place of the server's own.
  ///   - own: reads the server's own; nil where TLS ends elsewhere.
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

  /// Uses what was read for the connections that begin from now on.
  func use(_ new: Content) { content.withLock { $0 = new } }

  var visible: [Visible] { content.withLock { $0.visible } }

  /// When each of the visible ones ends, in seconds since 1970.
  var ends: [Int64] { content.withLock { $0.ends } }

  /// TLS with the server's own certificate; nil where TLS ends elsewhere.
  var tls: NIOSSLContext? { content.withLock { $0.tls } }

  private static func read(_ files: CertificateFiles?, _ others: [String]) throws -> Content {
    let visible =
      others.isEmpty
      ? try files.map { [Visible(path: $0.certificatePath, der: try $0.leaf())] } ?? []
      : try others.map { Visible(path: $0, der: try CertificateFiles.leaf(path: $0)) }
    let ends = try visible.map { try X509.validity(der: $0.der).upperBound }
    return Content(visible: visible, ends: ends, tls: try files?.context())
  }

  /// Why clients will refuse the certificates, as far as these tell.
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
      guard let host, (try? X509.isFor(host, der: certificate.der)) == false else { continue }
      faults.append(.otherName(certificate, host: host))
    }
    return faults
  }
}
