/// The command line that sudo was given, as a text: the path of sudo's executable, its options described in words, and the
/// command.
///
/// The line is read as sudo reads it (getopt_long with `+`, and assignments between options), so that no part of it is
/// misunderstood. The descriptions of the options come before the first colon, separated by commas. If an argument of the
/// caller appears among them, it is quoted if it contains a space, a comma, a colon or any other character that could end a
/// description.
struct SudoCommandLine {
  /// Why a command line cannot be shown as a text.
  enum Refusal: Error {
    /// It is too long for a person to confirm, or its last argument has no NUL at the end.
    case tooLong
    /// Its first argument is a name with which some versions of sudo act as sudoedit, and others do not.
    case ambiguousName
    /// sudo has overwritten it while parsing `--preserve-env=LIST`. In the line as it is now, the names in LIST look like
    /// further arguments.
    case overwritten
  }

  private let program: [UInt8]
  private let arguments: [[UInt8]]
  private var isEditing = false
  private var words: [[UInt8]] = []
  /// The index of the next argument to be read.
  private var index = 1

  /// The usual path of sudo; the text then only shows `sudo`.
  private static let usual = Array("/usr/bin/sudo".utf8)

  /// Reads a command line.
  ///
  /// - Parameters:
  ///   - program: the path of the executable, as the kernel reports it.
  ///   - commandLine: the arguments, each followed by a NUL.
  ///   - limit: a line of this many bytes or more may have been cut off.
  /// - Throws: ``Refusal``.
  init(program: [UInt8], commandLine: [UInt8], limit: Int) throws(Refusal) {
    guard commandLine.count < limit, commandLine.last == 0 else { throw .tooLong }
    self.program = program
    arguments = commandLine.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    guard !arguments.contains(where: Self.isOverwritten) else { throw .overwritten }
    let name = Self.baseName(arguments[0])
    isEditing = name == Array("sudoedit".utf8)
    // Some versions of sudo act as sudoedit if their name ends like this.
    guard isEditing || !name.ends(with: "edit") else { throw .ambiguousName }
    if !isEditing, name != Array("sudo".utf8) { words.append(Self.words("called as", name)) }
    if isEditing { words.append(Array("edit".utf8)) }
  }

  /// The text: `sudo`, the descriptions and, if there is a command, a colon and the command.
  var text: [UInt8] { parts.head + parts.command }

  /// The text in two parts.
  ///
  /// The first changes the effect of the second, so only the second may be cut off on a screen.
  var parts: (head: [UInt8], command: [UInt8]) {
    var reader = self
    let file = program == Self.usual ? Array("sudo".utf8) : ShellWord.strict(program)
    guard Self.baseName(program) == Array("sudo".utf8), reader.readOptions() else {
      // The arguments could not be interpreted, so all of them are shown as they are.
      let (head, rest) = Self.joined([file] + words + [Array("arguments".utf8)], arguments.dropFirst())
      return (head + rest, [])
    }
    let command = arguments.dropFirst(reader.index)
    if command.isEmpty, reader.words.allSatisfy({ !Self.isWhole.contains($0) }) {
      reader.words.append(Array("shell".utf8))
    }
    return Self.joined([file] + reader.words, command)
  }

  /// The descriptions of options with which sudo needs no command.
  private static let isWhole = Set(
    ["shell", "login shell", "edit", "list what is allowed", "renew the ticket"].map { Array($0.utf8) })

  private static func joined(
    _ words: [[UInt8]], _ command: ArraySlice<[UInt8]>
  ) -> (head: [UInt8], command: [UInt8]) {
    let head = Array(words.joined(separator: Array(", ".utf8)))
    guard !command.isEmpty else { return (head, []) }
    return (head, Array(": ".utf8) + Array(command.map(ShellWord.plain).joined(separator: [UInt8(ascii: " ")])))
  }

  private static func words(_ words: String, _ argument: some Collection<UInt8>) -> [UInt8] {
    Array((words + " ").utf8) + ShellWord.strict(Array(argument))
  }

  private static func baseName(_ path: [UInt8]) -> [UInt8] {
    path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[($0 + 1)...]) } ?? path
  }

  /// Reads options and assignments up to the command.
  ///
  /// - Returns: false if the arguments are not known to be a valid command line of sudo.
  private mutating func readOptions() -> Bool {
    while index < arguments.count {
      let argument = arguments[index]
      if argument == Self.end {
        index += 1
        return true
      }
      if argument.starts(with: Self.end) {
        guard readLong(argument.dropFirst(2)) else { return false }
      } else if argument.count > 1, argument[0] == UInt8(ascii: "-") {
        guard readLetters(argument.dropFirst()) else { return false }
      } else {
        // Like sudo, this only looks at the argument before: even if `--` is the argument of an option, it ends the
        // assignments.
        let isEnded = index > 1 && arguments[index - 1] == Self.end
        guard !isEnded, argument.contains(UInt8(ascii: "=")), argument[0] != UInt8(ascii: "/") else { return true }
        // Some versions of sudo do not treat an assignment without a name as an assignment.
        guard argument[0] != UInt8(ascii: "=") else { return false }
        words.append(Self.words("with", argument))
        index += 1
      }
    }
    return true
  }

  private static let end = Array("--".utf8)

  /// Whether the argument may be `--preserve-env=LIST`.
  ///
  /// sudo parses the list with strtok, which writes a NUL over each comma.
  ///
  /// This is also true for a shortened option name, and anywhere in the line: the line does not show from where on it differs
  /// from what was typed.
  private static func isOverwritten(_ argument: [UInt8]) -> Bool {
    argument.starts(with: Array("--preserve-e".utf8)) && argument.contains(UInt8(ascii: "="))
  }

  private mutating func readLong(_ text: ArraySlice<UInt8>) -> Bool {
    index += 1
    let equals = text.firstIndex(of: UInt8(ascii: "="))
    let attached = equals.map { text[($0 + 1)...] }
    guard let option = SudoOption.find(name: Array(text[..<(equals ?? text.endIndex)]), editing: isEditing) else {
      return false
    }
    switch option.longArgument {
    case .none where attached != nil: return false
    case .none: say(option, nil)
    case .optional: say(option, attached)
    case .required:
      guard let argument = attached ?? next() else { return false }
      say(option, argument)
    }
    return true
  }

  private mutating func readLetters(_ letters: ArraySlice<UInt8>) -> Bool {
    index += 1
    var rest = letters
    while let letter = rest.popFirst() {
      guard let option = SudoOption.find(letter: letter, editing: isEditing) else { return false }
      switch option.argument {
      case .none: say(option, nil)
      case .required:
        guard let argument = rest.isEmpty ? next() : rest else { return false }
        say(option, argument)
        return true
      case .optional:
        guard let argument = rest.isEmpty ? hostName() : rest else { return false }
        say(option, argument)
        return true
      }
    }
    return true
  }

  /// The next argument, for an option whose own argument is not attached to it.
  private mutating func next() -> ArraySlice<UInt8>? {
    guard index < arguments.count else { return nil }
    index += 1
    return arguments[index - 1][...]
  }

  /// The text after `-h`, if it is a host name, so that `-h` does not mean help.
  private mutating func hostName() -> ArraySlice<UInt8>? {
    guard arguments[index - 1] == Array("-h".utf8), index < arguments.count,
      arguments[index].first != UInt8(ascii: "-"),
      arguments[index].first == UInt8(ascii: "/") || !arguments[index].contains(UInt8(ascii: "="))
    else { return nil }
    return next()
  }

  private mutating func say(_ option: SudoOption, _ argument: ArraySlice<UInt8>?) {
    guard let said = option.words else { return }
    guard let argument else {
      if !words.contains(Array(said.utf8)) { words.append(Array(said.utf8)) }
      return
    }
    words.append(Self.words(option.letter == UInt8(ascii: "E") ? "with the caller's variables" : said, argument))
  }
}

extension [UInt8] {
  /// Whether the bytes end with this text.
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// One of sudo's options, with a description of its effect.
struct SudoOption {
  /// Whether an option has an argument.
  enum Argument { case none, required, optional }

  let letter: UInt8
  let name: String
  /// Whether the option's letter takes an argument.
  let argument: Argument
  /// Whether the option's long name takes an argument.
  let longArgument: Argument
  /// The description of its effect; nil if the option only changes how sudo prompts, or whether sudo remembers the
  /// authentication.
  let words: String?
  /// Whether sudoedit has the option too.
  let isForEditing: Bool

  private init(
    _ letter: Character, _ name: String, _ argument: Argument, long: Argument? = nil, _ words: String?,
    editing: Bool = true
  ) {
    self.letter = letter.asciiValue ?? 0
    self.name = name
    self.argument = argument
    longArgument = long ?? argument
    self.words = words
    isForEditing = editing
  }

  /// The options of sudo(8), versions 1.9.13 and 1.9.16, with which sudo may authenticate the person.
  ///
  /// Two groups of options are not in the list: those with which sudo authenticates nobody (help, version), and those that it
  /// refuses on Linux (auth-type, login-class).
  static let all: [SudoOption] = [
    SudoOption("A", "askpass", .none, nil), SudoOption("B", "bell", .none, nil),
    SudoOption("b", "background", .none, "in the background", editing: false),
    SudoOption("C", "close-from", .required, "without files from number"),
    SudoOption("D", "chdir", .required, "in directory"),
    SudoOption("E", "preserve-env", .none, long: .optional, "with the caller's environment", editing: false),
    SudoOption("e", "edit", .none, "edit", editing: false), SudoOption("g", "group", .required, "as group"),
    SudoOption("H", "set-home", .none, "with the target's home", editing: false),
    SudoOption("i", "login", .none, "login shell", editing: false),
    SudoOption("K", "remove-timestamp", .none, nil, editing: false), SudoOption("k", "reset-timestamp", .none, nil),
    SudoOption("l", "list", .none, "list what is allowed", editing: false), SudoOption("N", "no-update", .none, nil),
    SudoOption("n", "non-interactive", .none, nil),
    SudoOption("P", "preserve-groups", .none, "with the caller's groups", editing: false),
    SudoOption("p", "prompt", .required, nil), SudoOption("R", "chroot", .required, "in root directory"),
    SudoOption("r", "role", .required, "with SELinux role"), SudoOption("S", "stdin", .none, nil),
    SudoOption("s", "shell", .none, "shell", editing: false),
    SudoOption("T", "command-timeout", .required, "for at most"),
    SudoOption("t", "type", .required, "with SELinux type"),
    SudoOption("U", "other-user", .required, "of user", editing: false),
    SudoOption("u", "user", .required, "as user"),
    SudoOption("v", "validate", .none, "renew the ticket", editing: false), Self.host,
  ]

  /// The option `-h`, whose letter also means help.
  ///
  /// So its argument is determined separately.
  static let host = SudoOption("h", "host", .optional, long: .required, "on host")

  /// Long names of other options: a shortened name may be ambiguous because of them.
  private static let othersNames = ["auth-type", "help", "login-class", "version"]

  /// The option with this letter; nil if there is none.
  static func find(letter: UInt8, editing: Bool) -> SudoOption? {
    all.first { $0.letter == letter && ($0.isForEditing || !editing) }
  }

  /// Finds the option with this long name or, if there is none, the only one whose name begins with it; nil if there is no such
  /// option.
  static func find(name: [UInt8], editing: Bool) -> SudoOption? {
    func isBegun(_ other: String) -> Bool { other.utf8.starts(with: name) }
    let exact = all.first { Array($0.name.utf8) == name }
    let begun = all.filter { isBegun($0.name) }
    let isAlone = begun.count == 1 && !othersNames.contains(where: isBegun)
    guard let option = exact ?? (isAlone ? begun.first : nil), option.isForEditing || !editing else { return nil }
    return option
  }
}

/// An argument, quoted as for a shell.
///
/// Each argument has exactly one such form.
enum ShellWord {
  private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-".utf8)
  private static let others = Set("@%+=:,".utf8)

  /// An argument of a command.
  static func plain(_ argument: [UInt8]) -> [UInt8] { word(argument, letters.union(others)) }

  /// An argument among the descriptions of options: it is quoted if it contains a character that could end a description.
  static func strict(_ argument: [UInt8]) -> [UInt8] { word(argument, letters) }

  private static func word(_ argument: [UInt8], _ plain: Set<UInt8>) -> [UInt8] {
    guard argument.isEmpty || !plain.isSuperset(of: argument) else { return argument }
    var text: [UInt8] = []
    var quoted: [UInt8] = []
    func endQuote() {
      if !quoted.isEmpty { text += [quote] + quoted + [quote] }
      quoted = []
    }
    var rest = argument[...]
    while let byte = rest.first {
      let spaces = rest.prefix { $0 == space }.count
      if spaces > 1 {
        // Many spaces are replaced with their number: otherwise they would push the rest to the next line of a terminal.
        endQuote()
        text += Array("[\(spaces) spaces]".utf8)
        rest = rest.dropFirst(spaces)
        continue
      }
      quoted += byte == quote ? Array(#"'\''"#.utf8) : [byte]
      rest = rest.dropFirst()
    }
    endQuote()
    return text.isEmpty ? [quote, quote] : text
  }

  private static let quote = UInt8(ascii: "'")
  private static let space = UInt8(ascii: " ")
}
