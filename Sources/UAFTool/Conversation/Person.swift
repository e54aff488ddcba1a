import UAFWire

/// Whoever answers the core's questions.
protocol Person {
  /// The entry to one question.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry
}
