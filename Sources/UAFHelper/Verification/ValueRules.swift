import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// What root's configuration says of values: which may be set, and how an entry has to look.
struct ValueRules {
  private let policy: CallPolicy

  init(_ policy: CallPolicy) { self.policy = policy }

  /// An entry in the form that is sealed; nil for one that could never have been set.
  func sealedForm(_ entry: borrowing Secret, _ type: AuthenticatorType) -> Secret? {
    switch type {
    case .pattern: return Pattern.canonical(entry)
    case .passcode: return PasscodeFormat.normalised(entry)
    }
  }

  /// Whether today's rules would refuse a value that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// Why the rules refuse a new value, one line for each rule; nil if they accept it.
  func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    switch type {
    case .passcode:
      let rules = policy.configuration.passcode.policy
      let problems = value.withBytes { rules.check($0) }
      return problems.isEmpty ? nil : Self.fitting(problems.map { $0.message(in: policy.language) })
    case .pattern:
      let problems = Pattern.problems(with: value, minimumNodes: policy.configuration.pattern.minimumNodes)
      return problems.isEmpty ? nil : problems.map { $0.text(in: policy.language) }.joined(separator: " ")
    }
  }

  /// The text for an entry that cannot be the PIN because of its form; nil for any other.
  ///
  /// Such an entry is not checked and not counted. The text depends on the configuration only. Where states are hidden it is
  /// treated as a wrong entry.
  func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    let format = policy.configuration.passcode.policy.uiType
    guard type == .passcode, !policy.hidesState, let digits = format.digitCount else { return nil }
    return value.withBytes { format.accepts($0) } ? nil : .digitsExpected(digits)
  }

  /// As many of the lines as fit beside the question: a prompt that is too long would end the conversation.
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
