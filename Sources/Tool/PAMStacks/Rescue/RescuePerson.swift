import CPAM
import Glibc
import HostSystem
import Wording

/// A person who should get in with the password while pam_uaf refuses everybody, and the results of a service's lines for that
/// person.
package struct RescuePerson {
  let name: String
  let userID: uid_t
  let passwords: any PasswordDirectory

  /// Modules that accept some people and refuse others, with the result that means a refusal.
  private static let refusals = [
    "pam_access.so": "perm_denied", "pam_listfile.so": "auth_err", "pam_localuser.so": "perm_denied",
    "pam_securetty.so": "auth_err", "pam_shells.so": "auth_err", "pam_succeed_if.so": "auth_err",
    "pam_time.so": "perm_denied", "pam_usertype.so": "perm_denied", "pam_wheel.so": "perm_denied",
  ]

  /// The results that a line may return in a group if its module only accepts or refuses people; nil for any other line.
  func answers(of line: PAMLine, in group: String) -> [String]? {
    guard line.isWellFormed else { return nil }
    switch (group, line.moduleName) {
    case ("auth", "pam_nologin.so"): return refusalByFile(line)
    case ("auth", "pam_faillock.so"): return refusalByCount(line)
    case ("session", "pam_limits.so"): return refusalByLimit(line)
    case ("session", "pam_env.so"): return unreadVariables(line) == nil ? nil : ["success", "abort"]
    // pam_mkhomedir makes a missing home directory, which may fail.
    case ("session", "pam_mkhomedir.so"): return passwords.hasHome(name) ? ["success"] : ["success", "perm_denied"]
    case ("session", "pam_namespace.so"): return hasOwnFolders ? ["success", "session_err"] : ["success"]
    // In a session, these modules do nothing, and libpam refuses.
    case ("auth", _), (_, "pam_access.so"), (_, "pam_listfile.so"), (_, "pam_localuser.so"), (_, "pam_succeed_if.so"),
      (_, "pam_time.so"), (_, "pam_usertype.so"):
      guard let refusal = Self.refusals[line.moduleName] else { return nil }
      return says(line).map { $0 ? ["success"] : [refusal] } ?? ["success", refusal]
    default: return nil
    }
  }

  /// The result of a line of pam_nologin whose file keeps out everybody but root; nil if the line does not keep this person
  /// out.
  private func refusalByFile(_ line: PAMLine) -> [String]? { closingFile(of: line) == nil ? nil : ["auth_err"] }

  /// The file because of which a line of pam_nologin keeps this person out; nil if there is none, or for any other line.
  func closingFile(of line: PAMLine) -> String? {
    guard line.moduleName == "pam_nologin.so", userID != 0 else { return nil }
    // pam_nologin of Debian's libpam-modules checks both files.
    let files = Self.value("file", of: line).map { [$0] } ?? ["/var/run/nologin", "/etc/nologin"]
    return files.first(where: passwords.hasFile)
  }

  /// The line that pam_env cannot read, so that it aborts the session; nil if there is none, or for any other line.
  func unreadVariables(_ line: PAMLine) -> StackLinePlace? {
    guard line.moduleName == "pam_env.so" else { return nil }
    var files = [Self.value("conffile", of: line) ?? "/etc/security/pam_env.conf"]
    if Self.value("user_readenv", of: line) == "1", let home = passwords.home(of: name) {
      files.append(home + "/" + (Self.value("user_envfile", of: line) ?? ".pam_environment"))
    }
    return files.lazy.compactMap { path in
      passwords.text(of: path).flatMap(EnvironmentText.unread).map { StackLinePlace(path: path, line: $0) }
    }.first
  }

  /// Whether pam_namespace may have folders to mount for a session, or refuses because its file is missing (namespace.conf(5)).
  private var hasOwnFolders: Bool {
    let path = "/etc/security/namespace."
    let files = (PAMDirectory(path: path + "d").names() ?? []).map { path + "d/" + $0 }
    return passwords.limits(in: [path + "conf"] + files).map { !$0.isEmpty } ?? true
  }

  /// The results of pam_faillock for a person whose wrong passwords it has counted; nil if it does not lock the person.
  private func refusalByCount(_ line: PAMLine) -> [String]? {
    guard !line.arguments.contains("authfail"), !line.arguments.contains("authsucc") else { return nil }
    // An argument takes precedence over the file.
    let path = Self.value("conf", of: line) ?? "/etc/security/faillock.conf"
    let file = (passwords.limits(in: [path]) ?? []).map {
      $0.joined(separator: " ").split { "= \t".contains($0) }.map(String.init)
    }
    func setting(_ name: String) -> String? {
      Self.value(name, of: line) ?? file.last { $0.count == 2 && $0[0] == name }.map { $0[1] }
    }
    // root is locked only if that is configured.
    let locksRoot = line.arguments.contains("even_deny_root") || file.contains(["even_deny_root"])
    guard userID != 0 || locksRoot else { return nil }
    let deny = setting("deny").flatMap { Int($0) } ?? Self.usualDeny
    // With `deny = 0`, pam_faillock counts but never locks.
    guard deny != 0 else { return nil }
    let count = passwords.wrongPasswords(of: name, in: setting("dir") ?? Self.countFolder)
    // The length of a lock is not considered.
    return count >= deny ? ["success", "auth_err"] : nil
  }

  /// How many wrong passwords lock an account, by default.
  private static let usualDeny = 3
  /// The folder in which pam_faillock counts.
  package static let countFolder = "/var/run/faillock"

  /// The result of pam_limits for a person whose limits allow no session, or only a session in which no program can run; nil if
  /// no limit does so.
  private func refusalByLimit(_ line: PAMLine) -> [String]? {
    // pam_limits refuses if its file is missing.
    guard let found = passwords.limits(in: Self.value("conf", of: line).map { [$0] }) else { return ["service_err"] }
    let lines = found.map { words in Array(words.prefix(1)) + words.dropFirst().map { $0.lowercased() } }
    // A line of two words frees a person or a group from all limits.
    guard !lines.contains(where: { $0.count == 2 && $0[1] == "-" && isFreed($0[0]) }) else { return nil }
    let limits = lines.filter { $0.count > 3 && ($0[0] == name || isForGroups($0[0])) }
    if limits.indices.contains(where: {
      mayRefuse(limits[$0]) && !isReplaced(limits[$0], by: limits[($0 + 1)...], in: limits)
    }) {
      return ["success", "perm_denied"]
    }
    // pam_limits never limits the number of root's sessions.
    guard userID != 0 else { return nil }
    let counts = limits.filter { Self.sessions.contains($0[2]) && Self.number($0[3]) != nil }
    if let own = counts.last(where: { $0[0] == name }) { return Self.number(own[3]) == 0 ? ["perm_denied"] : nil }
    return counts.contains { Self.number($0[3]) == 0 } ? ["success", "perm_denied"] : nil
  }

  /// Whether a line that frees a person or a group from all limits applies to this person.
  private func isFreed(_ domain: String) -> Bool {
    domain == name || ["@", "%"].contains(domain.prefix(1)) && isMember(of: String(domain.dropFirst()))
  }

  /// Whether another line applies instead.
  ///
  /// A line for a person takes precedence over one for a group, and that over one for everybody. Of two lines of the same kind,
  /// the later one applies.
  private func isReplaced(_ line: [String], by later: ArraySlice<[String]>, in all: [[String]]) -> Bool {
    func replaces(_ other: [String]) -> Bool {
      let isSure = !other[0].contains(":") && (other[0] == name || concerns(other[0])) && Self.number(other[3]) != nil
      return isSure && other[2] == line[2] && (other[1] == "-" || other[1] == line[1]) && !mayRefuse(other)
    }
    func rank(_ line: [String]) -> Int {
      line[0] == name ? 0 : line[0].contains(":") || line[0].hasPrefix("@") ? 1 : line[0] == "*" ? 3 : 2
    }
    return all.contains { rank($0) < rank(line) && replaces($0) }
      || later.contains { rank($0) == rank(line) && replaces($0) }
  }

  private func mayRefuse(_ line: [String]) -> Bool { Self.mayRefuse(item: line[2], line[3]) }

  private static let sessions: Set<String> = ["maxlogins", "maxsyslogins"]

  /// Whether a line for a group, for some IDs or for everybody may apply to this person; none of those apply to root.
  private func isForGroups(_ domain: String) -> Bool { userID != 0 && concerns(domain) }

  /// The number that pam_limits reads at the beginning of a value; nil if it reads none, and skips the line.
  private static func number(_ value: String) -> UInt64? {
    guard !["-", "-1", "unlimited", "infinity"].contains(value) else { return .max }
    let digits = value.drop { $0 == "+" || $0 == "-" }.prefix(while: \.isNumber)
    return digits.isEmpty ? nil : UInt64(digits) ?? .max
  }

  /// The least value of each limit with which a shell and sudo certainly run; in KiB, minutes, files or processes.
  ///
  /// The other limits prevent no session, or are unknown to pam_limits, which skips them.
  private static let least: [String: UInt64] = [
    "as": 262_144, "cpu": 1, "data": 65_536, "fsize": 65_536, "nofile": 64, "nproc": 32, "stack": 1_024,
  ]
  // The kernel's own limit (fs.nr_open), if nobody has raised it.
  private static let mostFiles: UInt64 = 1_048_576

  /// Whether a limit may end the session, prevent a shell from running, or sudo from making a person root.
  private static func mayRefuse(item: String, _ value: String) -> Bool {
    switch item {
    case "chroot": return true
    case "nonewprivs": return value != "0"
    default:
      guard let least = least[item], let number = number(value) else { return false }
      // The kernel refuses a higher number of files, and then pam_limits refuses the session.
      return number < least || item == "nofile" && number > mostFiles
    }
  }

  /// Whether a line of limits.conf(5) may apply to this person.
  private func concerns(_ domain: String) -> Bool {
    if domain.hasPrefix("@") || domain.hasPrefix("%") && domain.count > 1 {
      return domain.contains(":") || isMember(of: String(domain.dropFirst()))
    }
    return ["*", "%"].contains(domain) || domain.contains(":")
  }

  private static func value(_ name: String, of line: PAMLine) -> String? {
    line.arguments.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// Whether the line accepts; nil if a file, a terminal or the time of day decides, which is not known beforehand.
  private func says(_ line: PAMLine) -> Bool? {
    switch line.moduleName {
    case "pam_localuser.so":
      guard line.arguments.allSatisfy({ $0 == "debug" }) else { return nil }
      return passwords.localAccounts().contains(name)
    // It only checks root.
    case "pam_securetty.so": return userID == 0 ? nil : true
    case "pam_shells.so": return passwords.isListed(shell: passwords.shell(of: name) ?? "")
    case "pam_usertype.so": return isOfType(line.arguments)
    case "pam_succeed_if.so": return succeeds(line.arguments)
    default: return nil
    }
  }

  // Between these IDs, the machine's own limits decide (login.defs).
  private static let (lastSystem, firstRegular, unmapped): (uid_t, uid_t, uid_t) = (99, 1000, 65_534)

  private func isOfType(_ arguments: [String]) -> Bool? {
    guard userID <= Self.lastSystem || userID >= Self.firstRegular, userID != Self.unmapped,
      !arguments.contains("use_uid"), arguments.contains("issystem") != arguments.contains("isregular")
    else { return nil }
    return arguments.contains("issystem") == (userID <= Self.lastSystem)
  }

  /// The fields in conditions of pam_succeed_if that are not about the person who logs in.
  private static let ofCall: Set<String> = ["rhost", "ruser", "service", "tty"]

  /// Whether a line of pam_succeed_if examines the call, or the person who calls.
  static func asksAboutCall(_ line: PAMLine) -> Bool {
    line.moduleName == "pam_succeed_if.so" && line.isWellFormed && !line.isInclusion
      && line.arguments.contains { ofCall.contains($0) || $0 == "use_uid" }
  }

  private static let flags: Set<String> = ["audit", "debug", "quiet", "quiet_fail", "quiet_success"]

  /// pam_succeed_if(8): every condition must be true.
  private func succeeds(_ arguments: [String]) -> Bool? {
    var rest = arguments.filter { !Self.flags.contains($0) }[...]
    guard !rest.isEmpty, rest.count.isMultiple(of: 3) else { return nil }
    var all: Bool? = true
    while let field = rest.popFirst(), let word = rest.popFirst(), let value = rest.popFirst() {
      switch holds(field, word, value) {
      case false?: return false
      case nil: all = nil
      case true?: break
      }
    }
    return all
  }

  private func holds(_ field: String, _ word: String, _ value: String) -> Bool? {
    let list = value.split(separator: ":").map(String.init)
    switch (field, word) {
    case ("uid", _): return Self.compares(UInt64(userID), word, value)
    case ("user", "="): return value.contains(where: "*?[".contains) ? nil : name == value
    case ("user", "!="): return value.contains(where: "*?[".contains) ? nil : name != value
    case ("user", "in"): return list.contains(name)
    case ("user", "notin"): return !list.contains(name)
    case ("user", "ingroup"): return list.contains(where: isMember)
    case ("user", "notingroup"): return !list.contains(where: isMember)
    default: return nil
    }
  }

  private static func compares(_ number: UInt64, _ word: String, _ value: String) -> Bool? {
    guard let limit = UInt64(value) else { return nil }
    switch word {
    case "eq": return number == limit
    case "ne": return number != limit
    case "<", "lt": return number < limit
    case "<=", "le": return number <= limit
    case ">", "gt": return number > limit
    case ">=", "ge": return number >= limit
    default: return nil
    }
  }

  private func isMember(of group: String) -> Bool { passwords.members(ofGroup: group)?.contains(name) ?? false }
}

extension RescueReading {
  /// What stops a person at a service although the password is right; nil if nothing does.
  ///
  /// - Parameters:
  ///   - session: the account of the session, if the service opens it for a different account: sudo does so for the target
  ///     account.
  ///   - account: libpam's answer to whether a person may use a service.
  func stop(
    _ person: RescuePerson, at service: String, session: RescuePerson? = nil,
    account: (_ service: String, _ name: String) -> CInt
  ) -> WayIn.Stop? {
    if let stop = stop(person, at: service, in: "auth") { return stop }
    let code = account(service, person.name)
    switch code {
    case PAM_SUCCESS: break
    // A password that must be changed can be changed if there are lines that do it.
    case PAM_NEW_AUTHTOK_REQD:
      if let stop = stop(person, at: service, in: "password") ?? unchangeable(person) { return stop }
    default:
      return askingAboutCall(service, person).map { .unsure($0) }
        ?? refusal(of: person, byAccountLinesOf: service, code)
    }
    if let place = askingAboutCall(service, person) { return .unsure(place) }
    return stop(session ?? person, at: service, in: "session", isSudos: session != nil)
  }

  /// What stops a person whom the account lines refuse, according to libpam.
  private func refusal(of person: RescuePerson, byAccountLinesOf service: String, _ code: CInt) -> WayIn.Stop {
    let entries = entries(of: service, in: "account")
    if entries.isEmpty { return .empty(path: path(of: service), service: service, group: "account") }
    // libpam loads the modules of all groups at the beginning, and a module file that is cut off makes the program crash.
    for group in ["account"] + (code == PAM_ABORT ? ["auth", "session", "password"] : []) {
      let lines = self.entries(of: service, in: group)
      let unloaded = unloaded(lines, in: group)
      let broken = lines.first {
        unloaded.contains($0.line) && (code == PAM_ABORT || $0.line.action(of: "module_unknown").refuses)
      }
      if let broken { return .refused(broken.place { !unloaded.contains($0) }) }
    }
    // Only these modules say so: pam_unix has other answers.
    let conditions = entries.filter { ModuleResults.isCondition($0.line) && $0.line.refusalRefuses }
    if [PAM_AUTH_ERR, PAM_PERM_DENIED].contains(code), conditions.count == 1 { return .refused(conditions[0].place) }
    let closing = entries.first { $0.line.refusalRefuses && person.closingFile(of: $0.line) != nil }
    return closing.flatMap { entry in person.closingFile(of: entry.line).map { .closed(entry.place, file: $0) } }
      ?? .account(service: service, code)
  }

  /// The files that are written when a password is changed.
  private static let changed = ["/etc/.pwd.lock", "/etc/nshadow", "/etc/shadow"]

  /// What prevents a local person from changing the password.
  private func unchangeable(_ person: RescuePerson) -> WayIn.Stop? {
    guard person.passwords.localAccounts().contains(person.name) else { return nil }
    let isOpen = Self.changed.allSatisfy { person.passwords.isWritable($0, makesFolders: false) }
    return isOpen ? nil : .unchangeable
  }

  /// An account line that may refuse because of the terminal, the host or the caller: libpam was asked without them.
  private func askingAboutCall(_ service: String, _ person: RescuePerson) -> StackLinePlace? {
    let entries = entries(of: service, in: "account")
    guard let asking = entries.first(where: { RescuePerson.asksAboutCall($0.line) }) else { return nil }
    let endings = StackOutcomes(entries).endings { line in
      if RescuePerson.asksAboutCall(line) { return ["success", "auth_err"] }
      if line.moduleName == "pam_deny.so" { return ["auth_err"] }
      // libpam has already been asked about the other lines.
      let known = person.answers(of: line, in: "account") ?? []
      return known.count == 1 ? known : ["success"]
    }
    return endings.allSatisfy(\.isSuccess) ? nil : asking.place
  }

  /// The lines of a group that libpam uses: those of `other` if the service has none.
  private func entries(of service: String, in group: String) -> [StackEntry] {
    let own = reader.entries(of: service, in: group)
    return own.isEmpty ? reader.entries(of: "other", in: group) : own
  }

  private func path(of service: String) -> String { reader.path + "/" + service }

  /// The account lines of a service at which a terminal, a host or the time of day may decide: libpam was asked only for the
  /// present place and time.
  func unseen(_ service: String) -> [StackLinePlace] {
    reader.entries(of: service, in: "account").filter { entry in
      ["pam_access.so", "pam_exec.so", "pam_time.so"].contains(entry.line.moduleName)
        || entry.line.moduleName == "pam_listfile.so"
          && entry.line.arguments.contains { ["item=tty", "item=rhost", "item=ruser"].contains($0) }
    }.map(\.place)
  }

  /// - Parameter isSudos: whether sudo is the caller, which continues if the session lines end with "session_err".
  private func stop(
    _ person: RescuePerson, at service: String, in group: String, isSudos: Bool = false
  ) -> WayIn.Stop? {
    let entries = entries(of: service, in: group)
    // libpam refuses if there is no line to ask.
    guard !entries.isEmpty else { return .empty(path: path(of: service), service: service, group: group) }
    let unloaded = unloaded(entries, in: group)
    func answers(_ index: Int, _ line: PAMLine, ofUnloaded: [String] = ["module_unknown"]) -> [String] {
      guard line.isWellFormed else { return ["perm_denied"] }
      guard !unloaded.contains(line) else { return ofUnloaded }
      if ModuleResults.takesAnothersPassword(line, in: group),
        !entries[..<index].contains(where: { ModuleResults.authenticates($0.line) })
      {
        return ["auth_err"]
      }
      // An unknown module does not certainly accept anybody.
      return person.answers(of: line, in: group) ?? ModuleResults.ofCertainPassword(line, in: service, group)
        ?? ["success", "auth_err"]
    }
    // The answer of the first line that refuses is the answer of the whole group.
    func isForgiven(_ index: Int) -> Bool {
      isSudos && answers(index, entries[index].line) == ["session_err"]
        && entries[index].line.action(of: "session_err").refuses
    }
    func refusals(ofUnloaded: [String]) -> (lines: [Int], areAll: Bool) {
      let endings = StackOutcomes(entries).endings { answers($0, $1, ofUnloaded: ofUnloaded) }
      let refusals = endings.filter { !$0.isSuccess && !($0.refusing.map(isForgiven) ?? false) }
      return (refusals.map { $0.refusing ?? entries.count - 1 }, refusals.count == endings.count)
    }
    let (lines, areAll) = refusals(ofUnloaded: ["module_unknown"])
    guard let line = lines.min() else { return nil }
    // The line at which a jump over a refusal begins is at fault, and not the refusal.
    if let broken = entries.first(where: { unloaded.contains($0.line) }),
      refusals(ofUnloaded: ["success"]).lines.isEmpty
    {
      return .refused(broken.place { !unloaded.contains($0) })
    }
    let place = entries[line].place { !unloaded.contains($0) }
    if group == "session", let file = person.unreadVariables(entries[line].line) { return .unread(place, file: file) }
    guard areAll else { return .unsure(place) }
    return person.closingFile(of: entries[line].line).map { .closed(place, file: $0) } ?? .refused(place)
  }
}

extension WayIn {
  /// What stops a person whose password is right.
  package enum Stop: Equatable, Catalogued {
    case refused(StackLinePlace)
    /// The line may refuse: a file, a terminal or the time of day decides.
    case unsure(StackLinePlace)
    /// The line's module cannot read a line of its own file.
    case unread(StackLinePlace, file: StackLinePlace)
    /// The password must be changed, and cannot be stored.
    case unchangeable
    /// libpam's code for the service's account lines.
    case account(service: String, CInt)
    /// A line checks this file of nologin(5), which keeps out everybody but root.
    case closed(StackLinePlace, file: String)
    /// Neither the service nor `other` has lines in a group, so libpam refuses.
    case empty(path: String, service: String, group: String)

    /// The text in English.
    package var english: String {
      switch self {
      case .refused(let place):
        "is refused by \(place.path):\(place.line)"
          + (place.unloaded.map { ": libpam cannot load \(ShownText.line($0))" } ?? "")
      case .unsure(let place): "may be refused by \(place.path):\(place.line): uafctl cannot say beforehand"
      case .unread(let place, let file):
        "is refused by \(place.path):\(place.line), which cannot read \(ShownText.line(file.path)):\(file.line)"
      case .unchangeable: "has to change the password at a login, and /etc/shadow cannot be written"
      case .account(let service, let code): "is refused by the account lines of \(ShownText.line(service)) (\(code))"
      case .closed(let place, let file):
        "is kept out by \(ShownText.line(file)), which \(place.path):\(place.line) looks at"
      case .empty(_, let service, let group):
        "is refused by \(ShownText.line(service)): neither it nor 'other' has \(group) lines"
      }
    }

    /// The text in Korean.
    package var korean: String {
      switch self {
      case .refused(let place):
        "\(place.path):\(place.line)에서 거부됩니다"
          + (place.unloaded.map { ". libpam이 \(ShownText.line($0))을(를) 불러올 수 없습니다" } ?? "")
      case .unsure(let place): "\(place.path):\(place.line)에서 거부될 수 있으나 미리 알 수 없습니다"
      case .unread(let place, let file):
        "\(place.path):\(place.line)에서 \(ShownText.line(file.path)):\(file.line)을(를) 읽지 못해 거부됩니다"
      case .unchangeable: "로그인할 때 비밀번호를 바꿔야 하는데 /etc/shadow를 쓸 수 없습니다"
      case .account(let service, let code): "\(ShownText.line(service))의 account 줄에서 거부됩니다(\(code))"
      case .closed(let place, let file):
        "\(place.path):\(place.line)에서 확인하는 \(ShownText.line(file)) 파일이 있어 들어올 수 없습니다"
      case .empty(_, let service, let group):
        "\(ShownText.line(service))에도 'other'에도 \(group) 줄이 없어 거부됩니다"
      }
    }
  }
}
