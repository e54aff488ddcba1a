/// One line of a PAM service file (pam.conf(5)), as far as `doctor` reads it.
package struct PAMLine: Equatable {
  /// The management group, without the dash that silences a missing module.
  package let group: String
  /// Whether the line begins with that dash.
  let mayBeMissing: Bool
  /// `required`, `include`, ..., or with brackets, the text that libpam reads as results and actions.
  package let control: String
  /// The module, or the file that an include names.
  package let module: String
  /// The module's arguments, as they are written.
  package let arguments: [String]

  /// A line that refuses everybody; also used for a file whose end libpam does not reach.
  package static let unreadable = PAMLine(group: "", mayBeMissing: false, control: "", module: "", arguments: [])

  private static let words: Set<String> = ["required", "requisite", "sufficient", "optional", "include", "substack"]
  private static let groups: Set<String> = ["auth", "account", "password", "session"]

  /// Splits a line into its parts.
  ///
  /// A missing part is empty: libpam refuses everybody at such a line.
  init(line: PAMFile.Line) {
    guard let text = line.text else {
      self = .unreadable
      return
    }
    var tokens = PAMTokens(text)
    let first = tokens.next() ?? ""
    mayBeMissing = first.hasPrefix("-")
    group = (mayBeMissing ? String(first.dropFirst()) : first).lowercased()
    if group == "@include" {
      control = "include"
      module = tokens.next() ?? ""
      arguments = []
      return
    }
    let word = tokens.next() ?? ""
    control = Self.words.contains(word.lowercased()) ? word.lowercased() : "[\(word)]"
    module = tokens.next() ?? ""
    arguments = tokens.remaining()
  }

  private init(group: String, mayBeMissing: Bool, control: String, module: String, arguments: [String]) {
    self.group = group
    self.mayBeMissing = mayBeMissing
    self.control = control
    self.module = module
    self.arguments = arguments
  }

  /// Whether the line belongs to a group.
  ///
  /// libpam treats an unknown group as the most sensitive one. Here such a line belongs to every group.
  package func isPart(of group: String) -> Bool { self.group == group || !Self.groups.contains(self.group) }

  /// The module of this project.
  package static let ownModule = "pam_uaf.so"

  /// Whether it asks pam_uaf.
  package var asksOwnModule: Bool { moduleName == Self.ownModule && !isInclusion }

  /// The module's name without its folder.
  package var moduleName: String { module.split(separator: "/").last.map(String.init) ?? module }

  /// Whether the line includes another file, whose lines take its place.
  package var isInclusion: Bool { control == "include" || control == "substack" }

  /// The largest number of lines that a result of this line jumps over; 0 without jumps.
  var farthestJump: Int { actions?.values.compactMap { Int($0) }.max() ?? 0 }

  /// Whether libpam understands the line; at any other line, libpam refuses everybody.
  var isWellFormed: Bool {
    guard Self.groups.contains(group) || group == "@include", !module.isEmpty else { return false }
    return Self.words.contains(control) || actions != nil
  }

  /// Whether neither a success nor a refusal of this line changes how the stack ends, if another line decides.
  package var decidesNothing: Bool {
    control == "optional" || (action(of: "success") == .ignore && !action(of: "auth_err").refuses)
  }

  /// Whether a refusal of this line makes the stack refuse.
  package var refusalRefuses: Bool { action(of: "auth_err").refuses }

  /// Whether a different line has the same effect; libpam ignores the number of blanks between two actions.
  func means(_ other: PAMLine) -> Bool {
    guard let actions, actions == other.actions else { return self == other }
    return group == other.group && mayBeMissing == other.mayBeMissing && module == other.module
      && arguments == other.arguments
  }

  /// What a result of this line does to the stack; a line that libpam does not understand refuses.
  func action(of result: String) -> PAMAction {
    let accepts = result == "success" || result == "new_authtok_reqd"
    switch control {
    case "required": return accepts ? .ok : result == "ignore" ? .ignore : .bad
    case "requisite": return accepts ? .ok : result == "ignore" ? .ignore : .die
    case "sufficient": return accepts ? .done : .ignore
    case "optional": return accepts ? .ok : .ignore
    default: return (action(for: result) ?? action(for: "default")).map(PAMAction.init) ?? .bad
    }
  }

  /// Whether it refuses a wrong value, and lets a person past who never registered (PAM_USER_UNKNOWN).
  package var excusesUnregistered: Bool {
    func refuses(_ result: String) -> Bool {
      switch action(of: result) {
      case .bad, .die: true
      case .ignore, .reset, .ok, .done, .jump: false
      }
    }
    return refuses("auth_err") && !refuses("user_unknown")
  }

  private var actions: [String: String]? {
    control.hasPrefix("[") ? PAMControl(control.dropFirst().dropLast())?.actions : nil
  }

  private func action(for value: String) -> String? { actions?[value] }
}

/// The argument of pam_uaf with which it passes on accounts that never registered on this machine, always or up to a day.
extension PAMLine {
  private static let passing = "nouserok"

  /// The argument that passes them on up to the end of a day.
  ///
  /// - Parameter day: as YYYY-MM-DD.
  static func passing(until day: String) -> String { "\(passing)=\(day)" }

  /// Whether pam_uaf passes them on, on some day or on all.
  package var passesUnregistered: Bool { passesAlways || lastDayOfPassing != nil }

  /// Whether pam_uaf passes them on as long as the argument is there.
  package var passesAlways: Bool { asksOwnModule && arguments.contains(Self.passing) }

  /// The last day on which pam_uaf passes them on, as it is written; nil if it passes none on, or always.
  package var lastDayOfPassing: String? {
    guard asksOwnModule else { return nil }
    return arguments.first { $0.hasPrefix(Self.passing + "=") }.map { String($0.dropFirst(Self.passing.count + 1)) }
  }

  /// Whether pam_uaf passes them on today.
  ///
  /// - Parameter today: as YYYY-MM-DD. In this form the earlier of two days is the lesser text.
  func passesUnregistered(on today: String) -> Bool { passesAlways || lastDayOfPassing.map { today <= $0 } ?? false }
}

/// The words of a line as libpam splits it: blanks between them, or `[` and `]` around them.
struct PAMTokens {
  private var rest: ArraySlice<UInt8>

  init(_ text: [UInt8]) { rest = text[...] }

  /// Whether libpam treats a byte as a blank, which a carriage return, for example, is not.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
  }

  /// The next word, without its brackets; nil if there is none.
  mutating func next() -> String? {
    rest = rest.drop(while: Self.isBlank)
    guard let first = rest.first else { return nil }
    if first == UInt8(ascii: "[") { return bracketed() }
    let word = rest.prefix { !Self.isBlank($0) }
    rest = rest[word.endIndex...]
    return String(decoding: word, as: UTF8.self)
  }

  /// All remaining words.
  mutating func remaining() -> [String] {
    var words: [String] = []
    while let word = next() { words.append(word) }
    return words
  }

  /// The text up to the `]` without a `\` before it, or to the end of the line.
  private mutating func bracketed() -> String {
    var word: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]") { break }
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "]") {
        rest = rest.dropFirst()
        word.append(UInt8(ascii: "]"))
      } else {
        word.append(byte)
      }
    }
    return String(decoding: word, as: UTF8.self)
  }
}

/// What a line's result does to the stack, if it is written out: `success=1 default=ignore`.
struct PAMControl {
  /// The action of each result, as written.
  let actions: [String: String]

  /// Reads the text between the brackets, or a text without any; nil if libpam does not understand it.
  ///
  /// libpam treats every result of a line that it does not understand as a refusal.
  init?(_ text: Substring) {
    var rest = text.utf8[...]
    var actions: [String: String] = [:]
    while let name = Self.word(of: Self.names, from: &rest) {
      guard Self.skipBlanks(&rest) == UInt8(ascii: "=") else { return nil }
      rest.removeFirst()
      guard let action = Self.word(of: Self.words, from: &rest) ?? Self.jump(from: &rest) else { return nil }
      // Of several actions for one result the last is used; of several "default", the first.
      if name != "default" || actions[name] == nil { actions[name] = action }
    }
    guard rest.isEmpty, !actions.isEmpty else { return nil }
    self.actions = actions
  }

  /// Reads one of the given words, with blanks before it; libpam requires no blank between two words.
  private static func word(of words: [String], from rest: inout Substring.UTF8View) -> String? {
    _ = skipBlanks(&rest)
    guard let word = words.first(where: { rest.starts(with: $0.utf8) }) else { return nil }
    rest = rest.dropFirst(word.utf8.count)
    return word
  }

  /// Reads a number of lines.
  ///
  /// libpam 1.5 turns a number beyond its range into another one, and later versions refuse it. Here it is the largest number: a
  /// jump past the end of every file.
  private static func jump(from rest: inout Substring.UTF8View) -> String? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
    rest = rest.dropFirst(digits.count)
    return String(Int32(String(digits) ?? "") ?? .max)
  }

  /// Skips everything that isspace(3) treats as a blank; returns the byte after it.
  private static func skipBlanks(_ rest: inout Substring.UTF8View) -> UInt8? {
    rest = rest.drop { $0 == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains($0) }
    return rest.first
  }

  private static let words = ["ignore", "ok", "done", "bad", "die", "reset"]

  /// The names of all results (pam.conf(5)), and `default` last.
  static let names = [
    "success", "open_err", "symbol_err", "service_err", "system_err", "buf_err", "perm_denied", "auth_err",
    "cred_insufficient", "authinfo_unavail", "user_unknown", "maxtries", "new_authtok_reqd", "acct_expired",
    "session_err", "cred_unavail", "cred_expired", "cred_err", "no_module_data", "conv_err", "authtok_err",
    "authtok_recover_err", "authtok_lock_busy", "authtok_disable_aging", "try_again", "ignore", "abort",
    "authtok_expired", "module_unknown", "bad_item", "conv_again", "incomplete", "default",
  ]
}

/// What libpam does after a result of a line.
enum PAMAction: Equatable {
  case ignore, ok, done, bad, die, reset
  /// Skips that many lines.
  case jump(Int)

  /// Reads a word that ``PAMControl`` has accepted.
  init(_ word: String) {
    switch word {
    case "ignore": self = .ignore
    case "ok": self = .ok
    case "done": self = .done
    case "die": self = .die
    case "reset": self = .reset
    default: self = Int(word).map(PAMAction.jump) ?? .bad
    }
  }

  /// Whether the stack continues with another line, and the result itself decides nothing.
  var goesOn: Bool {
    switch self {
    case .ignore, .jump: true
    case .ok, .done, .bad, .die, .reset: false
    }
  }
}
