import Testing

@testable import UAFMessages

/// JSON strings are read and written eight bytes at a time, so each case is tested at every position within eight bytes and
/// after the last eight.
@Suite struct JSONStringTests {
  private static let places = 0..<25

  /// Bytes whose value is next to that of a special one, or differs from it in the highest bit.
  private static let harmless: [UInt8] = [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7E, 0x80, 0xA2, 0xDC, 0xFF, 0x61]

  @Test func `finds the first special byte of a string at every position, whatever bytes surround it`() {
    for place in Self.places {
      for length in (place + 1)...26 {
        for byte in UInt8.min...UInt8.max {
          for beside in Self.harmless {
            var text = [UInt8](repeating: beside, count: length)
            text[place] = byte
            let isSpecial = byte < 0x20 || byte == 0x22 || byte == 0x5C
            let found = PlainCharacters.end(in: text.span, from: 0)
            let written = PlainCharacters.end(in: text.span, from: 0, orDelete: true)
            guard found == (isSpecial ? place : length), written == (isSpecial || byte == 0x7F ? place : length) else {
              Issue.record("\(byte) at \(place) of \(length) beside \(beside): \(found), \(written)")
              return
            }
          }
        }
      }
    }
  }

  @Test func `a search for a special byte ignores the bytes before its start`() {
    let text = Array(#""\"plain characters""#.utf8)
    #expect(PlainCharacters.end(in: text.span, from: 3) == text.count - 1)
    #expect(PlainCharacters.end(in: text.span, from: text.count) == text.count)
  }

  @Test func `a one-byte character at any position is read back as it was written`() throws {
    for place in Self.places {
      for byte in UInt8.min...0x7F {
        let text = String(repeating: "é", count: place) + String(Unicode.Scalar(byte)) + "0123456789"
        let value = JSONValue.string(text)
        #expect(try JSONValue(parsing: value.bytes) == value)
      }
    }
  }

  @Test func `refuses a control character at every position of a string, with and without an escape before it`() {
    for place in Self.places {
      for beginning in ["", #"\n"#] {
        let text = "\"" + beginning + String(repeating: "x", count: place) + "\u{1F}\" "
        let error = JSONError(reason: .controlCharacter, offset: 1 + beginning.utf8.count + place)
        #expect(throws: error) { try JSONValue(parsing: Array(text.utf8)) }
      }
    }
  }

  @Test func `refuses a string that does not end, at whatever position its last escape is`() {
    for place in Self.places {
      let text = "\"" + String(repeating: "x", count: place) + #"\""#
      let error = JSONError(reason: .unexpectedEnd, offset: place + 3)
      #expect(throws: error) { try JSONValue(parsing: Array(text.utf8)) }
      #expect(throws: JSONError(reason: .unexpectedEnd, offset: place + 2)) {
        try JSONValue(parsing: Array(text.utf8.dropLast()))
      }
    }
  }

  @Test func `names the first fault of a JSON string, and not a later one`() {
    #expect(throws: JSONError(reason: .invalidEscape, offset: 1)) {
      try JSONValue(parsing: Array("\"\\x and a line feed: \n\"".utf8))
    }
    #expect(throws: JSONError(reason: .controlCharacter, offset: 3)) {
      try JSONValue(parsing: Array("\"\\n\n and no escape: \\x\"".utf8))
    }
  }

  @Test
  func `refuses a JSON string with an escape and with bytes that are not UTF-8, even if the escape separates them`() {
    for bytes in [[0xFF], [0xC3, 0x5C, 0x6E, 0xA9], [0xE2, 0x82]] as [[UInt8]] {
      #expect(throws: JSONError(reason: .invalidUTF8, offset: 0)) {
        try JSONValue(parsing: Array("\"\\n".utf8) + bytes + [0x22])
      }
    }
  }

  @Test(arguments: [
    (#"{"uafResponse":1}"#, MessageError.wrongType("SendUAFResponse.uafResponse")),
    (#"{"uafResponse":"x","context":""}"#, .outOfRange("SendUAFResponse.context")),
    ("[]", .wrongType("SendUAFResponse")),
  ]) func `an error about a member names the member's path`(_ text: String, _ error: MessageError) {
    #expect(throws: error) { try SendUAFResponse(parsing: text) }
  }

  @Test(arguments: [
    (#""minor":1"#, MessageError.missing("message[0].header.upv.major")),
    (#""major":"1","minor":1"#, .wrongType("message[0].header.upv.major")),
    (#""major":1,"minor":70000"#, .outOfRange("message[0].header.upv.minor")),
  ]) func `an error about a nested member names its whole path`(_ version: String, _ error: MessageError) {
    #expect(throws: error) { try UAFResponse(parsing: #"[{"header":{"upv":{\#(version)},"op":"Auth"}}]"#) }
  }

  @Test func `an error about a list within a list names the position in both`() {
    let text = #"{"trustedFacets":[{"version":{"major":1,"minor":0},"ids":["https://a.example",1]}]}"#
    #expect(throws: MessageError.wrongType("TrustedFacetList.trustedFacets[0].ids[1]")) {
      try TrustedFacetList(parsing: text)
    }
  }
}
