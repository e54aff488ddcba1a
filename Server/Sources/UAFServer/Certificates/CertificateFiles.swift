import Foundation
import NIOSSL
import SecretMemory
import UAFCrypto

/// The certificate chain and private key of the server.
struct CertificateFiles {
  /// The chain in PEM, the server's own certificate first.
  let chainPEM: [UInt8]
  let privateKeyPEM: [UInt8]
  /// The path of the chain.
  let certificatePath: String
  private let privateKeyPath: String

  /// Reads a chain and its key.
  ///
  /// Both may be symbolic links, as certbot makes them.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)`` if a file is missing, if the chain contains no certificate, if other
  ///   users can read the key, or if the key is encrypted: nobody is there to enter its password.
  init(certificatePath: String, privateKeyPath: String) throws {
    guard let chain = try StateFile.read(path: certificatePath, isSecret: false) else {
      throw ServerError.unusableFile(path: certificatePath, reason: "no such file")
    }
    guard let key = try StateFile.read(path: privateKeyPath, isSecret: true, followsLinks: true) else {
      throw ServerError.unusableFile(path: privateKeyPath, reason: "no such file")
    }
    try PEMForm.require(chain, of: certificatePath)
    try PEMForm.require(key, of: privateKeyPath)
    guard !key.contains("ENCRYPTED".utf8) else {
      throw ServerError.unusableFile(
        path: privateKeyPath, reason: "the key is encrypted: store it without a password, readable only by its owner")
    }
    guard (try? X509.certificates(pem: chain).first) != nil else {
      throw ServerError.unusableFile(
        path: certificatePath,
        reason: "contains no certificate in PEM: put the chain there, the server's own certificate first")
    }
    chainPEM = chain
    privateKeyPEM = key
    self.certificatePath = certificatePath
    self.privateKeyPath = privateKeyPath
  }

  /// The development certificate in a state folder; it is created if all of its three files are missing.
  ///
  /// - Parameters:
  ///   - hosts: the names and addresses that the certificate names, in addition to those of the loopback interface.
  ///   - now: seconds since 1970.
  init(development state: ServerDirectory, hosts: [String], now: Int64) throws {
    let names = [state.authorityPath, state.certificatePath, state.privateKeyPath]
    let present = names.filter { FileManager.default.fileExists(atPath: $0) }
    if present.isEmpty { try Self.make(state: state, hosts: hosts, now: now) }
    guard present.isEmpty || present.count == names.count else {
      throw ServerError.unusableDirectory(
        path: state.path,
        reason: "ca.pem, certificate.pem and key.pem belong together: restore or remove all three")
    }
    try self.init(certificatePath: state.certificatePath, privateKeyPath: state.privateKeyPath)
  }

  /// The server's own certificate, DER.
  func leaf() throws -> [UInt8] {
    guard let leaf = try X509.certificates(pem: chainPEM).first else { throw CryptoError.invalidCertificate }
    return leaf
  }

  /// The first certificate of a PEM file, DER.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func leaf(path: String) throws -> [UInt8] {
    guard let pem = try StateFile.read(path: path, isSecret: false) else {
      throw ServerError.unusableFile(path: path, reason: "no such file")
    }
    try PEMForm.require(pem, of: path)
    guard let leaf = try? X509.certificates(pem: pem).first else {
      throw ServerError.unusableFile(path: path, reason: "not a certificate in PEM")
    }
    return leaf
  }

  /// TLS 1.2 or later with this certificate.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)`` if the key cannot be used, or belongs to a different certificate.
  func tlsConfiguration() throws -> TLSConfiguration { try tls().configuration }

  /// The TLS context for connections with this certificate.
  ///
  /// - Throws: what ``tlsConfiguration()`` throws.
  func context() throws -> NIOSSLContext { try tls().context }

  private func tls() throws -> (configuration: TLSConfiguration, context: NIOSSLContext) {
    guard let key = try? NIOSSLPrivateKey(bytes: privateKeyPEM, format: .pem) else {
      throw ServerError.unusableFile(
        path: privateKeyPath, reason: "contains no usable private key in PEM: put the certificate's key there")
    }
    let chain = try NIOSSLCertificate.fromPEMBytes(chainPEM)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    guard let context = try? NIOSSLContext(configuration: configuration) else {
      throw ServerError.unusableFile(
        path: privateKeyPath,
        reason: "does not belong to the first certificate in \(certificatePath): put that certificate's key there")
    }
    return (configuration, context)
  }

  private static let validity: Int64 = 825 * 86_400
  /// How long before now a new certificate becomes valid, in seconds, for clients whose clocks are behind.
  private static let clockTolerance: Int64 = 3600

  private static func make(state: ServerDirectory, hosts: [String], now: Int64) throws {
    let isAddress = { (host: String) in host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } }
    let dnsNames = ["localhost"] + hosts.filter { !isAddress($0) && $0 != "localhost" }
    let loopback = ["127.0.0.1", "::1"]
    let made = try DevelopmentCertificate.make(
      commonName: "uaf-server", dnsNames: dnsNames,
      ipAddresses: loopback + hosts.filter { isAddress($0) && !loopback.contains($0) },
      notBefore: now - clockTolerance, notAfter: now + validity)
    _ = try StateFile.create(path: state.privateKeyPath, mode: 0o600, contents: made.privateKeyPEM)
    _ = try StateFile.create(path: state.certificatePath, mode: 0o644, contents: made.certificatePEM)
    _ = try StateFile.create(path: state.authorityPath, mode: 0o644, contents: made.authorityPEM)
  }
}

/// Recognises, by their first bytes, files that cannot be PEM.
///
/// OpenSSL skips everything that it does not understand. After a byte order mark it skips the first certificate of a chain, and
/// would take the second one as the server's.
enum PEMForm {
  /// What is wrong with the file, and what to do; nil if its first bytes show no fault.
  static func objection(to bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return "begins with a byte order mark (BOM): save it as ASCII, or as UTF-8 without one"
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "is UTF-16: save it as ASCII" }
    if X509.isCertificate(bytes) { return "is a certificate in DER: convert it with openssl x509 -inform DER" }
    return nil
  }

  /// Refuses a file whose first bytes show that it cannot be read.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func require(_ bytes: [UInt8], of path: String) throws(ServerError) {
    if let reason = objection(to: bytes) { throw .unusableFile(path: path, reason: reason) }
  }
}

extension CertificateFiles {
  /// The certificate of the CA that a payload for `url` contains, PEM; nil if this server has no CA of its own.
  ///
  /// - Throws: ``ServerError/invalidArgument(_:)`` if this server's certificate does not name the URL's host: with the payload,
  ///   a person would trust this CA for somebody else's server.
  static func authority(of state: ServerDirectory, for url: String) throws -> String? {
    guard let authority = try StateFile.read(path: state.authorityPath, isSecret: false),
      let host = PublicURL(argument: url)?.host
    else { return nil }
    guard try X509.isFor(host, der: leaf(path: state.certificatePath)) else {
      throw ServerError.invalidArgument(
        "the certificate of this server does not name \(host), and a payload would contain this server's "
          + "authority. For another "
          + "name of this server start 'serve' with --public-url; other servers issue their own codes")
    }
    return String(decoding: authority, as: UTF8.self)
  }
}
