import Testing

@testable import UAFHelper

@Suite struct LogLineTests {
  @Test func `the value of a log field cannot begin a new field or a new line`() {
    var line = LogLine(.authenticate)
    line.add(.account, Array("a b=c\n\u{1b}%\"é".utf8))
    #expect(line.description == "event=authenticate account=a%20b%3Dc%0A%1B%25%22%C3%A9")
  }

  @Test func `a long value of a log field is cut`() {
    var line = LogLine(.authenticate)
    line.add(.account, [UInt8](repeating: UInt8(ascii: "a"), count: 65_536))
    #expect(line.description.utf8.count < 300)
  }

  @Test func `a text in the log contains no control characters and no bare quotes`() {
    var line = LogLine(.state)
    line.add(.detail, "a\"b\\c\n\u{9b}d")
    #expect(line.description == "event=state detail=\"a\\u{22}b\\u{5c}c\\u{a}\\u{9b}d\"")
  }

  @Test func `a text in the log contains no characters that reverse, break or hide a line`() {
    var line = LogLine(.state)
    line.add(.detail, "a\u{202e}b\u{2028}\u{2029}c\u{200b}d\u{fe0f}é")
    #expect(line.description == "event=state detail=\"a\\u{202e}b\\u{2028}\\u{2029}c\\u{200b}d\\u{fe0f}é\"")
  }

  @Test func `a text in the log has each equals sign escaped that could belong to a field`() {
    var line = LogLine(.state)
    line.add(.detail, "x result=0 é=1 2=3 _= tls = true")
    #expect(line.description == "event=state detail=\"x result\\u{3d}0 é\\u{3d}1 2\\u{3d}3 _\\u{3d} tls = true\"")
  }

  @Test func `the fields of a log line have a fixed order, whatever the order in which they were added`() {
    var line = LogLine(.lock)
    line.add(.detail, "text")
    line.add(.uid, "1")
    line.add(.account, "mina")
    line.add(.uid, "2")
    #expect(line.description == "event=lock account=mina uid=2 detail=\"text\"")
  }
}
