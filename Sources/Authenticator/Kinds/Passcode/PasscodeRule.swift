/// A built-in rule for new passcodes, by its key in `[passcode.rules]`.
///
/// Letters are compared without regard to case.
public enum PasscodeRule: String, CaseIterable, Sendable {
  /// Two or more characters, all equal.
  case equalCharacter = "equal_character"
  /// Three or more, every step +1 or every step -1, all ASCII digits or all ASCII letters, without wrapping.
  case ascendingDescending = "ascending_descending"
  /// Four or more, each equal to the one two places before it, the first two different.
  case twoCharacterRepeat = "two_character_repeat"
  /// An even number of four or more, in pairs of equal characters.
  case twoEqualCharacterRepeat = "two_equal_character_repeat"
  /// Any character but ASCII digits and letters.
  case notNumberEnglish = "not_number_english"

  /// Whether the secret breaks the rule.
  func refuses(_ points: Span<UInt32>) -> Bool {
    let count = points.count
    func same(_ left: Int, _ right: Int) -> Bool {
      CodePoints.folded(points[left]) == CodePoints.folded(points[right])
    }
    switch self {
    case .equalCharacter:
      return count >= 2 && (1..<count).allSatisfy { same($0, 0) }
    case .ascendingDescending:
      return Self.isRun(points)
    case .twoCharacterRepeat:
      return count >= 4 && !same(0, 1) && (2..<count).allSatisfy { same($0, $0 - 2) }
    case .twoEqualCharacterRepeat:
      return count >= 4 && count % 2 == 0 && stride(from: 0, to: count, by: 2).allSatisfy { same($0, $0 + 1) }
    case .notNumberEnglish:
      return !points.indices.allSatisfy { CodePoints.isASCIIDigit(points[$0]) || CodePoints.isASCIILetter(points[$0]) }
    }
  }

  private static func isRun(_ points: Span<UInt32>) -> Bool {
    guard points.count >= 3 else { return false }
    let allDigits = points.indices.allSatisfy { CodePoints.isASCIIDigit(points[$0]) }
    guard allDigits || points.indices.allSatisfy({ CodePoints.isASCIILetter(points[$0]) }) else { return false }
    func steps(_ first: Int, _ second: Int) -> Bool {
      (1..<points.count).allSatisfy {
        CodePoints.folded(points[$0 - first]) + 1 == CodePoints.folded(points[$0 - second])
      }
    }
    return steps(1, 0) || steps(0, 1)
  }
}
