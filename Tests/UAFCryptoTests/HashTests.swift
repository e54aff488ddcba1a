import Testing
import UAFCrypto

struct HashTests {
  @Test func `SHA-256 gives the hashes of the examples in FIPS 180-4`() throws {
    #expect(
      try SHA256.hash(Array("abc".utf8))
        == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      try SHA256.hash([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
  }

  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `HMAC gives the codes of the examples in RFC 4231`(key: [UInt8], message: [UInt8], expected: String) throws {
    #expect(try HMACSHA256.authenticate(message, key: secret(key)) == hex(expected))
    #expect(try HMACSHA256.isValid(hex(expected), of: message, key: secret(key)))
    var kept = try HMACSHA256Key(secret(key))
    // A second message begins with the key again, whatever the one before it was.
    for other in [message, [1, 2, 3], []] {
      let code = try kept.authenticate(message)
      #expect(code == hex(expected))
      let further = try kept.authenticate(other)
      #expect(try further == HMACSHA256.authenticate(other, key: secret(key)))
    }
  }

  @Test func `refuses with a kept key what it refuses with a key that is prepared each time`() throws {
    var kept = try HMACSHA256Key(secret([1, 2, 3]))
    let code = try kept.authenticate([9])
    let other = try kept.authenticate([8])
    #expect(code != other && !HMACSHA256.isEqual(code, other))
    #expect(try !HMACSHA256.isValid(code, of: [9], key: secret([1, 2, 4])))
  }

  @Test func `refuses an HMAC with any bit changed or a byte missing`() throws {
    let key = try secret([1, 2, 3])
    let code = try HMACSHA256.authenticate([9], key: key)
    for bit in 0..<(code.count * 8) {
      var changed = code
      changed[bit / 8] ^= 1 << (bit % 8)
      let isValid = try HMACSHA256.isValid(changed, of: [9], key: key)
      #expect(!isValid)
    }
    let isValid = try HMACSHA256.isValid(code.dropLast(), of: [9], key: key)
    #expect(!isValid)
  }

  @Test func `refuses the HMAC of a different message or under a different key`() throws {
    let key = try secret([1, 2, 3])
    let code = try HMACSHA256.authenticate([9], key: key)
    #expect(try !HMACSHA256.isValid(code, of: [8], key: key))
    #expect(try !HMACSHA256.isValid(code, of: [9], key: secret([1, 2, 4])))
  }
}
