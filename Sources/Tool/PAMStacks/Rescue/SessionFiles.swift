import Glibc
import HostSystem

/// The files that a login shell reads, as far as one of their lines may end the session, or keep it from a prompt.
///
/// What a file does cannot be decided in general. A line that may end the shell counts unless it is certain that it does not
/// run: in a shell of its own, in a function that nobody calls, or under a condition that is false for this person at a terminal.
/// Programs are not followed, nor texts that a program writes.
struct SessionFiles {
  /// The content of a file; nil if it cannot be read.
  let text: (String) -> String?
  /// The names in a folder; empty if it cannot be read.
  let names: (String) -> [String]

  /// The first line that may end a session; nil if none does.
  ///
  /// - Parameters:
  ///   - shell: the path of the shell.
  ///   - home: the person's home.
  ///   - person: the person's name and uid; nil if every condition about them is unknown.
  func ending(
    shell: String, home: String, for person: (name: String, userID: uid_t)? = nil
  ) -> (path: String, line: Int)? {
    let program = Self.name(ResolvedPath.of(shell) ?? shell)
    if let words = Self.enders[program] { return ending(of: words, in: Self.otherFiles(program, home)) }
    let isBash = program.hasPrefix("bash") && Self.name(shell) != "sh"
    let person = person.map { ShellText.Person(name: $0.name, userID: $0.userID, isBash: isBash) }
    var variables: [String: String] = [:]
    if let found = endingVariable(program, isBash: isBash, &variables) { return found }
    func read(_ path: String) -> (path: String, line: Int)? { ending(path, home: home, person, &variables, depth: 0) }
    if program.hasPrefix("zsh") {
      for name in ["zshenv", "zprofile", "zshrc", "zlogin"] {
        if let found = read("/etc/zsh/" + name) { return found }
        // An earlier file may have moved the others.
        let folder = variables["ZDOTDIR"].map { Self.place($0, home: home) } ?? home
        if let found = read(folder + "/." + name) { return found }
      }
      return nil
    }
    guard Self.readingProfile.contains(program) else { return nil }
    if let found = read("/etc/profile") { return found }
    let own =
      (isBash ? [".bash_profile", ".bash_login", ".profile"] : [program == "yash" ? ".yash_profile" : ".profile"]).map {
        home + "/" + $0
      }
    if let found = own.first(where: { text($0) != nil }).flatMap(read) { return found }
    if isBash { return nil }
    let further = variables["ENV"].map { Self.place($0, home: home) }
    return (further ?? Self.furtherFile[program].map { home + "/" + $0 }).flatMap(read)
  }

  /// The files of variables that login gives to the shell in Debian's stacks (pam_env(8)).
  private static let variableFiles = ["/etc/security/pam_env.conf", "/etc/environment", "/etc/default/locale"]

  /// The line of those files with a variable that ends a shell at its prompt; the last line for a variable counts.
  private func endingVariable(
    _ program: String, isBash: Bool, _ variables: inout [String: String]
  ) -> (path: String, line: Int)? {
    var found: [String: (path: String, line: Int)] = [:]
    for path in Self.variableFiles {
      let rows = (text(path) ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, row) in rows.enumerated() {
        guard let (name, value) = Self.variable(row, hasDefaults: path.hasSuffix(".conf")) else { continue }
        variables[name] = value
        found[name] = nil
        // dash has no such variables.
        let isRead =
          name == "PROMPT_COMMAND" ? isBash : isBash || ["ksh", "mksh", "zsh"].contains(where: program.hasPrefix)
        if isRead, ShellStatement.ends("\(name)=\(value)") { found[name] = (path, index + 1) }
      }
    }
    return found.values.min { ($0.path, $0.line) < ($1.path, $1.line) }
  }

  /// The name and the value in a line of a file of variables; nil if it has none.
  private static func variable(_ row: Substring, hasDefaults: Bool) -> (String, String)? {
    let words = row.split(whereSeparator: \.isWhitespace)
    var own = row.drop(while: \.isWhitespace)
    var name = own.prefix { $0 != "=" }
    if hasDefaults {
      guard let first = words.first, let value = words.last(where: { $0.contains("=") }) else { return nil }
      (name, own) = (first, row[value.startIndex...])
    } else if own.hasPrefix("export ") {
      own = own.dropFirst("export ".count).drop(while: \.isWhitespace)
      name = own.prefix { $0 != "=" }
    }
    guard !name.hasPrefix("#"), let mark = own.firstIndex(of: "=") else { return nil }
    let value = own[own.index(after: mark)...]
    let isQuoted = value.first.map { ["'", "\""].contains($0) } ?? false
    let text = isQuoted ? value.dropFirst().prefix { $0 != value.first } : value.prefix { $0 != "#" }
    return (String(name), String(isQuoted ? text : text.prefix { !$0.isWhitespace }))
  }

  private static let readingProfile: Set<String> = [
    "ash", "bash", "bash-static", "busybox", "dash", "ksh", "ksh93", "lksh", "mksh", "mksh-static", "posh", "sh",
    "yash",
  ]
  /// The file that a shell reads after the others if the variable ENV names none.
  private static let furtherFile = [
    "ksh": ".kshrc", "ksh93": ".kshrc", "lksh": ".mkshrc", "mksh": ".mkshrc", "mksh-static": ".mkshrc",
    "yash": ".yashrc",
  ]

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The path that a word of a shell's file means; a relative one begins in the home, where a login begins.
  private static func place(_ word: String, home: String) -> String {
    if let start = ["~", "$HOME", "${HOME}"].first(where: { word == $0 || word.hasPrefix($0 + "/") }) {
      return home + word.dropFirst(start.count)
    }
    return word.hasPrefix("/") ? word : home + "/" + (word.hasPrefix("./") ? String(word.dropFirst(2)) : word)
  }

  // MARK: One file

  // A file that reads itself would have no end.
  private static let deepest = 4

  private func ending(
    _ path: String, home: String, _ person: ShellText.Person?, _ variables: inout [String: String], depth: Int
  ) -> (path: String, line: Int)? {
    guard depth < Self.deepest, let text = text(path) else { return nil }
    var found: (path: String, line: Int)?
    let (own, assigned) = Self.reading(text, for: person) { words in
      for word in words where found == nil {
        for file in files(Self.place(word, home: home)) where found == nil {
          found = ending(file, home: home, person, &variables, depth: depth + 1)
        }
      }
      return found != nil
    }
    variables.merge(assigned) { $1 }
    return found ?? own.map { (path, $0) }
  }

  /// The files that a pattern means, in the order of the shell; the path itself if it is none.
  private func files(_ pattern: String) -> [String] {
    guard let slash = pattern.lastIndex(of: "/"), pattern.contains(where: { "*?[".contains($0) }) else {
      return [pattern]
    }
    let (folder, last) = (String(pattern[..<slash]), String(pattern[pattern.index(after: slash)...]))
    // SAFETY: both texts live for the call.
    return names(folder).filter { unsafe fnmatch(last, $0, FNM_PERIOD) == 0 }.sorted().map { folder + "/" + $0 }
  }

  /// The number of the first line that may end the shell; nil if none does.
  static func ending(_ text: String, for person: ShellText.Person? = nil) -> Int? { reading(text, for: person).line }

  /// Functions that zsh calls by itself.
  private static let hooks: Set<String> = [
    "chpwd", "periodic", "precmd", "preexec", "TRAPALRM", "TRAPCHLD", "TRAPDEBUG", "TRAPERR", "TRAPZERR",
  ]

  /// The number of the first line that may end the shell, and the values of the variables that name further files.
  ///
  /// - Parameters:
  ///   - person: the person; nil if every condition about the person is unknown.
  ///   - including: whether one of the files that the text reads ends the shell; its argument is what the text calls them.
  private static func reading(
    _ text: String, for person: ShellText.Person?, including: ([String]) -> Bool = { _ in false }
  ) -> (line: Int?, assigned: [String: String]) {
    let shell = ShellText(text, for: person)
    let called = called(shell)
    var assigned: [String: String] = [:]
    for command in shell.commands where command.function.map(called.contains) ?? true {
      let statement = ShellStatement(command.words)
      for assignment in statement.assignments {
        let parts = assignment.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2, ["ENV", "ZDOTDIR"].contains(parts[0]) { assigned[parts[0]] = parts[1] }
      }
      if statement.assignments.contains(where: ShellStatement.ends) { return (command.line, assigned) }
      guard let name = statement.words.first else { continue }
      if shell.defined.contains(name) { continue }
      // The rest is read later, or never.
      let leaves = name == "return" && statement.words.count < 3 || statement.startsShell
      if leaves, command.isCertain { return (nil, assigned) }
      if [".", "source"].contains(name), statement.words.count > 1 {
        let word = statement.words[1]
        let variable = word.filter { !"${}".contains($0) }
        if including(word.hasPrefix("$") ? command.loops[variable] ?? [word] : [word]) {
          return (command.line, assigned)
        }
      }
      if !statement.startsShell, statement.endsShell { return (command.line, assigned) }
    }
    return (nil, assigned)
  }

  /// The functions of a text that it, or the shell, may call.
  private static func called(_ shell: ShellText) -> Set<String> {
    var called = hooks
    var count = 0
    while called.count != count {
      count = called.count
      for command in shell.commands where command.function.map(called.contains) ?? true {
        let isAboutNames = ["declare", "export", "typeset", "unset"].contains(command.words[0])
        if command.words[0] == "function" || isAboutNames && command.words.contains("-f") { continue }
        for word in command.words {
          let names = word.split { !$0.isLetter && !$0.isNumber && !"_-".contains($0) }.map(String.init)
          called.formUnion(shell.defined.intersection(names))
        }
      }
    }
    return called
  }

  /// Words that end a shell whose grammar is not read, wherever a line of its files has them.
  private static let enders: [String: Set<String>] = {
    // csh only stops to read a file at `exit`.
    let csh: Set<String> = ["exec", "kill", "logout"]
    return ["bsd-csh": csh, "csh": csh, "fish": ["exec", "exit", "kill"], "tcsh": csh]
  }()

  private static func otherFiles(_ program: String, _ home: String) -> [String] {
    if program == "fish" {
      return ["/etc/fish", home + "/.config/fish"].flatMap { [$0 + "/conf.d/*.fish", $0 + "/config.fish"] }
    }
    return ["/etc/csh.cshrc", "/etc/csh.login"] + [".tcshrc", ".cshrc", ".login"].map { home + "/" + $0 }
  }

  private func ending(of enders: Set<String>, in patterns: [String]) -> (path: String, line: Int)? {
    for path in patterns.flatMap(files) {
      let rows = (text(path) ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, row) in rows.enumerated() {
        let words = row.split { $0.isWhitespace || ";&|()=".contains($0) }.map(String.init)
        guard let first = words.first, !first.hasPrefix("#"), !["alias", "echo"].contains(first) else { continue }
        if words.contains(where: enders.contains) { return (path, index + 1) }
      }
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
    var name = word[..<mark]
    if name.last == "+" { name.removeLast() }
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
    case "TMOUT": return seconds(parts[1]).map { $0 > 0 && $0 < leastSeconds } ?? parts[1].contains("$")
    case "PROMPT_COMMAND", "PROMPT_COMMAND+":
      // An array has a command in each of its words.
      let isArray = parts[1].hasPrefix("(")
      let commands = isArray ? parts[1].split { " \t\n()'\"".contains($0) }.map(String.init) : [parts[1]]
      return commands.contains { SessionFiles.ending($0) != nil }
    default: return false
    }
  }

  /// The number that a value is, also as a product or as the value that a variable has by default; nil if that is not known.
  private static func seconds(_ value: String) -> Int? {
    if let number = Int(value) { return number }
    if value.hasPrefix("$(("), value.hasSuffix("))") {
      let factors = value.dropFirst(3).dropLast(2).split(separator: "*").map { Int($0.filter { !$0.isWhitespace }) }
      return factors.reduce(Int?.some(1)) { product, factor in
        product.flatMap { product in factor.map { product.multipliedReportingOverflow(by: $0).partialValue } }
      }
    }
    return value.hasPrefix("${") && value.hasSuffix("}")
      ? Int(value.dropLast().split(separator: "=").last?.split(separator: "-").last ?? "") : nil
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
    let (own, redirections) = Self.split(words)
    let arguments = Array(own.dropFirst())
    switch own.first.map(Self.name) {
    case "exit", "logout", "bye": return arguments.count < 2
    case ":": return arguments.contains { $0.hasPrefix("${TMOUT") && Self.ends("TMOUT=" + $0) }
    case "let": return arguments.contains { Self.ends($0.filter { !$0.isWhitespace }) }
    case "sleep": return arguments.contains { (Int($0) ?? Self.leastSeconds) >= Self.leastSeconds }
    case "suspend": return arguments.contains("-f")
    // Without a program, it is about the redirections.
    case "exec": return !arguments.isEmpty || redirections.contains(where: \.endsShell)
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

  /// A redirection: the descriptor, empty if it is not written, the mark, and the file.
  private struct Redirection {
    let number: Substring
    let mark: Substring
    let target: String

    /// Whether it leaves the shell without a terminal, if it is for the shell itself.
    var endsShell: Bool {
      // This is where the shell reads the person's commands.
      let isInput = mark.hasPrefix("<") && (number.isEmpty || number == "0")
      if isInput { return target != "/dev/tty" }
      let isSafe = ["/dev/null", "/dev/tty"].contains(target) || target.contains { "$~".contains($0) }
      return !mark.contains("&") && !isSafe
    }
  }

  /// The words of a command without its redirections, and these.
  private static func split(_ words: [String]) -> (words: [String], redirections: [Redirection]) {
    var own: [String] = []
    var redirections: [Redirection] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      let number = word.prefix(while: \.isNumber)
      let mark = word.dropFirst(number.count).prefix { "<>&|-".contains($0) }
      guard mark.contains(where: { "<>".contains($0) }) else {
        own.append(word)
        continue
      }
      let file = word.dropFirst(number.count + mark.count)
      // The file may be the next word. The word that ends a document is not among the words.
      let isNext = file.isEmpty && !mark.hasSuffix("-") && mark != "<<"
      let target = isNext ? rest.popFirst() ?? "" : String(file)
      redirections.append(Redirection(number: number, mark: mark, target: target))
    }
    return (own, redirections)
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
