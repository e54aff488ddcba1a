import FidoResults
import SecretMemory

/// What root asks of the entries of one type.
public protocol EntryRules: Sendable {
  /// What is wrong with a new secret, one line for each reason; empty if it may be set.
  func objections(to value: borrowing Secret, in language: Language) -> [String]

  /// What a new secret has to be like, one line for each rule: told before one is entered.
  func requirements(in language: Language) -> [String]

  /// The text for an entry without the required form; nil if it has that form.
  ///
  /// Such an entry is neither checked nor counted, so the answer depends on the configuration alone.
  func formRefusal(of entry: borrowing Secret) -> PromptText?

  /// How many digits every entry has, which the prompt says; nil if that is not fixed.
  var digitCount: Int? { get }

  /// After how many characters an entry is complete; nil if that is not fixed.
  var completeLength: Int? { get }

  /// Whether digits are entered with a keypad that is shuffled for each attempt.
  var usesShuffledKeypad: Bool { get }
}
