/// Text in the rows that a terminal has for it.
package enum TextRows {
  /// Every line in as many rows of at most `columns` cells as it takes, broken after a space where there is one.
  package static func wrapped(_ text: String, columns: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { rows($0, columns: max(2, columns)) }
  }

  /// The same lines, broken only between words: a path or a code that is longer than a row stays one that can be copied.
  package static func flowing(_ text: String, columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { flow($0, columns: max(2, columns)) }
      .joined(separator: "\n")
  }

  private static func flow(_ line: Substring, columns: Int) -> String {
    guard CharacterWidth.columns(line) > columns else { return String(line) }
    // A space at the end, after which an entry follows, and those at the beginning stay.
    let indent = String(line.prefix { $0 == " " })
    let words = line.split(separator: " ")
    var text = indent
    var width = indent.count
    for (index, word) in words.enumerated() {
      let needed = CharacterWidth.columns(word)
      if index > 0 {
        let fits = width + 1 + needed <= columns
        text += fits ? " " : "\n" + indent
        width = fits ? width + 1 : indent.count
      }
      text += word
      width += needed
    }
    return text + (line.hasSuffix(" ") ? " " : "")
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
