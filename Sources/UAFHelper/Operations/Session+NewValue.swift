import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

extension Session {
  /// Rounds of a new value and the same once more, before it is given up.
  private static let newValueRounds = 3

  /// Asks for a new value, twice, until both are equal and the rules have nothing against it.
  ///
  /// - Parameter old: the authenticator as it was opened, whose value may not be chosen again; nil for a first one.
  /// - Returns: the value in the form it is sealed with.
  /// - Throws: ``Ending``: cancelled; 7111 where no acceptable value was entered (a login tells it with 980). Nothing is counted.
  func askNewValue(_ type: AuthenticatorType, old: UnlockedAuthenticatorBox? = nil) throws(Ending) -> Secret {
    var question = Question(types: [type], step: .new, user: shownName)
    if old == nil { try frontEnd.send(.info(PromptText.enrol(type.kind, user: shownName).text(in: language))) }
    for _ in 0..<Self.newValueRounds {
      question.step = .new
      guard let first = try askValue(question) else { continue }
      question.error = objections(to: first, type)
      guard question.error == nil, let value = type.entry.canonical(first) else { continue }
      if let old, old.wasOpened(with: value) {
        question.error = PromptText.valueUnchanged(type.kind).text(in: language)
        continue
      }
      question.step = .newAgain
      if let again = try askValue(question), let form = type.entry.canonical(again), value.isEqual(to: form) {
        return value
      }
      question.error = PromptText.valuesDiffer.text(in: language)
    }
    try frontEnd.send(.error(question.error ?? ""))
    throw Ending(
      begin.operation == .authenticate ? .resetChosen : .authenticatorChangeFailed,
      text: old == nil ? .valueNotSet(type.kind) : nil, log: "no acceptable new value was entered")
  }

  /// Whether today's rules would refuse a value that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// As many of the lines as leave room for the question itself: a prompt that is too long would end the conversation.
  private static func fitting(_ lines: [String]) -> String {
    var text = ""
    for line in lines {
      let longer = text.isEmpty ? line : "\(text)\n\(line)"
      guard longer.utf8.count <= WireLimit.text / 2 else { break }
      text = longer
    }
    return text
  }

  /// What the rules have against a new value, one line each; nil for nothing.
  private func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    let lines = configuration.rules(for: type).objections(to: value, in: language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }
}
