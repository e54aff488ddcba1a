import Foundation
import Testing
import UAFCrypto

/// Signatures with every algorithm of the FIDO registry, which software other than ours has made (Tests/Vectors/signatures).
struct VerificationKeyTests {
  @Test func `the vectors contain signatures with every algorithm in every encoding that it allows`() {
    let pairs = Set(SignatureVector.good.map { [$0.scheme, $0.encoding] })
    let curves: [[UInt16]] = [1, 2, 5, 6].flatMap { scheme in [[scheme, 0x100], [scheme, 0x101]] }
    let rsa: [[UInt16]] = [3, 4, 8, 9].flatMap { scheme in [[scheme, 0x102], [scheme, 0x103]] }
    #expect(pairs == Set(curves + rsa))
    #expect(Set(SignatureScheme.allCases.map(\.rawValue)) == Set(SignatureVector.good.map(\.scheme)))
  }

  @Test(arguments: SignatureVector.good) func `accepts each good signature of the vectors`(vector: SignatureVector)
    throws
  {
    #expect(try vector.key.isValidSignature(vector.signature, of: vector.message))
  }

  @Test(arguments: SignatureVector.good)
  func `refuses a signature of any algorithm with a bit changed, cut or extended`(vector: SignatureVector) throws {
    let key = try vector.key
    // Testing every bit of an RSA signature would take as long as all other tests together, so only each 16th byte is tested.
    let step = vector.signature.count > 100 ? 16 : 1
    for index in stride(from: 0, to: vector.signature.count, by: step) {
      for bit in 0..<8 {
        var changed = vector.signature
        changed[index] ^= 1 << bit
        #expect(!key.isValidSignature(changed, of: vector.message), "byte \(index), bit \(bit)")
      }
    }
    #expect(!key.isValidSignature(vector.signature.dropLast(), of: vector.message))
    #expect(!key.isValidSignature(vector.signature + [0], of: vector.message))
    #expect(!key.isValidSignature([0] + vector.signature, of: vector.message))
    #expect(!key.isValidSignature([], of: vector.message))
  }

  @Test(arguments: SignatureVector.good) func `refuses a signature of any algorithm for a different message`(
    vector: SignatureVector
  )
    throws
  {
    #expect(try !vector.key.isValidSignature(vector.signature, of: vector.message + [0]))
  }

  @Test(arguments: SignatureVector.good)
  func `refuses a signature under every other algorithm that the same key can have`(vector: SignatureVector) throws {
    for scheme in SignatureScheme.allCases where scheme.rawValue != vector.scheme {
      guard let key = try? vector.key(scheme: scheme) else { continue }
      #expect(!key.isValidSignature(vector.signature, of: vector.message), "\(scheme)")
    }
  }

  @Test(arguments: SignatureVector.good)
  func `reads a public key in its own encoding, and in no other encoding of the registry`(vector: SignatureVector)
    throws
  {
    let key = try vector.key
    #expect(try VerificationKey(encoded: key.encoded, scheme: key.scheme) == key)
    for encoding in PublicKeyEncoding.allCases where encoding.rawValue != vector.encoding {
      #expect(throws: CryptoError.invalidKey) {
        try VerificationKey(vector.publicKey, encoding: encoding, scheme: key.scheme)
      }
    }
  }

  @Test(arguments: SignatureVector.bad)
  func `refuses a signature whose parameters are not those of its algorithm`(vector: SignatureVector) throws {
    #expect(try !vector.key.isValidSignature(vector.signature, of: vector.message))
  }

  @Test(arguments: SignatureVector.weakKeys) func `refuses a weak or misshapen RSA key`(vector: SignatureVector) {
    #expect(throws: CryptoError.invalidKey) { try vector.key }
  }

  @Test(arguments: [SignatureScheme.secp256r1ECDSARaw, .secp256k1ECDSARaw])
  func `refuses a signature whose r or s is zero or not below the group's order`(scheme: SignatureScheme) throws {
    let vector = try #require(SignatureVector.good.first { $0.scheme == scheme.rawValue })
    let key = try vector.key
    let order =
      scheme == .secp256r1ECDSARaw
      ? hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
      : hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
    let (r, s) = (Array(vector.signature[..<32]), Array(vector.signature[32...]))
    for number in [[UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32)] {
      #expect(!key.isValidSignature(number + s, of: vector.message))
      #expect(!key.isValidSignature(r + number, of: vector.message))
      #expect(!key.isValidSignature(number + number, of: vector.message))
    }
  }

  @Test func `refuses a public key that is on a different curve, on none, compressed or at infinity`() throws {
    let vector = try #require(SignatureVector.good.first { $0.scheme == 1 && $0.encoding == 0x100 })
    let koblitz = try #require(SignatureVector.good.first { $0.scheme == 5 && $0.encoding == 0x100 })
    var off = vector.publicKey
    off[64] ^= 1
    let compressed = [2 + vector.publicKey[64] % 2] + vector.publicKey[1..<33]
    for point in [koblitz.publicKey, off, Array(compressed), [0], [], vector.publicKey + [0]] {
      #expect(throws: CryptoError.invalidKey) {
        try VerificationKey(point, encoding: .eccX962Raw, scheme: .secp256r1ECDSARaw)
      }
    }
  }
}

/// One entry of signatures.json.
struct SignatureVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let scheme: UInt16
  let encoding: UInt16
  let publicKey: [UInt8]
  let message: [UInt8]
  let signature: [UInt8]

  var testDescription: String { "\(name), algorithm \(scheme), key \(encoding)" }

  static let good = file?.good ?? []
  static let bad = file?.bad ?? []
  static let weakKeys = file?.weakKeys ?? []

  private struct File: Decodable {
    let good, bad, weakKeys: [SignatureVector]
  }

  private static let file: File? = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let url = tests.appending(path: "Vectors/signatures/signatures.json")
    return try? JSONDecoder().decode(File.self, from: Data(contentsOf: url))
  }()

  private enum Member: CodingKey {
    case name, scheme, encoding, publicKey, message, signature
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    name = try members.decode(String.self, forKey: .name)
    scheme = try members.decode(UInt16.self, forKey: .scheme)
    encoding = try members.decode(UInt16.self, forKey: .encoding)
    publicKey = hex(try members.decode(String.self, forKey: .publicKey))
    message = hex(try members.decodeIfPresent(String.self, forKey: .message) ?? "")
    signature = hex(try members.decodeIfPresent(String.self, forKey: .signature) ?? "")
  }

  var key: VerificationKey {
    get throws { try key(scheme: #require(SignatureScheme(rawValue: scheme))) }
  }

  func key(scheme: SignatureScheme) throws -> VerificationKey {
    try VerificationKey(publicKey, encoding: #require(PublicKeyEncoding(rawValue: encoding)), scheme: scheme)
  }
}
