import Testing

@testable import UAFMessages

@Suite struct Base64URLTests {
  @Test(
    arguments: [
      ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"), ([0xFB, 0xFF], "-_8"),
    ] as [([UInt8], String)])
  func `each byte string is encoded as one base64url text, and only this text is decoded to it`(
    _ bytes: [UInt8], _ text: String
  ) throws {
    #expect(Base64URL.encode(bytes) == text)
    #expect(try Base64URL.decode(text, maximumCount: 3) == bytes)
  }

  @Test func `encodes and decodes each byte value in base64url`() throws {
    for count in 0..<259 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      #expect(try Base64URL.decode(Base64URL.encode(bytes), maximumCount: count) == bytes)
    }
  }

  @Test(arguments: [
    ("A", Base64URLError.invalidLength), ("AAAAA", .invalidLength), ("Zg=", .invalidCharacter(offset: 2)),
    ("Zg==", .invalidCharacter(offset: 2)), ("+/8A", .invalidCharacter(offset: 0)),
    ("Zm\n8", .invalidCharacter(offset: 2)),
    (" Zg8", .invalidCharacter(offset: 0)), ("Zm8é", .invalidLength), ("Zh", .unusedBitsSet), ("Zm9", .unusedBitsSet),
    ("Zg\u{0}A", .invalidCharacter(offset: 2)),
  ]) func `refuses a malformed base64url text, and names the reason`(_ text: String, _ error: Base64URLError) {
    #expect(throws: error) { try Base64URL.decode(text, maximumCount: 100) }
  }

  @Test func `refuses a base64url text that is too long before decoding it`() {
    #expect(throws: Base64URLError.tooLong) { try Base64URL.decode("!!!!", maximumCount: 2) }
    #expect(throws: Never.self) { try Base64URL.decode("AAAA", maximumCount: 3) }
  }
}
