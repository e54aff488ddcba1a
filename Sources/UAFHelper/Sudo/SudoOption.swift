/// One of sudo's options, and what it makes sudo do, in words.
struct SudoOption {
  /// Whether an option takes an argument.
  enum Argument { case none, required, optional }

  let letter: UInt8
  let name: String
  /// Of the letter.
  let argument: Argument
  /// Of the long name.
  let longArgument: Argument
  /// What it does; nil for one that changes only how sudo asks, or what it remembers of that.
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

  /// Those of sudo(8), versions 1.9.13 and 1.9.16, whose command lines may come to be asked about.
  ///
  /// Left out are those with which sudo asks nobody (help, version) or which it refuses on Linux (auth-type, login-class).
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

  /// Its letter is that of help too, which is why its argument is found in a way of its own.
  static let host = SudoOption("h", "host", .optional, long: .required, "on host")

  /// Names that stand beside the others where a shortened one is looked for.
  private static let othersNames = ["auth-type", "help", "login-class", "version"]

  /// The option of a letter; nil where there is none.
  static func find(letter: UInt8, editing: Bool) -> SudoOption? {
    all.first { $0.letter == letter && ($0.isForEditing || !editing) }
  }

  /// The option that a long name, or the beginning of one alone, means; nil where there is none, or more than one.
  static func find(name: [UInt8], editing: Bool) -> SudoOption? {
    func isBegun(_ other: String) -> Bool { other.utf8.starts(with: name) }
    let exact = all.first { Array($0.name.utf8) == name }
    let begun = all.filter { isBegun($0.name) }
    let isAlone = begun.count == 1 && !othersNames.contains(where: isBegun)
    guard let option = exact ?? (isAlone ? begun.first : nil), option.isForEditing || !editing else { return nil }
    return option
  }
}
