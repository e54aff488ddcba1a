import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Lets the person choose a new value.
struct NewValueDialogue {
  private let call: Call
  private let language: Language
  private let prompter: Prompter
  private let rules: ValueRules

  /// How often the new value and its repetition are asked for.
  private static let rounds = 3

  init(for call: Call, _ policy: CallPolicy, _ prompter: Prompter) {
    self.call = call
    self.prompter = prompter
    language = policy.language
    rules = ValueRules(policy)
  }

  /// Asks for a new value twice, until both entries are equal and the rules accept the value.
  ///
  /// - Parameter old: the opened authenticator, whose value may not be chosen again; nil for a first value.
  /// - Returns: the value in the form it is sealed with.
  /// - Throws: ``Ending``: cancelled; 7111 if no acceptable value was entered (a login reports that as 980). Nothing is
  ///   counted.
  func ask(_ type: AuthenticatorType, old: UnlockedAuthenticatorBox? = nil) throws(Ending) -> Secret {
    var question = Question(types: [type], step: .new, user: call.shownName)
    if old == nil { try prompter.show(.enrol(type.kind, user: call.shownName)) }
    question.requirements = rules.requirements(of: type)
    for _ in 0..<Self.rounds {
      question.step = .new
      guard let first = try prompter.askValue(question) else { continue }
      // The requirements are shown only once: from now on, the error says what is missing.
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
