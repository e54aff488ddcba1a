import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// What root's configuration says about values: which may be set, and which form an entry must have.
struct ValueRules {
  private let policy: CallPolicy

  init(_ policy: CallPolicy) { self.policy = policy }

  /// Whether today's rules would refuse a value that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// Why the rules refuse a new value, one line for each rule; nil if they accept it.
  func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).objections(to: value, in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// What a new value has to be like, one line for each rule; nil where there is nothing to say.
  func requirements(of type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).requirements(in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The text for an entry that cannot be the PIN because of its form; nil for any other.
  ///
  /// Such an entry is not checked and not counted. The text depends on the configuration only. Where states are hidden, the entry
  /// is treated as wrong.
  func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    policy.hidesState ? nil : policy.configuration.rules(for: type).formRefusal(of: value)
  }

  /// As many lines as fit next to the question: a prompt that is too long would end the conversation.
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
