import Testing
import UAFConfiguration

@testable import TerminalPrompts
@testable import UAFTool

@Suite final class PatternCanvasTests {
  /// The appearance of a pattern with these lines in `[pattern.appearance]`.
  static func appearance(_ lines: String = "") throws -> PatternAppearance {
    let text = "[pattern.appearance]\n" + lines
    return try Configuration(parsing: Array(text.utf8), path: "/x").pattern.appearance
  }

  private func draw(
    _ digits: String, _ lines: String = "", mismatch: Bool = false, cursor: Int? = nil, isUTF8: Bool = true,
    colours: Bool = false
  ) throws -> String {
    let style = PatternStyle(try Self.appearance(lines), isUTF8: isUTF8, usesColours: colours)
    var canvas = try PatternCanvas(style)
    var screen = try ScreenBuffer()
    canvas.draw(try PatternStroke(digits), isMismatch: mismatch, cursor: cursor, on: &screen)
    return screen.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  @Test func `draws the grid of a pattern without a stroke`() throws {
    #expect(
      try draw("") == """
         ○     ○     ○


         ○     ○     ○


         ○     ○     ○
        """)
  }

  @Test func `draws strokes along rows, columns and diagonals`() throws {
    #expect(
      try draw("1235789") == """
         ●─────●─────●
                   ╱
                 ╱
         ○     ●     ○
             ╱
           ╱
         ●─────●─────●
        """)
    #expect(
      try draw("14785") == """
         ●     ○     ○
         │
         │
         ●     ●     ○
         │     │
         │     │
         ●─────●     ○
        """)
  }

  @Test func `draws strokes that cross, and strokes like a knight's move`() throws {
    let crossing = try draw("15973")
    #expect(
      crossing == """
         ●     ○     ●
           ╲       ╱
             ╲   ╱
         ○     ●     ○
             ╱   ╲
           ╱       ╲
         ●─────●─────●
        """)
    let knight = try draw("1834")
    #expect(
      knight == """
         ●     ○     ●
          ╲     ─╱─ ╱
           ╲─╱─    ╱
         ●  ╲  ○  ╱  ○
             ╲   ╱
              ╲ ╱
         ○     ●     ○
        """)
  }

  @Test func `draws the cursor around the current node`() throws {
    #expect(
      try draw("5", cursor: 5) == """
         ○     ○     ○


         ○    [●]    ○


         ○     ○     ○
        """)
  }

  @Test func `draws a pattern with the configured characters, widths and sizes`() throws {
    let lines = """
      node_default = "·"
      node_selected = "#"
      node_size = 3
      line_width = "heavy"
      """
    #expect(
      try draw("1236", lines) == """
         ###━━━━━###━━━━━###
                          ┃
                          ┃
         ···     ···     ###


         ···     ···     ···
        """)
  }

  @Test func `a large node takes more than one row`() throws {
    let rows = try draw("1", "node_size = 5\nnode_selected = \"#\"").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.count == 13)
    #expect(rows[..<3].allSatisfy { $0.hasPrefix(" #####     ○○○○○") } && rows[3] == "")
  }

  @Test func `a wide character in a pattern gets two cells`() throws {
    #expect(try draw("12", "node_selected = \"한\"").split(separator: "\n").first == " 한─────한     ○○")
    #expect(
      try draw("1", "node_selected = \"한\"\nnode_size = 3").split(separator: "\n").first == " 한      ○○○     ○○○")
  }

  @Test func `draws a wrong pattern with a character and colour of its own`() throws {
    #expect(try draw("12", mismatch: true).split(separator: "\n").first == " ✕─────✕     ○")
    #expect(
      try draw("12", "mismatch_line_color = \"blue\"\nnode_mismatch = \"!\"", mismatch: true, colours: true)
        .split(separator: "\n").first == " \u{1B}[34m!─────!\u{1B}[0m     ○")
    #expect(
      try draw("1", mismatch: true, colours: true).split(separator: "\n").first == " \u{1B}[31m✕\u{1B}[0m     ○     ○")
  }

  @Test func `draws a stroke in colour only if colours are wanted`() throws {
    let color = "line_color = \"#10A0fF\"\n"
    #expect(
      try draw("2", color, colours: true).split(separator: "\n").first
        == " ○     \u{1B}[38;2;16;160;255m●\u{1B}[0m     ○")
    #expect(try !draw("2", color).contains("\u{1B}"))
    #expect(try !draw("2", colours: true).contains("\u{1B}"))
    #expect(try !draw("2", "line_color = \"default\"", colours: true).contains("\u{1B}"))
  }

  @Test func `draws a pattern in plain ASCII if the terminal can show nothing else`() throws {
    let picture = try draw(
      "159736", "node_default = \"·\"\nnode_selected = \"*\"\nline_width = \"heavy\"", isUTF8: false)
    #expect(picture.utf8.allSatisfy { $0 < 0x80 })
    #expect(picture.split(separator: "\n").first == " *     o     *")
    #expect(picture.contains("\\") && picture.contains("/") && picture.contains("|"))
  }

  @Test func `a new drawing shows no part of the previous stroke`() throws {
    let style = PatternStyle(try Self.appearance(), isUTF8: true, usesColours: false)
    var canvas = try PatternCanvas(style)
    var first = try ScreenBuffer()
    var second = try ScreenBuffer()
    canvas.draw(try PatternStroke("159"), isMismatch: false, cursor: nil, on: &first)
    canvas.draw(try PatternStroke(""), isMismatch: false, cursor: nil, on: &second)
    let text = second.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    let empty = try draw("")
    #expect(text == empty)
  }
}
