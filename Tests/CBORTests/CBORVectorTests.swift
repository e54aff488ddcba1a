import CBOR
import Testing

/// The examples of RFC 8949, appendix A: those in canonical form are read and written, all others are refused.
@Suite struct CBORVectorTests {
  private static let canonical: [(String, CBORValue)] = [
    ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100), ("1903e8", 1000),
    ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000), ("1bffffffffffffffff", .unsigned(.max)),
    ("3bffffffffffffffff", .negative(.max)), ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000),
    ("f4", false), ("f5", true), ("f6", .null),
    ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
    ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"), ("62c3bc", "\u{FC}"),
    ("63e6b0b4", "\u{6C34}"), ("64f0908591", "\u{10151}"),
    ("80", .array([])), ("83010203", .array([1, 2, 3])),
    ("8301820203820405", .array([1, .array([2, 3]), .array([4, 5])])),
    ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", .array((1...25).map { .integer($0) })),
    ("a0", .map([:])), ("a201020304", .map([1: 2, 3: 4])),
    ("a26161016162820203", .map(["a": 1, "b": .array([2, 3])])),
    ("826161a161626163", .array(["a", .map(["b": "c"])])),
    ("a56161614161626142616361436164614461656145", .map(["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"])),
  ]

  @Test(arguments: canonical) func `reads and writes each example that is in canonical form`(
    _ text: String, _ value: CBORValue
  )
    throws
  {
    #expect(try CBORValue(parsing: hex(text)) == value)
    #expect(value.encoded == hex(text))
  }

  @Test(
    arguments: [
      "f90000", "f98000", "f93c00", "fb3ff199999999999a", "f93e00", "f97bff", "fa47c35000", "fa7f7fffff",
      "fb7e37e43c8800759c", "f90001", "f90400", "f9c400", "fbc010666666666666", "f97c00", "f97e00", "f9fc00",
      "fa7f800000", "fa7fc00000", "faff800000", "fb7ff0000000000000", "fb7ff8000000000000", "fbfff0000000000000",
    ]) func `refuses a floating-point number`(_ text: String)
  {
    #expect(throws: CBORError(reason: .floatingPoint, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(
    arguments: [
      "c249010000000000000000", "c349010000000000000000", "c074323031332d30332d32315432303a30343a30305a",
      "c11a514b67b0", "c1fb41d452d9e20000", "d74401020304", "d818456449455446",
      "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
    ]) func `refuses every tag, including the tags of big numbers`(_ text: String)
  {
    #expect(throws: CBORError(reason: .tag, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(arguments: ["f7", "f0", "f8ff"]) func `refuses undefined and other simple values`(_ text: String) {
    #expect(throws: CBORError(reason: .simpleValue, offset: 0)) { try CBORValue(parsing: hex(text)) }
  }

  @Test(
    arguments: [
      ("5f42010243030405ff", 0), ("7f657374726561646d696e67ff", 0), ("9fff", 0), ("9f018202039f0405ffff", 0),
      ("9f01820203820405ff", 0), ("83018202039f0405ff", 5), ("83019f0203ff820405", 2),
      ("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", 0), ("bf61610161629f0203ffff", 0),
      ("826161bf61626163ff", 3), ("bf6346756ef563416d7421ff", 0),
    ]) func `refuses an item of indefinite length`(_ text: String, _ offset: Int)
  {
    #expect(throws: CBORError(reason: .indefiniteLength, offset: offset)) { try CBORValue(parsing: hex(text)) }
  }
}

/// The bytes written in hexadecimal.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
