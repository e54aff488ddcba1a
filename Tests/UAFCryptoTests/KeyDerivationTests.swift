import SecretMemory
import Testing

@testable import UAFCrypto

struct KeyDerivationTests {
  @Test func `HKDF derives the first example of RFC 5869`() throws {
    let key = try HKDFSHA256.derive(
      secret: secret([UInt8](repeating: 0x0b, count: 22)), salt: secret(hex("000102030405060708090a0b0c")),
      info: hex("f0f1f2f3f4f5f6f7f8f9"), length: 42)
    #expect(
      bytes(key)
        == hex(
          """
          3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
          """))
  }

  @Test func `HKDF derives the example of RFC 5869 without salt and info`() throws {
    let key = try HKDFSHA256.derive(
      secret: secret([UInt8](repeating: 0x0b, count: 22)), salt: secret([]), info: [], length: 42)
    #expect(
      bytes(key)
        == hex(
          """
          8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
          """))
  }

  @Test func `HKDF derives the longer example of RFC 5869`() throws {
    let key = try HKDFSHA256.derive(
      secret: secret(Array(0x00...0x4f)), salt: secret(Array(0x60...0xaf)), info: Array(0xb0...0xff), length: 82)
    #expect(
      bytes(key)
        == hex(
          """
          b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
          da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
          """))
  }

  @Test func `HKDF derives the greatest length that RFC 5869 allows`() throws {
    let key = try HKDFSHA256.derive(
      secret: secret([1]), salt: secret([2]), info: [UInt8](repeating: 3, count: 1024),
      length: HKDFSHA256.maximumLength)
    let beginning = try HKDFSHA256.derive(
      secret: secret([1]), salt: secret([2]), info: [UInt8](repeating: 3, count: 1024), length: 100)
    #expect(bytes(key).count == 8160)
    #expect(Array(bytes(key).prefix(100)) == bytes(beginning))
  }

  @Test(arguments: [0, -1, 255 * 32 + 1])
  func `HKDF refuses a length that RFC 5869 does not allow`(length: Int) throws {
    #expect(throws: CryptoError.invalidParameter(.hkdf)) {
      _ = try HKDFSHA256.derive(secret: secret([1]), salt: secret([]), info: [], length: length)
    }
  }

  @Test func `HKDF refuses to derive from an empty secret`() throws {
    #expect(throws: CryptoError.invalidParameter(.hkdf)) {
      _ = try HKDFSHA256.derive(secret: secret([]), salt: secret([1]), info: [], length: 32)
    }
  }

  @Test(arguments: [
    (
      "", "", Scrypt.Parameters(logN: 4, r: 1, p: 1),
      """
      77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
      fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
      """
    ),
    (
      "password", "NaCl", Scrypt.Parameters(logN: 10, r: 8, p: 16),
      """
      fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
      2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
      """
    ),
  ])
  func `scrypt derives the examples of RFC 7914`(
    value: String, salt: String, parameters: Scrypt.Parameters, expected: String
  ) throws {
    let key = try Scrypt.derive(
      value: secret(Array(value.utf8)), salt: Array(salt.utf8), parameters: parameters, length: 64)
    #expect(bytes(key) == hex(expected))
  }

  @Test func `scrypt derives at a cost that needs more memory than OpenSSL's own limit of 32 MiB`() throws {
    let key = try Scrypt.derive(
      value: secret([1]), salt: [2], parameters: Scrypt.Parameters(logN: 16, r: 8, p: 2), length: 32)
    #expect(key.count == 32)
  }

  /// Checks only the cost: to derive a key with it would take a GiB of memory.
  @Test func `scrypt accepts the highest cost that root can configure, and no higher one`() throws {
    let highest = Scrypt.Parameters(logN: 20, r: 8, p: 2)
    #expect(try Scrypt.memory(for: highest) > Scrypt.maximumMemory)
    for above in [Scrypt.Parameters(logN: 21, r: 8, p: 1), Scrypt.Parameters(logN: 20, r: 9, p: 1)] {
      #expect(throws: CryptoError.invalidParameter(.scrypt)) { _ = try Scrypt.memory(for: above) }
    }
  }

  @Test func `if scrypt gets too little memory, that is reported as missing memory and not as a wrong secret`() throws {
    #expect(throws: CryptoError.outOfMemory) {
      _ = try Scrypt.derive(
        value: secret([1]), salt: [2], parameters: Scrypt.Parameters(logN: 14, r: 8, p: 1), length: 32,
        memoryLimit: 1 << 20)
    }
  }

  @Test(arguments: [
    Scrypt.Parameters(logN: 0, r: 8, p: 1), Scrypt.Parameters(logN: 25, r: 1, p: 1),
    Scrypt.Parameters(logN: 14, r: 0, p: 1), Scrypt.Parameters(logN: 14, r: 8, p: 0),
    Scrypt.Parameters(logN: -1, r: -1, p: -1), Scrypt.Parameters(logN: 24, r: 32, p: 16),
    Scrypt.Parameters(logN: .max, r: .max, p: .max),
  ])
  func `scrypt refuses an impossible cost, such as a damaged record can contain`(parameters: Scrypt.Parameters) throws {
    #expect(throws: CryptoError.invalidParameter(.scrypt)) {
      _ = try Scrypt.derive(value: secret([1]), salt: [2], parameters: parameters, length: 32)
    }
  }

  @Test(arguments: [0, 65]) func `scrypt refuses to derive no bytes or more than 64`(length: Int) throws {
    #expect(throws: CryptoError.invalidParameter(.scrypt)) {
      _ = try Scrypt.derive(
        value: secret([1]), salt: [2], parameters: Scrypt.Parameters(logN: 4, r: 1, p: 1), length: length)
    }
  }
}
