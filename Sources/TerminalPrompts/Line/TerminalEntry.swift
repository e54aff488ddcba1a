import SecretMemory

/// What somebody at a terminal made of a question.
package enum TerminalEntry: ~Copyable {
  /// The entry, which may be empty.
  case value(Secret)
  /// No answer is wanted or possible.
  case cancelled
}
