import FidoResults
import Testing

@Suite struct TextTests {
  @Test(arguments: [
    ("\u{202E}", "202E"), ("\u{2066}", "2066"), ("\u{200B}", "200B"), ("\u{200D}", "200D"), ("\u{FEFF}", "FEFF"),
    ("\u{3164}", "3164"), ("\u{E0041}", "E0041"), ("\u{2028}", "2028"), ("\u{0}", "0000"), ("\n", "000A"),
    ("\u{AD}", "00AD"),
  ]) func `marking replaces hidden characters and bidirectional controls with their numbers`(
    hidden: String, number: String
  ) {
    #expect(Text.marked("a\(hidden)b") == "a[U+\(number)]b")
    #expect(Text.firstHidden(in: "a\(hidden)b") == "U+\(number)")
    #expect(Text.marked("a\(hidden)b", limit: 4) == "a")
  }

  @Test(arguments: ["", "desk 17", "책상", "e\u{301}", "שולחן", "a  b", "[U+202E]"])
  func `marking leaves visible text unchanged`(text: String) {
    #expect(Text.marked(text).unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(Text.firstHidden(in: text) == nil)
  }

  @Test func `marking keeps line ends and tabs if the caller wants them, and no other control character`() {
    #expect(Text.marked("a\tb\nc\r", keepsLines: true) == "a\tb\nc[U+000D]")
    #expect(Text.firstHidden(in: "a\tb\nc", keepsLines: true) == nil)
    #expect(Text.marked("abc", limit: 2) == "ab")
  }

  @Test func `cleaning leaves ordinary text unchanged`() {
    for text in ["Refused: too late (42).", "거부되었습니다.", "naïve café", "日本", ""] {
      #expect(Text.cleaned(text) == text)
    }
  }

  @Test func `cleaning removes every control character`() {
    for value in [0...0x1f as ClosedRange<UInt32>, 0x7f...0x9f].joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let cleaned = Text.cleaned("a\(Character(scalar))b")
      #expect(cleaned == "ab" || cleaned == "a b", "U+\(String(value, radix: 16))")
    }
    #expect(Text.cleaned("\u{1b}[31mred") == "[31mred")
  }

  @Test func `cleaning replaces each run of line ends and tabs with one space`() {
    #expect(Text.cleaned("one\r\n\ttwo\u{85}\u{2028}three\u{2029}four") == "one two three four")
    for space in ["\t", "\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"] {
      #expect(Text.cleaned("a\(space)b") == "a b")
    }
    #expect(Text.cleaned("\n one \n") == "one")
    #expect(Text.cleaned("a\u{a0}\u{3000}b") == "a b")
  }

  @Test(arguments: [
    "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    "\u{200e}", "\u{200f}", "\u{61c}",
  ])
  func `cleaning removes every bidirectional control`(_ mark: String) {
    #expect(Text.cleaned("a\(mark)b") == "ab")
  }

  @Test(arguments: [
    "\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{fff9}", "\u{e0001}", "\u{e0041}",
    "\u{34f}", "\u{115f}", "\u{3164}", "\u{ffa0}", "\u{fe0f}",
  ])
  func `cleaning removes every invisible character`(_ mark: String) {
    #expect(Text.cleaned("a\(mark)b") == "ab")
  }

  @Test(arguments: ["\u{e000}", "\u{f8ff}", "\u{f0000}", "\u{ffff}", "\u{10ffff}", "\u{378}"])
  func `cleaning removes every private-use or unassigned character`(_ mark: String) {
    #expect(Text.cleaned("a\(mark)b") == "ab")
  }

  @Test func `cleaning cuts text at the limit, counted in code points`() {
    #expect(Text.cleaned(String(repeating: "x", count: 513)).unicodeScalars.count == 512)
    #expect(Text.cleaned(String(repeating: "x", count: 512)).unicodeScalars.count == 512)
    #expect(Text.cleaned("e" + String(repeating: "\u{301}", count: 5000), limit: 10).unicodeScalars.count == 10)
    #expect(Text.cleaned("ab cd", limit: 3) == "ab")
    #expect(Text.cleaned("ab cd", limit: 4) == "ab c")
    #expect(Text.cleaned("abc", limit: 0) == "")
  }

  @Test func `characters that cleaning removes do not count towards the limit`() {
    #expect(Text.cleaned(String(repeating: "\u{202e}", count: 600) + "abc") == "abc")
  }

  @Test func `cleaning a cleaned text changes nothing`() {
    let hostile = "\u{202e}\n a \u{7}\u{200b} b\u{0} \t"
    #expect(Text.cleaned(Text.cleaned(hostile)) == Text.cleaned(hostile))
  }
}
