import CBOR
import Testing

@Suite struct CBORReaderTests {
  @Test(
    arguments: [
      ("", CBORError.Reason.truncated, 0),
      ("18", .truncated, 0), ("1903", .truncated, 0), ("1a000f42", .truncated, 0), ("1b000000e8d4a510", .truncated, 0),
      ("4401", .truncated, 0), ("62c3", .truncated, 0), ("8201", .truncated, 0), ("820182", .truncated, 2),
      ("a1", .truncated, 0), ("a101", .truncated, 0), ("a2010203", .truncated, 0), ("a118", .truncated, 0),
      ("a16161", .truncated, 3),
    ]) func `refuses an item that ends too early, and names its position`(
      _ text: String, _ reason: CBORError.Reason, _ offset: Int
    )
  {
    #expect(throws: CBORError(reason: reason, offset: offset)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(
    arguments: [
      "1800", "1817", "190000", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817", "3900ff", "5800", "580161",
      "7817" + String(repeating: "61", count: 23), "9800", "980101", "b800", "b8010102",
    ]) func `refuses a number or length that is not in its shortest form`(_ text: String)
  {
    #expect(throws: CBORError(reason: .notShortest, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(arguments: ["1c", "1d", "1e", "3c", "5d", "7e", "9c", "bd"])
  func `refuses an item whose first byte has no meaning`(_ text: String) {
    #expect(throws: CBORError(reason: .reserved, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(arguments: [("ff", 0), ("82 00 ff", 2), ("a1 00 ff", 2)])
  func `refuses a break byte outside an item of indefinite length`(_ text: String, _ offset: Int) {
    #expect(throws: CBORError(reason: .indefiniteLength, offset: offset)) { try CBORValue(parsing: hex(text)) }
  }

  @Test func `refuses bytes after the value, and names the position of the first`() {
    #expect(throws: CBORError(reason: .trailingBytes, offset: 3)) { try CBORValue(parsing: hex("82010200")) }
  }

  @Test(arguments: ["61ff", "62c328", "62c080", "63eda080", "64f4908080", "63e28261"])
  func `refuses a text whose bytes are not UTF-8`(_ text: String) {
    #expect(throws: CBORError(reason: .invalidUTF8, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(
    arguments: [
      ("a203010100", 3), ("a2616100 6100 00", 4), ("a2200000 00", 3), ("a2616200616100", 4), ("a262616100616200", 5),
      ("a2190100000a00", 5), ("a26161002000", 4),
    ]) func `refuses map keys that are out of order, and names the position of the second`(
      _ text: String, _ offset: Int
    )
  {
    #expect(throws: CBORError(reason: .unsortedKey, offset: offset)) { try CBORValue(parsing: hex(text)) }
  }

  @Test func `map keys that are numbers come before texts of any length, as in CTAP2 but not in RFC 7049`() throws {
    // 10000 takes three bytes and -1 takes one, but the major type is compared first.
    let map = try CBORValue(parsing: hex("a3 192710 00 20 00 60 00"))
    #expect(map == .map([10_000: 0, -1: 0, "": 0]))
    #expect(throws: CBORError(reason: .unsortedKey, offset: 3)) { try CBORValue(parsing: hex("a2 20 00 192710 00")) }
  }

  @Test(arguments: [("a201000100", 3), ("a2616100616100", 4), ("a3010002000200", 5)])
  func `refuses a map key that occurs twice`(_ text: String, _ offset: Int) {
    #expect(throws: CBORError(reason: .repeatedKey, offset: offset)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(arguments: ["a14000", "a18000", "a1a000", "a1f500", "a1c10000", "a1f9000000"])
  func `refuses a map key that is neither a number nor a text`(_ text: String) {
    #expect(throws: CBORError(reason: .keyType, offset: 1)) { try CBORValue(parsing: hex(text)) }
  }

  @Test func `accepts four levels of arrays and maps, and refuses the fifth`() throws {
    #expect(throws: Never.self) { try CBORValue(parsing: hex("81a10081a100 01")) }
    #expect(throws: CBORError(reason: .tooDeep, offset: 6)) { try CBORValue(parsing: hex("81a10081a100 80")) }
    #expect(throws: CBORError(reason: .tooDeep, offset: 4)) {
      try CBORValue(parsing: [UInt8](repeating: 0x81, count: 60_000))
    }
    #expect(throws: CBORError(reason: .tooDeep, offset: 1)) {
      try CBORValue(parsing: hex("8180"), limits: CBORLimits(maximumDepth: 1))
    }
  }

  @Test func `counts the nesting of each branch by itself`() {
    #expect(throws: Never.self) { try CBORValue(parsing: hex("82 81818101 81818101")) }
  }

  @Test func `refuses an input over the size limit before reading it`() {
    let long = CBORValue.bytes([UInt8](repeating: 0, count: 65_536)).encoded
    #expect(throws: CBORError(reason: .tooLong, offset: 65_536)) { try CBORValue(parsing: long) }
  }

  @Test(arguments: [
    "5bffffffffffffffff", "7b7fffffffffffffff", "9bffffffffffffffff", "bb8000000000000000", "9a7fffffff00",
  ])
  func `refuses a length beyond the end of the input, and allocates nothing for it`(_ text: String) {
    #expect(throws: CBORError(reason: .truncated, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test func `reads one of several values, and moves the position to the next`() throws {
    let bytes = hex("ff 820102 6161")
    var position = 1
    #expect(try CBORValue.next(in: bytes.span, at: &position) == .array([1, 2]))
    #expect(position == 4)
    #expect(try CBORValue.next(in: bytes.span, at: &position) == "a")
    #expect(position == 6)
    #expect(throws: CBORError(reason: .truncated, offset: 6)) { try CBORValue.next(in: bytes.span, at: &position) }
    #expect(position == 6)
  }

  @Test func `an error names the position, and shows no content of the input`() {
    for reason in CBORError.Reason.allCases {
      let text = CBORError(reason: reason, offset: 7).description
      #expect(text.hasPrefix("the CBOR is malformed at byte 7: "))
    }
    #expect(Set(CBORError.Reason.allCases.map { CBORError(reason: $0, offset: 0).description }).count == 14)
  }
}
