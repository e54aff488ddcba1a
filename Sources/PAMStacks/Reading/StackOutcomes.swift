/// How libpam can end a service's `auth` lines: its own rules, for every result that the modules may have.
///
/// The rules are those of Linux-PAM 1.4 to 1.7 (pam.conf(5)). A substack keeps `done`, `die` and jumps to itself, and `reset`
/// goes back to where it began. With `include` and `@include` the same words reach to the end of the service. A jump beyond the
/// last line is a refusal. Tests compare this with the libpam that is installed.
package struct StackOutcomes {
  /// What became of pam_uaf on the way to an end.
  enum Own: Hashable {
    case notAsked
    /// It said what a stack may treat as something else than a refusal: `ignore`, no server, another choice of the person.
    case excused
    case refused
    case passed
  }

  /// One way in which the stack ends.
  struct Ending: Hashable {
    /// Whether the program that asked is told success.
    var isSuccess: Bool
    var own: Own
    /// The line that led past pam_uaf's first line; nil where that was asked.
    var passing: Int?
    /// The first line that made a refusal of it; nil if none did.
    var refusing: Int?
    /// Whether another line that asks for something has said yes.
    var isAuthenticated = false
  }

  /// The lines, with included ones in their places.
  let entries: [StackEntry]
  /// pam_uaf's first line.
  private let first: Int?

  /// The endings of a list of lines.
  package init(_ entries: [StackEntry]) {
    self.entries = entries
    first = entries.firstIndex { $0.line.asksOwnModule }
  }

  private enum Impression: Hashable {
    case none
    /// Whether the result that counts is success.
    case positive(Bool)
    case negative
  }

  private struct State: Hashable {
    var index = 0
    /// How deep the line before was.
    var level = 0
    var impression = Impression.none
    /// What stood where each level began.
    var begun = [Impression.none]
    var ending = Ending(isSuccess: false, own: .notAsked)
  }

  /// Every way in which the lines can end.
  ///
  /// - Parameter results: what the module of a line may answer, by the names of pam.conf(5).
  func endings(_ results: (PAMLine) -> [String]) -> Set<Ending> {
    var found: Set<Ending> = []
    var seen: Set<State> = [State()]
    var open = [State()]
    while var state = open.popLast() {
      guard state.index < entries.count else {
        state.ending.isSuccess = state.impression == .positive(true)
        found.insert(state.ending)
        continue
      }
      let entry = entries[state.index]
      enter(entry, &state)
      let next = entry.isSubstack ? [passed(state)] : results(entry.line).map { after($0, entry, state) }
      for state in next where seen.insert(state).inserted { open.append(state) }
    }
    return found
  }

  private func enter(_ entry: StackEntry, _ state: inout State) {
    state.begun.removeSubrange(min(entry.level + 1, state.begun.count)...)
    if entry.level > state.level {
      while state.begun.count <= entry.level { state.begun.append(state.impression) }
      state.begun[entry.level] = state.impression
    }
    state.level = entry.level
  }

  private func passed(_ state: State) -> State {
    var state = state
    state.index += 1
    return state
  }

  /// What a result of a line makes of a state.
  private func after(_ result: String, _ entry: StackEntry, _ state: State) -> State {
    var next = state
    if entry.line.asksOwnModule { next.ending.own = Self.own(next.ending.own, result) }
    if result == "success", ModuleResults.authenticates(entry.line) { next.ending.isAuthenticated = true }
    switch entry.line.action(of: result) {
    case .ignore: break
    case .reset: next.impression = state.begun.last ?? .none
    case .ok: accept(result, &next)
    case .done:
      accept(result, &next)
      if next.impression != .negative { next.index = last(of: entry.level, from: state.index) }
    case .bad: refuse(&next)
    case .die:
      refuse(&next)
      next.index = last(of: entry.level, from: state.index)
    case .jump(let count): jump(count, entry.level, &next)
    }
    next.index += 1
    if let first, state.index < first, next.index > first { next.ending.passing = state.index }
    return next
  }

  private func accept(_ result: String, _ state: inout State) {
    guard state.impression == .none || state.impression == .positive(true) else { return }
    state.impression = .positive(result == "success")
  }

  private func refuse(_ state: inout State) {
    if state.impression != .negative { state.ending.refusing = state.index }
    state.impression = .negative
  }

  /// The last line that is in the same substack, or in one within it.
  private func last(of level: Int, from index: Int) -> Int {
    var last = index
    while last + 1 < entries.count, entries[last + 1].level >= level { last += 1 }
    return last
  }

  /// Jumps over lines; a substack counts as one.
  private func jump(_ count: Int, _ level: Int, _ state: inout State) {
    let from = state.index
    var left = count
    while left > 0, state.index + 1 < entries.count, entries[state.index + 1].level >= level {
      state.index += 1
      while state.index + 1 < entries.count, entries[state.index + 1].level > level { state.index += 1 }
      left -= 1
    }
    guard left > 0 else { return }
    if state.impression != .negative { state.ending.refusing = from }
    state.impression = .negative
  }

  private static func own(_ before: Own, _ result: String) -> Own {
    switch (before, result) {
    case (.passed, _), (_, "success"): .passed
    case (.refused, _): .refused
    case _ where refusals.contains(result): .refused
    default: .excused
    }
  }

  /// What pam_uaf says to a wrong value, to a locked account and to a caller who disturbs it.
  private static let refusals: Set<String> = [
    "auth_err", "maxtries", "perm_denied", "system_err", "conv_err", "abort",
  ]
}

/// A line of a service as libpam lists it.
package struct StackEntry: Equatable {
  /// What it says.
  package let line: PAMLine
  /// How many substacks it is in.
  let level: Int
  /// Whether it is the head of a substack, whose lines follow.
  let isSubstack: Bool
  /// The file it stands in, and its line there, from 1.
  package let place: StackLinePlace
}

/// Where a line stands.
package struct StackLinePlace: Equatable {
  /// The file.
  package let path: String
  /// From 1.
  package let line: Int
  /// The file that the line includes, where libpam cannot read it.
  var unread: String?
}

/// What modules may answer, as far as it is known; of all others it is assumed that they may answer anything.
package enum ModuleResults {
  /// Modules that are in stacks and authenticate nobody.
  private static let bystanders: Set<String> = [
    "pam_deny.so", "pam_permit.so", "pam_env.so", "pam_faildelay.so", "pam_nologin.so", "pam_securetty.so",
    "pam_group.so", "pam_cap.so", "pam_warn.so", "pam_echo.so", "pam_exec.so", "pam_faillock.so", "pam_tally2.so",
    "pam_succeed_if.so", "pam_access.so", "pam_time.so", "pam_listfile.so", "pam_gnome_keyring.so", "pam_kwallet5.so",
    "pam_mount.so", "pam_selinux.so", "pam_shells.so", "pam_issue.so", "pam_motd.so", "pam_debug.so", "pam_umask.so",
    "pam_localuser.so", "pam_usertype.so", rootModule,
  ]

  /// It says yes to a program whose real uid is 0, whoever is logging in.
  static let rootModule = "pam_rootok.so"

  /// Services of programs that keep the real uid of whoever starts them.
  ///
  /// There a success of pam_rootok lets in root, who needs no passcode to be root. sshd, login, display managers and cron run as
  /// root for somebody else, and polkit's helper does where systemd starts it: there it lets in everybody.
  private static let callersOwn: Set<String> = [
    "chage", "chfn", "chgpasswd", "chpasswd", "chsh", "groupadd", "groupdel", "groupmems", "groupmod", "newusers",
    "passwd", "runuser", "runuser-l", "su", "su-l", "sudo", "sudo-i", "useradd", "userdel", "usermod",
  ]

  /// Whether a success of pam_rootok is root's own in a service; of a service that is not known it is not.
  static func isRootsOwn(_ service: String) -> Bool { callersOwn.contains(service) }

  /// Modules that say yes to some people and no to others, and ask nothing.
  private static let conditions: Set<String> = [
    "pam_access.so", "pam_listfile.so", "pam_localuser.so", "pam_succeed_if.so", "pam_time.so", "pam_usertype.so",
    "pam_wheel.so",
  ]

  /// Modules that ask a directory, which does not have a local account.
  private static let directories: Set<String> = [
    "pam_krb5.so", "pam_ldap.so", "pam_radius_auth.so", "pam_sss.so", "pam_tacplus.so", "pam_winbind.so",
  ]

  /// Whether the line asks the person for something, and is not pam_uaf.
  package static func authenticates(_ line: PAMLine) -> Bool {
    line.isWellFormed && !line.asksOwnModule && !line.isInclusion && !bystanders.contains(line.moduleName)
  }

  private static let all = PAMControl.names.filter { $0 != "default" }

  /// Whether a success of the line is there to lead past pam_uaf: the rescue group, and root in su.
  static func isMeantToPass(_ line: PAMLine, in service: String) -> Bool {
    line.isForRescuers || isRoots(line, in: service)
  }

  /// Whether the line lets in root, and nobody else.
  static func isRoots(_ line: PAMLine, in service: String) -> Bool {
    line.moduleName == rootModule && isRootsOwn(service)
  }

  /// Whatever anybody may bring about.
  static func possible(_ line: PAMLine) -> [String] {
    // libpam does not ask it, and takes that for this result.
    guard line.isWellFormed else { return ["perm_denied"] }
    switch line.moduleName {
    case "pam_deny.so": return ["auth_err"]
    case "pam_permit.so": return ["success"]
    default: return all
    }
  }

  /// What a right password of a local account brings about, where pam_uaf refuses everybody.
  ///
  /// Of a condition that has to hold it is assumed that it does, and of a module that is not known that it agrees.
  static func ofRightPassword(_ line: PAMLine, asRescuer: Bool, in service: String) -> [String] {
    guard line.isWellFormed else { return ["perm_denied"] }
    if line.isForRescuers { return [asRescuer ? "success" : "auth_err"] }
    let name = line.moduleName
    // It is the password of a local account.
    if name == "pam_localuser.so", line.arguments.allSatisfy({ $0 == "debug" }) { return ["success"] }
    if conditions.contains(name) { return line.action(of: "auth_err").refuses ? ["success"] : ["success", "auth_err"] }
    if directories.contains(name) { return ["user_unknown", "authinfo_unavail"] }
    switch name {
    case PAMLine.ownModule: return ["auth_err", "authinfo_unavail", "system_err"]
    case "pam_deny.so": return ["auth_err"]
    case rootModule: return [isRootsOwn(service) ? "auth_err" : "success"]
    case "pam_faillock.so", "pam_tally2.so":
      // After a failure it counts, and says "ignore", which most stacks make a refusal of.
      return line.arguments.contains("authfail") ? ["auth_err", "ignore"] : ["success"]
    case "pam_cap.so", "pam_echo.so", "pam_faildelay.so", "pam_gnome_keyring.so", "pam_issue.so", "pam_kwallet5.so",
      "pam_motd.so", "pam_nologin.so", "pam_warn.so":
      return ["success", "ignore"]
    default: return ["success"]
    }
  }
}

extension PAMLine {
  /// The group whose members are led past pam_uaf to their password (pam.d/README.md).
  package static let rescueGroup = "uaf-rescue"

  /// Whether its success is that of the rescue group.
  var isForRescuers: Bool {
    moduleName == "pam_succeed_if.so"
      && zip(arguments, arguments.dropFirst()).contains { $0 == "ingroup" && $1 == Self.rescueGroup }
  }
}

extension PAMAction {
  /// Whether it makes a refusal of the stack.
  var refuses: Bool { self == .bad || self == .die }
}

/// What the `auth` lines of a service come to: whether somebody gets past pam_uaf, and whether a password still lets somebody in.
package struct StackReading {
  private let outcomes: StackOutcomes
  private let service: String

  private var entries: [StackEntry] { outcomes.entries }

  /// The reading of the `auth` lines of `service`; see ``PAMDirectory/entries(of:in:)``.
  package init(_ entries: [StackEntry], of service: String) {
    outcomes = StackOutcomes(entries)
    self.service = service
  }

  // MARK: Past pam_uaf

  /// The line that lets somebody in before pam_uaf is asked; nil if there is none.
  ///
  /// Root's way past it in su (a success of pam_rootok) and that of the rescue group do not count. Nor does the rescue group's
  /// where another line asks for the password; where pam_rootok answers in its place, that line is named.
  package var passing: StackEntry? { leadingPast ?? lettingAnybodyIn }

  /// The line before pam_uaf that leads somebody past it; nil if there is none.
  var leadingPast: StackEntry? {
    let endings = outcomes.endings { line in
      ModuleResults.possible(line).filter { $0 != "success" || !ModuleResults.isMeantToPass(line, in: service) }
    }
    return endings.filter { $0.isSuccess && $0.own == .notAsked }.compactMap(\.passing).min().map { entries[$0] }
  }

  /// The pam_rootok that lets somebody in who knows nothing, at a program that runs as root for everybody; nil if there is none.
  package var lettingAnybodyIn: StackEntry? {
    guard !ModuleResults.isRootsOwn(service),
      let answering = entries.first(where: { $0.line.moduleName == ModuleResults.rootModule })
    else { return nil }
    let letsIn = [true, false].contains { asRescuer in
      outcomes.endings { line in
        ModuleResults.authenticates(line)
          ? ["auth_err"] : ModuleResults.ofRightPassword(line, asRescuer: asRescuer, in: service)
      }.contains(where: \.isSuccess)
    }
    return letsIn ? answering : nil
  }

  /// Whether somebody gets in whom pam_uaf is not asked about; root's way and that of the rescue group do not count.
  var letsInWithoutAsking: Bool {
    outcomes.endings { line in
      ModuleResults.possible(line).filter { $0 != "success" || !ModuleResults.isMeantToPass(line, in: service) }
    }.contains { $0.isSuccess && $0.own == .notAsked }
  }

  /// Whether members of the rescue group are led past pam_uaf, to a password that lets them in.
  package var leadsRescuersPast: Bool { way(asRescuer: true) == .open && entries.contains { $0.line.isForRescuers } }

  // MARK: A refusal of pam_uaf

  /// What a refusal of pam_uaf leads to.
  package enum Refusal {
    /// Nobody gets in after it.
    case refuses
    /// Another line that asks for something lets somebody in.
    case leavesToOthers
    /// Somebody gets in who was asked for nothing else.
    case letsIn
  }

  /// What a refusal leads to, whatever the other lines say.
  package var refusal: Refusal {
    // A module that asks for a password does not answer "ignore" to a wrong one.
    let endings = outcomes.endings { line in
      ModuleResults.possible(line).filter { result in
        switch result {
        case "ignore": !ModuleResults.authenticates(line)
        case "success": !ModuleResults.isRoots(line, in: service)
        default: true
        }
      }
    }
    let refused = endings.filter { $0.isSuccess && $0.own == .refused }
    if refused.isEmpty { return .refuses }
    return refused.contains { !$0.isAuthenticated } ? .letsIn : .leavesToOthers
  }

  // MARK: A right password

  /// What becomes of the right password of somebody who does not have a passcode.
  package enum Way: Equatable {
    case open
    /// Nothing is asked, or pam_uaf is.
    case none
    /// The line that refuses.
    case refused(StackLinePlace)
  }

  /// The way of a right password, where pam_uaf refuses everybody.
  ///
  /// - Parameters:
  ///   - asRescuer: whether it is that of a member of the rescue group.
  ///   - isThere: whether a module is where libpam looks for it.
  package func way(asRescuer: Bool, isThere: (PAMLine) -> Bool = { _ in true }) -> Way {
    guard entries.contains(where: { ModuleResults.authenticates($0.line) || $0.place.unread != nil }) else {
      return .none
    }
    let endings = outcomes.endings { line in
      isThere(line) ? ModuleResults.ofRightPassword(line, asRescuer: asRescuer, in: service) : ["module_unknown"]
    }
    if endings.contains(where: { $0.own != .notAsked }) { return .none }
    // Where no line refuses, none has accepted either, and libpam refuses: the last line is named.
    guard let line = endings.filter({ !$0.isSuccess }).map({ $0.refusing ?? entries.count - 1 }).min() else {
      return .open
    }
    return .refused(entries[line].place)
  }
}
