/// Which entry of a check a prompt asks for (*prompt*, field 3).
public enum PromptStep: UInt8, CaseIterable, Sendable {
  /// The current secret.
  case current = 1
  /// A new secret.
  case new = 2
  /// The new secret once more.
  case newAgain = 3
}
