/// Which entry of a check a prompt asks for (*prompt*, field 3).
public enum PromptStep: UInt8, CaseIterable, Sendable {
  /// The value that is set.
  case current = 1
  /// A value to be set.
  case new = 2
  /// The same value once more.
  case newAgain = 3
}
