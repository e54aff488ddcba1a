/// sshd's settings for logins, from its configuration or from `sshd -T`.
struct SSHSettings: Equatable {
  private var values: [String: String] = [:]

  /// The values of settings that are not set (sshd_config(5)).
  ///
  /// Debian's file sets UsePAM to yes and KbdInteractiveAuthentication to no.
  private static let defaults = [
    "usepam": "no", "kbdinteractiveauthentication": "yes", "passwordauthentication": "yes",
    "pubkeyauthentication": "yes",
    "authenticationmethods": "any",
  ]
  private static let former = "challengeresponseauthentication"

  /// Reads lines of keyword and value: the first for a keyword counts, and lines under Match are left out.
  ///
  /// - Parameter included: the text of the files that an Include names.
  init(_ text: String, including included: (String) -> [String] = { _ in [] }) {
    _ = read(text, including: included, depth: 0)
  }

  // As in sshd.
  private static let deepest = 16

  /// Returns false at a Match: the settings after it do not hold for everybody.
  private mutating func read(_ text: String, including included: (String) -> [String], depth: Int) -> Bool {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split { $0.isWhitespace || $0 == "=" }
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      let keyword = first.lowercased() == Self.former ? "kbdinteractiveauthentication" : first.lowercased()
      let rest = words.dropFirst().prefix { !$0.hasPrefix("#") }.map { $0.filter { $0 != "\"" } }
      if keyword == "match" { return false }
      if keyword == "include", depth < Self.deepest {
        // A Match inside ends with its file.
        for text in rest.flatMap(included) { _ = read(text, including: included, depth: depth + 1) }
      } else if values[keyword] == nil {
        values[keyword] = rest.joined(separator: " ")
      }
    }
    return true
  }

  private func value(_ keyword: String) -> String { (values[keyword] ?? Self.defaults[keyword] ?? "").lowercased() }

  /// Whether PAM is asked at all.
  var usesPAM: Bool { value("usepam") == "yes" }
  /// Whether people are asked PAM's questions.
  var isKeyboardInteractive: Bool { value("kbdinteractiveauthentication") == "yes" }
  /// Whether sshd takes one string as the answer to every question.
  var takesPasswords: Bool {
    value("passwordauthentication") == "yes" && methods?.joined().contains("password") != false
  }
  /// Whether no list of methods has PAM's questions in it.
  var leavesQuestionsOut: Bool { methods?.joined().contains("keyboard-interactive") == false }
  /// Whether somebody gets in who has a key, and is asked for nothing else.
  var takesKeyAlone: Bool {
    value("pubkeyauthentication") == "yes" && methods?.contains { $0.allSatisfy { $0 == "publickey" } } != false
  }
  /// Whether somebody is asked for a key and then for what PAM asks.
  var takesKeyFirst: Bool {
    value("pubkeyauthentication") == "yes" && methods?.contains { $0.first == "publickey" } != false
  }

  /// The lists of methods, each of which has to be gone through, without what follows a colon; nil for any one method.
  private var methods: [[String]]? {
    let text = value("authenticationmethods")
    if text == "any" { return nil }
    return text.split(separator: " ").map { list in
      list.split(separator: ",").map { String($0.prefix { $0 != ":" }) }
    }
  }
}
