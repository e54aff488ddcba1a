import Testing

@testable import UAFHelper

@Suite struct LogLineTests {
  @Test func `a value cannot begin a new field or a new line`() {
    var line = LogLine(.authenticate)
    line.add(.account, Array("a b=c\n\u{1b}%\"é".utf8))
    #expect(line.description == "event=authenticate account=a%20b%3Dc%0A%1B%25%22%C3%A9")
  }

  @Test func `a long value is cut`() {
    var line = LogLine(.authenticate)
    line.add(.account, [UInt8](repeating: UInt8(ascii: "a"), count: 65_536))
    #expect(line.description.utf8.count < 300)
  }

  @Test func `removes control characters and bare quotes from text`() {
    var line = LogLine(.state)
    line.add(.detail, "a\"b\\c\n\u{9b}d")
    #expect(line.description == "event=state detail=\"a\\u{22}b\\u{5c}c\\u{a}\\u{9b}d\"")
  }

  @Test func `removes characters that reverse, break or hide a line`() {
    var line = LogLine(.state)
    line.add(.detail, "a\u{202e}b\u{2028}\u{2029}c\u{200b}d\u{fe0f}é")
    #expect(line.description == "event=state detail=\"a\\u{202e}b\\u{2028}\\u{2029}c\\u{200b}d\\u{fe0f}é\"")
  }

  @Test func `an equals sign that could make text look like a field is escaped, and one after a space stays`() {
    var line = LogLine(.state)
    line.add(.detail, "x result=0 é=1 2=3 _= tls = true")
    #expect(line.description == "event=state detail=\"x result\\u{3d}0 é\\u{3d}1 2\\u{3d}3 _\\u{3d} tls = true\"")
  }

  @Test func `fields have a fixed order, each once, whatever order they were added in`() {
    var line = LogLine(.lock)
    line.add(.detail, "text")
    line.add(.uid, "1")
    line.add(.account, "mina")
    line.add(.uid, "2")
    #expect(line.description == "event=lock account=mina uid=2 detail=\"text\"")
  }
}
