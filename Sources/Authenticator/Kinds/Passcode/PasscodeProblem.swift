import FidoResults

/// One reason why a secret may not be set.
///
/// It has no part of the secret.
public struct PasscodeProblem: Equatable, Sendable {
  /// What is said about a problem.
  public enum Wording: Equatable, Sendable {
    /// The built-in message, in the person's language.
    case builtIn(RuleText)
    /// The administrator's, or the built-in one in a language that has none.
    case administrator(AdministratorText, otherwise: RuleText)
  }

  /// The configuration key of the rule: `min_length`, `equal_character`, `ignore`, `regex` and so on.
  public let key: String

  /// What is said about it.
  public let wording: Wording

  /// Makes a problem.
  public init(key: String, wording: Wording) {
    self.key = key
    self.wording = wording
  }

  /// The text for the person.
  public func message(in language: Language) -> String {
    switch wording {
    case .builtIn(let rule): rule.text(in: language)
    case .administrator(let text, let rule): text.text(in: language) ?? rule.text(in: language)
    }
  }
}
