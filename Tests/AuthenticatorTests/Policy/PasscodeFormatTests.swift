import Testing

@testable import Authenticator

@Suite struct PasscodeFormatTests {
  @Test(arguments: [
    "1", "correct horse", "한글", "é", " ", String(repeating: "x", count: 256), "👩‍👩‍👧", "\u{200d}", "\u{2028}",
  ])
  func `text can be stored`(_ value: String) {
    #expect(PasscodeFormat.canStore(value))
  }

  @Test(arguments: [
    "", "a\n", "a\0", "\u{8}INCORRECT", "\u{1b}", "a\u{7f}", "a\u{85}", "\u{9f}", String(repeating: "x", count: 257),
    String(repeating: "é", count: 129),
  ])
  func `empty, long and control characters cannot`(_ value: String) {
    #expect(!PasscodeFormat.canStore(value))
  }

  @Test(arguments: [[0xff], [0x61, 0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]] as [[UInt8]])
  func `bytes that are not UTF-8 cannot`(_ bytes: [UInt8]) {
    #expect(!PasscodeFormat.canStore(bytes))
  }

  @Test func `a PIN is so many digits`() {
    #expect(
      PasscodeUIType.pin4.accepts(text: "0123") && PasscodeUIType.pin6.accepts(text: "012345"))
    for value in ["", "012", "01234", "012a", "012 ", "０12"] {
      #expect(!PasscodeUIType.pin4.accepts(text: value))
    }
    #expect(!PasscodeUIType.pin6.accepts(text: "0123"))
  }

  @Test func `text has no format`() {
    #expect(PasscodeUIType.normal.accepts(text: "0123") && PasscodeUIType.normal.accepts(text: ""))
  }
}
