import Glibc

/// The commands in a file that a shell reads, and which of them may run for one person who logs in at a terminal.
///
/// It reads the grammar of sh, and what files of bash, ksh and zsh add to it. What a command does is not decided here.
struct ShellText {
  /// The person for whom the shell is started: conditions may ask for the name and the uid.
  struct Person {
    let name: String
    let userID: UInt32
    /// Whether the person's shell knows `[[`, `==` and `$UID`, as bash does; dash does not.
    let isBash: Bool
  }

  struct Command {
    /// Its words without quotation marks; expansions stay as they are written.
    let words: [String]
    /// The line of the file in which it begins, from 1.
    let line: Int
    /// Whether it certainly runs; otherwise an unknown condition, a loop or a call of a function decides.
    let isCertain: Bool
    /// The function whose body has it; nil outside all functions.
    let function: String?
    /// The words from which the loops around it take the values of their variables.
    let loops: [String: [String]]
  }

  /// The commands that the shell itself may run: not those in a shell of their own, or under a condition that is false.
  private(set) var commands: [Command] = []
  /// The names of functions and aliases that the file defines.
  private(set) var defined: Set<String> = []

  /// A condition, a loop, a group or a subshell that is open.
  private struct Frame {
    let opening: String
    /// Whether the present part of it runs in this shell; nil if that is unknown.
    var runs: Bool?
    /// Whether its last condition is true; nil if that is unknown.
    var condition: Bool?
    /// Whether it is reached, and all conditions before the last one are false.
    var isOpen: Bool? = true
    /// How many commands there were before it.
    let start: Int
    /// The function whose body it is.
    var function: String?
    /// The variable of a loop, and the words that it takes.
    var loop: (name: String, words: [String])?
    /// The line of a loop whose condition never ends it.
    var endless: Int?
    /// What the patterns of `case` are compared with; nil if it is unknown, or if this is no `case`.
    var subject: String?
    /// Whether the next words are a pattern of `case`.
    var isAtPattern = false
    /// Whether the commands after the next pattern run even if it does not fit, after `;&`; nil if that is unknown.
    var fallsThrough: Bool? = false
  }

  /// How many commands there were before the group that ended last, if only redirections have followed it.
  private var endedGroup: Int?
  /// How many commands there were before the commands that `&&` and `||` join.
  private var list = 0
  private var person: Person?
  /// Whether the commands that `&&` and `||` have joined so far are successful; nil if that is unknown.
  private var success: Bool?
  /// Whether the present command has `!` before it.
  private var isNegated = false
  /// Whether the last word of the present command is `}`, with which zsh ends a group as well.
  private var endsGroup = false
  /// Whether the present command has a mark of an expansion or a pattern that quotation makes an ordinary character.
  private var isLiteral = false

  private var frames: [Frame] = []
  private var words: [String] = []
  private var line = 0
  /// The mark before the present command.
  private var before = "\n"
  /// The function whose body the next group is.
  private var function: String?

  /// - Parameter person: nil if every condition is unknown.
  init(_ text: String, for person: Person? = nil) {
    self.person = person
    var lexer = ShellLexer(text)
    while let token = lexer.next() {
      switch token {
      case .word(let word, let isPlain, let hasLiteral, let line):
        isLiteral = isLiteral || hasLiteral
        add(word, isPlain: isPlain, line)
      case .mark(let mark): add(mark)
      }
    }
    end("\n")
  }

  private static let openings: Set<String> = ["case", "for", "if", "select", "until", "while"]
  /// The words that end a frame, with the words that begin it.
  private static let closings: [String: Set<String>] = [
    "done": ["for", "select", "until", "while"], "esac": ["case"], "fi": ["if"], "}": ["{"],
  ]
  private static let leading: Set<String> = ["!", "do", "elif", "else", "then", "time"]
  private static let conditional: Set<String> = ["&&", "|", "|&", "||"]
  /// The marks that put what is before them into a shell of its own.
  private static let separating: Set<String> = ["&", "|", "|&"]
  private static let identities = ["EUID=", "LOGNAME=", "UID=", "USER="]

  private mutating func add(_ word: String, isPlain: Bool, _ line: Int) {
    if words.isEmpty { self.line = line }
    if let index = frames.indices.last, frames[index].isAtPattern, !isPlain || !words.isEmpty || word != "esac" {
      if !isPlain, word.contains(where: Self.isPatternMark) { isLiteral = true }
      words.append(word)
      return
    }
    if words.count == 2, words[0] == "case", word == "in" {
      enterCase()
      return
    }
    if words.count == 2, words[0] == "function", word == "{" {
      defined.insert(words[1])
      function = words[1]
      words = []
    }
    guard words.isEmpty, isPlain else {
      endsGroup = isPlain && word == "}"
      words.append(word)
      return
    }
    if Self.leading.contains(word) {
      if word == "!" { isNegated.toggle() } else { turn(word) }
      return
    }
    if let openings = Self.closings[word] {
      close(openings)
      return
    }
    if word == "{" {
      frames.append(Frame(opening: word, runs: runs, start: commands.count, function: function))
    } else {
      if Self.openings.contains(word) {
        let start = commands.count
        // A condition is a command that is asked, and not one that is there for its effect.
        frames.append(Frame(opening: word, runs: Self.both(runs, nil), isOpen: runs, start: start, function: function))
      }
      words.append(word)
    }
    function = nil
  }

  /// Ends the frame that one of the words has begun.
  private mutating func close(_ openings: Set<String>) {
    if let index = frames.lastIndex(where: { openings.contains($0.opening) }) {
      endedGroup = frames[index].start
      noteEndless(frames[index])
      frames.removeSubrange(index...)
    }
    success = nil
  }

  /// Whether both are true; nil if that is unknown.
  private static func both(_ one: Bool?, _ other: Bool?) -> Bool? {
    if one == false || other == false { return false }
    return one == true && other == true ? true : nil
  }

  private static let leaving: Set<String> = ["break", "exit", "return"]

  /// Notes a loop that never ends, and so never leads to a prompt, as a command that ends the shell.
  private mutating func noteEndless(_ frame: Frame) {
    guard let line = frame.endless, !commands[frame.start...].contains(where: { Self.leaving.contains($0.words[0]) })
    else { return }
    append(["exit"], line)
  }

  private mutating func append(_ words: [String], _ line: Int) {
    let reached = frames.reduce(runs) { Self.both($0, $1.runs) }
    guard reached != false else { return }
    let loops = frames.compactMap(\.loop).map { ($0.name, $0.words) }
    let own = frames.last { $0.function != nil }?.function
    commands.append(
      Command(
        words: words, line: line, isCertain: reached == true && own == nil, function: own,
        loops: Dictionary(loops) { $1 }))
  }

  private static func isPatternMark(_ character: Character) -> Bool { "*?[".contains(character) }

  /// Begins the patterns of `case`.
  private mutating func enterCase() {
    defer { (words, isLiteral) = ([], false) }
    guard let index = frames.indices.last, frames[index].opening == "case" else { return }
    let isOptions = words[1] == ShellCondition.options
    frames[index].subject =
      isOptions ? words[1] : isLiteral ? nil : person.flatMap { ShellCondition.value(words[1], $0) }
    frames[index].isAtPattern = true
  }

  /// Reads a mark between the patterns of `case`, or the one that ends them; the patterns are the words.
  private mutating func addInPattern(_ mark: String, _ index: Int) {
    switch mark {
    case ")":
      let subject = frames[index].subject
      let results = words.map { matches($0, subject) }
      let isMatch: Bool? = results.contains(true) ? true : results.contains(nil) ? nil : false
      let reached = Self.both(frames[index].isOpen, isMatch)
      frames[index].runs =
        frames[index].fallsThrough == false || reached == true ? reached : frames[index].fallsThrough
      frames[index].fallsThrough = false
      // The shell reads further patterns only if none before them fits.
      frames[index].isOpen = Self.both(frames[index].isOpen, isMatch.map { !$0 })
      frames[index].isAtPattern = false
      (words, isLiteral, before) = ([], false, "\n")
    // After `;;&` further patterns are read even if one has fitted.
    case "&": frames[index].isOpen = nil
    default: break
    }
  }

  /// Whether a pattern of `case` fits; nil if that is unknown.
  private func matches(_ pattern: String, _ subject: String?) -> Bool? {
    if isLiteral { return nil }
    if pattern == "*" { return true }
    // The shell of a person at a terminal is interactive.
    if subject == ShellCondition.options { return pattern == "*i*" ? true : nil }
    guard let subject, !pattern.contains(where: { "$`(~".contains($0) }) else { return nil }
    // SAFETY: both texts live for the call.
    return unsafe fnmatch(pattern, subject, 0) == 0
  }

  /// Enters the next part of a condition.
  private mutating func turn(_ word: String) {
    guard let index = frames.indices.last else { return }
    switch (frames[index].opening, word) {
    case ("if", "then"):
      frames[index].condition = success
      frames[index].runs = Self.both(frames[index].isOpen, success)
    case ("if", "elif"), ("if", "else"):
      frames[index].isOpen = Self.both(frames[index].isOpen, frames[index].condition.map { !$0 })
      frames[index].runs = Self.both(frames[index].isOpen, word == "else" ? true : nil)
    case ("while", "do"), ("until", "do"):
      let goesOn = frames[index].opening == "while" ? success : success.map { !$0 }
      frames[index].runs = Self.both(frames[index].isOpen, goesOn == false ? false : nil)
      if goesOn == true { frames[index].endless = line }
    default: break
    }
  }

  /// Whether the present command runs in this shell, as far as the mark before it decides; nil if that is unknown.
  private var runs: Bool? {
    switch before {
    case "&&": success
    case "||": success.map { !$0 }
    default: !Self.conditional.contains(before)
    }
  }

  /// Notes whether the present command is successful.
  private mutating func note(isPiped: Bool) {
    let isSkipped = before == "&&" && success == false || before == "||" && success == true
    if isSkipped && !isPiped { return }
    let held = isPiped || isLiteral || runs != true ? nil : ShellCondition(words, person).holds
    success = isNegated ? held.map { !$0 } : held
  }

  private mutating func add(_ mark: String) {
    if let index = frames.indices.last, frames[index].isAtPattern {
      addInPattern(mark, index)
      return
    }
    // A group in a pipe or in the background has a shell of its own.
    if let endedGroup, Self.separating.contains(mark) { commands.removeSubrange(endedGroup...) }
    endedGroup = nil
    switch mark {
    case "(":
      let single = words.first.flatMap { words.count == 1 && !Self.openings.contains($0) ? $0 : nil }
      let name = words.count == 2 && words[0] == "function" ? words[1] : single
      if let name { defined.insert(name) }
      (words, isNegated, isLiteral) = ([], false, false)
      // A subshell.
      frames.append(Frame(opening: mark, runs: false, start: commands.count))
      function = name
    case ")":
      end(mark)
      // The pattern of a case has no other parenthesis.
      if frames.last?.opening == "(" { frames.removeLast() }
      success = nil
      before = mark
    case "\n" where words.isEmpty && Self.conditional.contains(before): break
    case "\n" where words.count == 2 && words[0] == "case": break
    case ";;", ";&":
      end(mark)
      before = mark
      guard let index = frames.indices.last, frames[index].opening == "case" else { return }
      frames[index].isAtPattern = true
      if mark == ";&" { frames[index].fallsThrough = frames[index].runs }
    default:
      end(mark)
      before = mark
    }
  }

  /// Ends the present command.
  private mutating func end(_ mark: String) {
    let closes = endsGroup && frames.contains { $0.opening == "{" }
    if closes { words.removeLast() }
    defer {
      (words, isNegated, isLiteral, endsGroup) = ([], false, false, false)
      if closes { close(["{"]) }
    }
    guard !words.isEmpty else { return }
    if words.count == 2, words[0] == "function" {
      defined.insert(words[1])
      function = words[1]
    }
    if words[0] == "for", words.count > 2, words[2] == "in", let index = frames.indices.last {
      frames[index].loop = (words[1], Array(words.dropFirst(3)))
    }
    if words[0] == "for", words.count == 2, words[1].filter({ !$0.isWhitespace }) == "((;;))" {
      frames.indices.last.map { frames[$0].endless = line }
    }
    if words[0] == "alias" { for word in words { defined.insert(String(word.prefix { $0 != "=" })) } }
    // From here on the variable need not be about the person.
    if words.contains(where: { word in Self.identities.contains { word.hasPrefix($0) } }) { person = nil }
    let isPiped = Self.separating.contains(mark) || ["|", "|&"].contains(before)
    if !Self.conditional.contains(before) { list = commands.count }
    if mark == "&" { commands.removeSubrange(min(list, commands.count)...) }
    if !isPiped { append(words, line) }
    note(isPiped: isPiped)
  }
}

/// A condition of a shell that compares the person's name or uid with a text, or asks whether the shell is interactive.
private struct ShellCondition {
  /// Whether it is true; nil if it asks for anything else.
  let holds: Bool?

  /// The variable with the shell's options.
  static let options = "$-"

  private static let names: Set<String> = [
    "$LOGNAME", "${LOGNAME}", "$USER", "${USER}", "$(id -un)", "$(id -nu)", "$(id -u -n)", "$(logname)", "$(whoami)",
  ]
  private static let numbers: Set<String> = ["$EUID", "${EUID}", "$UID", "${UID}", "$(id -u)", "$(id -ru)"]

  private static let constants = [":": true, "false": false, "true": true]

  /// - Parameter person: nil if it is unknown who logs in, or in which shell.
  init(_ words: [String], _ person: ShellText.Person?) {
    var isNegated = false
    func dropMarks(_ words: ArraySlice<String>) -> ArraySlice<String> {
      let rest = words.drop { $0 == "!" }
      if !(words.count - rest.count).isMultiple(of: 2) { isNegated.toggle() }
      return rest
    }
    let command = dropMarks(["if", "until", "while"].contains(words.first) ? words.dropFirst() : words[...])
    let result: Bool?
    if let constant = Self.constants[command.first ?? ""] {
      result = constant
    } else if ["tty -s", "shopt -q login_shell"].contains(command.joined(separator: " ")) {
      result = true
    } else if command.count == 1, let word = command.first, word.hasPrefix("(("), word.hasSuffix("))") {
      result = person.flatMap { $0.isBash ? Self.arithmetic(word.dropFirst(2).dropLast(2), $0) : nil }
    } else {
      let parts: [String]
      switch (command.first, command.last) {
      case ("[[", "]]") where person?.isBash == false: parts = []
      case ("test", _): parts = Array(dropMarks(command.dropFirst()))
      case ("[", "]"), ("[[", "]]"): parts = Array(dropMarks(command.dropFirst().dropLast()))
      default: parts = []
      }
      result = Self.ofTerminal(parts, person) ?? person.flatMap { Self.test(parts, $0) }
    }
    holds = result.map { $0 != isNegated }
  }

  /// Whether a condition about the terminal or the shell is true; nil for any other one.
  private static func ofTerminal(_ parts: [String], _ person: ShellText.Person?) -> Bool? {
    switch (parts.first, parts.last, parts.count) {
    case ("-t", let end?, 2): return ["0", "1", "2"].contains(end) ? true : nil
    case ("-n", let word?, 2): return isSet(word, person)
    case ("-z", let word?, 2): return isSet(word, person).map { !$0 }
    case (let word?, _, 1): return isSet(word, person)
    case (options, "*i*", 3): return parts[1] == "!=" ? false : ["=", "=="].contains(parts[1]) ? true : nil
    default: return nil
    }
  }

  /// Whether a variable of the shell has a value; nil for any other word.
  private static func isSet(_ word: String, _ person: ShellText.Person?) -> Bool? {
    guard word.hasPrefix("$") else { return nil }
    let text = word.dropFirst().filter { $0 != "{" && $0 != "}" }
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard ["", "-", ":-"].contains(text.dropFirst(name.count)) else { return nil }
    switch name {
    case "PS1": return true
    case "BASH", "BASH_VERSION": return person?.isBash
    default: return nil
    }
  }

  /// Compares as `test` does.
  private static func test(_ parts: [String], _ person: ShellText.Person) -> Bool? {
    guard parts.count == 3, person.isBash || parts[1] != "==", parts.contains(where: { $0.contains("$") }),
      let left = value(parts[0], person), let right = value(parts[2], person)
    else { return nil }
    return compare(left, parts[1], right)
  }

  /// The signs of arithmetic, as `test` writes them.
  private static let signs = ["!=": "-ne", "<": "-lt", "<=": "-le", "==": "-eq", ">": "-gt", ">=": "-ge"]

  /// Compares as `((` does: the uid with a number, or the uid alone with 0.
  private static func arithmetic(_ text: Substring, _ person: ShellText.Person) -> Bool? {
    let text = text.filter { !$0.isWhitespace }
    func number(_ part: Substring) -> String? {
      if ["EUID", "UID"].contains(part) { return String(person.userID) }
      // A number that begins with 0 is octal.
      let isOctal = part.count > 1 && part.hasPrefix("0")
      return isOctal || part.contains { !$0.isNumber && !"${}EUID".contains($0) } ? nil : value(String(part), person)
    }
    let isMark = { (character: Character) in "=!<>".contains(character) }
    if text.hasPrefix("!") { return number(text.dropFirst()).flatMap { compare($0, "-eq", "0") } }
    let left = text.prefix { !isMark($0) }
    let mark = text.dropFirst(left.count).prefix(while: isMark)
    guard let uid = number(left) else { return nil }
    if mark.isEmpty { return compare(uid, "-ne", "0") }
    guard let sign = signs[String(mark)], let other = number(text.dropFirst(left.count + mark.count))
    else { return nil }
    return compare(uid, sign, other)
  }

  /// The word's value; nil if it has an expansion that is not known, or is a pattern.
  static func value(_ word: String, _ person: ShellText.Person) -> String? {
    var (value, rest) = ("", word[...])
    while let first = rest.first {
      if let name = names.union(numbers).filter(rest.hasPrefix).max(by: { $0.count < $1.count }) {
        rest.removeFirst(name.count)
        let isWhole = name.hasSuffix("}") || name.hasSuffix(")")
        // Otherwise it is the beginning of another name.
        guard isWhole || !(rest.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false) else { return nil }
        let isKnown = names.contains(name) || person.isBash || name.hasPrefix("$(")
        guard isKnown else { return nil }
        value += names.contains(name) ? person.name : String(person.userID)
      } else {
        guard !"$`*?[(){}|~".contains(first) else { return nil }
        value.append(rest.removeFirst())
      }
    }
    return value
  }

  private static func compare(_ left: String, _ sign: String, _ right: String) -> Bool? {
    switch sign {
    case "=", "==": return left == right
    case "!=": return left != right
    default:
      guard let left = Int64(left), let right = Int64(right) else { return nil }
      switch sign {
      case "-eq": return left == right
      case "-ne": return left != right
      case "-lt": return left < right
      case "-le": return left <= right
      case "-gt": return left > right
      case "-ge": return left >= right
      default: return nil
      }
    }
  }
}
