import Foundation
import Testing
import UAFCrypto

/// Attestation chains that software other than ours has made (Tests/Vectors/attestation).
struct CertificateChainTests {
  @Test func `the vectors contain 12 good and 24 bad attestation chains`() {
    #expect(ChainVector.all.filter { $0.error == nil }.count == 12)
    #expect(ChainVector.all.filter { $0.error != nil }.count == 24)
  }

  @Test(arguments: ChainVector.all.filter { $0.error == nil })
  func `accepts an attestation chain of any length that ends at a trusted root`(vector: ChainVector) throws {
    let leaf = try vector.validate()
    #expect(leaf.aaid == vector.aaid.map { Array($0.utf8) })
    let scheme: SignatureScheme = vector.name == "RSA leaf" ? .rsassaPSSRaw : .secp256r1ECDSARaw
    #expect(throws: Never.self) {
      try VerificationKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo, scheme: scheme)
    }
  }

  @Test(arguments: ChainVector.all.filter { $0.error != nil })
  func `refuses each bad attestation chain with the error that the vector names`(
    vector: ChainVector
  ) throws {
    let errors: [String: CertificateChainError] = [
      "malformed": .malformed, "outOfOrder": .outOfOrder, "untrusted": .untrusted, "notForSigning": .notForSigning,
      "malformedModel": .malformedModel,
    ]
    let error = try #require(errors[vector.error ?? ""])
    #expect(throws: error) { try vector.validate() }
  }

  @Test(arguments: [1_767_225_599, 2_082_758_401] as [Int64])
  func `refuses every attestation chain a second before and after its validity`(time: Int64) {
    for vector in ChainVector.all where vector.error == nil {
      #expect(throws: CertificateChainError.untrusted, "\(vector.name)") { try vector.validate(at: time) }
    }
  }

  @Test func `refuses an attestation chain with one bit changed`() throws {
    let vector = try #require(ChainVector.all.first { $0.name == "leaf and root" })
    for index in vector.certificates.indices {
      // Testing every third bit takes a third of the time, and still reaches each byte and each bit position.
      for bit in stride(from: 0, to: vector.certificates[index].count * 8, by: 3) {
        var changed = vector.certificates
        changed[index][bit / 8] ^= 1 << (bit % 8)
        #expect(throws: CertificateChainError.self, "certificate \(index), bit \(bit)") {
          try CertificateChain.validate(changed, roots: vector.roots, at: ChainVector.time)
        }
      }
    }
  }
}

/// One entry of attestation.json.
struct ChainVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let certificates, roots: [[UInt8]]
  let aaid: String?
  /// The name of the expected ``CertificateChainError``; nil for a good chain.
  let error: String?

  var testDescription: String { name }

  /// A time at which all good chains are valid, in January 2027.
  static let time: Int64 = 1_800_000_000

  static let all: [ChainVector] = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let url = tests.appending(path: "Vectors/attestation/attestation.json")
    return (try? JSONDecoder().decode(File.self, from: Data(contentsOf: url)))?.cases ?? []
  }()

  private struct File: Decodable {
    let cases: [ChainVector]
  }

  private enum Member: CodingKey {
    case name, certificates, roots, aaid, error
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    name = try members.decode(String.self, forKey: .name)
    certificates = try members.decode([Data].self, forKey: .certificates).map { Array($0) }
    roots = try members.decode([Data].self, forKey: .roots).map { Array($0) }
    aaid = try members.decode(String?.self, forKey: .aaid)
    error = try members.decode(String?.self, forKey: .error)
  }

  func validate(at time: Int64 = time) throws(CertificateChainError) -> CertificateChain.Leaf {
    try CertificateChain.validate(certificates, roots: roots, at: time)
  }
}
