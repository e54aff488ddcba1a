import PAMStacks

/// What a ForceCommand does with the command that a client asks for.
struct SSHCommand {
  let text: String

  /// Whether the person still gets a shell, or can have one: the command is a shell, or passes on what the client asks for.
  var givesShell: Bool { Self.givesShell(Self.words(text)) }

  /// Words before a command that change nothing about that.
  private static let leading: Set<String> = ["exec", "eval", "command", "env", "nice", "/usr/bin/env", "/usr/bin/nice"]
  private static let passing = ["$SSH_ORIGINAL_COMMAND", "${SSH_ORIGINAL_COMMAND", "$SHELL", "${SHELL"]

  private static func givesShell(_ words: [String]) -> Bool {
    let words = Array(words.drop { leading.contains($0) })
    guard let first = words.first else { return false }
    if passing.contains(where: first.hasPrefix) { return true }
    guard isShell(first) else { return false }
    let options = words.dropFirst().prefix { $0.hasPrefix("-") }
    guard let option = options.firstIndex(where: { !$0.hasPrefix("--") && $0.contains("c") }) else {
      // A script takes the place of the command.
      return options.count == words.count - 1
    }
    return givesShell(Self.words(words[(option + 1)...].joined(separator: " ")))
  }

  private static func isShell(_ word: String) -> Bool {
    let path = word.hasPrefix("/") ? word : "/bin/" + word
    return LoginShell(path: path, of: nil, isListed: { _ in true }) == .usable
  }

  /// The words of a command, without quotation marks.
  private static func words(_ text: String) -> [String] {
    text.filter { !"\"'\\".contains($0) }.split { $0 == " " || $0 == "\t" || $0 == ";" }.map(String.init)
  }
}
