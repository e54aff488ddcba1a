import Testing

@testable import UAFMessages

@Suite struct JSONValueTests {
  @Test(arguments: [
    ("null", JSONValue.null), (" true ", .bool(true)), ("false", .bool(false)),
    ("0", .integer(0)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
    ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .otherNumber("9223372036854775808")),
    ("1.5", .otherNumber("1.5")), ("1e3", .otherNumber("1e3")), ("-1.0E-2", .otherNumber("-1.0E-2")),
    (#""a\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, .string("a\"\\/\u{8}\u{C}\n\r\té😀")),
    ("[]", .array([])), ("[1 , [ ] , {}]", .array([.integer(1), .array([]), .object([:])])),
    (#"{ "b" : 1 , "a" : [null] }"#, .object(["b": .integer(1), "a": .array([.null])])),
  ]) func `reads each type of JSON value`(_ text: String, _ expected: JSONValue) throws {
    #expect(try JSONValue(parsing: Array(text.utf8)) == expected)
  }

  @Test(arguments: [
    ("", JSONError.Reason.unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3),
    ("nulL", .unexpectedByte, 3), ("True", .unexpectedByte, 0), ("[1,]", .unexpectedByte, 3),
    ("[1", .unexpectedEnd, 2), ("[1 2]", .unexpectedByte, 3), ("{\"a\"}", .unexpectedByte, 4),
    ("{\"a\":1,}", .unexpectedByte, 7), ("{a:1}", .unexpectedByte, 1), ("{'a':1}", .unexpectedByte, 1),
    ("{\"a\":1,\"a\":2}", .duplicateMember, 7), (#"{"a":1,"\u0061":2}"#, .duplicateMember, 7),
    ("1 2", .trailingBytes, 2), ("{}\u{0}", .trailingBytes, 2), ("// x\n1", .unexpectedByte, 0),
    ("01", .invalidNumber, 0), ("-", .unexpectedEnd, 1), ("-a", .invalidNumber, 1), ("1.", .unexpectedEnd, 2),
    ("1.e1", .invalidNumber, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), (".5", .unexpectedByte, 0),
    ("+1", .unexpectedByte, 0), ("NaN", .unexpectedByte, 0), ("0x10", .trailingBytes, 1),
    ("\"a", .unexpectedEnd, 2), ("\"a\nb\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1),
    (#""\x""#, .invalidEscape, 1), (#""\u12G4""#, .invalidEscape, 5), (#""\u１234""#, .invalidEscape, 3),
    (#""\uD83D""#, .unpairedSurrogate, 1), (#""\uD83D\uD83D""#, .unpairedSurrogate, 1),
    (#""\uDE00""#, .unpairedSurrogate, 1), (#""\uD83Dx\uDE00""#, .unpairedSurrogate, 1),
    ("\u{FEFF}1", .byteOrderMark, 0),
  ]) func `refuses malformed JSON, and names the reason and the position`(
    _ text: String, _ reason: JSONError.Reason, _ offset: Int
  ) {
    #expect(throws: JSONError(reason: reason, offset: offset)) { try JSONValue(parsing: Array(text.utf8)) }
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ] as [[UInt8]]) func `refuses JSON with bytes in a string that are not UTF-8`(_ bytes: [UInt8])
  {
    #expect(throws: JSONError(reason: .invalidUTF8, offset: 0)) {
      try JSONValue(parsing: [0x22] + bytes + [0x22])
    }
  }

  @Test func `refuses JSON in UTF-16`() {
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0xFE, 0xFF, 0x00, 0x31]) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x31, 0x00]) }
  }

  @Test func `accepts JSON with sixteen levels of nesting, and refuses the seventeenth`() throws {
    let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
    #expect(throws: Never.self) { try JSONValue(parsing: Array(deep.utf8)) }
    #expect(throws: JSONError(reason: .tooDeep, offset: 17)) { try JSONValue(parsing: Array((" [" + deep + "]").utf8)) }
    let wide = "[" + Array(repeating: "[[]]", count: 40).joined(separator: ",") + "]"
    #expect(throws: Never.self) { try JSONValue(parsing: Array(wide.utf8)) }
  }

  @Test func `refuses a hundred thousand open brackets without exhausting the stack`() {
    let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: JSONError(reason: .tooDeep, offset: 16)) { try JSONValue(parsing: bytes) }
  }

  @Test func `refuses a JSON text over the size limit before reading it`() {
    let bytes = [UInt8](repeating: 0x20, count: 262_144) + [0x31]
    #expect(throws: JSONError(reason: .tooLong, offset: 262_144)) { try JSONValue(parsing: bytes) }
    #expect(throws: Never.self) { try JSONValue(parsing: Array(bytes.dropFirst())) }
  }

  @Test func `member names that only look alike are different members`() throws {
    let object = try #require(try JSONValue(parsing: Array("{\"\u{212A}ey\":1,\"Key\":2}".utf8)).members)
    #expect(object["Key"] == .integer(2))
    #expect(object.members.count == 2)
  }

  @Test func `writes JSON compactly, with members in their order and control characters escaped`() {
    let value = JSONValue.object([
      "z": .array([.null, .bool(true), .integer(-7), .otherNumber("1.5")]), "a": .string("\u{0}\u{1F}\u{7F}\"\\/é\n"),
    ])
    #expect(value.text == #"{"z":[null,true,-7,1.5],"a":"\u0000\u001f\u007f\"\\/é\u000a"}"#)
  }

  @Test func `a JSON value is read back as it was written`() throws {
    let value = JSONValue.object(["a": .array([.string("😀\u{7F}\u{2028}"), .object([:])]), "b": .integer(.min)])
    #expect(try JSONValue(parsing: value.bytes) == value)
  }

  @Test(arguments: [2, 15, 16, 17, 40])
  func `refuses JSON with a repeated member, among few members and among many`(count: Int) throws {
    let members = (0..<count).map { "\"member \($0)\":\($0)" }
    guard case .object(let object) = try JSONValue(parsing: Array("{\(members.joined(separator: ","))}".utf8)) else {
      Issue.record("no object")
      return
    }
    #expect(object.members.count == count)
    for repeated in [0, count / 2, count - 1] {
      let text = "{\((members + [members[repeated]]).joined(separator: ","))}"
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
      #expect(error?.reason == .duplicateMember)
    }
  }
}

extension JSONValue {
  /// The object that this is; nil if it is another type of value.
  var members: JSONObject? {
    guard case .object(let object) = self else { return nil }
    return object
  }
}
