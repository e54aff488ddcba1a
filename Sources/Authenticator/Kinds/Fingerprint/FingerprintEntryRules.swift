import FidoResults
import SecretMemory

/// Rules for a type of which nothing is typed.
struct FingerprintEntryRules: EntryRules {
  /// A match stands for a value that no rule looks at.
  func objections(to value: borrowing Secret, in language: Language) -> [String] { [] }

  func requirements(in language: Language) -> [String] { [] }

  func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  var digitCount: Int? { nil }

  var completeLength: Int? { nil }

  var usesShuffledKeypad: Bool { false }
}
