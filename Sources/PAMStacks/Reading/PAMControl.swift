/// What a line's result does to the stack, where it is written out: `success=1 default=ignore`.
struct PAMControl {
  /// The action of each result, as written.
  let actions: [String: String]

  /// Reads the text between the brackets, or a text without any; nil if libpam does not understand it.
  ///
  /// It then takes every result for a refusal.
  init?(_ text: Substring) {
    var rest = text.utf8[...]
    var actions: [String: String] = [:]
    while let name = Self.word(of: Self.names, from: &rest) {
      guard Self.skipBlanks(&rest) == UInt8(ascii: "=") else { return nil }
      rest.removeFirst()
      guard let action = Self.word(of: Self.words, from: &rest) ?? Self.jump(from: &rest) else { return nil }
      // Of several actions for one result the last counts; of several "default" the first.
      if name != "default" || actions[name] == nil { actions[name] = action }
    }
    guard rest.isEmpty, !actions.isEmpty else { return nil }
    self.actions = actions
  }

  /// Takes one of some words, with blanks before it; libpam requires nothing between two words.
  private static func word(of words: [String], from rest: inout Substring.UTF8View) -> String? {
    _ = skipBlanks(&rest)
    guard let word = words.first(where: { rest.starts(with: $0.utf8) }) else { return nil }
    rest = rest.dropFirst(word.utf8.count)
    return word
  }

  /// Takes a number of lines.
  ///
  /// libpam 1.5 turns a number beyond its range into another one, and later versions refuse it. Here it is the largest number: a
  /// jump past the end of every file.
  private static func jump(from rest: inout Substring.UTF8View) -> String? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
    rest = rest.dropFirst(digits.count)
    return String(Int32(String(digits) ?? "") ?? .max)
  }

  /// Takes what isspace(3) takes for a blank; returns the byte behind it.
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
  /// Leaves out that many lines.
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
}
