import Glibc
import HostSystem

/// The files that a login shell reads, as far as they certainly end the session.
///
/// What a file does cannot be decided in general. A line that ends the shell whatever the lines before it do is certain: it is
/// outside all conditions, loops and functions.
struct SessionFiles {
  /// The content of a file; nil if it cannot be read.
  let text: (String) -> String?
  /// The names in a folder; empty if it cannot be read.
  let names: (String) -> [String]

  /// The first line that ends each session; nil if none certainly does.
  ///
  /// - Parameters:
  ///   - shell: the path of the shell; the files of csh and fish are not read.
  ///   - home: the person's home.
  func ending(shell: String, home: String) -> (path: String, line: Int)? {
    for path in paths(shell: shell, home: home) {
      if let line = text(path).flatMap(Self.ending) { return (path, line) }
    }
    return nil
  }

  private func paths(shell: String, home: String) -> [String] {
    let program = Self.name(ResolvedPath.of(shell) ?? shell)
    if program.hasPrefix("zsh") {
      return ["zshenv", "zprofile", "zshrc", "zlogin"].flatMap { ["/etc/zsh/" + $0, home + "/." + $0] }
    }
    guard Self.readingProfile.contains(program) else { return [] }
    let isBash = program.hasPrefix("bash") && Self.name(shell) != "sh"
    let profile = text("/etc/profile") ?? ""
    var paths = ["/etc/profile"]
    if isBash, profile.contains("bash.bashrc") { paths.append("/etc/bash.bashrc") }
    if profile.contains("/etc/profile.d") {
      paths += names("/etc/profile.d").filter { $0.hasSuffix(".sh") }.sorted().map { "/etc/profile.d/" + $0 }
    }
    let own = (isBash ? [".bash_profile", ".bash_login", ".profile"] : [".profile"]).map { home + "/" + $0 }
    guard let first = own.first(where: { text($0) != nil }) else { return paths }
    paths.append(first)
    if isBash, text(first)?.contains(".bashrc") ?? false { paths.append(home + "/.bashrc") }
    return paths
  }

  private static let readingProfile: Set<String> = [
    "ash", "bash", "bash-static", "busybox", "dash", "ksh", "ksh93", "lksh", "mksh", "mksh-static", "posh", "sh",
    "yash",
  ]

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  // MARK: One file

  private static let opening: Set<String> = ["if", "case", "for", "while", "until", "select"]
  private static let closing: Set<String> = ["fi", "esac", "done"]
  /// Words after which a command begins.
  private static let leading: Set<String> = ["&&", "||", "|", "then", "do", "else", "!", "{", "("]
  /// Lines with one of these are not judged: a condition, a function or a quotation may be in them.
  private static let doubtful: Set<Character> = ["(", ")", "{", "}", "\"", "'", "`", "&", "|"]

  /// The number of the first line that ends the shell whatever the lines before it do; nil if none is certain to.
  ///
  /// The search ends at text over several lines, and at whatever may leave the file or replace the shell, under a condition or
  /// not: an `exit` after it may never be reached.
  static func ending(_ text: String) -> Int? {
    var depth = 0
    var continues = false
    for (index, row) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = row.split { $0 == " " || $0 == "\t" || $0 == "\r" }.prefix { !$0.hasPrefix("#") }.map(String.init)
      guard let last = words.last else { continue }
      let line = words.joined(separator: " ")
      guard !line.contains("<<"), isWhole(line) else { return nil }
      let statements = line.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
      let isCertain = !continues && last != "\\" && !line.contains(where: doubtful.contains)
      for statement in statements where !statement.isEmpty {
        if depth == 0, isCertain {
          if statement[0] == "return", statement.count < 3 { return nil }
          if ends(statement) { return index + 1 }
        }
        depth = max(0, depth + depthChange(statement))
      }
      if words.contains(where: mayLeave) { return nil }
      continues = last.hasSuffix("\\") || ["&&", "||", "|"].contains { last.hasSuffix($0) }
    }
    return nil
  }

  /// Whether after a word the rest of the file may not be read, or only when another shell has ended, or `exit` may be a function
  /// of the file itself.
  private static func mayLeave(_ word: String) -> Bool {
    let name = Self.name(word.filter { !";&|(){}".contains($0) })
    return word.hasPrefix("exit(") || ["exec", "return", "shopt"].contains(name) || readingProfile.contains(name)
  }

  /// How many more conditions, loops and groups are open after a statement.
  private static func depthChange(_ words: [String]) -> Int {
    var change = 0
    for (index, word) in words.enumerated() {
      let isCommand = index == 0 || leading.contains(words[index - 1])
      if isCommand && opening.contains(word) || word.hasSuffix("{") && !word.contains("$") { change += 1 }
      if isCommand && closing.contains(word) || word == "}" { change -= 1 }
    }
    return change
  }

  /// Whether the quotation marks and the parentheses of a line end in it, as far as they begin in it.
  private static func isWhole(_ line: String) -> Bool {
    var quote: Character?
    var isEscaped = false
    for character in line {
      defer { isEscaped = character == "\\" && !isEscaped && quote != "'" }
      guard !isEscaped, ["'", "\"", "`"].contains(character) else { continue }
      if quote == nil { quote = character } else if quote == character { quote = nil }
    }
    let opened = line.count { $0 == "(" }
    // The pattern of a case has only the second one.
    return quote == nil && opened <= line.count { $0 == ")" }
  }

  /// Whether a statement certainly ends the shell.
  private static func ends(_ statement: [String]) -> Bool {
    let words = Array(statement.drop { ["builtin", "command"].contains($0) })
    guard let first = words.first else { return false }
    switch first {
    case "exit", "logout": return words.count < 3
    case "exec": return words.count > 1 && LoginShell.isRefusing(words[1])
    case "kill": return words.count == 3 && words[2] == "$$" && ["-9", "-KILL", "-1", "-HUP"].contains(words[1])
    default: return false
    }
  }
}
