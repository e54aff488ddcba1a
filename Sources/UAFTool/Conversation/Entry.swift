import SecretMemory
import TerminalPrompts

/// The answer to a question.
enum Entry: ~Copyable {
  /// At most 1,024 bytes without NUL; may be empty.
  case value(Secret)
  /// No answer is wanted or possible.
  case cancelled
  /// What was to be approved is denied.
  case denied

  /// What somebody at a terminal entered.
  init(_ entry: consuming TerminalEntry) {
    switch consume entry {
    case .value(let value): self = .value(value)
    case .cancelled: self = .cancelled
    }
  }
}
