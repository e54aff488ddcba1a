@testable import TerminalPrompts
import TerminalPrompts

extension PatternStroke {
  /// The stroke that these digits draw.
  package init(_ digits: String) throws {
    try self.init()
    for digit in digits { _ = append(digit.wholeNumberValue ?? 0) }
  }

  /// The nodes as digits.
  package var text: String { (0..<count).map { String(self[$0]) }.joined() }
}
