/// The texts of one language.
///
/// Another language is one more conforming type and one more case of ``Language``.
protocol Catalogue {
  /// Texts of the listed results, by number.
  static var results: [UInt32: ResultText] { get }

  /// Prompts and notes.
  static func text(_ prompt: PromptText) -> String

  /// Messages of the built-in passcode rules.
  static func text(_ rule: RuleText) -> String
}
