import Glibc
import HostSystem

/// Whom sudo asks, and for whose password, according to sudoers on one host (sudoers(5), "last match").
struct SudoersRules {
  private let text: SudoersText
  /// The names by which sudo may know this host: its own name, and the resolver's name for it.
  private let hosts: [String]
  private let accounts: any AccountDirectory
  private let passwords: any PasswordDirectory
  /// The members of the named groups, in small letters, because sudo compares them like that.
  private let members: [SudoersItem.Name: Members]
  /// Whether sudo's comparison of the names of accounts, or of groups, may be case-sensitive.
  private let (mayReadCase, mayReadGroupCase): (Bool, Bool)

  /// The members of a group, and of groups whose names differ only in case.
  private struct Members {
    let exactly: Set<String>
    let alike: Set<String>

    init(_ exactly: [String]?, alike: [String] = []) {
      self.exactly = Set((exactly ?? []).map { $0.lowercased() })
      self.alike = Set(alike.map { $0.lowercased() })
    }

    func match(_ name: String, mayReadCase: Bool) -> Match {
      if exactly.contains(name) { return .fits }
      return alike.contains(name) ? mayReadCase ? .mayFit : .fits : .unspecified
    }
  }

  init(_ text: SudoersText, hosts: [String], accounts: any AccountDirectory, passwords: any PasswordDirectory) {
    self.text = text
    self.hosts = hosts.map { $0.lowercased() }
    self.accounts = accounts
    self.passwords = passwords
    mayReadCase = text.mayTakeOut("case_insensitive_user")
    mayReadGroupCase = text.mayTakeOut("case_insensitive_group")
    var members: [SudoersItem.Name: Members] = [:]
    for item in text.personItems where members[item.name] == nil {
      switch item.name {
      case .group(let name):
        members[item.name] = Members(
          passwords.members(ofGroup: name), alike: Self.members(ofGroup: name, in: passwords))
      case .groupNumber(let number): members[item.name] = Members(passwords.members(ofGroupNumber: number))
      default: break
      }
    }
    self.members = members
  }

  /// The members of a group, and of groups whose names differ only in case.
  private static func members(ofGroup name: String, in passwords: any PasswordDirectory) -> [String] {
    (passwords.members(ofGroup: name) ?? [])
      + passwords.groups(alike: name).filter { $0 != name }.flatMap { passwords.members(ofGroup: $0) ?? [] }
  }

  /// How a list, or an entry of one, matches a person or thing.
  private enum Match {
    case unspecified, fits, excepted
    /// It may match, or may exclude; if not, the rest of the list decides.
    case mayFit, mayExcept
  }

  // MARK: Lists

  private func match(
    _ items: [SudoersItem], _ kind: SudoersAlias.Kind, depth: Int = 0, _ fits: (SudoersItem.Name) -> Match
  )
    -> Match
  {
    var result = Match.unspecified
    for item in items {
      var found = fits(item.name)
      if case .word(let name) = item.name, let alias = text.aliases[SudoersAlias(kind, name)], depth < 16 {
        found = match(alias, kind, depth: depth + 1, fits)
      }
      switch (found, item.isExcepted) {
      case (.unspecified, _): break
      case (.fits, false), (.excepted, true): result = .fits
      case (.fits, true), (.excepted, false): result = .excepted
      case (.mayFit, false), (.mayExcept, true): if result != .fits { result = .mayFit }
      case (.mayFit, true), (.mayExcept, false): if result == .fits || result == .mayFit { result = .mayFit }
      }
    }
    return result
  }

  /// - Parameter unknown: the result for a group whose members are not looked up.
  private func matches(
    _ items: [SudoersItem], _ person: Account, _ kind: SudoersAlias.Kind = .user, unknown: Match = .mayFit
  ) -> Match {
    let exactly = String(decoding: person.name, as: UTF8.self)
    let own = exactly.lowercased()
    return match(items, kind) { name in
      switch name {
      case .everything: .fits
      case .word(exactly): .fits
      case .word(let word): word.lowercased() != own ? .unspecified : mayReadCase ? .mayFit : .fits
      case .number(let number): number == person.userID ? .fits : .unspecified
      case .group, .groupNumber: members[name]?.match(own, mayReadCase: mayReadGroupCase) ?? .unspecified
      case .netgroup, .foreignGroup: unknown
      }
    }
  }

  /// A list matches if it matches every name of the host, and may match if it matches only one of them.
  private func matchesHost(_ items: [SudoersItem]) -> Match {
    let found = hosts.map { host in
      match(items, .host) { name in
        switch name {
        case .everything: .fits
        case .word(let word): Self.matches(host, word.lowercased())
        default: .mayFit
        }
      }
    }
    if found.allSatisfy({ $0 == .fits }) { return .fits }
    return found.contains { $0 == .fits || $0 == .mayFit } ? .mayFit : .unspecified
  }

  private static func matches(_ host: String, _ word: String) -> Match {
    let short = host.split(separator: ".").first.map(String.init) ?? host
    if word == host || word == short { return .fits }
    // The addresses of this machine are not examined, and patterns are not evaluated.
    let isAddress = word.contains(":") || word.allSatisfy { $0.isNumber || $0 == "." || $0 == "/" }
    if isAddress || word.contains(where: { "*?[".contains($0) }) { return .mayFit }
    return !host.contains(".") && word.hasPrefix(short + ".") ? .mayFit : .unspecified
  }

  // MARK: Defaults

  /// The possible values of an option, for one person or for all, and for one target account or for any.
  private func values<Value: Hashable>(
    of names: String..., usual: Value, for person: Account?, as target: Account? = nil,
    read: (SudoersDefaults.Option) -> Value?
  ) -> [Value] {
    var values = [usual]
    // sudo reads entries for commands and for target accounts after the others.
    let ordered = text.defaults.filter { !$0.isLate } + text.defaults.filter(\.isLate)
    for entry in ordered {
      let match = matches(entry, person, target)
      guard match == .fits || match == .mayFit else { continue }
      for option in entry.options where names.contains(option.name) && !option.isChange {
        guard let value = read(option) else { continue }
        if match == .fits { values = [value] } else if !values.contains(value) { values.append(value) }
      }
    }
    return values
  }

  private func matches(_ entry: SudoersDefaults, _ person: Account?, _ target: Account?) -> Match {
    switch entry.scope {
    case .all: .fits
    case .commands: .mayFit
    case .hosts(let hosts): matchesHost(hosts)
    case .users(let users): person.map { matches(users, $0) } ?? .mayFit
    case .runas(let users): target.map { matches(users, $0, .runas) } ?? .mayFit
    }
  }

  private func flag(_ name: String, usual: Bool = false, for person: Account?, as target: Account? = nil) -> [Bool] {
    values(of: name, usual: usual, for: person, as: target) { $0.value == nil ? $0.isOn : nil }
  }

  private func names(_ option: String, usual: String, for person: Account?) -> [String] {
    values(of: option, usual: usual, for: person) { $0.text }
  }

  /// The services that sudo may use, the one for most people first, with their names as libpam reads them.
  func services(_ option: String, usual: String) -> [String] {
    var services: [String] = []
    for name in names(option, usual: usual, for: nil).map(PAMService.nameForLibPAM) where !services.contains(name) {
      services.append(name)
    }
    return services
  }

  /// Whose passcode may be asked for instead of the caller's, for some people or for all; sudo checks these options in this
  /// order.
  func asked() -> [SudoSettings.Question] {
    var asked: [SudoSettings.Question] = []
    for option in [SudoSettings.Asked.root, .usual, .target] {
      let values = flag(option.rawValue, for: nil)
      guard values.contains(true) else { continue }
      let isForAll = values == [true]
      asked.append(SudoSettings.Question(asked: option, isForSome: !isForAll || !asked.isEmpty))
      if isForAll { break }
    }
    return asked
  }

  /// The people that sudo asks for nothing.
  func unasked() -> [SudoSettings.Unasked] {
    let authenticates = flag("authenticate", usual: true, for: nil)
    let groups = values(of: "exempt_group", usual: "", for: nil) { $0.isOn ? $0.text : "" }.filter { !$0.isEmpty }
    let people = unaskedPeople()
    return (authenticates.contains(false) ? [.option(isForSome: authenticates.contains(true))] : [])
      + groups.map { .group($0) } + (people.isEmpty ? [] : [.people(people)])
  }

  /// The people whom rules let run everything without a password, as sudoers names them.
  private func unaskedPeople() -> [String] {
    var found: [(person: SudoersItem.Name, grant: Grant)] = []
    for rule in text.rules {
      for privilege in rule.privileges ?? [] {
        let host = matchesHost(privilege.hosts)
        guard host == .fits || host == .mayFit else { continue }
        for (grant, runas, command) in privilege.grants.flatMap({ expanded($0) }) where command.name == .everything {
          let one = Grant(runas: runas, command: .everything)
          if grant.asks == false, !command.isExcepted {
            found += rule.users.filter { !$0.isExcepted && !$0.isRoot }.map { ($0.name, one) }
          } else if host == .fits, !grant.limits.isTimed {
            let named = rule.users.filter { !$0.isExcepted }.map(\.name)
            found.removeAll { one.covers($0.grant) && (named == [.everything] || named.contains($0.person)) }
          }
        }
      }
    }
    var names: [String] = []
    for name in found.map(\.person.text) where !names.contains(name) { names.append(name) }
    return names
  }

  // MARK: People

  /// Local accounts, named accounts, and members of named groups.
  private func candidates() -> [Account] {
    var names = passwords.localAccounts()
    for item in text.personItems {
      switch item.name {
      case .word(let name): names.append(name)
      case .group(let name): names += Self.members(ofGroup: name, in: passwords)
      case .groupNumber(let number): names += passwords.members(ofGroupNumber: number) ?? []
      case .number(let number):
        names += accounts.account(withID: number).map { [String(decoding: $0.name, as: UTF8.self)] } ?? []
      default: break
      }
    }
    var seen: Set<uid_t> = []
    return names.compactMap { accounts.account(named: $0) }.filter { seen.insert($0.userID).inserted }
  }

  /// The accounts whose password sudo may ask a person for.
  func askedAccounts() -> [String] {
    var found: [String] = []
    // sudo asks root for nothing.
    for person in candidates() where person.userID != 0 {
      let grants = asking(person)
      guard !grants.isEmpty else { continue }
      for name in accountsAsked(of: person, grants) where !found.contains(name) { found.append(name) }
    }
    return found
  }

  private func accountsAsked(of person: Account, _ grants: [Grant]) -> [String] {
    let (root, usual) = (flag("rootpw", for: person), flag("runaspw", for: person))
    let target = flag("targetpw", for: person)
    var names = root.contains(true) ? ["root"] : []
    guard root.contains(false) else { return names }
    let standard = self.names("runas_default", usual: "root", for: person)
    if usual.contains(true) { names += standard }
    guard usual.contains(false) else { return names }
    if target.contains(true) {
      for grant in grants { names += grant.runas.map { targets($0) } ?? standard }
    }
    if target.contains(false) { names.append(String(decoding: person.name, as: UTF8.self)) }
    return names
  }

  /// The accounts that a list of targets allows.
  private func targets(_ items: [SudoersItem]) -> [String] {
    candidates().filter { [.fits, .mayFit].contains(matches(items, $0, .runas)) }
      .map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// A command that a person may run.
  private struct Grant {
    let runas: [SudoersItem]?
    let command: SudoersItem.Name

    /// Whether this grant includes the other one.
    func covers(_ other: Grant) -> Bool {
      let isSameTarget = runas == other.runas || runas == [SudoersItem(name: .everything, isExcepted: false)]
      return isSameTarget && (command == .everything || command == other.command)
    }
  }

  /// The commands that a person may run after sudo has asked for a password, as far as known.
  ///
  /// Rules that may name the person only by a netgroup are not counted.
  private func asking(_ person: Account) -> [Grant] {
    let own = String(decoding: person.name, as: UTF8.self).lowercased()
    let exempt = values(of: "exempt_group", usual: "", for: person) { $0.isOn ? $0.text : "" }
    if !exempt.contains(""), exempt.allSatisfy({ isMember(own, of: $0) }) { return [] }
    let usual = flag("authenticate", usual: true, for: person)
    var grants: [Grant] = []
    for rule in text.rules {
      // A netgroup may name or exclude anybody, so it neither grants nor revokes anything here.
      guard matches(rule.users, person, unknown: .unspecified) == .fits else { continue }
      let isCertain = matches(rule.users, person) == .fits
      guard let privileges = rule.privileges else {
        grants.append(Grant(runas: nil, command: .word("")))
        continue
      }
      for privilege in privileges {
        let host = matchesHost(privilege.hosts)
        guard host == .fits || host == .mayFit else { continue }
        for (grant, runas, command) in privilege.grants.flatMap({ expanded($0) }) {
          let asks = grant.asks.map { [$0] } ?? usual
          let one = Grant(runas: runas, command: command.name)
          if !command.isExcepted, asks.contains(true) {
            grants.append(one)
          } else if isCertain, host == .fits, !grant.limits.isTimed {
            grants.removeAll { one.covers($0) }
          }
        }
      }
    }
    return grants
  }

  private func isMember(_ name: String, of group: String) -> Bool {
    let members =
      mayReadGroupCase ? passwords.members(ofGroup: group) ?? [] : Self.members(ofGroup: group, in: passwords)
    return members.contains { $0.lowercased() == name }
  }

  /// A grant of each command that an alias contains.
  private func expanded(_ grant: SudoersRule.Grant) -> [(SudoersRule.Grant, [SudoersItem]?, SudoersItem)] {
    commands(grant.command, depth: 0).map { (grant, grant.runas, $0) }
  }

  private func commands(_ item: SudoersItem, depth: Int) -> [SudoersItem] {
    guard case .word(let name) = item.name, SudoersScanner.isAlias(name) else { return [item] }
    // An alias that is not defined contains nothing.
    guard depth < 16, let list = text.aliases[SudoersAlias(.command, name)] else { return [] }
    return list.flatMap { commands($0, depth: depth + 1) }.map {
      SudoersItem(name: $0.name, isExcepted: $0.isExcepted != item.isExcepted)
    }
  }

  // MARK: A rescuer

  /// How a person becomes root.
  enum Becoming: Equatable {
    /// No rule certainly lets the person run every command as root here.
    case notAllowed
    case unasked
    /// The accounts whose password sudo may ask for.
    case asked([String])
    /// sudo may refuse because of an option.
    case doubtful(option: String)
  }

  /// How a person becomes root with sudo; only certain grants are counted.
  func becomingRoot(_ person: Account) -> Becoming {
    guard let root = accounts.account(withID: 0) else { return .notAllowed }
    var allowed = false
    var isRecorded = false
    var asks = [true]
    for rule in text.rules {
      let user = matches(rule.users, person)
      guard user == .fits || user == .mayFit else { continue }
      for privilege in rule.privileges ?? [] {
        let host = matchesHost(privilege.hosts)
        guard host == .fits || host == .mayFit else { continue }
        for (grant, runas, command) in privilege.grants.flatMap({ expanded($0) }) {
          let target = matchesRoot(runas, root, person)
          guard target == .fits || target == .mayFit else { continue }
          let isCertain = user == .fits && host == .fits && target == .fits && !grant.limits.isTimed
          if command.isExcepted {
            // If one program is excluded, root can use others. But a shell must not be excluded, because that is what most people
            // ask for.
            if !command.isOneProgram || isShell(command, of: person) { allowed = false }
          } else if command.name != .everything {
            continue
          } else if !grant.limits.isFree {
            allowed = false
          } else if isCertain {
            allowed = true
            isRecorded = grant.limits.isRecorded
            asks = grant.asks.map { [$0] } ?? flag("authenticate", usual: true, for: person, as: root)
          } else {
            asks.append(true)
          }
        }
      }
    }
    guard allowed else { return .notAllowed }
    if let option = displacing(person, root) { return .doubtful(option: option) }
    if let option = doubtfulOption(for: person, as: root, isRecorded: isRecorded) { return .doubtful(option: option) }
    guard asks.contains(true) else { return .unasked }
    let tries = values(of: "passwd_tries", usual: "3", for: person, as: root) { $0.isOn ? $0.text : "0" }
    // sudo skips a value that is no number, and one that is negative.
    guard tries.allSatisfy({ Int($0) != 0 }) else { return .doubtful(option: "passwd_tries") }
    return .asked(accountsAskedForRoot(of: person, root))
  }

  /// Whether a command is a shell: one by its name, one that shells(5) lists, or the shell of root or of sudo's caller.
  private func isShell(_ command: SudoersItem, of person: Account) -> Bool {
    guard case .word(let text) = command.name else { return true }
    let path = String(text.prefix { $0 != " " && $0 != "\t" })
    let own = ["root", String(decoding: person.name, as: UTF8.self)].compactMap { passwords.shell(of: $0) }
    func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
    return LoginShell.names.contains(name(path)) || LoginShell.manyNamed[name(path)] != nil
      || passwords.isListed(shell: path) || own.map(name).contains(name(path))
  }

  /// An option because of which sudo may refuse a person whom a rule lets become root, or end the started command; nil if there
  /// is none.
  ///
  /// An option that is unknown here counts as one because of which sudo may refuse.
  private func doubtfulOption(for person: Account, as root: Account, isRecorded: Bool) -> String? {
    func value(_ name: String, _ usual: String) -> [String] {
      values(of: name, usual: usual, for: person, as: root) { $0.isOn ? $0.value ?? "" : "" }
    }
    let named = text.defaults.filter { [.fits, .mayFit].contains(matches($0, person, root)) }.flatMap(\.options)
    let known = Self.harmless.union(Self.looked).union(Self.confining.keys).union(Self.recording)
    if let unknown = named.first(where: { !known.contains($0.name) }) { return unknown.name }
    if let flag = ["intercept", "log_subcmds"].first(where: { flag($0, for: person, as: root).contains(true) }) {
      return flag
    }
    let isConfining = { (name: String) in
      value(name, "").contains { !$0.isEmpty && !(Self.confining[name] ?? []).contains($0) }
        || named.contains { $0.name == name && $0.isChange }
    }
    if let option = Self.confining.keys.sorted().first(where: isConfining) { return option }
    if value("command_timeout", "").contains(where: Self.isShort) { return "command_timeout" }
    // In minutes; 0 means no limit.
    let patience = value("passwd_timeout", "").compactMap { Double($0) }
    if patience.contains(where: { $0 > 0 && $0 * 60 < Self.leastTyping }) { return "passwd_timeout" }
    if flag("ignore_audit_errors", usual: true, for: person, as: root).contains(false) { return "ignore_audit_errors" }
    if flag("runas_check_shell", for: person, as: root).contains(true),
      !passwords.isListed(shell: passwords.shell(of: "root") ?? "")
    {
      return "runas_check_shell"
    }
    let files = value("logfile", "").filter { !$0.isEmpty }
    if flag("ignore_logfile_errors", usual: true, for: person, as: root).contains(false),
      !files.allSatisfy({ passwords.isWritable($0, makesFolders: false) })
    {
      return "logfile"
    }
    // By default, a sudo that reaches none of these servers warns and continues.
    let hasServers =
      value("log_servers", "").contains { !$0.isEmpty } || named.contains { $0.name == "log_servers" && $0.isChange }
    if hasServers, flag("ignore_logfile_errors", usual: true, for: person, as: root).contains(false) {
      return "log_servers"
    }
    return doubtfulRecord(value, isRecorded: isRecorded, hasServers: hasServers, for: person, as: root)
  }

  /// An option because of which sudo may be unable to record input and output, and then ends the command; nil if there is none.
  private func doubtfulRecord(
    _ value: (String, String) -> [String], isRecorded: Bool, hasServers: Bool, for person: Account, as root: Account
  ) -> String? {
    guard isRecorded || Self.recording.contains(where: { flag($0, for: person, as: root).contains(true) }),
      flag("ignore_iolog_errors", for: person, as: root).contains(false)
    else { return nil }
    if hasServers { return "log_servers" }
    let files = value("iolog_file", Self.recordFile)
    for folder in value("iolog_dir", Self.recordFolder) {
      for file in files {
        // After the first `%`, sudo inserts names that are not known in advance.
        let path = folder + "/" + file
        let fixed = path.prefix { $0 != "%" }
        let parts = fixed.split(separator: "/").dropLast(fixed.hasSuffix("/") ? 0 : 1)
        let isOpen = passwords.isWritable(parts.map { "/" + $0 }.joined(), makesFolders: true)
        if !isOpen { return parts.count > folder.split(separator: "/").count ? "iolog_file" : "iolog_dir" }
      }
    }
    return nil
  }

  /// The folder in which sudo records by default.
  private static let recordFolder = "/var/log/sudo-io"
  /// The name of the record in that folder, by default.
  private static let recordFile = "%{seq}"

  // Less time than a person needs to type a password, and to do something as root, in seconds.
  private static let (leastTyping, leastSeconds) = (15.0, 60.0)

  /// Whether a time after which sudo ends a command is too short; a time that cannot be read here is (`1h30m`, `90`).
  static func isShort(_ text: String) -> Bool {
    let units: [Character: Double] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
    var (seconds, number) = (0.0, "")
    for character in text.lowercased() {
      guard let unit = units[character] else {
        number.append(character)
        continue
      }
      guard let count = Double(number) else { return true }
      seconds += count * unit
      number = ""
    }
    guard let rest = Double(number.isEmpty ? "0" : number), !text.isEmpty else { return !text.isEmpty }
    // 0 means no limit.
    return seconds + rest > 0 && seconds + rest < leastSeconds
  }

  /// Options that make sudo record input and output.
  private static let recording: Set<String> = [
    "log_input", "log_output", "log_stderr", "log_stdin", "log_stdout", "log_ttyin", "log_ttyout",
  ]

  /// Options that take something away from root, or let something other than sudoers decide, each with the values that do
  /// neither.
  ///
  /// sudo reads `env_file` before the command, and may wait for it.
  private static let confining: [String: Set<String>] = [
    "apparmor_profile": [], "closefrom": ["3"], "env_file": [], "fdexec": ["digest_only", "never"], "limitprivs": [],
    "privs": [], "restricted_env_file": [], "rlimit_as": unlimited, "rlimit_cpu": unlimited,
    "rlimit_data": unlimited, "rlimit_fsize": unlimited, "rlimit_nofile": unlimited, "rlimit_nproc": unlimited,
    "rlimit_rss": unlimited, "rlimit_stack": unlimited, "role": [], "type": [],
  ]
  private static let unlimited: Set<String> = ["default", "infinity", "unlimited", "user"]

  /// Options that are checked individually, here or in the search for the right password.
  private static let looked: Set<String> = [
    "authenticate", "case_insensitive_group", "case_insensitive_user", "command_timeout", "exempt_group",
    "ignore_audit_errors", "ignore_iolog_errors", "ignore_logfile_errors", "intercept", "iolog_dir", "iolog_file",
    "log_servers", "log_subcmds", "logfile", "pam_askpass_service", "pam_login_service", "pam_service",
    "passwd_timeout", "passwd_tries", "rootpw", "runas_check_shell", "runas_default", "runaspw", "runchroot", "runcwd",
    "secure_path", "targetpw",
  ]

  /// Options of sudoers(5) that do not prevent anybody from becoming root at a console with the right password, whatever their
  /// value is: the whole manual was read for it.
  ///
  /// With `noexec`, root's commands run, and start no others.
  ///
  /// sudo warns of an unknown `iolog_user` or `iolog_group`, and of a `group_plugin` that it cannot load, and goes on. The
  /// options `sudoers_...` are missing here: they are arguments of the plugin in sudo.conf.
  private static let harmless: Set<String> = [
    "admin_flag", "always_query_group_plugin", "always_set_home", "authfail_message", "badpass_message",
    "closefrom_override", "cmddenial_message", "compress_io", "editor", "env_check", "env_delete", "env_editor",
    "env_keep", "env_reset", "exec_background", "fast_glob", "fqdn", "group_plugin", "ignore_dot",
    "ignore_local_sudoers", "ignore_unknown_defaults", "insults", "intercept_allow_setid", "intercept_authenticate",
    "intercept_type", "intercept_verify", "iolog_flush", "iolog_group", "iolog_mode", "iolog_user", "lecture",
    "lecture_file", "lecture_status_dir", "listpw", "log_allowed", "log_denied", "log_exit_status", "log_format",
    "log_host", "log_passwords", "log_server_cabundle", "log_server_keepalive", "log_server_peer_cert",
    "log_server_peer_key", "log_server_timeout", "log_server_verify", "log_year", "loglinelen", "long_otp_prompt",
    "mail_all_cmnds", "mail_always", "mail_badpass", "mail_no_host", "mail_no_perms", "mail_no_user", "mailerflags",
    "mailerpath", "mailfrom", "mailsub", "mailto", "match_group_by_gid", "maxseq", "netgroup_tuple", "noexec",
    "noexec_file",
    "noninteractive_auth", "pam_acct_mgmt", "pam_rhost", "pam_ruser", "pam_session", "pam_setcred", "pam_silent",
    "passprompt", "passprompt_override", "passprompt_regex", "path_info", "preserve_groups", "pwfeedback",
    "requiretty", "rlimit_core", "rlimit_locks", "rlimit_memlock", "root_sudo", "runas_allow_unknown_id", "selinux",
    "set_home", "set_logname", "set_utmp", "setenv", "shell_noargs", "stay_setuid", "sudoedit_checkdir",
    "sudoedit_follow", "sudoers_file", "sudoers_gid", "sudoers_locale", "sudoers_mode", "sudoers_uid", "syslog",
    "syslog_badpri", "syslog_goodpri", "syslog_maxlen", "syslog_pid", "timestamp_timeout", "timestamp_type",
    "timestampdir", "timestampowner", "tty_tickets", "umask", "umask_override", "use_netgroups", "use_pty",
    "user_command_timeouts", "utmp_runas", "verifypw", "visiblepw",
  ]

  /// The option because of which the command may not see this machine's programs and the folder in which it was called; nil if
  /// there is none.
  private func displacing(_ person: Account, _ root: Account) -> String? {
    for option in ["runchroot", "runcwd"] {
      let places = values(of: option, usual: "*", for: person, as: root) { $0.isOn ? $0.text : "*" }
      guard places == ["*"] else { return option }
    }
    let paths = values(of: "secure_path", usual: "/bin", for: person, as: root) { $0.isOn ? $0.text : "/bin" }
    return paths.allSatisfy { $0.split(separator: ":").contains { $0 == "/bin" || $0 == "/usr/bin" } }
      ? nil : "secure_path"
  }

  private func matchesRoot(_ runas: [SudoersItem]?, _ root: Account, _ person: Account) -> Match {
    if let runas { return matches(runas, root, .runas) }
    let standard = names("runas_default", usual: "root", for: person)
    return standard == ["root"] ? .fits : standard.contains("root") ? .mayFit : .unspecified
  }

  private func accountsAskedForRoot(of person: Account, _ root: Account) -> [String] {
    var names: [String] = []
    for (option, asked) in [
      ("rootpw", ["root"]), ("runaspw", self.names("runas_default", usual: "root", for: person)),
      ("targetpw", ["root"]),
    ] {
      let values = flag(option, for: person, as: root)
      if values.contains(true) { names += asked.filter { !names.contains($0) } }
      guard values.contains(false) else { return names }
    }
    return names + [String(decoding: person.name, as: UTF8.self)]
  }
}

extension SudoersDefaults {
  /// Whether sudo reads the entry after the others.
  fileprivate var isLate: Bool {
    switch scope {
    case .runas, .commands: true
    case .all, .users, .hosts: false
    }
  }
}

extension SudoersItem {
  /// Whether it is root, whom sudo never asks.
  fileprivate var isRoot: Bool { name == .word("root") || name == .number(0) }

  /// Whether it is a command that names one program, with arguments or without; a folder, a pattern and a list of programs name
  /// more than one, and an entry with a digest is not examined.
  fileprivate var isOneProgram: Bool {
    guard case .word(let command) = name else { return false }
    let program = command.prefix { $0 != " " && $0 != "\t" }
    guard program.hasPrefix("/") else { return program == "list" || program == "sudoedit" }
    return !program.hasSuffix("/") && !program.contains { "*?[".contains($0) }
  }
}

extension SudoersItem.Name {
  /// The item as written in sudoers.
  fileprivate var text: String {
    switch self {
    case .everything: "ALL"
    case .word(let word): word
    case .number(let number): "#\(number)"
    case .group(let name): "%" + name
    case .groupNumber(let number): "%#\(number)"
    case .netgroup(let name): "+" + name
    case .foreignGroup(let name): "%:" + name
    }
  }
}

extension SudoersText {
  /// Whether a line removes a default option, for anybody.
  fileprivate func mayTakeOut(_ option: String) -> Bool {
    defaults.contains { $0.options.contains { $0.name == option && !$0.isOn } }
  }

  /// Whether a line applies only to some hosts, so that their names matter.
  package var namesHosts: Bool {
    let lists = rules.flatMap { ($0.privileges ?? []).map(\.hosts) }
    return lists.contains { $0 != [SudoersItem(name: .everything, isExcepted: false)] }
      || defaults.contains { if case .hosts = $0.scope { true } else { false } }
  }

  /// Every entry of a list of people.
  var personItems: [SudoersItem] {
    rules.flatMap { rule in
      rule.users + (rule.privileges ?? []).flatMap { $0.grants.flatMap { $0.runas ?? [] } }
    }
      + aliases.filter { $0.key.kind == .user || $0.key.kind == .runas }.sorted { $0.key.name < $1.key.name }
      .flatMap(\.value)
      + defaults.flatMap { entry -> [SudoersItem] in
        switch entry.scope {
        case .users(let items), .runas(let items): items
        case .all, .hosts, .commands: []
        }
      }
  }

  /// The groups of rules whose members are not looked up.
  var unknownGroups: [String] {
    var names: [String] = []
    for item in personItems {
      switch item.name {
      case .netgroup(let name) where !names.contains("+" + name): names.append("+" + name)
      case .foreignGroup(let name) where !names.contains("%:" + name): names.append("%:" + name)
      default: break
      }
    }
    return names
  }
}
