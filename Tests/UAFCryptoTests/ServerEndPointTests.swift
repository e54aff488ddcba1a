import Foundation
import Testing
import UAFCrypto

/// Certificates by hash function, made by independent software (Tests/Vectors/certificates).
struct ServerEndPointTests {
  @Test func `finds the certificates`() {
    #expect(EndPointVector.all.count == 13)
  }

  @Test(arguments: EndPointVector.all.filter { $0.serverEndPoint != nil })
  func `hashes with the hash function of the certificate's signature, and with SHA-256 instead of MD5 and SHA-1`(
    vector: EndPointVector
  ) throws {
    let hash = try X509.serverEndPoint(der: Array(vector.certificate))
    #expect(hash == hex(try #require(vector.serverEndPoint)))
  }

  @Test(arguments: EndPointVector.all)
  func `refuses a certificate that was cut, or has something after it`(vector: EndPointVector) {
    let certificate = Array(vector.certificate)
    for count in [0, 1, 2, 4, 5, certificate.count / 2, certificate.count - 1] {
      #expect(throws: CryptoError.invalidCertificate) { try X509.serverEndPoint(der: Array(certificate.prefix(count))) }
    }
    #expect(throws: CryptoError.invalidCertificate) { try X509.serverEndPoint(der: certificate + [0]) }
  }

  @Test(arguments: EndPointVector.all.filter { $0.serverEndPoint == nil })
  func `refuses a certificate whose signature has no hash function of its own`(vector: EndPointVector) {
    #expect(throws: CryptoError.unavailable(.certificate)) { try X509.serverEndPoint(der: Array(vector.certificate)) }
  }
}

/// One entry of certificates.json.
struct EndPointVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let certificate: Data
  let serverEndPoint: String?

  var testDescription: String { name }

  static let all: [EndPointVector] = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let url = tests.appending(path: "Vectors/certificates/certificates.json")
    return (try? JSONDecoder().decode([EndPointVector].self, from: Data(contentsOf: url))) ?? []
  }()
}
