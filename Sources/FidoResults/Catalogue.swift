/// The texts of one language.
///
/// Another language is one more conforming type and one more case of ``Language``.
protocol Catalogue {
  /// Texts of the listed results, by number.
  static var results: [UInt32: ResultText] { get }

  /// The one way for a person who has forgotten a value.
  static var ifForgotten: String { get }

  /// Prompts and notes.
  static func text(_ prompt: PromptText) -> String

  /// Why a conversation ended, and what can be done about it.
  static func told(_ cause: EndCause) -> ResultText

  /// Messages of the built-in passcode rules.
  static func text(_ rule: RuleText) -> String

  /// The words of the ten digits, from zero.
  static var digits: [String] { get }

  /// How to use a shuffled keypad's rows; one line above them.
  static var keypadExplanation: String { get }

  /// The labels of a shuffled keypad's rows; both have the same width.
  static var keypadHeads: (digit: String, key: String) { get }

  /// What a shuffled keypad in words begins with.
  static var keypadOpening: String { get }

  /// A shuffled keypad in words.
  static func text(keypad: [(digit: String, key: String)]) -> String
}
