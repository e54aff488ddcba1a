import Glibc
import HostSystem

/// The files that a login shell reads, as far as one of their lines may end the session.
///
/// What a file does cannot be decided in general. Only lines outside all loops, functions and conditions are judged, and lines
/// under a condition that is certainly true because it asks for nothing but the person's name or uid.
struct SessionFiles {
  /// The content of a file; nil if it cannot be read.
  let text: (String) -> String?
  /// The names in a folder; empty if it cannot be read.
  let names: (String) -> [String]

  /// The first line that may end each session; nil if none does.
  ///
  /// - Parameters:
  ///   - shell: the path of the shell; the files of csh and fish are not read.
  ///   - home: the person's home.
  ///   - person: the person's name and uid; nil if every condition is unknown.
  func ending(
    shell: String, home: String, for person: (name: String, userID: uid_t)? = nil
  ) -> (path: String, line: Int)? {
    let program = Self.name(ResolvedPath.of(shell) ?? shell)
    let isBash = program.hasPrefix("bash") && Self.name(shell) != "sh"
    let person = person.map { ShellText.Person(name: $0.name, userID: $0.userID, isBash: isBash) }
    if isBash, let line = endingPrompt { return (Self.variables, line) }
    for path in paths(program, isBash: isBash, home: home) {
      if let found = ending(path, home: home, person, depth: 0) { return found }
    }
    return nil
  }

  /// The file of variables that login gives to the shell in Debian's stacks (pam_env(8)).
  private static let variables = "/etc/environment"

  /// The line of that file with a command that bash runs before each prompt, if it ends the shell; the last such line counts.
  private var endingPrompt: Int? {
    let name = "PROMPT_COMMAND="
    let rows = (text(Self.variables) ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let assignments = rows.map { row in
      let own = row.drop(while: \.isWhitespace)
      return own.hasPrefix("export ") ? own.dropFirst("export ".count).drop(while: \.isWhitespace) : own
    }
    guard let last = assignments.lastIndex(where: { $0.hasPrefix(name) }) else { return nil }
    let value = assignments[last].dropFirst(name.count)
    let isQuoted = value.first.map { ["'", "\""].contains($0) } ?? false
    let command = isQuoted ? value.dropFirst().prefix { $0 != value.first } : value.prefix { $0 != "#" }
    return Self.ending(String(command)) == nil ? nil : last + 1
  }

  private func paths(_ program: String, isBash: Bool, home: String) -> [String] {
    if program.hasPrefix("zsh") {
      return ["zshenv", "zprofile", "zshrc", "zlogin"].flatMap { ["/etc/zsh/" + $0, home + "/." + $0] }
    }
    guard Self.readingProfile.contains(program) else { return [] }
    let profile = text("/etc/profile") ?? ""
    var paths = ["/etc/profile"]
    if isBash, profile.contains("bash.bashrc") { paths.append("/etc/bash.bashrc") }
    if profile.contains("/etc/profile.d") {
      paths += names("/etc/profile.d").filter { $0.hasSuffix(".sh") }.sorted().map { "/etc/profile.d/" + $0 }
    }
    let own = (isBash ? [".bash_profile", ".bash_login", ".profile"] : [".profile"]).map { home + "/" + $0 }
    if let first = own.first(where: { text($0) != nil }) {
      paths.append(first)
      if isBash, text(first)?.contains(".bashrc") ?? false { paths.append(home + "/.bashrc") }
    }
    return paths + (Self.furtherFile[program].map { [home + "/" + $0] } ?? [])
  }

  private static let readingProfile: Set<String> = [
    "ash", "bash", "bash-static", "busybox", "dash", "ksh", "ksh93", "lksh", "mksh", "mksh-static", "posh", "sh",
    "yash",
  ]
  /// The file that a shell reads after the others.
  private static let furtherFile = [
    "ksh": ".kshrc", "ksh93": ".kshrc", "lksh": ".mkshrc", "mksh": ".mkshrc", "mksh-static": ".mkshrc",
    "yash": ".yashrc",
  ]

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  // MARK: One file

  // A file that reads itself would have no end.
  private static let deepest = 4

  private func ending(
    _ path: String, home: String, _ person: ShellText.Person?, depth: Int
  ) -> (path: String, line: Int)? {
    guard depth < Self.deepest, let text = text(path) else { return nil }
    var found: (path: String, line: Int)?
    let own = Self.ending(text, for: person) { word in
      guard found == nil else { return true }
      let place = ["~", "$HOME", "${HOME}"].first { word.hasPrefix($0 + "/") }.map { home + word.dropFirst($0.count) }
      found = ending(place ?? word, home: home, person, depth: depth + 1)
      return found != nil
    }
    return found ?? own.map { (path, $0) }
  }

  /// The number of the first line that may end the shell whatever the lines before it do; nil if none does.
  ///
  /// - Parameters:
  ///   - person: the person; nil if every condition is unknown.
  ///   - including: whether a file that the text reads ends the shell.
  static func ending(
    _ text: String, for person: ShellText.Person? = nil, including: (String) -> Bool = { _ in false }
  ) -> Int? {
    let shell = ShellText(text, for: person)
    for command in shell.certain {
      let statement = ShellStatement(command.words)
      guard let name = statement.words.first else {
        if statement.assignments.contains(where: ShellStatement.ends) { return command.line }
        continue
      }
      if shell.defined.contains(name) { continue }
      // The rest is read later, or never.
      if name == "return" && statement.words.count < 3 || statement.startsShell { return nil }
      let isIncluding = [".", "source"].contains(name) && statement.words.count > 1 && including(statement.words[1])
      if isIncluding || statement.endsShell { return command.line }
    }
    return nil
  }
}

/// One command of a shell's file, as far as it may end the shell.
private struct ShellStatement {
  /// Its words, without assignments and words that change nothing about the command.
  let words: [String]
  /// What it assigns: the names, `=` and the values.
  let assignments: [String]

  private static let leading: Set<String> = ["builtin", "command", "eval", "noglob", "nocorrect"]
  private static let declaring: Set<String> = ["declare", "export", "readonly", "typeset"]

  init(_ all: [String]) {
    let own = Array(all.drop(while: Self.isAssignment))
    let rest = Array(own.drop(while: Self.leading.contains))
    // The arguments of `eval` are read as a shell's text again.
    let read =
      own.contains("eval") && own.count > rest.count ? rest.flatMap { $0.split(separator: " ").map(String.init) } : rest
    let isDeclaring = read.first.map(Self.declaring.contains) ?? false
    words = isDeclaring ? [] : read
    assignments = (isDeclaring || read.isEmpty ? all : []).filter(Self.isAssignment)
  }

  private static func isAssignment(_ word: String) -> Bool {
    guard let mark = word.firstIndex(of: "=") else { return false }
    let name = word[..<mark]
    return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && name.first?.isNumber == false
  }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  // Less time than a person needs for a command; hardened machines end idle shells after some minutes.
  private static let leastSeconds = 60

  /// Whether an assignment makes the shell end by itself.
  static func ends(_ assignment: String) -> Bool {
    let parts = assignment.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return false }
    switch parts[0] {
    case "TMOUT": return Int(parts[1]).map { $0 > 0 && $0 < leastSeconds } ?? false
    case "PROMPT_COMMAND": return SessionFiles.ending(parts[1]) != nil
    default: return false
    }
  }

  /// The paths at which a program may be.
  private static func places(of program: String) -> [String] {
    if program.hasPrefix("$") { return ["/"] }
    return program.contains("/") ? [program] : ["/usr/local/bin/", "/usr/bin/", "/bin/"].map { $0 + program }
  }

  /// Whether it starts a shell for the person, in place of this one or within it.
  var startsShell: Bool {
    var rest = words[...]
    if rest.first == "exec" {
      rest = rest.dropFirst().drop { $0 == "-l" }
    }
    guard let program = rest.first,
      ["$SHELL", "${SHELL}"].contains(program) || LoginShell.names.contains(Self.name(program)),
      Self.places(of: program).contains(where: { ResolvedPath.of($0) != nil })
    else { return false }
    return rest.dropFirst().allSatisfy { $0.hasPrefix("-") && ($0.hasPrefix("--") || !$0.contains("c")) }
  }

  /// Whether it may end the shell.
  var endsShell: Bool {
    let arguments = Array(words.dropFirst())
    switch words.first.map(Self.name) {
    case "exit", "logout", "bye": return arguments.count < 2
    case "exec": return Self.execEnds(arguments)
    case "kill": return Self.killEnds(arguments)
    case "pkill", "killall", "skill":
      return arguments.contains {
        ["-t", "-u", "-U", "login"].contains($0) || $0.contains("$") || LoginShell.names.contains($0)
      }
    case "loginctl": return arguments.first.map { $0.hasPrefix("terminate-") || $0.hasPrefix("kill-") } ?? false
    case "set":
      return arguments.prefix { $0 != "--" }.contains {
        $0 == "errexit" || $0 == "onecmd"
          || $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains { "et".contains($0) }
      }
    case "setopt": return arguments.contains { $0.lowercased().filter { $0 != "_" } == "errexit" }
    case "trap": return Self.trapEnds(arguments)
    case "ulimit": return Self.limitEnds(arguments)
    default: return false
    }
  }

  private static func execEnds(_ arguments: [String]) -> Bool {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      // A redirection: a number, a mark, and the file, which may be the next word.
      let number = word.prefix(while: \.isNumber)
      let mark = word.dropFirst(number.count).prefix { "<>&|-".contains($0) }
      guard mark.contains(where: { "<>".contains($0) }) else { return true }
      let file = word.dropFirst(number.count + mark.count)
      let target = file.isEmpty && !mark.hasSuffix("-") ? rest.popFirst() ?? "" : String(file)
      // This is where the shell reads the person's commands.
      let isInput = mark.hasPrefix("<") && (number.isEmpty || number == "0")
      if isInput, target != "/dev/tty" { return true }
      let isSafe =
        ["/dev/null", "/dev/tty"].contains(target) || mark.contains("&") || target.contains { "$~".contains($0) }
      if !isInput, !isSafe { return true }
    }
    return false
  }

  private static let harmlessSignals: Set<String> = ["0", "CHLD", "CONT", "URG", "WINCH"]
  private static let ownProcesses: Set<String> = [
    "$$", "${$}", "-$$", "$PPID", "${PPID}", "$BASHPID", "${BASHPID}", "0", "-1", "%1",
  ]

  private static func killEnds(_ arguments: [String]) -> Bool {
    var rest = arguments[...]
    if let option = rest.first, option.hasPrefix("-"), rest.count > 1 {
      rest.removeFirst()
      let signal = ["-n", "-s"].contains(option) ? rest.popFirst() ?? "" : String(option.dropFirst())
      if harmlessSignals.contains(signal.uppercased().replacing("SIG", with: "")) || signal.lowercased() == "l" {
        return false
      }
    }
    return rest.contains(where: ownProcesses.contains)
  }

  /// The conditions of `trap` that occur at each command of an interactive shell.
  private static let frequentSignals: Set<String> = ["CHLD", "DEBUG", "ERR", "RETURN", "WINCH", "ZERR"]

  private static func trapEnds(_ arguments: [String]) -> Bool {
    let rest = arguments.drop { $0 == "--" }
    guard let command = rest.first, SessionFiles.ending(command) != nil else { return false }
    return rest.dropFirst().contains { frequentSignals.contains($0.uppercased().replacing("SIG", with: "")) }
  }

  /// The least value of each limit with which sudo certainly runs, as ulimit counts it.
  private static let least: [Character: UInt64] = [
    "d": 65_536, "f": 131_072, "n": 64, "s": 1_024, "t": 60, "u": 32, "v": 262_144,
  ]

  private static func limitEnds(_ arguments: [String]) -> Bool {
    zip(arguments, arguments.dropFirst()).contains { option, value in
      guard option.hasPrefix("-"), let number = UInt64(value) else { return false }
      return option.contains { number < least[$0] ?? 0 }
    } || arguments.count == 1 && (UInt64(arguments[0]) ?? .max) < 131_072
  }
}
