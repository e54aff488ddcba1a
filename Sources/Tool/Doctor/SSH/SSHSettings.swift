import HostSystem
import PAMStacks

/// sshd's settings for logins, from its configuration or from `sshd -T`.
struct SSHSettings: Equatable {
  /// The words of each keyword that was set, for everybody.
  private var values: [String: [String]] = [:]
  /// The same under `Match all`, which is used first.
  private var overriding: [String: [String]] = [:]
  /// The criteria of Match blocks that were not evaluated, in small letters.
  private(set) var criteria: [String] = []
  /// Whether a Match block with criteria fits every connection of every person.
  private(set) var hasOpenBlock = false
  /// The PAM services that such blocks name.
  private(set) var conditionalServices: [String] = []

  /// The defaults of sshd for settings that the configuration does not contain (sshd_config(5)).
  ///
  /// Debian's file sets UsePAM to yes and KbdInteractiveAuthentication to no.
  private static let defaults = [
    "usepam": "no", "kbdinteractiveauthentication": "yes", "passwordauthentication": "yes",
    "pubkeyauthentication": "yes", "authenticationmethods": "any", "authorizedkeyscommand": "none",
    "hostbasedauthentication": "no", "gssapiauthentication": "no", "trustedusercakeys": "none",
    "permitrootlogin": "prohibit-password", "pamservicename": "sshd", "maxauthtries": "6", "refuseconnection": "no",
    "maxsessions": "10", "chrootdirectory": "none", "forcecommand": "none", "persourcemaxstartups": "none",
    "logingracetime": "120", "permittty": "yes", "port": "22",
  ]
  private static let former = [
    "challengeresponseauthentication": "kbdinteractiveauthentication",
    "skeyauthentication": "kbdinteractiveauthentication", "dsaauthentication": "pubkeyauthentication",
  ]
  /// Keywords of which each line adds something.
  private static let lists: Set<String> = ["allowgroups", "allowusers", "denygroups", "denyusers", "hostkey", "port"]
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
    // A Match block in an included file ends with that file.
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
    let names = stride(from: 0, to: words.count, by: 2).map { words[$0].lowercased() }
    let isOpen = stride(from: 0, to: words.count, by: 2).map { index in
      index + 1 < words.count
        && SSHPattern.fitsEverything(words[index + 1], of: words[index].lowercased(), ports: ports)
    }
    // sshd shows what it makes of such a block only if it is asked about a person.
    if isOpen.allSatisfy(\.self) { hasOpenBlock = true }
    for (name, isOpen) in zip(names, isOpen) where !criteria.contains(name) {
      if !isOpen || SSHSettings.personal.contains(name) { criteria.append(name) }
    }
    return isOpen.allSatisfy(\.self) ? .overriding : .conditional
  }

  /// Criteria of Match that examine the person who logs in.
  static let personal: Set<String> = ["user", "group", "invalid-user"]

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

  /// The PAM service that sshd uses; versions before 9.8 have no setting for it.
  var service: String { words(Self.service).first ?? "sshd" }
  /// Whether sshd uses PAM at all.
  var usesPAM: Bool { value("usepam") == "yes" }
  /// Whether sshd may show people PAM's prompts.
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
    if value("persourcemaxstartups") == "0" { return "PerSourceMaxStartups 0" }
    return Int(value("maxauthtries")).map { $0 <= 0 } == true ? "MaxAuthTries 0" : nil
  }

  // Nobody can type a passcode in less time; in seconds.
  private static let leastTyping = 15

  /// The setting that ends a connection before a person can have typed something; nil if none does.
  var haste: String? {
    let time = value("logingracetime")
    return Self.isHasty(time) ? "LoginGraceTime \(time)" : nil
  }

  /// The setting that ends a session in which nothing happens for a moment (OpenSSH 9.2); nil if none does.
  var hastySession: String? {
    // Kinds of channels and times alternate.
    let words = words("channeltimeout").flatMap { $0.lowercased().split(separator: "=").map(String.init) }
    for (kind, time) in zip(words, words.dropFirst()) where Self.isHasty(time) {
      let isOfSessions = ["session", "session:shell"].contains { SSHPattern.fits($0, kind) }
      if isOfSessions { return "ChannelTimeout \(kind)=\(time)" }
    }
    return nil
  }

  /// Whether a time of sshd_config(5) is too short to type; with 0 there is no end.
  private static func isHasty(_ text: String) -> Bool {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    var (seconds, number) = (0, "")
    for character in text {
      if let unit = units[character], let count = UInt16(number) {
        seconds += Int(count) * unit
        number = ""
      } else {
        number.append(character)
      }
    }
    guard let rest = UInt32(number.isEmpty ? "0" : number) else { return false }
    seconds += Int(rest)
    // 0 means no limit.
    return seconds > 0 && seconds < leastTyping
  }

  /// Whether a session may have a terminal.
  var hasTerminal: Bool { value("permittty") != "no" }
  /// The ports at which sshd listens.
  var ports: [String] { words("port") }
  /// The files of the host's keys; empty if others may take their place.
  var hostKeys: [String] {
    let isAlone = ["hostkeyagent", "hostcertificate"].allSatisfy { ["", "none"].contains(value($0)) }
    return isAlone ? words("hostkey") : []
  }
  /// The kinds of host keys that sshd may use; empty if that is not known.
  var hostKeyKinds: [String] { value("hostkeyalgorithms").split(separator: ",").map(String.init) }

  /// Whether root may log in by some method.
  var mayRootLogIn: Bool { value("permitrootlogin") != "no" }
  /// Whether sshd allows no sessions (`MaxSessions 0`), so that nobody gets a shell.
  var hasNoSessions: Bool { Int(value("maxsessions")).map { $0 <= 0 } == true }
  /// The folder that becomes the root folder of a session, as it is written; nil if that is the machine's own.
  var rootFolder: String? {
    Self.setting(words("chrootdirectory")).flatMap { $0.hasPrefix("/") && ResolvedPath.of($0) == "/" ? nil : $0 }
  }
  /// The command that runs instead of a shell or of the requested command; nil if there is none.
  var command: String? { Self.setting(words("forcecommand")) }

  private static func setting(_ words: [String]) -> String? {
    let text = words.joined(separator: " ")
    return text.isEmpty || text.lowercased() == "none" ? nil : text
  }

  /// Whether PAM gets an entry from anybody: at its own prompt, or as the password that sshd asks for.
  var isAsked: Bool {
    usesPAM && refusal == nil && haste == nil && !leavesNoMethods && (asksQuestions || takesPasswords)
  }

  /// Whether one string, typed at "password:", answers everything that PAM asks for.
  var givesOneAnswer: Bool { !asksQuestions && takesPasswords }

  /// Whether people are shown PAM's prompts.
  var asksQuestions: Bool {
    isKeyboardInteractive && methods?.joined().contains("keyboard-interactive") != false
  }
  /// Whether sshd asks for a password, and then gives PAM this string as the entry at every prompt.
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
  /// Whether a person needs a key and is then shown PAM's prompts.
  var takesKeyFirst: Bool { takesKeys && methods?.contains { $0.first == "publickey" } != false }

  /// Methods other than keys by which people log in without being asked: sshd trusts a different machine, or Kerberos.
  var unaskedMethods: [String] {
    let unasked = ["hostbased", "gssapi-with-mic"].filter(isOn)
    guard let methods else { return unasked }
    let lists = methods.filter { $0.allSatisfy { $0 == "publickey" || unasked.contains($0) } }
    return unasked.filter { method in lists.contains { $0.contains(method) } }
  }

  /// Whether a person without a key is shown PAM's prompts.
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

  /// Whether sshd lets a person in who has answered PAM's prompt; nil if their address decides.
  ///
  /// - Parameter groups: the names of the person's groups.
  func admits(_ name: String, isRoot: Bool, groups: [String]) -> Bool? {
    if isRoot, value("permitrootlogin") != "yes" { return false }
    return lists(name, groups).isIn
  }

  /// Whether the lists let a person in, by any method, and the list that keeps the person out.
  func lists(_ name: String, _ groups: [String]) -> (isIn: Bool?, list: String?) {
    var isCertain = true
    func isListed(_ keyword: String, _ found: Bool?) -> Bool? {
      if found == nil { isCertain = false }
      return found
    }
    if isListed("denyusers", SSHPattern.lists(words("denyusers"), name)) == true { return (false, "DenyUsers") }
    let users = words("allowusers")
    if !users.isEmpty, isListed("allowusers", SSHPattern.lists(users, name)) == false { return (false, "AllowUsers") }
    func contains(_ patterns: [String]) -> Bool {
      patterns.contains { pattern in groups.contains { SSHPattern.fits($0, pattern) } }
    }
    if contains(words("denygroups")) { return (false, "DenyGroups") }
    let allowed = words("allowgroups")
    if !allowed.isEmpty, !contains(allowed) { return (false, "AllowGroups") }
    return (isCertain ? true : nil, nil)
  }

  /// A person or a group that an Allow list names without a pattern.
  enum Allowed {
    case user(String)
    case group(String)
  }

  /// The people and groups that sshd's Allow lists name; some may be known only to a directory service.
  var allowed: [Allowed] {
    words("allowusers").map { .user(String($0.prefix { $0 != "@" })) } + words("allowgroups").map { .group($0) }
  }

  /// The list that denies every name; nil if none does.
  var listForEverybody: String? {
    if words("denyusers").contains(where: SSHPattern.fitsEverybody) { return "DenyUsers" }
    return words("denygroups").contains(where: SSHPattern.fitsAll) ? "DenyGroups" : nil
  }

  /// Whether the settings name people who are allowed.
  var allowsUsers: Bool { !words("allowusers").isEmpty }

  /// Whether a pattern, and not the name itself or that of a group, denies a person.
  func deniesByPattern(_ name: String, _ groups: [String]) -> Bool {
    guard let list = lists(name, groups).list, list.hasPrefix("Deny") else { return false }
    return !(list == "DenyUsers" ? [name] : groups).contains(where: words(list.lowercased()).contains)
  }
}

/// What a ForceCommand does with the command that a client asks for.
struct SSHCommand {
  let text: String

  /// Whether the person still gets a shell, or can have one: the command is a shell, or passes on what the client asks for.
  var givesShell: Bool { Self.givesShell(Self.words(text)) }

  /// Words before a command that change nothing about that.
  private static let leading: Set<String> = ["exec", "eval", "command", "env", "nice", "/usr/bin/env", "/usr/bin/nice"]
  private static let passing = ["$SSH_ORIGINAL_COMMAND", "${SSH_ORIGINAL_COMMAND", "$SHELL", "${SHELL"]

  private static func givesShell(_ words: [String]) -> Bool {
    let words = Array(words.drop { leading.contains($0) })
    guard let first = words.first else { return false }
    if passing.contains(where: first.hasPrefix) { return true }
    guard isShell(first) else { return false }
    let options = words.dropFirst().prefix { $0.hasPrefix("-") }
    guard let option = options.firstIndex(where: { !$0.hasPrefix("--") && $0.contains("c") }) else {
      // Without `-c`, a further word is a script, which runs instead of the command.
      return options.count == words.count - 1
    }
    return givesShell(Self.words(words[(option + 1)...].joined(separator: " ")))
  }

  private static func isShell(_ word: String) -> Bool {
    let path = word.hasPrefix("/") ? word : "/bin/" + word
    return LoginShell(path: path, of: nil, isListed: { _ in true }) == .usable
  }

  /// The words of a command, without quotation marks.
  private static func words(_ text: String) -> [String] {
    text.filter { !"\"'\\".contains($0) }.split { $0 == " " || $0 == "\t" || $0 == ";" }.map(String.init)
  }
}
