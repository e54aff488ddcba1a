import Glibc
import HostSystem
import Wording

/// How an administrator can still log in when pam_uaf refuses everybody, for any reason.
package struct WayIn {
  let accounts: any AccountDirectory
  let passwords: any PasswordDirectory
  /// Who may become root with sudo, and whose password that needs.
  var sudo = SudoSettings()

  /// The group whose members bypass pam_uaf and use their password (pam.d/README.md).
  package static let rescueGroup = PAMLine.rescueGroup
  /// The paths of the program that lets people in at the console.
  private static let consolePrograms = ["/bin/login", "/usr/bin/login"]
  /// The groups whose members become root with sudo: Debian's, Fedora's, and that of old Ubuntu versions.
  ///
  /// They are used if there is no readable sudoers.
  static let administrators = ["sudo", "wheel", "admin"]

  /// Why no way in was found.
  package struct Objection: Error, Equatable {
    /// What is missing.
    let lacks: [Lack]
  }

  /// Who can get in, and how.
  package struct Way: Equatable {
    /// A member of the rescue group, whom the services lead past pam_uaf; nil for root, at a console that does not ask pam_uaf.
    let rescuer: String?
    /// Account lines at which a terminal, a host or the time of day may decide, so that libpam's answer is valid only for the
    /// present place and time.
    var unseen: [StackLinePlace] = []
  }

  /// What the services allow.
  struct Services {
    /// Whether the new stack has a line that leads members of the group past pam_uaf.
    var leadsRescuePast: Bool
    /// Whether `login` asks only for the password, before and after the change.
    var consoleIsFree: Bool
    /// Whether there is a `login` that accepts the password of members of the group.
    var consoleIsOpen: Bool
    /// Whether there is a sudo that accepts the password of members of the group.
    var sudoIsOpen: Bool
    /// A line of `login` or sudo that refuses a right password; nil if none does.
    var refusing: StackLinePlace?
    /// What stops a person at `login`, or at sudo, although the password is right; nil if nothing does.
    var stop: (RescuePerson, Host) -> Stop? = { _, _ in nil }
    /// The account lines of a service whose result may differ at the time and place of their use.
    var unseen: (Host) -> [StackLinePlace] = { _ in [] }
    /// What is wrong with a session of a person whose shell is really started; nil if nothing is.
    ///
    /// By default no shell is started.
    var session: (_ name: String, _ shell: String, _ needsSudo: Bool) -> SessionFlaw? = { _, _, _ in nil }
  }

  /// The programs that a way in uses.
  enum Host {
    case console, sudo
  }

  /// The way in.
  ///
  /// It begins at the console (`login`): an open session or a public key may be missing when it is needed.
  ///
  /// - Throws: ``Objection``.
  func find(_ services: Services) throws(Objection) -> Way {
    var lacks: [Lack] = []
    if services.leadsRescuePast {
      switch rescuer(services) {
      case .success(let name): return Way(rescuer: name, unseen: unseen(by: name, services))
      case .failure(let objection): lacks += objection.lacks
      }
    } else {
      lacks.append(.leadsNobodyPast)
    }
    if services.consoleIsFree {
      let state = passwords.password(of: "root")
      if state != .usable {
        lacks.append(.rootsPassword(state))
      } else if let lack = stop("root", 0, .console, services) ?? flawOfSession("root", 0, services) {
        lacks.append(.root(lack))
      } else {
        return Way(rescuer: nil, unseen: services.unseen(.console))
      }
    } else {
      lacks.append(.noConsole)
    }
    // If a line refuses a right password, only that is reported: the other lacks may follow from it.
    throw Objection(lacks: services.refusing.map { [.refused($0)] } ?? lacks)
  }

  private func unseen(by name: String, _ services: Services) -> [StackLinePlace] {
    let places = services.unseen(.console) + (accounts.account(named: name)?.userID == 0 ? [] : services.unseen(.sudo))
    return places.indices.filter { places.firstIndex(of: places[$0]) == $0 }.map { places[$0] }
  }

  /// The account that becomes root with sudo.
  var root: RescuePerson {
    let name = accounts.account(withID: 0).map { String(decoding: $0.name, as: UTF8.self) }
    return RescuePerson(name: name ?? "root", userID: 0, passwords: passwords)
  }

  /// Each member of the rescue group, with what prevents them from becoming root with the password; nil if nothing does.
  func members(_ services: Services) -> [(name: String, lack: Member?)] {
    (passwords.members(ofGroup: Self.rescueGroup) ?? []).map { ($0, objection(to: $0, services)) }
  }

  /// A member of the rescue group with a password who gets a shell and can become root.
  private func rescuer(_ services: Services) -> Result<String, Objection> {
    guard let members = passwords.members(ofGroup: Self.rescueGroup) else {
      return .failure(.init(lacks: [passwords.hasOwnRescueGroup ? .unseenGroup : .noGroup]))
    }
    guard passwords.hasOwnRescueGroup else { return .failure(.init(lacks: [.directoryGroup])) }
    guard !members.isEmpty else { return .failure(.init(lacks: [.emptyGroup])) }
    let judged = self.members(services)
    if let open = judged.first(where: { $0.lack == nil }) { return .success(open.name) }
    return .failure(.init(lacks: judged.compactMap { name, lack in lack.map { .member(name, $0) } }))
  }

  private func objection(to name: String, _ services: Services) -> Member? {
    guard let account = accounts.account(named: name) else {
      return passwords.localAccounts().contains(name) ? .unseen : .noAccount
    }
    if let lack = sharedID(account) { return lack }
    let state = passwords.password(of: name)
    guard state == .usable else { return .password(state) }
    guard services.consoleIsOpen else {
      return services.refusing.flatMap { $0.unloaded == nil ? nil : .stopped(.refused($0)) } ?? .noConsole
    }
    if let lack = stop(name, account.userID, .console, services) { return lack }
    if account.userID == 0 { return flawOfSession(name, 0, services) }
    if let flaw = flawOfSudo(for: name, account.userID) { return .sudo(flaw) }
    if let group = withheldGroup(of: name) { return .withheld(group: group) }
    if let lack = lackOfRule(for: account, name, services) { return lack }
    guard services.sudoIsOpen else {
      return services.refusing.flatMap { $0.unloaded == nil ? nil : .stopped(.refused($0)) } ?? .noSudo
    }
    // Last, and only for somebody who gets in otherwise: this runs the person's own files.
    return stop(name, account.userID, .sudo, services) ?? flawOfSession(name, account.userID, services)
  }

  private func flawOfSession(_ name: String, _ userID: uid_t, _ services: Services) -> Member? {
    let shell = passwords.shellOfEverybody() ?? passwords.shell(of: name) ?? ""
    return services.session(name, shell, userID != 0).map { .session($0) }
  }

  /// What is wrong if sudo takes the person for another account with the same uid; nil if it does not.
  private func sharedID(_ account: Account) -> Member? {
    let first = accounts.account(withID: account.userID)
    guard account.userID != 0, first?.name != account.name else { return nil }
    return .sharedID(account.userID, first.map { String(decoding: $0.name, as: UTF8.self) })
  }

  /// A group that decides in sudoers, that lists a person, and that the person does not have after a login.
  private func withheldGroup(of name: String) -> String? {
    let named = sudo.text.map { text in
      text.personItems.compactMap { if case .group(let group) = $0.name { group } else { nil } }
    }
    let held = passwords.groups(of: name)
    return (named ?? Self.administrators).first { group in
      !held.contains(group) && passwords.members(ofGroup: group)?.contains(name) ?? false
    }
  }

  private func stop(_ name: String, _ userID: uid_t, _ host: Host, _ services: Services) -> Member? {
    if host == .console {
      if let flaw = passwords.flaw(of: "login", at: Self.consolePrograms) { return .login(flaw) }
      if let seconds = shortTimeout { return .timeout(seconds) }
      if let home = passwords.closedHome(of: name) { return .home(home, isThere: passwords.hasHome(name)) }
      if let replacing = passwords.shellOfEverybody() {
        let shell = LoginShell(
          path: replacing, of: userID, isMember: { isMember(name, of: $0) }, isListed: { _ in true })
        guard shell == .usable else { return .shellOfEverybody(replacing) }
      }
      // login of util-linux does not replace it.
      let path = passwords.shell(of: name) ?? ""
      let shell = LoginShell(
        path: path, of: userID, isMember: { isMember(name, of: $0) }, isListed: passwords.isListed)
      guard shell == .usable else { return .shell(shell) }
    }
    return services.stop(RescuePerson(name: name, userID: userID, passwords: passwords), host).map { .stopped($0) }
  }

  // Nobody types a name and a password in less time, in seconds.
  private static let leastTyping = 15
  private static let loginDefinitions = "/etc/login.defs"

  /// The time after which login(1) ends, if that is too short to type; nil if it is not, or if there is no end (`LOGIN_TIMEOUT`).
  private var shortTimeout: Int? {
    let lines = passwords.limits(in: [Self.loginDefinitions]) ?? []
    let seconds = lines.last { $0[0] == "LOGIN_TIMEOUT" && $0.count > 1 }.flatMap { Int($0[1]) }
    return seconds.flatMap { $0 > 0 && $0 < Self.leastTyping ? $0 : nil }
  }

  private func isMember(_ name: String, of group: gid_t) -> Bool {
    passwords.members(ofGroupNumber: group)?.contains(name) ?? false
  }

  /// What is wrong with the program sudo for a person; nil if nothing is wrong.
  private func flawOfSudo(for name: String, _ userID: uid_t) -> ProgramFlaw? {
    if let flaw = sudo.flaw { return flaw }
    let closed = sudo.programs.filter { path in
      LoginShell(path: path, of: userID) { isMember(name, of: $0) } != .usable
    }
    return closed.first.flatMap { closed.count == sudo.programs.count ? .closed(path: $0) : nil }
  }

  /// Why sudo does not make a person root; nil if it does, once the stack accepts the people that sudo asks.
  private func lackOfRule(for account: Account, _ name: String, _ services: Services) -> Member? {
    if let gap = sudo.gaps.first(where: \.mayRefuse) { return .gap(gap) }
    guard let rules = sudo.rules(accounts: accounts, passwords: passwords) else {
      return Self.administrators.contains { passwords.members(ofGroup: $0)?.contains(name) ?? false }
        ? nil : .noAdministrator(groups: Self.administrators)
    }
    switch rules.becomingRoot(account) {
    case .notAllowed: return .noRule
    case .doubtful(let option): return .option(option)
    case .unasked: return nil
    case .asked(let people):
      // The stack lets the person who is asked bypass pam_uaf, not the person who calls sudo.
      for other in people where other != String(decoding: account.name, as: UTF8.self) {
        guard passwords.members(ofGroup: Self.rescueGroup)?.contains(other) ?? false else { return .asksOther(other) }
        let state = passwords.password(of: other)
        guard state == .usable else { return .asksOtherWithout(other, state) }
        guard let asked = accounts.account(named: other) else { return .asksOther(other) }
        if let lack = stop(other, asked.userID, .sudo, services) { return lack }
      }
      return nil
    }
  }
}

/// Which services let people in with a password even if pam_uaf does not work.
struct RescueReading {
  let reader: PAMDirectory
  /// The folders in which PAM looks for modules that are named without a folder.
  let moduleFolders: [String]

  /// Whether the service asks for something, never pam_uaf, and lets in a person with the right password.
  func asksPasswordAlone(_ service: String) -> Bool { way(service, asRescuer: false) == .open }

  /// Whether the service leads the members of the rescue group past pam_uaf, and their right password lets them in.
  func leadsRescuePast(_ service: String) -> Bool {
    reader.entries(of: service, in: "auth").contains { $0.line.isForRescuers(in: service) }
      && way(service, asRescuer: true) == .open
  }

  /// Whether members of the rescue group get through the service with their password.
  func isOpen(_ service: String) -> Bool { way(service, asRescuer: true) == .open }

  /// The line of a service that refuses the right password of such a member; nil if none does.
  func refusing(_ service: String) -> StackLinePlace? {
    if case .refused(let place) = way(service, asRescuer: true) { place } else { nil }
  }

  /// What the services allow a person who logs in without pam_uaf.
  ///
  /// - Parameters:
  ///   - service: the service whose stack must lead the group past pam_uaf; nil to check none.
  ///   - sudo: the service of sudo.
  ///   - root: the account that becomes root with sudo.
  ///   - account: libpam's answer to whether a person may use a service.
  func services(
    for service: String?, sudo: String, root: RescuePerson, account: @escaping (String, String) -> CInt
  ) -> WayIn.Services {
    func name(_ host: WayIn.Host) -> String { host == .console ? "login" : sudo }
    return WayIn.Services(
      leadsRescuePast: service.map(leadsRescuePast) ?? true, consoleIsFree: asksPasswordAlone("login"),
      consoleIsOpen: isOpen("login"), sudoIsOpen: isOpen(sudo),
      refusing: [service, "login", sudo].compactMap(\.self).lazy.compactMap { refusing($0) }.first,
      stop: { person, host in
        stop(person, at: name(host), session: host == .sudo ? root : nil, account: account)
      }, unseen: { unseen(name($0)) })
  }

  private func way(_ service: String, asRescuer: Bool) -> StackReading.Way {
    guard othersDecide(service) else { return .none }
    let entries = reader.entries(of: service, in: "auth")
    let unloaded = unloaded(entries, in: "auth")
    return StackReading(entries, of: service).way(asRescuer: asRescuer) { !unloaded.contains($0) }
  }

  /// The lines whose module libpam cannot load.
  func unloaded(_ entries: [StackEntry], in group: String) -> [PAMLine] {
    entries.filter { !$0.isSubstack && $0.line.isWellFormed }.map(\.line).filter {
      !$0.moduleIsLoadable(in: moduleFolders, for: group)
    }
  }

  /// Whether there are `account` lines other than pam_uaf's.
  ///
  /// pam_uaf's lines only say that a passcode is stale. Otherwise they return "ignore", and libpam turns that into a refusal if
  /// no other line decides.
  private func othersDecide(_ service: String) -> Bool {
    let lines = reader.wholeStack(of: service).filter { $0.group == "account" }
    return lines.isEmpty || !lines.allSatisfy(\.asksOwnModule)
  }
}

/// Whom the right password lets in at a service that does not ask pam_uaf.
package enum PasswordAlone {
  case everybody
  /// Everybody but the members of the rescue group.
  case othersThanRescuers
  case rescuers
  case nobody
}

extension PAMDirectory {
  /// Whom the right password lets in at a service that does not ask pam_uaf.
  ///
  /// - Parameter moduleFolders: the folders in which libpam looks for modules that are named without a folder.
  package func passwordAlone(at service: String, moduleFolders: [String]) -> PasswordAlone {
    let reading = RescueReading(reader: self, moduleFolders: moduleFolders)
    return switch (reading.asksPasswordAlone(service), reading.isOpen(service)) {
    case (true, true): .everybody
    case (true, false): .othersThanRescuers
    case (false, true): .rescuers
    case (false, false): .nobody
    }
  }
}

extension PAMLine {
  /// Whether PAM finds the line's module.
  func moduleIsThere(in folders: [String]) -> Bool {
    place(in: folders) != nil
  }

  private func place(in folders: [String]) -> String? {
    let places = module.hasPrefix("/") ? [module] : folders.map { $0 + "/" + module }
    return places.first { (try? FileState.of($0).get()) != nil }
  }

  /// The functions that libpam needs from a module of each group to let somebody in.
  private static let functions = [
    "auth": ["pam_sm_authenticate", "pam_sm_setcred"], "account": ["pam_sm_acct_mgmt"],
    "password": ["pam_sm_chauthtok"], "session": ["pam_sm_open_session"],
  ]

  /// Whether libpam can load the line's module, and finds in it what a group needs.
  func moduleIsLoadable(in folders: [String], for group: String) -> Bool {
    place(in: folders).map { SharedLibraries.isLoadable($0, with: Self.functions[group] ?? []) } ?? false
  }
}
