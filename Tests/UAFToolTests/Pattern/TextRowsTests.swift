import Testing

@testable import UAFTool

@Suite struct TextRowsTests {
  @Test(arguments: [
    ("", [""]), ("abc", ["abc"]), ("abcd", ["abcd"]), ("abcde", ["abcd", "e"]), ("a\n\nb", ["a", "", "b"]),
    ("한글가", ["한글", "가"]), ("a한글", ["a한", "글"]), ("abcdefghi", ["abcd", "efgh", "i"]),
  ])
  func `breaks a text into rows of four cells, and drops none of it`(text: String, rows: [String]) {
    #expect(TextRows.wrapped(text, columns: 4) == rows)
  }

  @Test func `a window without columns is no trap`() {
    #expect(TextRows.wrapped("ab한", columns: 0) == ["ab", "한"])
  }
}
