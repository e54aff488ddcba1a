/// Finds English sentences in Korean texts, where only names may be English.
enum EnglishWords {
  // Words that connect English sentences, but do not occur in commands, options or names of files.
  private static let joints: Set<Substring> = [
    "the", "is", "are", "was", "of", "and", "to", "not", "with", "for", "by", "which", "that", "be", "it", "its", "or",
    "an",
    "this", "cannot", "there", "has", "have", "who", "may", "must", "no", "none", "at", "as", "from", "where", "left",
  ]

  /// The words that make `text` English.
  ///
  /// Quoted commands do not count.
  static func found(in text: String) -> [String] {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    let spoken = parts.indices.filter { $0 % 2 == 0 }.map { String(parts[$0]) }.joined(separator: " ")
    let words = spoken.split { !($0.isLetter || $0 == "-" || $0 == "_" || $0 == "/" || $0 == ".") }
    return words.filter(joints.contains).map(String.init)
  }

  /// The lines of `text` with several words of which none is Korean.
  static func linesWithoutKorean(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { line in
      !line.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
        && line.split(separator: " ").filter { $0.allSatisfy { $0.isASCII && $0.isLetter } && $0.count > 1 }.count > 3
    }
  }
}
