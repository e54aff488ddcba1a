import Testing

@testable import UAFHelper

@Suite struct LogLineTests {
  @Test func `a value cannot begin another part or another line`() {
    var line = LogLine(event: "authenticate")
    line.add("account", Array("a b=c\n\u{1b}%\"é".utf8))
    #expect(line.description == "event=authenticate account=a%20b=c%0A%1B%25%22%C3%A9")
  }

  @Test func `a long value is cut`() {
    var line = LogLine(event: "x")
    line.add("account", [UInt8](repeating: UInt8(ascii: "a"), count: 65_536))
    #expect(line.description.utf8.count < 300)
  }

  @Test func `text keeps no control character and no bare quote`() {
    var line = LogLine(event: "x")
    line.addText("detail", "a\"b\\c\n\u{9b}d")
    #expect(line.description == "event=x detail=\"a\\u{22}b\\u{5c}c\\u{a}\\u{9b}d\"")
  }

  @Test func `text keeps nothing that turns its direction or ends its line`() {
    var line = LogLine(event: "x")
    line.addText("detail", "a\u{202e}b\u{2028}c\u{2029}d\u{200b}é")
    #expect(line.description == "event=x detail=\"a\\u{202e}b\\u{2028}c\\u{2029}d\\u{200b}é\"")
  }
}
