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
  func `breaks a text into rows of four cells, and drops no character`(text: String, rows: [String]) {
    #expect(TextRows.wrapped(text, columns: 4) == rows)
    #expect(rows.joined() == text.replacing("\n", with: ""))
  }

  @Test func `wraps a text for a window without columns, and does not crash`() {
    #expect(TextRows.wrapped("ab한", columns: 0) == ["ab", "한"])
  }

  @Test(arguments: [20, 40, 80])
  func `continuation rows are indented, colours take no cells, and a usage text breaks only between its parts`(
    columns: Int
  ) {
    let line = "FAIL 상태: 이 컴퓨터의 상태를 읽을 수 없습니다(오류 13) : chown root /var/lib/pam-uaf [state]"
    let plain = TextRows.flowing(line, columns: columns, hanging: 5)
    let rows = plain.split(separator: "\n").map(String.init)
    #expect(rows.dropFirst().allSatisfy { $0.hasPrefix("     ") && !$0.hasPrefix("      ") })
    #expect(plain.split(whereSeparator: \.isWhitespace) == line.split(separator: " "))
    for row in rows where row.contains(" ") && row.drop(while: { $0 == " " }).contains(" ") {
      #expect(CharacterWidth.columns(row) <= columns)
    }
    #expect(
      TextRows.flowing("\u{1B}[31m\(line)\u{1B}[0m", columns: columns, hanging: 5) == "\u{1B}[31m\(plain)\u{1B}[0m")
    let usage = "USAGE: uafctl register [--conf <file>] [--code <file>] [<user>] [<type>] (--all | <service>)"
    let broken = TextRows.usage(usage, columns: columns, hanging: 7)
    #expect(broken.replacing("\n       ", with: " ") == usage)
    #expect(broken.split(separator: "\n").allSatisfy { $0.contains("[") == $0.contains("]") || $0.hasPrefix("USAGE") })
  }

  @Test func `a wrapped row keeps the number of spaces between its words`() {
    let line = "ok   pam: /etc/pam.d/sudo: some are  led past it"
    #expect(TextRows.flowing(line, columns: 40, hanging: 5) == "ok   pam: /etc/pam.d/sudo: some are  led\n     past it")
    #expect(TextRows.flowing(line, columns: 38, hanging: 5) == "ok   pam: /etc/pam.d/sudo: some are\n     led past it")
  }

  @Test(arguments: [20, 30, 60, 100, 300])
  func `a flowing text is never broken inside a word, and keeps its lines, indents and the space before an entry`(
    _ columns: Int
  ) {
    let text =
      "The server has seen more signatures by this key than this machine has made: an older copy was restored.\n"
      + "  서버가 이 컴퓨터보다 이 키의 서명을 더 많이 확인했습니다. 이전 사본이 복원되었습니다.\n"
      + "/a/path/that/is/longer/than/any/row/of/the/terminal/and/has/to/stay/one/word/to/be/copied Passcode: "
    let flowing = TextRows.flowing(text, columns: columns)
    #expect(
      flowing.hasSuffix(" ")
        && flowing.split(whereSeparator: \.isWhitespace) == text.split(whereSeparator: \.isWhitespace))
    for row in flowing.split(separator: "\n") {
      let words = row.split(separator: " ")
      #expect(words.count == 1 || CharacterWidth.columns(row) <= columns + (row.hasSuffix(" ") ? 1 : 0), "\(row)")
    }
    #expect(TextRows.flowing("short\n\nlines", columns: columns) == "short\n\nlines")
  }
}
