/// The commands in a file that a shell reads, and which of them certainly run for one person.
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
  }

  /// The commands that the shell itself runs: they are outside all loops, functions, pipes and unknown conditions.
  private(set) var certain: [Command] = []
  /// The names of functions and aliases that the file defines.
  private(set) var defined: Set<String> = []

  /// A condition, a loop, a group or a subshell that is open.
  private struct Frame {
    let opening: String
    /// Whether the present part of it certainly runs.
    var isCertain: Bool
    /// Whether its last condition is true; nil if that is unknown.
    var condition: Bool?
    /// Whether all conditions before the last one are false.
    var isOpen = true
    /// How many certain commands there were before it.
    let start: Int
  }

  /// How many certain commands there were before the group that ended last, if only redirections have followed it.
  private var endedGroup: Int?
  /// How many certain commands there were before the commands that `&&` and `||` join.
  private var list = 0
  private var person: Person?
  /// Whether the commands that `&&` and `||` have joined so far are successful; nil if that is unknown.
  private var success: Bool?
  /// Whether the present command has `!` before it.
  private var isNegated = false

  private var frames: [Frame] = []
  private var words: [String] = []
  private var line = 0
  /// The mark before the present command.
  private var before = "\n"
  /// Whether the next group is the body of a function.
  private var isFunction = false

  /// - Parameter person: nil if every condition is unknown.
  init(_ text: String, for person: Person? = nil) {
    self.person = person
    var lexer = ShellLexer(text)
    while let token = lexer.next() {
      switch token {
      case .word(let word, let isPlain, let line): add(word, isPlain: isPlain, line)
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
    if words.count == 2, words[0] == "function", word == "{" {
      defined.insert(words[1])
      words = []
      isFunction = true
    }
    guard words.isEmpty, isPlain else {
      words.append(word)
      return
    }
    if Self.leading.contains(word) {
      if word == "!" { isNegated.toggle() } else { turn(word) }
      return
    }
    if let openings = Self.closings[word] {
      if let index = frames.lastIndex(where: { openings.contains($0.opening) }) {
        endedGroup = frames[index].start
        frames.removeSubrange(index...)
      }
      success = nil
      return
    }
    if word == "{" {
      frames.append(Frame(opening: word, isCertain: !isFunction && runs, start: certain.count))
    } else {
      // What follows runs only if the condition is reached.
      if Self.openings.contains(word) {
        frames.append(Frame(opening: word, isCertain: false, isOpen: runs, start: certain.count))
      }
      words.append(word)
    }
    isFunction = false
  }

  /// Enters the next part of a condition.
  private mutating func turn(_ word: String) {
    guard let index = frames.indices.last, frames[index].opening == "if" else { return }
    switch word {
    case "then":
      frames[index].condition = success
      frames[index].isCertain = frames[index].isOpen && success == true
    case "elif", "else":
      frames[index].isOpen = frames[index].isOpen && frames[index].condition == false
      frames[index].isCertain = word == "else" && frames[index].isOpen
    default: break
    }
  }

  /// Whether the present command certainly runs, as far as the mark before it decides.
  private var runs: Bool {
    switch before {
    case "&&": success == true
    case "||": success == false
    default: !Self.conditional.contains(before)
    }
  }

  /// Notes whether the present command is successful.
  private mutating func note(isPiped: Bool) {
    let isSkipped = before == "&&" && success == false || before == "||" && success == true
    if isSkipped && !isPiped { return }
    let held = isPiped || !runs ? nil : person.flatMap { ShellCondition(words, $0).holds }
    success = isNegated ? held.map { !$0 } : held
  }

  private mutating func add(_ mark: String) {
    // A group in a pipe or in the background has a shell of its own.
    if let endedGroup, Self.separating.contains(mark) { certain.removeSubrange(endedGroup...) }
    endedGroup = nil
    switch mark {
    case "(":
      let single = words.first.flatMap { words.count == 1 && !Self.openings.contains($0) ? $0 : nil }
      let name = words.count == 2 && words[0] == "function" ? words[1] : single
      if let name { defined.insert(name) }
      isFunction = name != nil
      (words, isNegated) = ([], false)
      frames.append(Frame(opening: mark, isCertain: false, start: certain.count))
    case ")":
      end(mark)
      // The pattern of a case has no other parenthesis.
      if frames.last?.opening == "(" { frames.removeLast() }
      success = nil
      before = mark
    case "\n" where words.isEmpty && Self.conditional.contains(before): break
    default:
      end(mark)
      before = mark
    }
  }

  /// Ends the present command.
  private mutating func end(_ mark: String) {
    defer { (words, isNegated) = ([], false) }
    guard !words.isEmpty else { return }
    if words[0] == "alias" { for word in words { defined.insert(String(word.prefix { $0 != "=" })) } }
    // From here on the variable need not be about the person.
    if words.contains(where: { word in Self.identities.contains { word.hasPrefix($0) } }) { person = nil }
    let isPiped = Self.separating.contains(mark) || ["|", "|&"].contains(before)
    if !Self.conditional.contains(before) { list = certain.count }
    if mark == "&" { certain.removeSubrange(list...) }
    if runs, !isPiped, frames.allSatisfy(\.isCertain) { certain.append(Command(words: words, line: line)) }
    note(isPiped: isPiped)
  }
}

/// A condition of a shell that compares the person's name or uid with a word.
private struct ShellCondition {
  /// Whether it is true; nil if it asks for anything else.
  let holds: Bool?

  private static let names: Set<String> = [
    "$LOGNAME", "${LOGNAME}", "$USER", "${USER}", "$(id -un)", "$(id -nu)", "$(id -u -n)", "$(logname)", "$(whoami)",
  ]
  private static let numbers: Set<String> = ["$EUID", "${EUID}", "$UID", "${UID}", "$(id -u)", "$(id -ru)"]

  init(_ words: [String], _ person: ShellText.Person) {
    var isNegated = false
    func dropMarks(_ words: ArraySlice<String>) -> ArraySlice<String> {
      let rest = words.drop { $0 == "!" }
      if !(words.count - rest.count).isMultiple(of: 2) { isNegated.toggle() }
      return rest
    }
    let command = dropMarks(words.first == "if" ? words.dropFirst() : words[...])
    let parts: [String]
    switch (command.first, command.last) {
    case ("[[", "]]") where !person.isBash: parts = []
    case ("test", _): parts = Array(dropMarks(command.dropFirst()))
    case ("[", "]"), ("[[", "]]"): parts = Array(dropMarks(command.dropFirst().dropLast()))
    default: parts = []
    }
    guard parts.count == 3, person.isBash || parts[1] != "==",
      parts.contains(where: { Self.names.contains($0) || Self.numbers.contains($0) }),
      let left = Self.value(parts[0], person), let right = Self.value(parts[2], person)
    else {
      holds = nil
      return
    }
    holds = Self.compare(left, parts[1], right).map { $0 != isNegated }
  }

  /// The word's value; nil if it has an expansion that is not known, or is a pattern.
  private static func value(_ word: String, _ person: ShellText.Person) -> String? {
    if names.contains(word) { return person.name }
    if numbers.contains(word) { return person.isBash || word.hasPrefix("$(") ? String(person.userID) : nil }
    return word.contains { "$`*?[(){}|~".contains($0) } ? nil : word
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

private enum ShellToken {
  /// A word, with its line; it is plain if it has no quotation marks, so that it can be a keyword.
  case word(String, isPlain: Bool, Int)
  case mark(String)
}

/// Splits a shell's text into words and marks.
private struct ShellLexer {
  private let text: [Unicode.Scalar]
  private var place = 0
  private var line = 1
  /// The words that end the here-documents which begin after this line.
  private var documents: [String] = []
  /// How many quotation marks and parentheses are open within each other.
  private var depth = 0
  // The owner of a home writes its files; nobody nests so deep.
  private static let deepest = 100

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
    place + offset < text.count ? text[place + offset] : nil
  }

  private mutating func take() -> Unicode.Scalar? {
    guard let scalar = peek() else { return nil }
    place += 1
    if scalar == "\n" { line += 1 }
    return scalar
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

  private mutating func skipBlanks() {
    while let scalar = peek() {
      if scalar == "\\", peek(1) == "\n" { _ = take() } else if !Self.isBlank(scalar) { return }
      _ = take()
    }
  }

  mutating func next() -> ShellToken? {
    skipBlanks()
    if peek() == "#" { while let scalar = peek(), scalar != "\n" { _ = take() } }
    guard let scalar = peek() else { return nil }
    switch scalar {
    case "\n":
      _ = take()
      skipDocuments()
    case "(", ")": _ = take()
    case "&" where peek(1) == ">": return word()
    case ";", "&", "|":
      _ = take()
      if let second = peek(), second == scalar || second == "&" && scalar != "&" {
        _ = take()
        return .mark(String(scalar) + String(second))
      }
    default: return word()
    }
    return .mark(String(scalar))
  }

  private mutating func word() -> ShellToken {
    let start = line
    var (word, isPlain) = ("", true)
    while let scalar = peek(), !Self.isBlank(scalar), scalar != "\n" {
      let last = word.unicodeScalars.last
      let isRedirection = last == "<" || last == ">"
      if scalar == "(", last.map({ "$<>=@!?*+".unicodeScalars.contains($0) }) ?? false {
        word += nested("(", ")")
        continue
      }
      if ";()".unicodeScalars.contains(scalar) || scalar == "|" && last != ">"
        || scalar == "&" && !isRedirection && peek(1) != ">"
      {
        break
      }
      _ = take()
      switch scalar {
      case "'":
        isPlain = false
        while let inner = take(), inner != "'" { word.unicodeScalars.append(inner) }
      case "\"":
        isPlain = false
        word += doubleQuoted()
      case "`":
        word += backquoted()
      case "\\":
        isPlain = false
        if let inner = take(), inner != "\n" { word.unicodeScalars.append(inner) }
      case "$" where peek() == "{": word += "$" + nested("{", "}")
      case "<" where peek() == "<" && peek(1) != "<" && !isRedirection:
        word += "<<"
        _ = take()
        readDocumentsEnd()
      default: word.unicodeScalars.append(scalar)
      }
    }
    return .word(word, isPlain: isPlain, start)
  }

  /// Reads text within other text; nothing is read after text that is too deep.
  private mutating func deeper(_ read: (inout Self) -> String) -> String {
    guard depth < Self.deepest else {
      place = text.count
      return ""
    }
    depth += 1
    defer { depth -= 1 }
    return read(&self)
  }

  private mutating func doubleQuoted() -> String {
    deeper { lexer in
      var word = ""
      while let scalar = lexer.take(), scalar != "\"" {
        if scalar == "\\", let escaped = lexer.take() {
          if escaped != "\n" { word.unicodeScalars.append(escaped) }
        } else if scalar == "$", lexer.peek() == "(" {
          word += "$" + lexer.nested("(", ")")
        } else if scalar == "`" {
          word += lexer.backquoted()
        } else {
          word.unicodeScalars.append(scalar)
        }
      }
      return word
    }
  }

  /// A substitution in backquotes, as it would be written with parentheses.
  private mutating func backquoted() -> String {
    var word = ""
    while let inner = take(), inner != "`" { word.unicodeScalars.append(inner) }
    return "$(\(word))"
  }

  /// Text in parentheses or braces, as it is written.
  private mutating func nested(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) -> String {
    deeper { lexer in
      var (word, open) = ("", 0)
      while let scalar = lexer.take() {
        word.unicodeScalars.append(scalar)
        switch scalar {
        case opening: open += 1
        case closing:
          open -= 1
          if open == 0 { return word }
        case "\\": if let escaped = lexer.take() { word.unicodeScalars.append(escaped) }
        case "'": while let inner = lexer.take(), inner != "'" { word.unicodeScalars.append(inner) }
        case "\"": word += lexer.doubleQuoted()
        default: break
        }
      }
      return word
    }
  }

  private mutating func readDocumentsEnd() {
    let isIndented = peek() == "-"
    if isIndented { _ = take() }
    skipBlanks()
    var end = ""
    while let scalar = peek(), !Self.isBlank(scalar), !"\n;&|()<>".unicodeScalars.contains(scalar) {
      _ = take()
      if !"'\"\\".unicodeScalars.contains(scalar) { end.unicodeScalars.append(scalar) }
    }
    documents.append((isIndented ? "-" : " ") + end)
  }

  private mutating func skipDocuments() {
    for document in documents {
      while peek() != nil {
        var row = ""
        while let scalar = take(), scalar != "\n" { row.unicodeScalars.append(scalar) }
        let text = document.hasPrefix("-") ? String(row.drop { $0 == "\t" }) : row
        if text == document.dropFirst() { break }
      }
    }
    documents = []
  }
}
