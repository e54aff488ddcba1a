import Glibc
import HostSystem

/// Whom sudo asks, and for whose password, as sudoers says it on one host (sudoers(5), "last match").
struct SudoersRules {
  private let text: SudoersText
  private let host: String
  private let accounts: any AccountDirectory
  private let passwords: any PasswordDirectory
  /// The members of the groups that are named, in small letters, as sudo compares them.
  private let members: [SudoersItem.Name: Set<String>]

  init(_ text: SudoersText, host: String, accounts: any AccountDirectory, passwords: any PasswordDirectory) {
    self.text = text
    self.host = host.lowercased()
    self.accounts = accounts
    self.passwords = passwords
    var members: [SudoersItem.Name: Set<String>] = [:]
    for item in text.personItems where members[item.name] == nil {
      switch item.name {
      case .group(let name): members[item.name] = Set((passwords.members(ofGroup: name) ?? []).map { $0.lowercased() })
      case .groupNumber(let number):
        members[item.name] = Set((passwords.members(ofGroupNumber: number) ?? []).map { $0.lowercased() })
      default: break
      }
    }
    self.members = members
  }

  /// How a list, or an entry of one, fits somebody or something.
  private enum Match {
    case unspecified, fits, excepted
    /// It may fit, or may except; the rest of the list decides otherwise.
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

  /// - Parameter unknown: what a group means whose members are not looked up.
  private func matches(
    _ items: [SudoersItem], _ person: Account, _ kind: SudoersAlias.Kind = .user, unknown: Match = .mayFit
  ) -> Match {
    let own = String(decoding: person.name, as: UTF8.self).lowercased()
    return match(items, kind) { name in
      switch name {
      case .everything: .fits
      case .word(let word): word.lowercased() == own ? .fits : .unspecified
      case .number(let number): number == person.userID ? .fits : .unspecified
      case .group, .groupNumber: members[name]?.contains(own) == true ? .fits : .unspecified
      case .netgroup, .foreignGroup: unknown
      }
    }
  }

  private func matchesHost(_ items: [SudoersItem]) -> Match {
    match(items, .host) { name in
      switch name {
      case .everything: .fits
      case .word(let word): matchesHost(word.lowercased())
      default: .mayFit
      }
    }
  }

  private func matchesHost(_ word: String) -> Match {
    let short = host.split(separator: ".").first.map(String.init) ?? host
    if word == host || word == short { return .fits }
    // The addresses of this machine are not looked at, and patterns are not tried.
    let isAddress = word.contains(":") || word.allSatisfy { $0.isNumber || $0 == "." || $0 == "/" }
    if isAddress || word.contains(where: { "*?[".contains($0) }) { return .mayFit }
    return !host.contains(".") && word.hasPrefix(short + ".") ? .mayFit : .unspecified
  }

  // MARK: Defaults

  /// What an option may be, for one person or for all, and for one account that is become or for any.
  private func values<Value: Hashable>(
    of names: String..., usual: Value, for person: Account?, as target: Account? = nil,
    read: (SudoersDefaults.Option) -> Value?
  ) -> [Value] {
    var values = [usual]
    // sudo reads those for commands, and those for accounts that are become, after the others.
    let ordered = text.defaults.filter { !$0.isLate } + text.defaults.filter(\.isLate)
    for entry in ordered {
      let match = matches(entry, person, target)
      guard match == .fits || match == .mayFit else { continue }
      for option in entry.options where names.contains(option.name) {
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
    values(of: option, usual: usual, for: person) { $0.value }
  }

  /// The services that sudo may ask for, that of most people first.
  func services(_ option: String, usual: String) -> [String] { names(option, usual: usual, for: nil) }

  /// Whose passcode may be asked for in place of the caller's, by some or by all; sudo looks at these options in this order.
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

  // MARK: People

  /// Local accounts, those that are named, and members of groups that are.
  private func candidates() -> [Account] {
    var names = passwords.localAccounts()
    for item in text.personItems {
      switch item.name {
      case .word(let name): names.append(name)
      case .group(let name): names += passwords.members(ofGroup: name) ?? []
      case .groupNumber(let number): names += passwords.members(ofGroupNumber: number) ?? []
      case .number(let number):
        names += accounts.account(withID: number).map { [String(decoding: $0.name, as: UTF8.self)] } ?? []
      default: break
      }
    }
    var seen: Set<uid_t> = []
    return names.compactMap { accounts.account(named: $0) }.filter { seen.insert($0.userID).inserted }
  }

  /// The accounts whose password sudo may ask somebody for.
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

  /// Something that somebody may run.
  private struct Grant {
    let runas: [SudoersItem]?
    let command: SudoersItem.Name

    /// Whether this grant takes in the other one.
    func covers(_ other: Grant) -> Bool {
      let isSameTarget = runas == other.runas || runas == [SudoersItem(name: .everything, isExcepted: false)]
      return isSameTarget && (command == .everything || command == other.command)
    }
  }

  /// What a person may run, as far as known, and is asked for a password for; whoever only a netgroup may name is not counted.
  private func asking(_ person: Account) -> [Grant] {
    let own = String(decoding: person.name, as: UTF8.self).lowercased()
    let exempt = values(of: "exempt_group", usual: "", for: person) { $0.isOn ? $0.value : "" }
    if !exempt.contains(""), exempt.allSatisfy({ isMember(own, of: $0) }) { return [] }
    let usual = flag("authenticate", usual: true, for: person)
    var grants: [Grant] = []
    for rule in text.rules {
      // Whom only a netgroup names or excepts may be anybody: it gives nothing here, and takes nothing.
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
          } else if isCertain, host == .fits {
            grants.removeAll { one.covers($0) }
          }
        }
      }
    }
    return grants
  }

  private func isMember(_ name: String, of group: String) -> Bool {
    passwords.members(ofGroup: group)?.contains { $0.lowercased() == name } ?? false
  }

  /// A grant of each command that an alias stands for.
  private func expanded(_ grant: SudoersRule.Grant) -> [(SudoersRule.Grant, [SudoersItem]?, SudoersItem)] {
    commands(grant.command, depth: 0).map { (grant, grant.runas, $0) }
  }

  private func commands(_ item: SudoersItem, depth: Int) -> [SudoersItem] {
    guard case .word(let name) = item.name, SudoersScanner.isAlias(name) else { return [item] }
    // An alias that is not defined stands for nothing.
    guard depth < 16, let list = text.aliases[SudoersAlias(.command, name)] else { return [] }
    return list.flatMap { commands($0, depth: depth + 1) }.map {
      SudoersItem(name: $0.name, isExcepted: $0.isExcepted != item.isExcepted)
    }
  }

  // MARK: A rescuer

  /// How somebody becomes root.
  enum Becoming: Equatable {
    /// No rule is certain to let them run every command as root here.
    case notAllowed
    case unasked
    /// The accounts whose password sudo may ask for.
    case asked([String])
  }

  /// How a person becomes root by sudo; only what is certain counts.
  func becomingRoot(_ person: Account) -> Becoming {
    guard let root = accounts.account(withID: 0) else { return .notAllowed }
    var allowed = false
    var asks = [true]
    for rule in text.rules {
      let user = matches(rule.users, person)
      guard user == .fits || user == .mayFit else { continue }
      for privilege in rule.privileges ?? [] {
        let host = matchesHost(privilege.hosts)
        guard host == .fits || host == .mayFit else { continue }
        for (grant, runas, command) in privilege.grants.flatMap({ expanded($0) }) where command.name == .everything {
          let target = matchesRoot(runas, root, person)
          guard target == .fits || target == .mayFit else { continue }
          let isCertain = user == .fits && host == .fits && target == .fits
          if command.isExcepted {
            allowed = false
          } else if isCertain {
            allowed = true
            asks = grant.asks.map { [$0] } ?? flag("authenticate", usual: true, for: person, as: root)
          } else {
            asks.append(true)
          }
        }
      }
    }
    guard allowed else { return .notAllowed }
    guard asks.contains(true) else { return .unasked }
    return .asked(accountsAskedForRoot(of: person, root))
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
  /// Whether sudo reads it after the others.
  fileprivate var isLate: Bool {
    switch scope {
    case .runas, .commands: true
    case .all, .users, .hosts: false
    }
  }
}

extension SudoersText {
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
