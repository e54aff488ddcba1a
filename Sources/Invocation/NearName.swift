/// Finds the name that was probably meant by a word that is none of the names.
enum NearName {
  // With more mistakes than this it is another word.
  private static let mostMistakes = 2

  /// The name that is begun by `word` or, failing that, the one fewest mistakes away; nil where none is near.
  static func of(_ word: String, among names: [String]) -> String? {
    let begun = names.filter { word.count >= 2 && $0.hasPrefix(word) }
    if begun.count == 1 { return begun.first }
    let allowed = min(mostMistakes, word.count / 2)
    let near = names.map { (name: $0, mistakes: mistakes(from: Array(word), to: Array($0))) }
    return near.filter { $0.mistakes <= allowed }.min { $0.mistakes < $1.mistakes }?.name
  }

  /// How many letters are missing, too many, wrong, or in the place of their neighbour.
  private static func mistakes(from word: [Character], to name: [Character]) -> Int {
    // The last three rows of the usual table: each entry is for so many letters of the word and so many of the name.
    var before: [Int] = []
    var above = Array(0...name.count)
    for (row, letter) in word.enumerated() {
      var current = [row + 1]
      for (column, other) in name.enumerated() {
        var least = min(above[column + 1] + 1, current[column] + 1, above[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == name[column - 1], word[row - 1] == other {
          least = min(least, before[column - 1] + 1)
        }
        current.append(least)
      }
      (before, above) = (above, current)
    }
    return above[name.count]
  }
}
