import Foundation
import SecretMemory
import Testing
import UAFCrypto

struct P256Tests {
  // RFC 6979, A.2.5: the key, and the signature with SHA-256 of "sample".
  let privateKey = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
  let publicKey = hex(
    """
    04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
    7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
    """)
  let message = Array("sample".utf8)
  let signature = hex(
    """
    EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
    F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
    """)
  static let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")

  @Test func `accepts the P-256 signature of RFC 6979`() {
    #expect(P256.isValidSignature(signature, of: message, publicKey: publicKey))
  }

  @Test func `computes the P-256 public key of RFC 6979`() throws {
    #expect(try P256.publicKey(of: secret(privateKey)) == publicKey)
  }

  @Test func `signatures by a new P-256 key are valid, raw and in DER`() throws {
    let pair = try P256.generate()
    let raw = try P256.sign(message, privateKey: pair.privateKey)
    #expect(raw.count == 64)
    #expect(P256.isValidSignature(raw, of: message, publicKey: pair.publicKey))
    #expect(P256.isValidSignature(der: try ECDSASignature(raw: raw).der, of: message, publicKey: pair.publicKey))
    #expect(!P256.isValidSignature(raw, of: message, publicKey: publicKey))
  }

  @Test
  func `a signature that was valid under the last key is refused under the next one, even after an invalid key`() throws
  {
    let other = try P256.generate().publicKey
    var none = other
    none[64] ^= 1
    for _ in 0..<4 {
      #expect(P256.isValidSignature(signature, of: message, publicKey: publicKey))
      #expect(!P256.isValidSignature(signature, of: message, publicKey: none))
      #expect(!P256.isValidSignature(signature, of: message, publicKey: other))
    }
  }

  @Test func `one signing key makes any number of valid signatures`() throws {
    let pair = try P256.generate()
    let key = try SigningKey(pair.privateKey)
    #expect(key.publicKey == pair.publicKey)
    let message = Array("message".utf8)
    for _ in 0..<3 {
      #expect(P256.isValidSignature(try key.sign(message), of: message, publicKey: pair.publicKey))
    }
  }

  @Test func `refuses to make a signing key from zero`() throws {
    let zero = try unsafe Secret(count: 32) { unsafe $0.initializeMemory(as: UInt8.self, repeating: 0) }
    #expect(throws: CryptoError.invalidKey) { _ = try SigningKey(zero) }
  }

  @Test func `with a stored public key that is invalid, no signature is valid`() throws {
    let pair = try P256.generate()
    let message = Array("message".utf8)
    let signature = try P256.sign(message, privateKey: pair.privateKey)
    var point = pair.publicKey
    #expect(
      VerificationKey(stored: point, scheme: .secp256r1ECDSARaw).isValidSignature(signature, of: message))
    point[40] ^= 1
    for stored in [point, [], Array(pair.publicKey.dropLast())] {
      #expect(
        !VerificationKey(stored: stored, scheme: .secp256r1ECDSARaw).isValidSignature(signature, of: message))
    }
  }

  @Test func `the private key of a new pair belongs to the pair's public key`() throws {
    let pair = try P256.generate()
    let publicKey = pair.publicKey
    let privateKey = pair.privateKey
    #expect(try P256.publicKey(of: privateKey) == publicKey)
  }

  @Test func `refuses a P-256 signature if any bit of signature, message or key is changed`() {
    for bit in 0..<(signature.count * 8) {
      var changed = signature
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(!P256.isValidSignature(changed, of: message, publicKey: publicKey))
    }
    for bit in 0..<(message.count * 8) {
      var changed = message
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(!P256.isValidSignature(signature, of: changed, publicKey: publicKey))
    }
    for bit in 0..<(publicKey.count * 8) {
      var changed = publicKey
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(!P256.isValidSignature(signature, of: message, publicKey: changed))
      #expect(!P256.isOnCurve(changed))
    }
  }

  @Test func `refuses a P-256 signature that is too long or too short`() {
    #expect(!P256.isValidSignature(signature + [0], of: message, publicKey: publicKey))
    #expect(!P256.isValidSignature(signature.dropLast(), of: message, publicKey: publicKey))
    #expect(!P256.isValidSignature([], of: message, publicKey: publicKey))
  }

  @Test(arguments: [[UInt8](repeating: 0, count: 32), Self.order, [UInt8](repeating: 0xff, count: 32)])
  func `refuses a P-256 signature whose r or s is zero or not below the curve's order`(number: [UInt8]) {
    #expect(!P256.isValidSignature(number + signature[32...], of: message, publicKey: publicKey))
    #expect(!P256.isValidSignature(signature[..<32] + number, of: message, publicKey: publicKey))
    #expect(!P256.isValidSignature(number + number, of: message, publicKey: publicKey))
  }

  @Test func `refuses P-256 public keys in other formats`() {
    let compressed = [0x03] + publicKey[1...32]
    #expect(!P256.isValidSignature(signature, of: message, publicKey: Array(compressed)))
    #expect(!P256.isValidSignature(signature, of: message, publicKey: [0]))
    #expect(!P256.isValidSignature(signature, of: message, publicKey: []))
    #expect(!P256.isValidSignature(signature, of: message, publicKey: publicKey + [0]))
    #expect(!P256.isOnCurve([4] + [UInt8](repeating: 0, count: 64)))
  }

  @Test(arguments: [
    [], [1], [UInt8](repeating: 0, count: 32), Self.order, [UInt8](repeating: 0xff, count: 32),
    [UInt8](repeating: 1, count: 33),
  ])
  func `refuses a number that is not a P-256 private key`(number: [UInt8]) throws {
    #expect(throws: CryptoError.invalidKey) { _ = try P256.publicKey(of: secret(number)) }
    #expect(throws: CryptoError.invalidKey) { _ = try P256.sign([1], privateKey: secret(number)) }
  }

  @Test func `a public key can be read from its SubjectPublicKeyInfo and written back to it`() throws {
    let info = try P256.subjectPublicKeyInfo(publicKey: publicKey)
    #expect(info.count == 91)
    #expect(try P256.publicKey(subjectPublicKeyInfo: info) == publicKey)
  }

  @Test func `refuses a SubjectPublicKeyInfo with any bit changed, cut or extended`() throws {
    let info = try P256.subjectPublicKeyInfo(publicKey: publicKey)
    for bit in 0..<(info.count * 8) {
      var changed = info
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError.invalidKey) { _ = try P256.publicKey(subjectPublicKeyInfo: changed) }
    }
    for count in 0..<info.count {
      #expect(throws: CryptoError.invalidKey) {
        _ = try P256.publicKey(subjectPublicKeyInfo: Array(info[..<count]))
      }
    }
    #expect(throws: CryptoError.invalidKey) { _ = try P256.publicKey(subjectPublicKeyInfo: info + [0]) }
  }

  @Test func `reads up to four public keys from one text, and refuses a text that contains anything else`() throws {
    let keys = try (0..<5).map { _ in try P256.generate().publicKey }
    let texts = try keys.map { key in
      let lines = Data(try P256.subjectPublicKeyInfo(publicKey: key)).base64EncodedString(
        options: .lineLength64Characters)
      return Array("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n".utf8)
    }
    for count in 1...4 { #expect(try P256.publicKeys(pem: texts[..<count].flatMap { $0 }) == Array(keys[..<count])) }
    let certificate = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
    for bad in [[], Array("x".utf8), texts.flatMap { $0 }, texts[0] + certificate, texts[0] + texts[1].dropLast(40)] {
      #expect(throws: CryptoError.invalidKey) { try P256.publicKeys(pem: bad) }
    }
  }
}
