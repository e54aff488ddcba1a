/// What is asked above and below the grid; texts are clean already.
package struct PatternQuestion {
  /// The question.
  package let text: String
  /// What was wrong with the last pattern, unless the question says so.
  package let mistake: String?
  /// How the grid is used.
  package let help: String
  /// Whether the last pattern was wrong, so that it is shown.
  package let isRepeated: Bool

  /// - Parameters:
  ///   - text: the question.
  ///   - mistake: what was wrong with the last pattern, unless the question says so.
  ///   - help: how the grid is used.
  ///   - isRepeated: whether the last pattern was wrong, so that it is shown.
  package init(text: String, mistake: String?, help: String, isRepeated: Bool) {
    self.text = text
    self.mistake = mistake
    self.help = help
    self.isRepeated = isRepeated
  }
}
