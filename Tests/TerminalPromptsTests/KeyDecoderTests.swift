import Testing

@testable import TerminalPrompts
@testable import TerminalPrompts

@Suite struct KeyDecoderTests {
  private func keys(_ bytes: [UInt8]) -> [Key] {
    var decoder = KeyDecoder()
    return bytes.compactMap { decoder.received($0) }
  }

  private func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

  @Test func `bytes and control keys outside an escape sequence are returned unchanged`() {
    #expect(keys("1ß\r\u{3}\u{7F}") == [0x31, 0xC3, 0x9F, 0x0D, 0x03, 0x7F].map(Key.byte))
  }

  @Test func `reads arrow keys in both of their escape sequences, with and without modifiers`() {
    #expect(keys("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D") == [.up, .down, .right, .left])
    #expect(keys("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD") == [.up, .down, .right, .left])
    #expect(keys("\u{1B}[1;5C1") == [.right, .byte(0x31)])
  }

  @Test func `reads presses, drags and releases of the left mouse button`() {
    #expect(
      keys("\u{1B}[<0;12;3M\u{1B}[<32;13;4M\u{1B}[<0;13;4m") == [
        .mouse(MouseEvent(kind: .press, column: 12, row: 3)), .mouse(MouseEvent(kind: .drag, column: 13, row: 4)),
        .mouse(MouseEvent(kind: .release, column: 13, row: 4)),
      ])
    #expect(keys("\u{1B}[<16;1;1M") == [.mouse(MouseEvent(kind: .press, column: 1, row: 1))])
  }

  @Test(arguments: [
    "[<1;1;1M", "[<64;1;1M", "[<0;0;1M", "[<0;1;0M", "[<0;1M", "[<0;1;1;1M", "[<0;;1M", "[<;1;1M", "[<0;12345;1M",
    "[<0;-1;1M", "[<:;1;1M", "[0;1;1M", "[<00000000000000;1;1M", "[3~", "[15~", "[Z", "[200~", "[?1;2c", "OP", "O5",
  ])
  func `reads any other escape sequence as one key without a meaning`(sequence: String) {
    #expect(keys("\u{1B}\(sequence)1") == [.other, .byte(0x31)])
  }

  @Test func `takes no part of a mouse report in the old format for typed text`() {
    #expect(keys("\u{1B}[M 123\u{1B}[M\u{1B}\u{3}44") == [.other, .byte(0x33), .other, .byte(0x34)])
  }

  @Test func `a single ESC is ignored, and the next key is not lost`() {
    #expect(keys("\u{1B}1\u{1B}\u{1B}2\u{1B}\r") == [.byte(0x31), .byte(0x32), .byte(0x0D)])
  }

  @Test func `a control key works even in the middle of an escape sequence`() {
    #expect(keys("\u{1B}\u{3}\u{1B}[1\u{3}\u{1B}O\u{3}7") == [3, 3, 3, 0x37].map(Key.byte))
  }

  @Test func `an escape sequence that never ends uses no memory`() {
    let key = keys([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 100_000) + [0x41])
    #expect(key == [.other])
  }
}
