/// Problems of configuration files and module arguments in Korean.
///
/// The sentences are made on the login path, for the log, and are English there. Each is found here by its fixed words; a test
/// holds this list against the sources.
enum KoreanSettingProblem {
  /// The problem; a sentence that is not known here is replaced as a whole, never shown half in English.
  static func text(_ english: String) -> String {
    for (pattern, korean) in KoreanSettingProblems.all {
      if let parts = parts(of: english, by: pattern) { return filled(korean, with: parts) }
    }
    return unknown
  }

  /// What is said of a sentence that is not known.
  static let unknown = "이 값은 사용할 수 없습니다"

  /// What stands in the places marked `{}` of a pattern; nil where the text is another one.
  private static func parts(of text: String, by pattern: String) -> [String]? {
    let fixed = pattern.split(separator: "{}", omittingEmptySubsequences: false).map(String.init)
    guard let first = fixed.first, text.hasPrefix(first) else { return nil }
    var rest = text[text.index(text.startIndex, offsetBy: first.count)...]
    var parts: [String] = []
    for (index, piece) in fixed.dropFirst().enumerated() {
      let isLast = index == fixed.count - 2
      if isLast, piece.isEmpty {
        parts.append(String(rest))
        return parts
      }
      guard let found = isLast ? rest.ranges(of: piece).last : rest.firstRange(of: piece) else { return nil }
      parts.append(String(rest[..<found.lowerBound]))
      rest = rest[found.upperBound...]
    }
    return rest.isEmpty ? parts : nil
  }

  private static func filled(_ pattern: String, with parts: [String]) -> String {
    var text = ""
    for (index, piece) in pattern.split(separator: "{}", omittingEmptySubsequences: false).enumerated() {
      if index > 0, parts.indices.contains(index - 1) { text += parts[index - 1] }
      text += piece
    }
    return text
  }
}
