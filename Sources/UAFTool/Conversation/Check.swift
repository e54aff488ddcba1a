/// The named checks that prompts ask for (PROTOCOL.md, *prompt*).
///
/// A closed list: whoever answers says which of them he handles, and a `switch` gives each exactly one handler.
enum Check: String, CaseIterable {
  case passcode, pattern, choice
  /// An enrolment code.
  case code

  /// Whether an answer can be drawn on a grid in place of being typed.
  var isDrawn: Bool {
    switch self {
    case .pattern: true
    case .passcode, .choice, .code: false
    }
  }
}
