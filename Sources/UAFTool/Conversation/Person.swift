import UAFWire

/// The person or script that answers the core's questions.
protocol Person: ~Copyable {
  /// The checks that it can be asked for; any other ends the conversation before a question.
  var checks: Set<Check> { get }
  /// The entry to one question, which is shown with what was wrong with the last one.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry
  /// Called when the first question can be asked; returns whether to ask it.
  ///
  /// - Throws: ``ToolError``, as above.
  mutating func isReady() throws(ToolError) -> Bool
  /// Shows a text that needs no answer.
  mutating func hear(_ text: String, isError: Bool)
}
