import Testing

@testable import AuthenticatorTypes

@Suite struct PasscodeFormatTests {
  @Test(arguments: [
    "1", "correct horse", "한글", "é", " ", String(repeating: "x", count: 256), "👩‍👩‍👧", "\u{200d}", "\u{2028}",
  ])
  func `accepts a passcode in any script`(_ value: String) {
    #expect(PasscodeFormat.canStore(value))
  }

  @Test(arguments: [
    "", "a\n", "a\0", "\u{8}INCORRECT", "\u{1b}", "a\u{7f}", "a\u{85}", "\u{9f}", String(repeating: "x", count: 257),
    String(repeating: "é", count: 129),
  ])
  func `refuses a passcode that is empty, too long or contains control characters`(_ value: String) {
    #expect(!PasscodeFormat.canStore(value))
  }

  @Test(arguments: [[0xff], [0x61, 0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]] as [[UInt8]])
  func `refuses a passcode whose bytes are not UTF-8`(_ bytes: [UInt8]) {
    #expect(!PasscodeFormat.canStore(bytes))
  }

  @Test func `a PIN must have exactly the configured number of digits`() {
    #expect(
      PasscodeUIType.pin4.accepts(text: "0123") && PasscodeUIType.pin6.accepts(text: "012345"))
    for value in ["", "012", "01234", "012a", "012 ", "０12"] {
      #expect(!PasscodeUIType.pin4.accepts(text: value))
    }
    #expect(!PasscodeUIType.pin6.accepts(text: "0123"))
  }

  @Test func `a passcode that is not a PIN has no fixed format`() {
    #expect(PasscodeUIType.normal.accepts(text: "0123") && PasscodeUIType.normal.accepts(text: ""))
  }
}
