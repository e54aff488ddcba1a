/// Problems of configuration files and module arguments in Korean.
///
/// The login path makes these sentences in English, for the log. Here each is found by its fixed words; a test compares this list
/// with the sources.
enum KoreanSettingProblem {
  /// The problem in Korean; an unknown sentence is replaced as a whole, never shown partly in English.
  static func text(_ english: String) -> String {
    for (pattern, korean) in KoreanSettingProblems.all {
      if let parts = parts(of: english, by: pattern) { return filled(korean, with: parts) }
    }
    return unknown
  }

  /// The text for an unknown sentence.
  static let unknown = "이 값은 사용할 수 없습니다"

  /// The parts at the places `{}` of a pattern; nil if the text does not match.
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
