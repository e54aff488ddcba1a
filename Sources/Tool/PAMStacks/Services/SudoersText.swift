/// The content of one or more files of sudoers(5), in order.
///
/// cvtsudoers(1) cannot replace this reader: Debian 12's prints broken JSON for valid rules, and it prints nothing if one
/// line is wrong, although sudo skips only that line.
package struct SudoersText: Equatable {
  /// Entries of Defaults.
  private(set) var defaults: [SudoersDefaults] = []
  private(set) var aliases: [SudoersAlias: [SudoersItem]] = [:]
  private(set) var rules: [SudoersRule] = []

  package init() {}

  /// The content of a line that is read elsewhere, or not at all.
  package enum Remark: Equatable {
    /// `@include` and `@includedir`, with the path as it is written.
    case include(path: String, isFolder: Bool)
    /// sudo cannot read the line, and skips it.
    case wrong(line: Int, mayNameService: Bool)
  }

  /// Adds a file's content, and reports what the code that reads the files must handle.
  ///
  /// - Parameter remark: called at the place of the line, so that the content of an include is added there.
  package mutating func add(_ bytes: [UInt8], remark: (Remark, inout SudoersText) -> Void) {
    for (text, line) in Self.lines(of: String(decoding: bytes, as: UTF8.self)) {
      var scanner = SudoersScanner(text)
      guard !scanner.isAtEnd else { continue }
      do throws(SudoersScanner.Wrong) {
        if let include = try scanner.include() {
          remark(.include(path: include.path, isFolder: include.isFolder), &self)
        } else if let entry = try scanner.defaults() {
          defaults.append(entry)
          // sudo skips only the option.
          guard !entry.options.contains(where: \.isWrongService) else { throw SudoersScanner.Wrong() }
        } else if try !scanner.aliases(into: &aliases) {
          try addRule(&scanner)
        }
      } catch {
        remark(.wrong(line: line, mayNameService: String(String.UnicodeScalarView(text)).contains("pam_")), &self)
      }
    }
  }

  private mutating func addRule(_ scanner: inout SudoersScanner) throws(SudoersScanner.Wrong) {
    let users = try scanner.items()
    do throws(SudoersScanner.Wrong) {
      rules.append(SudoersRule(users: users, privileges: try scanner.privileges()))
    } catch {
      // The people whom the wrong line names may be asked as soon as somebody corrects it.
      rules.append(SudoersRule(users: users, privileges: nil))
      throw error
    }
  }

  /// The lines as sudo joins them, each with its first line's number; a comment ends with its line.
  private static func lines(of text: String) -> [(text: [Unicode.Scalar], number: Int)] {
    var found: [(text: [Unicode.Scalar], number: Int)] = []
    var open: (text: [Unicode.Scalar], number: Int)?
    for (index, row) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      var row = Array(row)
      if row.last == "\r" { row.removeLast() }
      var line = open ?? ([], index + 1)
      let goesOn = row.last == "\\" && !SudoersScanner.isComment(line.text + row)
      line.text += goesOn ? row.dropLast() : row
      open = goesOn ? line : nil
      if !goesOn { found.append(line) }
    }
    return found + [open].compactMap(\.self)
  }
}

/// A name of a list in sudoers, and whether it is excluded.
struct SudoersItem: Equatable {
  enum Name: Hashable {
    case everything
    /// An account, a host, a command or an alias.
    case word(String)
    case number(UInt32)
    case group(String)
    case groupNumber(UInt32)
    case netgroup(String)
    /// A group that only a plugin of sudo knows.
    case foreignGroup(String)
  }

  let name: Name
  var isExcepted: Bool
}

/// An alias is of one of four kinds.
struct SudoersAlias: Hashable {
  enum Kind: String {
    case user = "User_Alias"
    case runas = "Runas_Alias"
    case host = "Host_Alias"
    case command = "Cmnd_Alias"
    case commandAgain = "Cmd_Alias"
  }

  let kind: Kind
  let name: String

  init(_ kind: Kind, _ name: String) {
    self.kind = kind == .commandAgain ? .command : kind
    self.name = name
  }
}

/// A line of Defaults.
struct SudoersDefaults: Equatable {
  enum Scope: Equatable {
    case all
    case users([SudoersItem])
    case hosts([SudoersItem])
    case runas([SudoersItem])
    case commands
  }

  /// An option and its value.
  struct Option: Equatable {
    let name: String
    /// Nil if the option is only on or off.
    let value: String?
    let isOn: Bool
    /// Whether the value is added to those of a list, or removed from them (`+=`, `-=`).
    var isChange = false

    /// The value that replaces the earlier one; nil if the option does not do that.
    var text: String? { isChange || value?.isEmpty ?? true ? nil : value }

    /// Whether sudo skips it, although it was meant to name a service.
    var isWrongService: Bool {
      ["pam_service", "pam_login_service", "pam_askpass_service"].contains(name) && text == nil
    }
  }

  let scope: Scope
  let options: [Option]
}

/// A rule: who may run what.
struct SudoersRule: Equatable {
  /// Commands on some hosts.
  struct Privilege: Equatable {
    let hosts: [SudoersItem]
    let grants: [Grant]
  }

  /// A command.
  struct Grant: Equatable {
    /// The accounts as which it may be run; nil for the account of `runas_default`.
    let runas: [SudoersItem]?
    /// The value of the tags PASSWD and NOPASSWD; nil if there is none.
    let asks: Bool?
    let command: SudoersItem
    let limits: Limits
  }

  /// What can prevent a person from running an allowed command.
  struct Limits: Equatable {
    /// It may be run only from a certain day, or only until a certain day (NOTBEFORE, NOTAFTER).
    var isTimed = false
    /// The folder in which it starts; nil for the folder in which it was called (CWD).
    var folder: String?
    /// The folder that it sees as the root (CHROOT).
    var root: String?
    /// Whether input or output is recorded (LOG_INPUT, LOG_OUTPUT).
    var isRecorded = false
    /// Whether sudo checks each program that it starts (INTERCEPT).
    var isIntercepted = false
    /// Whether it runs with rights other than root's (ROLE, TYPE, APPARMOR_PROFILE and the like).
    var isConfined = false

    /// Whether the command runs in a folder, or with a root folder, other than that of sudo's caller.
    ///
    /// With `*`, sudo's caller chooses.
    var isElsewhere: Bool { [folder, root].contains { $0 != nil && $0 != "*" } }

    /// Whether the command runs where it was called, with root's rights, and without a check of each program.
    var isFree: Bool { !isElsewhere && !isConfined && !isIntercepted }
  }

  let users: [SudoersItem]
  /// Nil if the rest of the line is wrong.
  let privileges: [Privilege]?
}

/// Reads one line of sudoers.
struct SudoersScanner {
  /// The line is one that sudo does not understand either.
  struct Wrong: Error {}

  private let text: [Unicode.Scalar]
  private var place = 0

  init(_ text: [Unicode.Scalar]) {
    self.text = text
    skipBlanks()
  }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  /// Whether the line contains only a comment; `#include` and a uid are not comments.
  static func isComment(_ text: [Unicode.Scalar]) -> Bool {
    let rest = text.drop(while: isBlank)
    guard rest.first == "#" else { return false }
    return !(rest.dropFirst().first.map(isDigit) ?? false) && !isInclude(rest.dropFirst())
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isInclude(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
    ["include", "includedir"].contains { word in
      text.starts(with: Array(word.unicodeScalars)) && text.dropFirst(word.count).first.map(isBlank) ?? false
    }
  }

  private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

  private mutating func skipBlanks() { while let scalar = next, Self.isBlank(scalar) { place += 1 } }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    place += 1
    return true
  }

  /// Whether only a comment is left.
  var isAtEnd: Bool {
    guard let next else { return true }
    guard next == "#" else { return false }
    return place > 0 && text[..<place].contains { !Self.isBlank($0) } || Self.isComment(text)
  }

  // MARK: Kinds of lines

  mutating func include() throws(Wrong) -> (path: String, isFolder: Bool)? {
    guard next == "@" || next == "#", Self.isInclude(text[(place + 1)...]) else { return nil }
    place += 1
    let isFolder = word(endingAt: []) == "includedir"
    skipBlanks()
    let path = try next == "\"" ? quoted() : word(endingAt: [])
    skipBlanks()
    guard !path.isEmpty, isAtEnd else { throw Wrong() }
    return (path, isFolder)
  }

  mutating func defaults() throws(Wrong) -> SudoersDefaults? {
    let keyword = Array("Defaults".unicodeScalars)
    guard text[place...].starts(with: keyword), place + keyword.count < text.count,
      Self.isBlank(text[place + keyword.count]) || [":", "@", ">", "!"].contains(text[place + keyword.count])
    else { return nil }
    place += keyword.count
    let scope = try scope()
    var options: [SudoersDefaults.Option] = []
    repeat { options.append(try option()) } while takeComma()
    guard isAtEnd else { throw Wrong() }
    return SudoersDefaults(scope: scope, options: options)
  }

  private mutating func scope() throws(Wrong) -> SudoersDefaults.Scope {
    guard let mark = next, !Self.isBlank(mark) else {
      skipBlanks()
      return .all
    }
    place += 1
    let items = try items()
    return switch mark {
    case ":": .users(items)
    case "@": .hosts(items)
    case ">": .runas(items)
    default: .commands
    }
  }

  private mutating func option() throws(Wrong) -> SudoersDefaults.Option {
    skipBlanks()
    var isOn = true
    while take("!") {
      isOn.toggle()
      skipBlanks()
    }
    let name = word(endingAt: ["=", ",", "+", "-", "!", "\""])
    guard !name.isEmpty else { throw Wrong() }
    skipBlanks()
    let isChange = next == "+" || next == "-"
    if isChange { place += 1 }
    guard take("=") else { return SudoersDefaults.Option(name: name, value: nil, isOn: isOn) }
    // No option is both switched off and given a value.
    guard isOn else { throw Wrong() }
    skipBlanks()
    let value = try next == "\"" ? quoted() : word(endingAt: [","])
    return SudoersDefaults.Option(name: name, value: value, isOn: isOn, isChange: isChange)
  }

  /// Adds the aliases that the line defines; false if it defines none.
  ///
  /// Definitions before a mistake are used, and so is the first definition of a name.
  mutating func aliases(into found: inout [SudoersAlias: [SudoersItem]]) throws(Wrong) -> Bool {
    let start = place
    guard let kind = SudoersAlias.Kind(rawValue: word(endingAt: [",", "=", ":"])) else {
      place = start
      return false
    }
    repeat {
      skipBlanks()
      let name = word(endingAt: ["=", ":", ","])
      skipBlanks()
      guard Self.isAlias(name), take("=") else { throw Wrong() }
      let isOfCommands = kind == .command || kind == .commandAgain
      let items = try isOfCommands ? commands() : items()
      let alias = SudoersAlias(kind, name)
      guard found[alias] == nil else { throw Wrong() }
      found[alias] = items
      skipBlanks()
    } while take(":")
    guard isAtEnd else { throw Wrong() }
    return true
  }

  /// Whether a word has the form of an alias.
  ///
  /// No account on a usual machine has such a name.
  static func isAlias(_ word: String) -> Bool {
    word != "ALL" && word.unicodeScalars.first.map { ("A"..."Z").contains($0) } ?? false
      && word.unicodeScalars.allSatisfy { ("A"..."Z").contains($0) || isDigit($0) || $0 == "_" }
  }

  // MARK: Parts of lines

  /// A list of accounts or hosts.
  mutating func items() throws(Wrong) -> [SudoersItem] {
    var items: [SudoersItem] = []
    repeat {
      skipBlanks()
      let isExcepted = takeMarks()
      let start = place
      if next == "\"" {
        items.append(SudoersItem(name: try Self.name(quoted(), isQuoted: true), isExcepted: isExcepted))
        continue
      }
      let isEscaped = next == "\\"
      let word = address() ?? word(endingAt: [",", "=", "(", ")", "!", ":"], isName: true)
      guard !word.isEmpty, place > start else { throw Wrong() }
      // A word that begins with a backslash is always the name of an account.
      let name = isEscaped ? .word(word) : try Self.name(word, isQuoted: false)
      items.append(SudoersItem(name: name, isExcepted: isExcepted))
    } while takeComma()
    skipBlanks()
    return items
  }

  /// An address of IPv6, the only name with colons; nil if there is none here.
  private mutating func address() -> String? {
    let end = text[place...].firstIndex { !Self.isDigit($0) && !"abcdefABCDEF:./".unicodeScalars.contains($0) }
    let run = text[place..<(end ?? text.count)]
    let mark = end.map { text[$0] }
    guard run.count(where: { $0 == ":" }) > 1, mark.map({ Self.isBlank($0) || [",", "="].contains($0) }) ?? true
    else { return nil }
    place = run.endIndex
    return String(String.UnicodeScalarView(run))
  }

  private static func name(_ word: String, isQuoted: Bool) throws(Wrong) -> SudoersItem.Name {
    if word == "ALL", !isQuoted { return .everything }
    func rest(_ mark: String) -> String? { word.hasPrefix(mark) ? String(word.dropFirst(mark.count)) : nil }
    let name: SudoersItem.Name? =
      if let number = rest("%#") { UInt32(number).map { .groupNumber($0) } } else if let group = rest("%:") {
        .foreignGroup(group)
      } else if let group = rest("%") { group.isEmpty ? nil : .group(group) } else if let group = rest("+") {
        group.isEmpty ? nil : .netgroup(group)
      } else if let number = rest("#") { UInt32(number).map { .number($0) } } else { word.isEmpty ? nil : .word(word) }
    guard let name else { throw Wrong() }
    return name
  }

  mutating func privileges() throws(Wrong) -> [SudoersRule.Privilege] {
    var privileges: [SudoersRule.Privilege] = []
    repeat {
      let hosts = try items()
      skipBlanks()
      guard take("=") else { throw Wrong() }
      privileges.append(SudoersRule.Privilege(hosts: hosts, grants: try grants()))
      skipBlanks()
    } while take(":")
    guard isAtEnd else { throw Wrong() }
    return privileges
  }

  /// Commands; a prefix of one of them applies to the following ones as well.
  private mutating func grants() throws(Wrong) -> [SudoersRule.Grant] {
    var grants: [SudoersRule.Grant] = []
    var runas: [SudoersItem]?
    var asks: Bool?
    var limits = SudoersRule.Limits()
    repeat {
      skipBlanks()
      if take("(") { runas = try runasList() }
      while let option = try takeOption() {
        switch option.name {
        case "NOTBEFORE", "NOTAFTER": limits.isTimed = true
        case "CWD": limits.folder = option.value
        case "CHROOT": limits.root = option.value
        case "TIMEOUT": if SudoersRules.isShort(option.value) { limits.isConfined = true }
        default: limits.isConfined = true
        }
      }
      while let tag = takeTag() {
        switch tag {
        case "PASSWD", "NOPASSWD": asks = tag == "PASSWD"
        case "LOG_INPUT", "LOG_OUTPUT": limits.isRecorded = true
        case "INTERCEPT", "NOINTERCEPT": limits.isIntercepted = tag == "INTERCEPT"
        default: break
        }
      }
      grants.append(SudoersRule.Grant(runas: runas, asks: asks, command: try command(), limits: limits))
    } while takeComma()
    return grants
  }

  /// Accounts, up to the closing parenthesis; groups after a colon do not change the account.
  private mutating func runasList() throws(Wrong) -> [SudoersItem] {
    guard let end = text[place...].firstIndex(of: ")") else { throw Wrong() }
    let inner = text[place..<end].prefix { $0 != ":" }
    place = end + 1
    skipBlanks()
    guard inner.contains(where: { !Self.isBlank($0) }) else { return [] }
    var scanner = SudoersScanner(Array(inner))
    let items = try scanner.items()
    guard scanner.next == nil else { throw Wrong() }
    return items
  }

  private static let tags: Set<String> = [
    "PASSWD", "NOPASSWD", "EXEC", "NOEXEC", "SETENV", "NOSETENV", "LOG_INPUT", "NOLOG_INPUT", "LOG_OUTPUT",
    "NOLOG_OUTPUT", "MAIL", "NOMAIL", "FOLLOW", "NOFOLLOW", "INTERCEPT", "NOINTERCEPT",
  ]
  private static let options: Set<String> = [
    "ROLE", "TYPE", "CWD", "CHROOT", "TIMEOUT", "NOTBEFORE", "NOTAFTER", "APPARMOR_PROFILE", "PRIVS", "LIMITPRIVS",
  ]

  /// A tag; nil if the command begins.
  ///
  /// An option must not follow a tag.
  private mutating func takeTag() -> String? {
    let start = place
    let name = word(endingAt: [":", "=", ",", "("])
    skipBlanks()
    guard Self.tags.contains(name), take(":") else {
      place = start
      return nil
    }
    skipBlanks()
    return name
  }

  /// An option with its value; nil if there is none here.
  private mutating func takeOption() throws(Wrong) -> (name: String, value: String)? {
    let start = place
    let name = word(endingAt: [":", "=", ",", "("])
    skipBlanks()
    guard Self.options.contains(name), take("=") else {
      place = start
      return nil
    }
    skipBlanks()
    let value = try next == "\"" ? quoted() : word(endingAt: [","])
    skipBlanks()
    guard !value.isEmpty else { throw Wrong() }
    return (name, value)
  }

  private mutating func commands() throws(Wrong) -> [SudoersItem] {
    var commands: [SudoersItem] = []
    repeat { commands.append(try command()) } while takeComma()
    return commands
  }

  /// A command with its arguments.
  private mutating func command() throws(Wrong) -> SudoersItem {
    skipBlanks()
    let isExcepted = takeMarks()
    var command = ""
    while let scalar = next {
      if scalar == "\\", place + 1 < text.count {
        // In the path of a program, sudo accepts a backslash only before these characters.
        let isInPath = command.hasPrefix("/") && !command.contains { $0 == " " || $0 == "\t" }
        if isInPath, !",:= \t#".unicodeScalars.contains(text[place + 1]) { throw Wrong() }
        command.unicodeScalars.append(text[place + 1])
        place += 2
        continue
      }
      // A digest's method ends with a colon.
      if scalar == ":", !["sha224", "sha256", "sha384", "sha512"].contains(command) { break }
      if scalar == "," || scalar == "#" { break }
      command.unicodeScalars.append(scalar)
      place += 1
    }
    while command.hasSuffix(" ") || command.hasSuffix("\t") { command.removeLast() }
    let first = command.split { $0 == " " || $0 == "\t" }.first.map(String.init) ?? ""
    // ALL and an alias have no arguments.
    let isWhole = first == command && (first == "ALL" || Self.isAlias(first))
    guard isWhole || ["/", "^", "sha"].contains(where: first.hasPrefix) || ["sudoedit", "list"].contains(first)
    else { throw Wrong() }
    return SudoersItem(name: command == "ALL" ? .everything : .word(command), isExcepted: isExcepted)
  }

  /// Skips exclamation marks, and returns whether their number is odd.
  private mutating func takeMarks() -> Bool {
    var isExcepted = false
    while take("!") {
      isExcepted.toggle()
      skipBlanks()
    }
    return isExcepted
  }

  private mutating func takeComma() -> Bool {
    skipBlanks()
    return take(",")
  }

  /// The text before a blank or one of the marks; a backslash makes the next character part of the word.
  private mutating func word(endingAt marks: Set<Unicode.Scalar>, isName: Bool = false) -> String {
    var word = ""
    while let scalar = next, !Self.isBlank(scalar), !marks.contains(scalar) || isName && word == "%" {
      // `#` also begins a uid or gid.
      if scalar == "#", !(isName && ["", "%", "%:"].contains(word)) { break }
      if scalar == "\\", place + 1 < text.count { place += 1 }
      if scalar == "\\", let byte = hexadecimal() {
        word.unicodeScalars.append(byte)
        place += 3
        continue
      }
      word.unicodeScalars.append(text[place])
      place += 1
    }
    return word
  }

  /// The character that `x` and two hexadecimal digits at this position stand for; nil if they are not there.
  private func hexadecimal() -> Unicode.Scalar? {
    guard next == "x", place + 2 < text.count else { return nil }
    let digits = String(String.UnicodeScalarView(text[(place + 1)...(place + 2)]))
    return digits.allSatisfy(\.isHexDigit) ? UInt8(digits, radix: 16).map { Unicode.Scalar($0) } : nil
  }

  private mutating func quoted() throws(Wrong) -> String {
    var content = ""
    place += 1
    while let scalar = next {
      place += 1
      if scalar == "\"" { return content }
      if scalar == "\\", let escaped = next {
        if escaped != "\"" { content.unicodeScalars.append(scalar) }
        content.unicodeScalars.append(escaped)
        place += 1
        continue
      }
      content.unicodeScalars.append(scalar)
    }
    throw Wrong()
  }
}
