/// The command line that sudo was given: its file, the options in words, and the command.
///
/// The line is read as sudo reads it (getopt_long with `+`, and assignments between options), so that no part of it can be
/// mistaken for something else. Our own words come before the first colon, separated by commas. An argument of the caller among
/// them is quoted if it contains a space, a comma, a colon or any other character that could end one of our words.
struct SudoCommandLine {
  /// Why there is no text for a line.
  enum Refusal: Error {
    /// It is too long for anybody to confirm, or is not terminated.
    case tooLong
    /// Its first argument makes some versions of sudo an editor, and others not.
    case ambiguousName
    /// sudo has overwritten it: the names of `--preserve-env=LIST` look like arguments to a program that reads the line
    /// afterwards.
    case overwritten
  }

  private let program: [UInt8]
  private let arguments: [[UInt8]]
  private var isEditing = false
  private var words: [[UInt8]] = []
  /// The next argument to be read.
  private var index = 1

  /// The file whose path is left out of the text.
  private static let usual = Array("/usr/bin/sudo".utf8)

  /// Reads the line.
  ///
  /// - Parameters:
  ///   - program: the file, as the kernel names it.
  ///   - commandLine: the arguments, each followed by a NUL.
  ///   - limit: a line of this many bytes may have been cut.
  /// - Throws: ``Refusal``.
  init(program: [UInt8], commandLine: [UInt8], limit: Int) throws(Refusal) {
    guard commandLine.count < limit, commandLine.last == 0 else { throw .tooLong }
    self.program = program
    arguments = commandLine.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    guard !arguments.contains(where: Self.isOverwritten) else { throw .overwritten }
    let name = Self.baseName(arguments[0])
    isEditing = name == Array("sudoedit".utf8)
    // Some versions of sudo treat a name such as this as sudoedit.
    guard isEditing || !name.ends(with: "edit") else { throw .ambiguousName }
    if !isEditing, name != Array("sudo".utf8) { words.append(Self.words("called as", name)) }
    if isEditing { words.append(Array("edit".utf8)) }
  }

  /// The text: `sudo`, the words, and after a colon the command, if there is one.
  var text: [UInt8] { parts.head + parts.command }

  /// The same in two parts, of which the first changes the effect of the second: only the second may be cut on a screen.
  var parts: (head: [UInt8], command: [UInt8]) {
    var reader = self
    let file = program == Self.usual ? Array("sudo".utf8) : ShellWord.strict(program)
    guard Self.baseName(program) == Array("sudo".utf8), reader.readOptions() else {
      // Its arguments are not interpreted: all are shown as they are.
      let (head, rest) = Self.joined([file] + words + [Array("arguments".utf8)], arguments.dropFirst())
      return (head + rest, [])
    }
    let command = arguments.dropFirst(reader.index)
    if command.isEmpty, reader.words.allSatisfy({ !Self.isWhole.contains($0) }) {
      reader.words.append(Array("shell".utf8))
    }
    return Self.joined([file] + reader.words, command)
  }

  /// The options that need no command.
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
  /// - Returns: false for anything that is not known to be a valid command line of sudo.
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
        // sudo does not look further back either: an option's argument of this kind ends assignments too.
        let isEnded = index > 1 && arguments[index - 1] == Self.end
        guard !isEnded, argument.contains(UInt8(ascii: "=")), argument[0] != UInt8(ascii: "/") else { return true }
        // Some versions do not treat an assignment without a name as an assignment.
        guard argument[0] != UInt8(ascii: "=") else { return false }
        words.append(Self.words("with", argument))
        index += 1
      }
    }
    return true
  }

  private static let end = Array("--".utf8)

  /// Whether it may be `--preserve-env=LIST`, at whose commas sudo (strtok) writes a NUL.
  ///
  /// True also for a shortened form, and for any position: the line does not show where it stops being what was typed.
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

  /// The next argument, for an option without an attached one.
  private mutating func next() -> ArraySlice<UInt8>? {
    guard index < arguments.count else { return nil }
    index += 1
    return arguments[index - 1][...]
  }

  /// The text after `-h`, if that is a host and not a request for help.
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
  /// Whether the bytes end with those of a text.
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// One of sudo's options, and its effect in words.
struct SudoOption {
  /// Whether an option takes an argument.
  enum Argument { case none, required, optional }

  let letter: UInt8
  let name: String
  /// Whether the letter takes an argument.
  let argument: Argument
  /// Whether the long name takes an argument.
  let longArgument: Argument
  /// Its effect; nil for an option that only changes how sudo asks, or what sudo remembers about that.
  let words: String?
  /// Whether sudoedit has it too.
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

  /// The options of sudo(8), versions 1.9.13 and 1.9.16, with which sudo may ask the person.
  ///
  /// The options with which sudo asks nobody (help, version) and those that it refuses on Linux (auth-type, login-class) are left
  /// out.
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

  /// Its letter also means help, so its argument is found in a special way.
  static let host = SudoOption("h", "host", .optional, long: .required, "on host")

  /// Further names that matter when a shortened name is looked up.
  private static let othersNames = ["auth-type", "help", "login-class", "version"]

  /// The option of a letter; nil if there is none.
  static func find(letter: UInt8, editing: Bool) -> SudoOption? {
    all.first { $0.letter == letter && ($0.isForEditing || !editing) }
  }

  /// The option that a long name, or the beginning of one alone, means; nil if there is none, or more than one.
  static func find(name: [UInt8], editing: Bool) -> SudoOption? {
    func isBegun(_ other: String) -> Bool { other.utf8.starts(with: name) }
    let exact = all.first { Array($0.name.utf8) == name }
    let begun = all.filter { isBegun($0.name) }
    let isAlone = begun.count == 1 && !othersNames.contains(where: isBegun)
    guard let option = exact ?? (isAlone ? begun.first : nil), option.isForEditing || !editing else { return nil }
    return option
  }
}

/// An argument as a shell would read it, in one form only.
enum ShellWord {
  private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-".utf8)
  private static let others = Set("@%+=:,".utf8)

  /// An argument of a command.
  static func plain(_ argument: [UInt8]) -> [UInt8] { word(argument, letters.union(others)) }

  /// An argument among our own words: quoted if it has a character that could end one of them.
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
        // The count is written as a number: many spaces would push what follows to the next line of a terminal.
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
