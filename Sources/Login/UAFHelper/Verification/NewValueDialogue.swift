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

/// What root's configuration says about values: which values may be set, and which form an entry must have.
struct ValueRules {
  private let policy: CallPolicy

  init(_ policy: CallPolicy) { self.policy = policy }

  /// Whether the current rules would refuse a value that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// Why the rules refuse a new value, one line for each rule; nil if they accept it.
  func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).objections(to: value, in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The requirements for a new value, one line for each rule; nil if there are none.
  func requirements(of type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).requirements(in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The text for an entry that cannot be the PIN because of its form; nil for any other.
  ///
  /// Such an entry is not checked and not counted. The text depends on the configuration only. If states are hidden, the entry
  /// is treated as wrong.
  func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    policy.hidesState ? nil : policy.configuration.rules(for: type).formRefusal(of: value)
  }

  /// As many of the lines as fit into the prompt with the question: a prompt that is too long would end the conversation.
  private static func fitting(_ lines: [String]) -> String {
    var text = ""
    for line in lines {
      let longer = text.isEmpty ? line : "\(text)\n\(line)"
      guard longer.utf8.count <= WireLimit.text / 2 else { break }
      text = longer
    }
    return text
  }
}
