import SecretMemory
import Testing

@testable import UAFCrypto

@Suite struct P256AgreementTests {
  /// The order n of the curve P-256 (FIPS 186-5 and SP 800-186).
  private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

  private func privateKey(_ random: some StringProtocol) throws -> [UInt8] {
    let key = try P256Agreement.privateKey(of: try Secret(copying: hex(String(random)).span))
    return key.withBytes { span in span.indices.map { span[$0] } }
  }

  /// 40 bytes: these 32 with eight zero bytes before them.
  private func wide(_ low: String) -> String { String(repeating: "00", count: 8) + low }

  @Test func `the agreement gives the shared secret of NIST's vector`() throws {
    // NIST CAVP, ECC CDH primitive, P-256, COUNT = 0.
    let own = try Secret(
      copying: (hex("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")).span)
    let theirs =
      hex(
        "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
          + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac")
    let shared = try P256Agreement.sharedSecret(privateKey: own, with: theirs)
    let bytes = shared.withBytes { span in span.indices.map { span[$0] } }
    #expect(bytes == hex("46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"))
  }

  @Test func `two key pairs agree on the same secret, and a third pair gets a different one`() throws {
    let first = try P256.generate()
    let second = try P256.generate()
    let third = try P256.generate()
    let shared = try P256Agreement.sharedSecret(privateKey: first.privateKey, with: second.publicKey)
    #expect(try P256Agreement.sharedSecret(privateKey: second.privateKey, with: first.publicKey).isEqual(to: shared))
    #expect(try !P256Agreement.sharedSecret(privateKey: third.privateKey, with: first.publicKey).isEqual(to: shared))
  }

  @Test func `the agreement refuses a point that is not on the curve, and a number that is not a private key`() throws {
    let pair = try P256.generate()
    var point = pair.publicKey
    point[64] ^= 1
    #expect(throws: CryptoError.invalidKey) {
      _ = try P256Agreement.sharedSecret(privateKey: pair.privateKey, with: point).count
    }
    #expect(throws: CryptoError.invalidKey) {
      _ = try P256Agreement.sharedSecret(privateKey: pair.privateKey, with: Array(pair.publicKey.dropLast())).count
    }
    let zero = try Secret(copying: [UInt8](repeating: 0, count: 32).span)
    #expect(throws: CryptoError.invalidKey) {
      _ = try P256Agreement.sharedSecret(privateKey: zero, with: pair.publicKey).count
    }
  }

  @Test func `40 random bytes give a private key as FIPS 186-5 says: modulo n - 1, plus 1`() throws {
    let zero = String(repeating: "0", count: 62)
    #expect(try privateKey(wide(zero + "00")) == hex(zero + "01"))
    #expect(try privateKey(wide(zero + "05")) == hex(zero + "06"))
    // n - 2 gives the largest private key, and n - 1 the smallest.
    #expect(try privateKey(wide(Self.order.prefix(62) + "4f")) == hex(Self.order.prefix(62) + "50"))
    #expect(try privateKey(wide(Self.order.prefix(62) + "50")) == hex(zero + "01"))
    #expect(try privateKey(wide(Self.order)) == hex(zero + "02"))
    #expect(try privateKey(String(repeating: "f", count: 80)).count == 32)
  }

  @Test(arguments: [0, 32, 39, 41]) func `refuses to make a private key from a number of bytes other than 40`(
    _ count: Int
  ) throws {
    let bytes = try Secret(copying: [UInt8](repeating: 1, count: count).span)
    #expect(throws: CryptoError.invalidKey) { _ = try P256Agreement.privateKey(of: bytes).count }
  }
}
