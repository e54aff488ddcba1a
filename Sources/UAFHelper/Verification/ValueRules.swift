import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// What root's configuration says of values: which may be set, and how an entry has to look.
struct ValueRules {
  private let policy: CallPolicy

  init(_ policy: CallPolicy) { self.policy = policy }

  /// Whether today's rules would refuse a value that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// What the rules have against a new value, one line each; nil for nothing.
  func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).objections(to: value, in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// What an entry of another format than the PIN's is told.
  ///
  /// It is not checked and not counted, and what is said comes from the configuration alone. Where states are hidden
  /// it is one more wrong entry.
  func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    policy.hidesState ? nil : policy.configuration.rules(for: type).formRefusal(of: value)
  }

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
}
