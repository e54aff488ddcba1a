import Foundation
import Testing
import UAFCrypto

/// Certificates signed with each hash function, which software other than ours has made (Tests/Vectors/certificates).
struct ServerEndPointTests {
  @Test func `there are 13 certificates among the vectors`() {
    #expect(EndPointVector.all.count == 13)
  }

  @Test(arguments: EndPointVector.all.filter { $0.serverEndPoint != nil })
  func `a certificate is hashed with the hash function of its signature, but with SHA-256 for MD5 and SHA-1`(
    vector: EndPointVector
  ) throws {
    let hash = try X509.serverEndPoint(der: Array(vector.certificate))
    #expect(hash == hex(try #require(vector.serverEndPoint)))
  }

  @Test(arguments: EndPointVector.all)
  func `refuses to hash a certificate that was cut or extended`(vector: EndPointVector) {
    let certificate = Array(vector.certificate)
    for count in [0, 1, 2, 4, 5, certificate.count / 2, certificate.count - 1] {
      #expect(throws: CryptoError.invalidCertificate) { try X509.serverEndPoint(der: Array(certificate.prefix(count))) }
    }
    #expect(throws: CryptoError.invalidCertificate) { try X509.serverEndPoint(der: certificate + [0]) }
  }

  @Test(arguments: EndPointVector.all.filter { $0.serverEndPoint == nil })
  func `refuses to hash a certificate whose signature has no separate hash function`(vector: EndPointVector) {
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
