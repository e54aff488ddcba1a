import Glibc
import Testing
import UAFCrypto

@testable import UAFConfiguration

/// What the CA file may contain, such as comments, other text and several certificates.
@Suite struct CertificateAuthoritiesTests {
  private static let first = made()
  private static let second = made()

  /// The certificate of a test CA, as PEM.
  private static func made() -> String {
    guard
      let made = try? DevelopmentCertificate.make(
        commonName: "test", dnsNames: ["a.example"], ipAddresses: [], notBefore: 1_700_000_000, notAfter: 1_900_000_000)
    else { return "" }
    return String(decoding: made.authorityPEM, as: UTF8.self)
  }

  private static func base64(_ pem: String) -> String {
    pem.split(separator: "\n").dropFirst().dropLast().joined()
  }

  private func problem(_ bytes: [UInt8]) -> ConfigurationFileProblem? {
    do throws(ConfigurationFileProblem) {
      _ = try CertificateAuthorities(parsing: bytes)
      return nil
    } catch { return error }
  }

  private func problem(_ text: String) -> ConfigurationFileProblem? { problem(Array(text.utf8)) }

  @Test func `a plain CA file is read unchanged`() throws {
    let text = Self.first + Self.second
    let read = try CertificateAuthorities(parsing: Array(text.utf8))
    #expect(read.pem == text && read.certificates.count == 2)
  }

  @Test(
    arguments: [
      [UInt8]("# M\u{FC}nchen\n".utf8), [0x23, 0x4D, 0xFC, 0x6E, 0x0A], [0xEF, 0xBB, 0xBF], [0, 1, 2, 0xFF, 0x0A],
      [UInt8]("subject=CN = x\r\n\r\n".utf8),
      [UInt8]("# -----BEGIN CERTIFICATE-----\n# MIIB\n# -----END CERTIFICATE-----\n".utf8),
      [UInt8]("-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n".utf8),
      [UInt8](String(repeating: "# a long comment\n", count: 5000).utf8),
    ] as [[UInt8]])
  func `in a CA file only the text from BEGIN to END counts, whatever is before, between and after certificates`(
    _ comment: [UInt8]
  ) throws {
    let between = comment == [0xEF, 0xBB, 0xBF] ? [] : comment
    let read = try CertificateAuthorities(
      parsing: comment + Array(Self.first.utf8) + between + Array(Self.second.utf8) + between)
    #expect(read == (try CertificateAuthorities(parsing: Array((Self.first + Self.second).utf8))))
  }

  @Test func `lines of any length and with any line end and trailing space give the same certificates`() throws {
    let plain = try CertificateAuthorities(parsing: Array(Self.first.utf8))
    let body = Self.base64(Self.first)
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    for text in [
      Self.first.replacing("\n", with: "\r\n"), Self.first.replacing("\n", with: "\r"),
      Self.first.replacing("\n", with: " \t\n"),
      "\(begin)\n\(body)\n\(end)", "\(begin)\n\n\(body)\n\n\(end)\n",
    ] { #expect(try CertificateAuthorities(parsing: Array(text.utf8)) == plain) }
  }

  @Test func `keeps the label of a certificate, because it may restrict what the certificate is trusted for`() throws {
    for label in ["X509 CERTIFICATE", "TRUSTED CERTIFICATE"] {
      let text = Self.first.replacing(" CERTIFICATE-", with: " \(label)-")
      #expect(try CertificateAuthorities(parsing: Array(text.utf8)).pem == text)
    }
  }

  @Test func `names the line of a CA certificate that cannot be read, and does not skip it`() {
    let lines = Self.first.split(separator: "\n").map(String.init)
    let (begin, end) = (lines[0], lines[lines.count - 1])
    let body = Array(lines.dropFirst().dropLast())
    let (head, tail): ([String], [String]) = (Array(body.prefix(1)), Array(body.dropFirst()))
    var broken: [[String]] = [[begin] + body, [begin] + tail + [end], [begin, "MAA=", end], [begin, end]]
    broken.append([begin] + body + ["-----END X509 CERTIFICATE-----"])
    for between in ["# a comment", "M\u{FC}nchen", begin, "Proc-Type: 4,ENCRYPTED"] {
      broken.append([begin] + head + [between] + tail + [end])
    }
    for other in broken {
      let text = "# comment\n" + other.joined(separator: "\n") + "\n"
      #expect(problem(text) == .badCertificate(line: 2), "\(text)")
      let before = Self.second.split(separator: "\n").count
      #expect(problem(Self.second + text) == .badCertificate(line: before + 2))
    }
  }

  @Test(arguments: [
    "", "\n", "no certificate", " -----BEGIN CERTIFICATE-----\n -----END CERTIFICATE-----\n",
    "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n",
    "-----BEGIN PKCS7-----\nMAA=\n-----END PKCS7-----\n",
    "-----END CERTIFICATE-----\n",
  ])
  func `says so if a CA file contains no certificate`(_ text: String) {
    #expect(problem(text) == .noCertificate)
    #expect("\(ConfigurationFileProblem.noCertificate)".contains("no certificate in PEM"))
  }

  @Test func `says so if a CA file is not PEM, and which format it is`() throws {
    let der = try #require(try X509.certificates(pem: Array(Self.first.utf8)).first)
    #expect(problem(der) == .isDER)
    #expect(problem([0xFF, 0xFE] + Self.first.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] }) == .isUTF16)
    #expect(problem([0xFE, 0xFF] + Self.first.utf16.flatMap { [0, UInt8(truncatingIfNeeded: $0)] }) == .isUTF16)
  }

  @Test
  func `reads a CA file with 1000 certificates, up to a size that the message about a larger file names`() throws {
    let folder = try Folder()
    let owner = getuid()
    let comment = String(repeating: "x", count: CertificateAuthorities.maximumSize - Self.first.utf8.count)
    let path = try folder.write("a", Array((Self.first + comment).utf8), mode: 0o644)
    #expect(try CertificateAuthorities.read(path: path, requiredOwner: owner).pem == Self.first)
    let larger = try folder.write("b", Array((Self.first + comment + "x").utf8), mode: 0o644)
    let problem = ConfigurationFileProblem.tooLarge(limit: 1_048_576)
    #expect(throws: problem) { try CertificateAuthorities.read(path: larger, requiredOwner: owner) }
    #expect("\(problem)".contains("1048576 bytes"))
    let many = String(repeating: Self.first, count: 1000)
    let bundle = try folder.write("c", Array(many.utf8), mode: 0o644)
    #expect(try CertificateAuthorities.read(path: bundle, requiredOwner: owner).certificates.count == 1000)
  }

  @Test func `refuses a CA file that others can write`() throws {
    let folder = try Folder()
    let path = try folder.write("a", Array(Self.first.utf8), mode: 0o666)
    #expect(throws: ConfigurationFileProblem.writable) {
      try CertificateAuthorities.read(path: path, requiredOwner: getuid())
    }
  }
}
