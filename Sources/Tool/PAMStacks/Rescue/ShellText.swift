/// The commands in a file that a shell reads, and which of them run in any case.
///
/// It reads the grammar of sh, and what files of bash, ksh and zsh add to it. What a command does is not decided here.
struct ShellText {
  struct Command {
    /// Its words without quotation marks; expansions stay as they are written.
    let words: [String]
    /// The line of the file in which it begins, from 1.
    let line: Int
  }

  /// The commands that the shell itself runs, outside all conditions, loops, functions and pipes.
  private(set) var certain: [Command] = []
  /// The names of functions and aliases that the file defines.
  private(set) var defined: Set<String> = []

  /// A condition, a loop, a group or a subshell that is open.
  private struct Frame {
    let opening: String
    let isCertain: Bool
  }

  private var frames: [Frame] = []
  private var words: [String] = []
  private var line = 0
  /// The mark before the present command.
  private var before = "\n"
  /// Whether the next group is the body of a function.
  private var isFunction = false

  init(_ text: String) {
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
    if Self.leading.contains(word) { return }
    if let openings = Self.closings[word] {
      if let index = frames.lastIndex(where: { openings.contains($0.opening) }) { frames.removeSubrange(index...) }
      return
    }
    if word == "{" {
      frames.append(Frame(opening: word, isCertain: !isFunction && !Self.conditional.contains(before)))
    } else {
      if Self.openings.contains(word) { frames.append(Frame(opening: word, isCertain: false)) }
      words.append(word)
    }
    isFunction = false
  }

  private mutating func add(_ mark: String) {
    switch mark {
    case "(":
      let name = words.count == 2 && words[0] == "function" ? words[1] : words.count == 1 ? words[0] : nil
      if let name { defined.insert(name) }
      isFunction = name != nil
      words = []
      frames.append(Frame(opening: mark, isCertain: false))
    case ")":
      end(mark)
      // The pattern of a case has no other parenthesis.
      if frames.last?.opening == "(" { frames.removeLast() }
      before = mark
    case "\n" where words.isEmpty && Self.conditional.contains(before): break
    default:
      end(mark)
      before = mark
    }
  }

  /// Ends the present command.
  private mutating func end(_ mark: String) {
    defer { words = [] }
    guard !words.isEmpty else { return }
    if words[0] == "alias" { for word in words { defined.insert(String(word.prefix { $0 != "=" })) } }
    let isOwn = !Self.conditional.contains(before) && !["&", "|", "|&"].contains(mark)
    if isOwn, frames.allSatisfy(\.isCertain) { certain.append(Command(words: words, line: line)) }
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
        while let inner = take(), inner != "`" { word.unicodeScalars.append(inner) }
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

  private mutating func doubleQuoted() -> String {
    var word = ""
    while let scalar = take(), scalar != "\"" {
      if scalar == "\\", let escaped = take() {
        if escaped != "\n" { word.unicodeScalars.append(escaped) }
      } else if scalar == "$", peek() == "(" {
        word += "$" + nested("(", ")")
      } else {
        word.unicodeScalars.append(scalar)
      }
    }
    return word
  }

  /// Text in parentheses or braces, as it is written.
  private mutating func nested(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) -> String {
    var (word, depth) = ("", 0)
    while let scalar = take() {
      word.unicodeScalars.append(scalar)
      switch scalar {
      case opening: depth += 1
      case closing:
        depth -= 1
        if depth == 0 { return word }
      case "\\": if let escaped = take() { word.unicodeScalars.append(escaped) }
      case "'": while let inner = take(), inner != "'" { word.unicodeScalars.append(inner) }
      case "\"": word += doubleQuoted()
      default: break
      }
    }
    return word
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
