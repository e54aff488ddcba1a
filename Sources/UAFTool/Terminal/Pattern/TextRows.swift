/// Text in the rows that a terminal has for it.
enum TextRows {
  /// Every line in as many rows of at most `columns` cells as it takes.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { rows($0, columns: max(2, columns)) }
  }

  private static func rows(_ line: Substring, columns: Int) -> [String] {
    var rows: [String] = []
    var row = ""
    var width = 0
    for character in line {
      let needed = CharacterWidth.columns(String(character))
      if width + needed > columns {
        rows.append(row)
        (row, width) = ("", 0)
      }
      row.append(character)
      width += needed
    }
    return rows + [row]
  }
}
