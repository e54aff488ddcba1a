import Foundation
import Glibc
import Logging
import Synchronization
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The server's certificates in certbot's folders, and what a reload does with them.
final class ServedCertificatesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes number `number` of a certificate and its key, and points certbot's links to them.
  private func issue(_ number: Int, names: [String] = ["uaf.example"], until: Int64 = 1_900_000_000) throws {
    let made = try DevelopmentCertificate.make(
      commonName: "test", dnsNames: names, ipAddresses: [], notBefore: 1_700_000_000, notAfter: until)
    for name in ["archive", "archive/a", "live", "live/a"]
    where !FileManager.default.fileExists(atPath: folder.path(name)) {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    _ = try StateFile.create(
      path: folder.path("archive/a/fullchain\(number).pem"), mode: 0o644, contents: made.certificatePEM)
    _ = try StateFile.create(
      path: folder.path("archive/a/privkey\(number).pem"), mode: 0o600, contents: made.privateKeyPEM)
    for name in ["fullchain", "privkey"] { try link("live/a/\(name).pem", to: "../../archive/a/\(name)\(number).pem") }
  }

  private func link(_ name: String, to target: String) throws {
    try? FileManager.default.removeItem(atPath: folder.path(name))
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
  }

  private func files(_ key: String = "live/a/privkey.pem") throws -> CertificateFiles {
    try CertificateFiles(certificatePath: folder.path("live/a/fullchain.pem"), privateKeyPath: folder.path(key))
  }

  private func served() throws -> ServedCertificates {
    let (chain, key) = (folder.path("live/a/fullchain.pem"), folder.path("live/a/privkey.pem"))
    return try ServedCertificates { try CertificateFiles(certificatePath: chain, privateKeyPath: key) }
  }

  private func reload(
    _ certificates: ServedCertificates, _ identity: IdentityBox = IdentityBox(), host: String? = "uaf.example",
    now: Int64 = 1_800_000_000
  ) -> [String] {
    let log = RecordedLog()
    let logger = Logger(label: "test") { _ in log }
    CertificateReload(
      certificates: certificates, identity: identity, host: host, served: ServedChain(), logger: logger
    ).reload(now: now)
    return log.lines
  }

  @Test func `the server follows links to certificate and key, as certbot makes them`() throws {
    try issue(1)
    #expect(try served().visible.map(\.path) == [folder.path("live/a/fullchain.pem")])
    try link("one", to: "live/a/privkey.pem")
    try link("two", to: folder.path("one"))
    try link("three", to: "live")
    for key in ["one", "two", "three/a/privkey.pem"] { _ = try files(key).tlsConfiguration() }
  }

  @Test
  func `the server refuses a private key that others could read or have put there, however many links lead to it`()
    throws
  {
    try issue(1)
    let key = folder.path("archive/a/privkey1.pem")
    for mode in [0o644, 0o640, 0o620] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
      #expect(throws: ServerError.self, "\(mode)") { try self.files() }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    for name in ["archive", "archive/a", "live", "live/a"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path(name))
      #expect(throws: ServerError.self, "\(name)") { try self.files() }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(name))
    }
    _ = try files()
    try link("loop", to: "loop")
    #expect(throws: ServerError.self) { try self.files("loop") }
    try link("none", to: "archive/a/privkey9.pem")
    #expect(throws: ServerError.self) { try self.files("none") }
    // SAFETY: the paths live for the calls.
    guard geteuid() == 0 else { return }
    try link("foreign", to: "archive/a/privkey1.pem")
    try #require(unsafe lchown(folder.path("foreign"), 65_534, 65_534) == 0)
    #expect(throws: ServerError.self) { try self.files("foreign") }
    try #require(unsafe lchown(folder.path("live/a"), 65_534, 65_534) == 0)
    #expect(throws: ServerError.self) { try self.files() }
  }

  @Test func `the server names a byte order mark, UTF-16 and DER in each file that should be PEM`() throws {
    try issue(1)
    let (chain, key) = (folder.path("live/a/fullchain.pem"), folder.path("live/a/privkey.pem"))
    let texts = try [chain, key].map { Array(try Data(contentsOf: URL(filePath: $0))) }
    for (prefix, word): ([UInt8], String) in [
      ([0xEF, 0xBB, 0xBF], "byte order mark"), ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
    ] {
      for (index, name) in ["chain", "key"].enumerated() {
        let path = folder.path("\(name)-\(prefix[0])")
        _ = try StateFile.create(path: path, mode: 0o600, contents: prefix + texts[index])
        let refused = #expect(throws: ServerError.self) {
          try CertificateFiles(certificatePath: index == 0 ? path : chain, privateKeyPath: index == 1 ? path : key)
        }
        #expect(refused.map { $0.description.contains(word) && $0.description.contains(path) } == true)
        #expect(throws: ServerError.self) { try CertificateFiles.leaf(path: path) }
        #expect(throws: ServerError.self) { try SinkTrust(authorities: path).configuration() }
      }
    }
    let der = folder.path("der")
    _ = try StateFile.create(path: der, mode: 0o600, contents: files().leaf())
    #expect(throws: ServerError.self) { try CertificateFiles.leaf(path: der) }
  }

  @Test func `a reload uses renewed certificate files for new connections, and says until when they are valid`() throws
  {
    try issue(1)
    let certificates = try served()
    let (before, tls) = (certificates.visible, certificates.tls)
    try issue(2, until: 1_850_000_000)
    #expect(certificates.visible == before)
    #expect(reload(certificates) == ["certificates until=2028-08-16T00:53:20Z"])
    #expect(certificates.visible != before && certificates.tls !== tls && certificates.ends == [1_850_000_000])
    #expect(try certificates.visible.map(\.der) == [files().leaf()])
  }

  @Test func `a reload that cannot use the certificate files keeps those in use, and names the file`() throws {
    try issue(1)
    let certificates = try served()
    let (before, tls) = (certificates.visible, certificates.tls)
    try issue(2)
    try link("live/a/privkey.pem", to: "../../archive/a/privkey1.pem")
    let lines = reload(certificates)
    #expect(
      lines.count == 1 && lines[0].hasPrefix("certificates-not-read error=\(folder.path("live/a/privkey.pem")): "))
    #expect(certificates.visible == before && certificates.tls === tls)
    try FileManager.default.removeItem(atPath: folder.path("live/a/fullchain.pem"))
    #expect(reload(certificates)[0].hasPrefix("certificates-not-read error=\(folder.path("live/a/fullchain.pem")): "))
  }

  @Test
  func `a reload refuses a certificate of an announced authority while machines lack the authority, and names them`()
    throws
  {
    try issue(1)
    let certificates = try served()
    let before = certificates.visible
    let made = try DevelopmentCertificate.make(
      commonName: "test", dnsNames: ["uaf.example"], ipAddresses: [], notBefore: 1_700_000_000, notAfter: 1_900_000_000)
    let authority = AnnouncedAuthority(
      fingerprint: "f", certificate: try X509.certificates(pem: made.authorityPEM)[0], announcedBy: "test",
      announcedAt: 1, usedFrom: 1_800_000_600)
    _ = try StateFile.create(path: folder.path("archive/a/fullchain2.pem"), mode: 0o644, contents: made.certificatePEM)
    _ = try StateFile.create(path: folder.path("archive/a/privkey2.pem"), mode: 0o600, contents: made.privateKeyPEM)
    for name in ["fullchain", "privkey"] { try link("live/a/\(name).pem", to: "../../archive/a/\(name)2.pem") }
    let log = RecordedLog()
    let reload = CertificateReload(
      certificates: certificates, identity: IdentityBox(), host: nil, served: ServedChain(),
      logger: Logger(label: "test") { _ in log })
    let coming = ComingTrust(
      anchor: .authority("f"), usedFrom: authority.usedFrom, lacking: 7, names: ["desk-1", "desk-2"])
    reload.reload(now: 1_800_000_000, waiting: [(authority, coming)])
    #expect(
      log.lines.count == 1
        && log.lines[0].hasPrefix(
          "certificates-not-read error=7 joined machines lack its authority f: desk-1, desk-2, ...;"),
      "\(log.lines)")
    #expect(certificates.visible == before)
    // Another authority that machines lack changes nothing, and neither does a certificate that is in use already.
    let other = AnnouncedAuthority(
      fingerprint: "g", certificate: before[0].der, announcedBy: "test", announcedAt: 1, usedFrom: 1_800_000_600)
    reload.reload(now: 1_800_000_000, waiting: [(other, coming)])
    #expect(certificates.visible != before)
    #expect(reload.served.comes(from: authority) && !reload.served.comes(from: other))
    reload.reload(now: 1_800_000_000, waiting: [(authority, coming)])
    #expect(log.lines.filter { $0.hasPrefix("certificates-not-read") }.count == 1)
    // A restart serves it all the same, and says so.
    reload.logWaiting([(other, coming), (authority, coming)])
    let lines = log.lines.filter { $0.hasPrefix("certificate-not-learned") }
    #expect(
      lines.count == 1
        && lines[0].hasPrefix(
          "certificate-not-learned error=7 joined machines lack its authority f: desk-1, desk-2, ...; 'authority finish'"
        ),
      "\(lines)")
  }

  @Test func `a reload refuses a certificate of an announced authority while machines learn none`() throws {
    try issue(1)
    let certificates = try served()
    let before = certificates.visible
    try issue(2)
    let log = RecordedLog()
    let reload = CertificateReload(
      certificates: certificates, identity: IdentityBox(), host: nil, served: ServedChain(),
      logger: Logger(label: "test") { _ in log })
    let authority = AnnouncedAuthority(
      fingerprint: "f", certificate: try files().leaf(), announcedBy: "test", announcedAt: 1, usedFrom: 1_800_000_600)
    let coming = ComingTrust(
      anchor: .authority("f"), usedFrom: authority.usedFrom, lacking: 0, names: [], learningNone: 2)
    reload.reload(now: 1_800_000_000, waiting: [(authority, coming)])
    let line = log.lines.first ?? ""
    #expect(line.hasPrefix("certificates-not-read error=authority f: 2 joined machines learn no authorities, because"))
    #expect(line.contains("; 'authority finish' says how to go on before "))
    #expect(certificates.visible == before)
  }

  @Test func `a reload refuses a certificate of an authority that has ended while machines lack it`() throws {
    try issue(1)
    let certificates = try served()
    let before = certificates.visible
    try issue(2)
    let leaf = try files().leaf()
    let log = RecordedLog()
    let reload = CertificateReload(
      certificates: certificates, identity: IdentityBox(), host: nil, served: ServedChain(),
      logger: Logger(label: "test") { _ in log })
    let authority = AnnouncedAuthority(
      fingerprint: "f", certificate: leaf, announcedBy: "test", announcedAt: 1, usedFrom: 2, endedAt: 3)
    let coming = ComingTrust(anchor: .authority("f"), usedFrom: 2, lacking: 1, names: ["desk-1"])
    reload.reload(now: 1_800_000_000, waiting: [(authority, coming)])
    #expect(
      log.lines.first
        == "certificates-not-read error=1 joined machine lacks its authority f: desk-1; its end was announced, and "
        + "'authority announce --again' takes that back")
    #expect(certificates.visible == before)
  }

  @Test func `the server says that a certificate has expired, is not valid yet, or is for a different name`() throws {
    try issue(1, names: ["uaf.example", "a.b.example"])
    let certificates = try served()
    let path = folder.path("live/a/fullchain.pem")
    #expect(certificates.faults(host: "uaf.example", now: 1_900_000_000).isEmpty)
    #expect(certificates.faults(host: "a.b.example", now: 1_700_000_000).isEmpty)
    #expect(certificates.faults(host: nil, now: 1_800_000_000).isEmpty)
    let lines = reload(certificates, host: "other.example", now: 1_900_000_001)
    #expect(
      lines.dropFirst() == [
        "certificate-expired certificate=\(path) until=2030-03-17T17:46:40Z",
        "certificate-other-name certificate=\(path) host=other.example",
      ])
    #expect(
      reload(certificates, now: 1_699_999_999).last
        == "certificate-not-yet-valid certificate=\(path) from=2023-11-14T22:13:20Z")
    let renewal = CertificateReload(
      certificates: certificates, identity: IdentityBox(), host: "other.example", served: ServedChain(),
      logger: Logger(label: "test") { _ in RecordedLog() })
    #expect(renewal.logFaults(now: 1_800_000_000).count == 1)
  }

  @Test func `the server says that a certificate is too weak, and in which part`() throws {
    // A key of RSA with 1024 bits, and a certificate of P-256 signed with SHA-1; both for fido.example.com, until 2126.
    let (key, signature) = (folder.path("key.crt"), folder.path("signature.crt"))
    for (path, name) in [(key, "weak-key"), (signature, "weak-signature")] {
      let pem = try Data(contentsOf: Checkout.file("Tests/Vectors/certificates/\(name).pem"))
      _ = try StateFile.create(path: path, mode: 0o644, contents: Array(pem))
    }
    let certificates = try ServedCertificates(others: [key, signature]) { nil }
    let lines = reload(certificates, host: "fido.example.com")
    #expect(
      lines.dropFirst() == [
        "certificate-weak-key bits=1024 certificate=\(key)", "certificate-weak-signature certificate=\(signature)",
      ], "\(lines)")
  }

  @Test
  func `for five minutes after a renewal, a login that began with the old certificate is accepted, and no longer`()
    throws
  {
    try issue(1)
    let certificates = try served()
    let clock = Mutex(ContinuousClock.now)
    let box = IdentityBox { clock.withLock { $0 } }
    let first = certificates.visible.map(\.der)
    box.set(
      try ServerIdentity(publicURL: "https://uaf.example", facets: [], certificates: first, channelBinding: .require))
    func accepts(_ der: [UInt8]) throws -> Bool {
      try box.value().accepts(ChannelBinding(serverEndPoint: Base64URL.encode(try X509.serverEndPoint(der: der))))
    }
    try issue(2)
    _ = reload(certificates, box)
    let second = try files().leaf()
    #expect(try accepts(first[0]) && accepts(second))
    _ = reload(certificates, box)
    clock.withLock { $0 += .seconds(299) }
    #expect(try accepts(first[0]) && accepts(second))
    clock.withLock { $0 += .seconds(1) }
    #expect(try !accepts(first[0]) && accepts(second))
  }
}
