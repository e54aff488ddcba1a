/// Who gives an account a new value by an enrolment code, for whoever reads a text.
///
/// The texts that lead to a new registration name the command that works for their reader.
public enum CodeUse: Hashable, Sendable {
  /// The reader, for the account that is the reader's own.
  case persons
  /// Root alone, where the account is in use: nothing proves to this machine that the server has accepted a code.
  case roots
  /// The reader, who is root and names the account.
  case root(of: String)

  /// The command that sets a new value of an account in use.
  ///
  /// - Parameter kinds: whose value; a single one is named.
  public func setting(_ kinds: [ValueKind] = []) -> String {
    switch self {
    case .persons: "uafctl register --code FILE\(PromptText.named(kinds))"
    case .roots: "uafctl register USER\(PromptText.named(kinds)) --code FILE"
    case .root(let user): "uafctl register \(PromptText.shown(user))\(PromptText.named(kinds)) --code FILE"
    }
  }

  /// Another command for the account, as its reader runs it: with the account's name where that is root.
  public func command(_ verb: String, _ rest: String = "") -> String {
    let words = if case .root(let user) = self { [verb, PromptText.shown(user), rest] } else { [verb, rest] }
    return "uafctl " + words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The command that registers an account that is not in use, where a code of the person's is enough.
  public var registration: String { command("register", "--code FILE") }

  /// Whether root reads the text.
  public var isRoot: Bool {
    if case .root = self { true } else { false }
  }
}
