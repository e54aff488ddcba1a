import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Lets the person choose a new secret.
struct NewValueDialogue {
  private let call: Call
  private let language: Language
  private let prompter: Prompter
  private let rules: ValueRules

  /// How often the person may try to enter a new secret and its repetition.
  private static let rounds = 3

  init(for call: Call, _ policy: CallPolicy, _ prompter: Prompter) {
    self.call = call
    self.prompter = prompter
    language = policy.language
    rules = ValueRules(policy)
  }

  /// Prompts for a new secret and its repetition, until both entries are equal and the rules accept the secret.
  ///
  /// - Parameter old: the opened authenticator, whose secret must not be chosen again; nil if this is its first secret.
  /// - Returns: the secret in the form in which it is used for the seal.
  /// - Throws: ``Ending``: if the person cancelled; 7111 if no acceptable secret was entered (in a login, that becomes 980).
  ///   These entries do not count as attempts.
  func ask(_ type: AuthenticatorType, old: UnlockedAuthenticatorBox? = nil) throws(Ending) -> Secret {
    var question = Question(types: [type], step: .new, user: call.shownName)
    if old == nil { try prompter.show(.enrol(type.kind, user: call.shownName)) }
    question.requirements = rules.requirements(of: type)
    for _ in 0..<Self.rounds {
      question.step = .new
      guard let first = try prompter.askValue(question) else { continue }
      // The requirements are shown only once: from now on, the error message says which of them were not met.
      question.requirements = nil
      question.error = rules.objections(to: first, type)
      guard question.error == nil, let value = type.entry.canonical(first) else { continue }
      if let old, old.wasOpened(with: value) {
        question.error = PromptText.valueUnchanged(type.kind).text(in: language)
        continue
      }
      question.step = .newAgain
      if let again = try prompter.askValue(question), let form = type.entry.canonical(again),
        value.isEqual(to: form)
      {
        return value
      }
      question.error = PromptText.valuesDiffer.text(in: language)
    }
    try prompter.showError(question.error ?? "")
    throw Ending(
      call.isLogin ? .resetChosen : .authenticatorChangeFailed,
      text: old == nil ? .valueNotSet(type.kind) : nil, log: "no acceptable new value was entered")
  }
}
