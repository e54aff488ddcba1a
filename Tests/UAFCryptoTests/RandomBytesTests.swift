import SecretMemory
import Testing
import UAFCrypto

struct RandomBytesTests {
  @Test func `returns as many random bytes as requested, and different bytes each time`() throws {
    #expect(try RandomBytes.make(0).isEmpty)
    #expect(try RandomBytes.make(32).count == 32)
    #expect(try RandomBytes.make(32) != RandomBytes.make(32))
    let one = try RandomBytes.makeSecret(32)
    let other = try RandomBytes.makeSecret(32)
    let areEqual = one.isEqual(to: other)
    #expect(one.count == 32)
    #expect(!areEqual)
  }

  @Test(arguments: [-1, 65537, Int.max]) func `refuses to make a negative or too large number of random bytes`(
    count: Int
  ) {
    #expect(throws: CryptoError.invalidParameter(.random)) { _ = try RandomBytes.make(count) }
    #expect(throws: CryptoError.invalidParameter(.random)) { _ = try RandomBytes.makeSecret(count) }
  }
}
