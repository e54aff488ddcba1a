/// Text in the rows that a terminal has for it.
package enum TextRows {
  /// Every line in as many rows of at most `columns` cells as it takes, broken after a space where there is one.
  package static func wrapped(_ text: String, columns: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { rows($0, columns: max(2, columns)) }
  }

  private static func rows(_ line: Substring, columns: Int) -> [String] {
    var rows: [String] = []
    var row = ""
    var width = 0
    for character in line {
      let needed = CharacterWidth.columns(String(character))
      while !row.isEmpty, width + needed > columns {
        // The word that does not fit goes to the next row; one as long as a row is cut.
        let word = row.lastIndex(of: " ").map { String(row[row.index(after: $0)...]) } ?? ""
        rows.append(String(row.dropLast(word.count)))
        (row, width) = (word, CharacterWidth.columns(word))
      }
      row.append(character)
      width += needed
    }
    return rows + [row]
  }
}
