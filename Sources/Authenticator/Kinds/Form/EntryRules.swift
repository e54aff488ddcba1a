import FidoResults
import SecretMemory

/// What root asks of the entries of one type.
public protocol EntryRules: Sendable {
  /// What is wrong with a new value, one line for each reason; empty if it may be set.
  func objections(to value: borrowing Secret, in language: Language) -> [String]

  /// What is said of an entry that has another form than every entry must have; nil if it has that form.
  ///
  /// Such an entry is neither checked nor counted, so the answer depends on the configuration alone.
  func formRefusal(of entry: borrowing Secret) -> PromptText?

  /// How many digits every entry has, which the prompt says; nil where that is open.
  var digitCount: Int? { get }

  /// After how many characters an entry is complete without Enter; nil where it never is.
  var completeLength: Int? { get }

  /// Whether digits are entered with a keypad that is shuffled for each attempt.
  var usesShuffledKeypad: Bool { get }
}
