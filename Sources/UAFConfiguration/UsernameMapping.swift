/// How a local account's name becomes the server's: `username`.
public struct UsernameMapping: Equatable, Sendable {
  private let prefix: String
  private let suffix: String

  /// The longest name of UAF, in characters (UAF protocol 1.1, section 3.4.4).
  public static let maximumLength = 128

  /// The account's own name.
  public static let identity = UsernameMapping(prefix: "", suffix: "")

  private init(prefix: String, suffix: String) {
    self.prefix = prefix
    self.suffix = suffix
  }

  /// Makes a mapping of a text with `{user}` in it once; nil for anything else.
  ///
  /// Without the placeholder all accounts would share one name.
  public init?(_ template: String) {
    let parts = template.split(separator: "{user}", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ Self.isVisibleASCII($0) && !$0.contains("{") && !$0.contains("}") })
    else {
      return nil
    }
    self.init(prefix: String(parts[0]), suffix: String(parts[1]))
  }

  /// The server's name of an account; nil if it would be empty, too long, or hold white space, control or non-ASCII characters.
  public func name(of account: String) -> String? {
    let name = prefix + account + suffix
    guard !account.isEmpty, Self.isVisibleASCII(account), name.utf8.count <= Self.maximumLength else { return nil }
    return name
  }

  private static func isVisibleASCII(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }
}
