import FidoResults
import UAFWire

/// One question for a value.
struct Question {
  var kind: ValueKind
  var step = PromptStep.current
  /// What was wrong with the last entry.
  var error: String?
  /// Tries left before a lock, where that is told.
  var tries: Int?
  /// The name in the prompt.
  var user: String
  /// Whether an empty line leads back to the list.
  var canGoBack = false
}
