import COpenSSL
import Foundation
import SecretMemory
import Testing

@testable import UAFCrypto

struct CertificateTests {
  let notBefore: Int64 = 1_700_000_000
  let notAfter: Int64 = 1_800_000_000

  func make(dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1", "::1"]) throws
    -> DevelopmentCertificate
  {
    try DevelopmentCertificate.make(
      commonName: "uaf-server", dnsNames: dnsNames, ipAddresses: ipAddresses, notBefore: notBefore,
      notAfter: notAfter)
  }

  @Test func `a new server certificate has the requested names, and the signature of its CA`() throws {
    let made = try make()
    let authority = try unsafe X509.parse(X509.certificates(pem: made.authorityPEM)[0])
    defer { unsafe X509_free(authority) }
    let server = try unsafe X509.parse(X509.certificates(pem: made.certificatePEM)[0])
    defer { unsafe X509_free(server) }
    #expect(unsafe X509_check_issued(authority, server) == X509_V_OK)
    #expect(unsafe X509_verify(server, X509_get0_pubkey(authority)) == 1)
    #expect(unsafe X509_verify(authority, X509_get0_pubkey(authority)) == 1)
    #expect(unsafe X509_check_ca(authority) == 1)
    #expect(unsafe X509_check_ca(server) == 0)
    #expect(X509.isAuthority(der: try X509.certificates(pem: made.authorityPEM)[0]))
    #expect(
      !X509.isAuthority(der: try X509.certificates(pem: made.certificatePEM)[0]) && !X509.isAuthority(der: [1, 2]))
    #expect(unsafe X509_check_host(server, "localhost", 0, 0, nil) == 1)
    #expect(unsafe X509_check_ip_asc(server, "127.0.0.1", 0) == 1)
    #expect(unsafe X509_check_ip_asc(server, "::1", 0) == 1)
    #expect(unsafe X509_check_host(server, "example.com", 0, 0, nil) == 0)
    #expect(unsafe X509_check_ip_asc(server, "127.0.0.2", 0) == 0)
    var justAfterStart = Int(notBefore) + 1
    var justBeforeEnd = Int(notAfter) - 1
    let start = unsafe X509_cmp_time(X509_get0_notBefore(server), &justAfterStart)
    let end = unsafe X509_cmp_time(X509_get0_notAfter(server), &justBeforeEnd)
    #expect(start < 0)
    #expect(end > 0)
  }

  @Test func `reads the validity of a certificate to the second, and its names`() throws {
    let der = try X509.certificates(pem: make().certificatePEM)[0]
    #expect(try X509.validity(der: der) == notBefore...notAfter)
    for host in ["localhost", "127.0.0.1", "::1"] { #expect(try X509.isFor(host, der: der)) }
    for host in ["localhost.example", "127.0.0.2", "::2", ""] { #expect(try !X509.isFor(host, der: der)) }
  }

  @Test(arguments: [[], [0x30, 0x00], Array("-----BEGIN CERTIFICATE-----".utf8)] as [[UInt8]])
  func `refuses to read the validity and names of bytes that are not a certificate`(der: [UInt8]) {
    #expect(throws: CryptoError.invalidCertificate) { try X509.validity(der: der) }
    #expect(throws: CryptoError.invalidCertificate) { try X509.isFor("localhost", der: der) }
  }

  @Test func `each new certificate has its own CA, key and serial number`() throws {
    let one = try make()
    let other = try make()
    #expect(one.authorityPEM != other.authorityPEM)
    #expect(one.certificatePEM != other.certificatePEM)
    let isSameKey = one.privateKeyPEM.isEqual(to: other.privateKeyPEM)
    #expect(!isSameKey)
  }

  @Test(arguments: ["", "a,DNS:example.com", "a b", "a\n", "ä", String(repeating: "a", count: 254)])
  func `refuses to make a certificate for an invalid name`(name: String) {
    #expect(throws: CryptoError.invalidParameter(.certificate)) { _ = try make(dnsNames: [name]) }
  }

  @Test(arguments: ["", "localhost", "127.0.0.1,DNS:example.com", "256.0.0.1", "::g"])
  func `refuses to make a certificate for an invalid address`(address: String) {
    #expect(throws: CryptoError.invalidParameter(.certificate)) { _ = try make(ipAddresses: [address]) }
  }

  @Test func `refuses to make a certificate without names or with no time of validity`() {
    #expect(throws: CryptoError.invalidParameter(.certificate)) {
      _ = try make(dnsNames: [], ipAddresses: [])
    }
    #expect(throws: CryptoError.invalidParameter(.certificate)) {
      _ = try DevelopmentCertificate.make(
        commonName: "a", dnsNames: ["localhost"], ipAddresses: [], notBefore: 2, notAfter: 2)
    }
  }

  @Test func `hashes a certificate for the channel binding with the hash function of its signature`() throws {
    let made = try make()
    let der = try X509.certificates(pem: made.certificatePEM)[0]
    #expect(try X509.serverEndPoint(der: der) == SHA256.hash(der))
  }

  @Test func `refuses a certificate that is cut, extended or changed in its outer structure`() throws {
    let made = try make()
    let der = try X509.certificates(pem: made.certificatePEM)[0]
    for count in 0..<der.count {
      #expect(throws: CryptoError.invalidCertificate) { _ = try X509.serverEndPoint(der: Array(der[..<count])) }
    }
    #expect(throws: CryptoError.invalidCertificate) { _ = try X509.serverEndPoint(der: der + [0]) }
    #expect(throws: CryptoError.invalidCertificate) {
      _ = try X509.serverEndPoint(der: [0x31] + der.dropFirst())
    }
  }

  @Test func `reads the certificates of a PEM text in their order`() throws {
    let made = try make()
    let chain = try X509.certificates(pem: made.certificatePEM + made.authorityPEM)
    #expect(try chain[0] == X509.certificates(pem: made.certificatePEM)[0])
    #expect(try chain[1] == X509.certificates(pem: made.authorityPEM)[0])
    #expect(chain.count == 2)
  }

  @Test func `refuses a PEM text without a certificate, with a broken one, or with too many`() throws {
    let made = try make()
    #expect(throws: CryptoError.invalidCertificate) { _ = try X509.certificates(pem: []) }
    #expect(throws: CryptoError.invalidCertificate) { _ = try X509.certificates(pem: Array("hello".utf8)) }
    var broken = made.certificatePEM
    broken[60] = UInt8(ascii: "!")
    #expect(throws: CryptoError.invalidCertificate) {
      _ = try X509.certificates(pem: made.authorityPEM + broken)
    }
    let many = (0...X509.maximumChain).flatMap { _ in made.authorityPEM }
    #expect(throws: CryptoError.invalidCertificate) { _ = try X509.certificates(pem: many) }
  }

  /// A block of PEM with these bytes, in lines of 64 characters.
  private func block(_ der: [UInt8], label: String = "CERTIFICATE") -> [UInt8] {
    let text = Data(der).base64EncodedString(options: .lineLength64Characters)
    return Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8)
  }

  @Test func `an authority is read as OpenSSL reads it, whichever bit is flipped and wherever it is cut off`() throws {
    let made = try make()
    for pem in [made.authorityPEM, made.certificatePEM] {
      let der = try X509.certificates(pem: pem)[0]
      #expect(try X509.authority(pem: block(der)) == der)
      #expect(try X509.authority(pem: block(der, label: "X509 CERTIFICATE")) == der)
      var refused = 0
      for bit in 0..<der.count * 8 {
        var mutated = der
        mutated[bit / 8] ^= 1 << UInt8(bit % 8)
        let isRead = (try? X509.authority(pem: block(mutated))) != nil
        #expect(isRead == X509.isCertificate(mutated), "bit \(bit)")
        if !isRead { refused += 1 }
      }
      // Otherwise nothing would have been compared.
      #expect((100..<der.count * 8 - 100).contains(refused), "\(refused) of \(der.count * 8)")
      for count in der.indices {
        #expect(throws: CryptoError.invalidCertificate) { _ = try X509.authority(pem: block(Array(der[..<count]))) }
      }
    }
  }

  @Test func `refuses an authority with bytes after it, with a password, or of another kind`() throws {
    let der = try X509.certificates(pem: try make().authorityPEM)[0]
    for pem in [
      block(der + [0]), block(der + der), block(der, label: "PUBLIC KEY"), block(Array(der.dropFirst())),
      Array(
        String(decoding: block(der), as: UTF8.self).replacing(
          "CERTIFICATE-----\nMII", with: "CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMII"
        ).utf8),
    ] {
      #expect(throws: CryptoError.invalidCertificate) { _ = try X509.authority(pem: pem) }
    }
    #expect(ERR_peek_error() == 0)
  }

  @Test func `leaves OpenSSL's error queue empty after a failure`() throws {
    _ = try? X509.serverEndPoint(der: [1, 2, 3])
    _ = try? X509.certificates(pem: Array("hello".utf8))
    _ = P256.isOnCurve([4] + [UInt8](repeating: 1, count: 64))
    _ = P256.isValidSignature(
      [UInt8](repeating: 0, count: 64), of: [1], publicKey: try P256.generate().publicKey)
    #expect(ERR_peek_error() == 0)
  }
}
