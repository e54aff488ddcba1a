import Testing

@testable import TerminalPrompts
@testable import TerminalPrompts

@Suite struct TextRowsTests {
  @Test(arguments: [
    ("", [""]), ("abc", ["abc"]), ("abcd", ["abcd"]), ("abcde", ["abcd", "e"]), ("a\n\nb", ["a", "", "b"]),
    ("한글가", ["한글", "가"]), ("a한글", ["a한", "글"]), ("abcdefghi", ["abcd", "efgh", "i"]),
    ("a bcd e", ["a ", "bcd ", "e"]), ("ab cd", ["ab ", "cd"]), ("    x", ["    ", "x"]), (" 한x한", [" ", "한x", "한"]),
    ("👩‍👩‍👧‍👦x", ["👩‍👩‍👧‍👦", "x"]),
  ])
  func `breaks a text into rows of four cells, and drops none of it`(text: String, rows: [String]) {
    #expect(TextRows.wrapped(text, columns: 4) == rows)
    #expect(rows.joined() == text.replacing("\n", with: ""))
  }

  @Test func `does not crash in a window without columns`() {
    #expect(TextRows.wrapped("ab한", columns: 0) == ["ab", "한"])
  }
}
