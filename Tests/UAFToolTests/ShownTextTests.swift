import Testing
import UAFWire

@testable import UAFTool
@testable import Wording

@Suite struct ShownTextTests {
  @Test func `a shown text keeps its lines, and the space before an entry`() {
    #expect(ShownText.lines("one\n\n two \nPasscode: ") == "one\ntwo\nPasscode: ")
    #expect(ShownText.lines("") == "" && ShownText.lines(" \n ") == "")
  }

  @Test(arguments: ["\u{1B}", "\u{7}", "\u{7F}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{200B}", "\r", "\0"])
  func `a shown text contains no character that controls a terminal or is invisible`(character: String) {
    for shown in [
      ShownText.line("a\(character)b"), ShownText.lines("a\(character)b"), ShownText.verbatim("a\(character)b"),
    ] {
      #expect(shown == "ab" || shown == "a b")
    }
  }

  @Test func `a document or a token is shown unchanged`() {
    #expect(ShownText.verbatim("{\"a\":  \"한\"}\n") == "{\"a\":  \"한\"}\n")
    let long = String(repeating: "x", count: WireLimit.document)
    #expect(ShownText.verbatim(long) == long)
  }

  @Test func `a token that is shown cannot control the terminal`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.token = "abc\u{1B}[2J"
    #expect(Bench(["authenticate", "--token"], core: [.finished(finished)]).output == "abc[2J\n")
  }
}
