enum ShellToken {
  /// A word, with its line; it is plain if it has no quotation marks, so that it can be a keyword. Whether a `$` or a backquote
  /// in it is an ordinary character, because of quotation, is said as well.
  case word(String, isPlain: Bool, hasLiteral: Bool, Int)
  case mark(String)
}

/// Splits a shell's text into words and marks.
struct ShellLexer {
  private let text: [Unicode.Scalar]
  private var place = 0
  private var line = 1
  /// The words that end the here-documents which begin after this line.
  private var documents: [String] = []
  /// Whether the present word has a `$` or a backquote that is an ordinary character.
  private var hasLiteral = false
  // After a text that has no end, each `((` would be read to the end of the file.
  private var readsArithmetic = true
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
    case "(":
      if let word = arithmetic() { return word }
      _ = take()
    case ")": _ = take()
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

  /// The whole of `((` to `))`; nil if there are two subshells instead.
  private mutating func arithmetic() -> ShellToken? {
    guard peek(1) == "(", readsArithmetic else { return nil }
    let start = (place: place, line: line)
    let text = nested("(", ")")
    if text.hasSuffix("))") { return .word(text, isPlain: false, hasLiteral: false, start.line) }
    (place, line, readsArithmetic) = (start.place, start.line, false)
    return nil
  }

  /// The next scalar, which quotation makes an ordinary character.
  private mutating func takeLiteral() -> Unicode.Scalar? {
    let scalar = take()
    if scalar == "$" || scalar == "`" { hasLiteral = true }
    return scalar
  }

  private mutating func word() -> ShellToken {
    let start = line
    var (word, isPlain) = ("", true)
    hasLiteral = false
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
        while let inner = takeLiteral(), inner != "'" { word.unicodeScalars.append(inner) }
      case "\"":
        isPlain = false
        word += doubleQuoted()
      case "`":
        word += backquoted()
      case "\\":
        isPlain = false
        if let inner = takeLiteral(), inner != "\n" { word.unicodeScalars.append(inner) }
      case "$" where peek() == "{": word += "$" + nested("{", "}")
      case "<" where peek() == "<" && peek(1) != "<" && !isRedirection:
        word += "<<"
        _ = take()
        readDocumentsEnd()
      default: word.unicodeScalars.append(scalar)
      }
    }
    return .word(word, isPlain: isPlain, hasLiteral: hasLiteral, start)
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
        if scalar == "\\", let escaped = lexer.takeLiteral() {
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
