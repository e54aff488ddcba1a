/// sshd's settings for logins, from its configuration or from `sshd -T`.
struct SSHSettings: Equatable {
  /// The words of each keyword that was set, for everybody.
  private var values: [String: [String]] = [:]
  /// The same under `Match all`, which is used first.
  private var overriding: [String: [String]] = [:]
  /// The criteria of Match blocks that were not evaluated, in small letters.
  private(set) var criteria: [String] = []
  /// The PAM services that such blocks name.
  private(set) var conditionalServices: [String] = []

  /// The values of settings that are not set (sshd_config(5)).
  ///
  /// Debian's file sets UsePAM to yes and KbdInteractiveAuthentication to no.
  private static let defaults = [
    "usepam": "no", "kbdinteractiveauthentication": "yes", "passwordauthentication": "yes",
    "pubkeyauthentication": "yes", "authenticationmethods": "any", "authorizedkeyscommand": "none",
    "hostbasedauthentication": "no", "gssapiauthentication": "no", "trustedusercakeys": "none",
    "permitrootlogin": "prohibit-password", "pamservicename": "sshd", "maxauthtries": "6", "refuseconnection": "no",
    "maxsessions": "10", "chrootdirectory": "none", "forcecommand": "none",
  ]
  private static let former = [
    "challengeresponseauthentication": "kbdinteractiveauthentication",
    "skeyauthentication": "kbdinteractiveauthentication", "dsaauthentication": "pubkeyauthentication",
  ]
  /// Keywords of which each line adds something.
  private static let lists: Set<String> = ["allowgroups", "allowusers", "denygroups", "denyusers"]
  private static let service = "pamservicename"

  /// The part of the file that a line is in.
  private enum Place {
    case everybody, overriding, conditional
  }

  /// Reads lines of keyword and value: the first for a keyword is used, and lines under Match apply to nobody.
  ///
  /// - Parameter included: the text of the files that an Include names.
  init(_ text: String, including included: (String) -> [String] = { _ in [] }) {
    read(text, at: .everybody, including: included, depth: 0)
  }

  // As in sshd.
  private static let deepest = 16

  private mutating func read(_ text: String, at place: Place, including included: (String) -> [String], depth: Int) {
    // A Match inside ends with its file.
    var place = place
    let outer = place
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split { $0.isWhitespace || $0 == "=" }
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      let keyword = Self.former[first.lowercased()] ?? first.lowercased()
      let rest = words.dropFirst().prefix { !$0.hasPrefix("#") }.map { $0.filter { $0 != "\"" } }
      switch keyword {
      case "match" where outer != .conditional: place = match(rest)
      case "match": _ = match(rest)
      case "include" where depth < Self.deepest:
        for text in rest.flatMap(included) { read(text, at: place, including: included, depth: depth + 1) }
      default: set(keyword, rest, at: place)
      }
    }
  }

  private mutating func match(_ words: [String]) -> Place {
    if words.map({ $0.lowercased() }) == ["all"] { return .overriding }
    // Criteria and patterns alternate.
    for (index, word) in words.enumerated() where index.isMultiple(of: 2) && !criteria.contains(word.lowercased()) {
      criteria.append(word.lowercased())
    }
    return .conditional
  }

  private mutating func set(_ keyword: String, _ words: [String], at place: Place) {
    switch place {
    case .everybody: Self.set(keyword, words, in: &values)
    case .overriding: Self.set(keyword, words, in: &overriding)
    case .conditional where keyword == Self.service: conditionalServices += words.prefix(1)
    case .conditional: break
    }
  }

  private static func set(_ keyword: String, _ words: [String], in values: inout [String: [String]]) {
    if lists.contains(keyword) {
      values[keyword, default: []] += words
    } else if values[keyword] == nil {
      values[keyword] = words
    }
  }

  private func words(_ keyword: String) -> [String] {
    overriding[keyword] ?? values[keyword] ?? Self.defaults[keyword].map { [$0] } ?? []
  }

  private func value(_ keyword: String) -> String { words(keyword).joined(separator: " ").lowercased() }

  // MARK: What is asked

  /// The PAM service that sshd asks for; versions before 9.8 have no setting for it.
  var service: String { words(Self.service).first ?? "sshd" }
  /// Whether PAM is asked at all.
  var usesPAM: Bool { value("usepam") == "yes" }
  /// Whether people may be asked PAM's questions.
  var isKeyboardInteractive: Bool { value("kbdinteractiveauthentication") == "yes" }
  /// Whether lists of methods are given.
  var namesMethods: Bool { value("authenticationmethods") != "any" }
  /// Whether no list of methods is left, because each names one that is off: sshd then refuses everybody.
  var leavesNoMethods: Bool { methods?.isEmpty == true }

  /// The setting that ends every connection before somebody can answer; nil if none does.
  ///
  /// A client begins with the method `none`, after which sshd counts failures; `RefuseConnection` came with 9.9.
  var refusal: String? {
    if value("refuseconnection") == "yes" { return "RefuseConnection yes" }
    return Int(value("maxauthtries")).map { $0 <= 0 } == true ? "MaxAuthTries 0" : nil
  }
  /// Whether sshd allows no sessions (`MaxSessions 0`), so that nobody gets a shell.
  var hasNoSessions: Bool { Int(value("maxsessions")).map { $0 <= 0 } == true }
  /// The folder that becomes the root folder of a session, as it is written; nil if that is the machine's own.
  var rootFolder: String? { Self.setting(words("chrootdirectory")).flatMap { $0 == "/" ? nil : $0 } }
  /// The command that runs instead of a shell or of the requested command; nil if there is none.
  var command: String? { Self.setting(words("forcecommand")) }

  private static func setting(_ words: [String]) -> String? {
    let text = words.joined(separator: " ")
    return text.isEmpty || text.lowercased() == "none" ? nil : text
  }

  /// Whether PAM can ask anybody anything.
  var isAsked: Bool { usesPAM && refusal == nil && !leavesNoMethods && (asksQuestions || takesPasswords) }

  /// Whether people are shown PAM's questions.
  var asksQuestions: Bool {
    isKeyboardInteractive && methods?.joined().contains("keyboard-interactive") != false
  }
  /// Whether sshd accepts one string as the answer to every question.
  var takesPasswords: Bool {
    value("passwordauthentication") == "yes" && methods?.joined().contains("password") != false
  }
  /// Whether sshd knows where somebody's public keys are.
  var hasKeys: Bool {
    value("authorizedkeysfile") != "none" || value("authorizedkeyscommand") != "none"
      || value("trustedusercakeys") != "none"
  }
  private var takesKeys: Bool { value("pubkeyauthentication") == "yes" && hasKeys }
  /// Whether a person with a key can log in without being asked for anything else.
  var takesKeyAlone: Bool { takesKeys && methods?.contains { $0.allSatisfy { $0 == "publickey" } } != false }
  /// Whether a person needs a key and is then asked PAM's questions.
  var takesKeyFirst: Bool { takesKeys && methods?.contains { $0.first == "publickey" } != false }

  /// Methods other than keys by which people log in without being asked: sshd trusts a different machine, or Kerberos.
  var unaskedMethods: [String] {
    let unasked = ["hostbased", "gssapi-with-mic"].filter(isOn)
    guard let methods else { return unasked }
    let lists = methods.filter { $0.allSatisfy { $0 == "publickey" || unasked.contains($0) } }
    return unasked.filter { method in lists.contains { $0.contains(method) } }
  }

  /// Whether a person without a key is asked PAM's questions.
  var asksWithoutKey: Bool {
    methods?.contains { $0.contains("keyboard-interactive") && !$0.contains("publickey") } != false
  }

  /// The lists of methods, one of which must be completed; nil for any one method.
  ///
  /// The device PAM after the colon is dropped; a method with any other device is a different method. A list with a method that
  /// is off is ignored.
  private var methods: [[String]]? {
    guard namesMethods else { return nil }
    return value("authenticationmethods").split(separator: " ").map { list in
      list.split(separator: ",").map { $0.hasSuffix(":pam") ? String($0.dropLast(4)) : String($0) }
    }.filter { $0.allSatisfy(isOn) }
  }

  private func isOn(_ method: String) -> Bool {
    switch method.split(separator: ":").first {
    case "publickey": value("pubkeyauthentication") == "yes"
    case "password": value("passwordauthentication") == "yes"
    case "keyboard-interactive": isKeyboardInteractive
    case "hostbased": value("hostbasedauthentication") == "yes"
    case "gssapi-with-mic": value("gssapiauthentication") == "yes"
    default: true
    }
  }

  // MARK: Who is let in

  /// Whether sshd lets a person in because of their answer; nil if their address, or a group's pattern, decides.
  ///
  /// - Parameter isMember: whether they are in the group with a name.
  func admits(_ name: String, isRoot: Bool, isMember: (String) -> Bool) -> Bool? {
    if isRoot, value("permitrootlogin") != "yes" { return false }
    return lets(name, isMember)
  }

  /// Whether the lists let a person in, by any method.
  private func lets(_ name: String, _ isMember: (String) -> Bool) -> Bool? {
    var isCertain = true
    func isListed(_ found: Bool?) -> Bool {
      if found == nil { isCertain = false }
      return found == true
    }
    if isListed(Self.lists(words("denyusers"), name)) { return false }
    let allowed = words("allowusers")
    if !allowed.isEmpty {
      let found = Self.lists(allowed, name)
      if found == false { return false }
      _ = isListed(found)
    }
    if isListed(Self.contains(words("denygroups"), isMember)) { return false }
    let groups = words("allowgroups")
    if !groups.isEmpty {
      let found = Self.contains(groups, isMember)
      if found == false { return false }
      _ = isListed(found)
    }
    return isCertain ? true : nil
  }

  /// The list that keeps out everybody that this machine knows; nil if somebody gets in, or may get in.
  ///
  /// - Parameters:
  ///   - members: the members of a group; nil if there is no such group.
  ///   - isAccount: whether there is an account with a name.
  ///   - isRoot: whether the account is root's.
  func listForNobody(
    members: (String) -> [String]?, isAccount: (String) -> Bool, isRoot: (String) -> Bool
  ) -> String? {
    if words("denyusers").contains(where: Self.fitsEverybody) { return "DenyUsers" }
    if words("denygroups").contains(where: Self.fitsAll) { return "DenyGroups" }
    func isIn(_ name: String) -> Bool {
      guard isAccount(name), !isRoot(name) || value("permitrootlogin") != "no" else { return false }
      return lets(name) { members($0)?.contains(name) == true } != false
    }
    let users = words("allowusers")
    if !users.isEmpty {
      // A pattern, or an address, may let in people whom only a directory knows.
      let isKnown = users.allSatisfy { pattern in !pattern.contains { "*?".contains($0) } }
      let names = users.map { String($0.prefix { $0 != "@" }) }
      return isKnown && !names.contains(where: isIn) ? "AllowUsers" : nil
    }
    let groups = words("allowgroups")
    guard !groups.isEmpty, groups.allSatisfy({ !Self.isPattern($0) }) else { return nil }
    return groups.contains { members($0)?.contains(where: isIn) == true } ? nil : "AllowGroups"
  }

  /// Whether patterns of users match a name; nil if an address decides.
  private static func lists(_ patterns: [String], _ name: String) -> Bool? {
    var found: Bool? = false
    for pattern in patterns {
      let (user, host) = parts(of: pattern)
      guard fits(name, user) else { continue }
      if host.map(fitsAll) ?? true { return true }
      found = nil
    }
    return found
  }

  /// The pattern for the user, and the one for the host if there is one.
  private static func parts(of pattern: String) -> (user: String, host: String?) {
    let parts = pattern.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  /// Whether a pattern matches everybody, from any host.
  private static func fitsEverybody(_ pattern: String) -> Bool {
    let (user, host) = parts(of: pattern)
    return fitsAll(user) && host.map(fitsAll) ?? true
  }

  private static func contains(_ groups: [String], _ isMember: (String) -> Bool) -> Bool? {
    if groups.contains(where: fitsAll) { return true }
    if groups.contains(where: isMember) { return true }
    return groups.contains(where: isPattern) ? nil : false
  }

  /// Whether a pattern can match more than one group.
  ///
  /// In these lists each word is one pattern. `!a,*`, which Match would split, is the name of a group here, and no group has a
  /// comma in its name.
  private static func isPattern(_ group: String) -> Bool {
    !group.contains(",") && group.contains { "*?".contains($0) }
  }

  /// Whether a pattern matches every name; no name is empty.
  private static func fitsAll(_ pattern: String) -> Bool {
    pattern.contains("*") && pattern.allSatisfy { "*?".contains($0) } && pattern.count(where: { $0 == "?" }) < 2
  }

  /// Whether a pattern of ssh_config(5) matches a name.
  private static func fits(_ name: String, _ pattern: String) -> Bool {
    // The lengths of the name's beginnings that match the beginning of the pattern.
    let letters = Array(name)
    var ends: Set<Int> = [0]
    for part in pattern {
      switch part {
      case "*": ends = ends.min().map { Set($0...letters.count) } ?? []
      default: ends = Set(ends.filter { $0 < letters.count && (part == "?" || letters[$0] == part) }.map { $0 + 1 })
      }
    }
    return ends.contains(letters.count)
  }
}
