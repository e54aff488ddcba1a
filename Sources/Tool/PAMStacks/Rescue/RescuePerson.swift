import CPAM
import Glibc
import HostSystem
import Wording

/// Somebody who is to come in by the password while pam_uaf refuses everybody: what the lines of a service say to them.
package struct RescuePerson {
  let name: String
  let userID: uid_t
  let passwords: any PasswordDirectory

  /// Modules that say yes to some people and no to others, with the result that is a no.
  private static let refusals = [
    "pam_access.so": "perm_denied", "pam_listfile.so": "auth_err", "pam_localuser.so": "perm_denied",
    "pam_securetty.so": "auth_err", "pam_shells.so": "auth_err", "pam_succeed_if.so": "auth_err",
    "pam_time.so": "perm_denied", "pam_usertype.so": "perm_denied", "pam_wheel.so": "perm_denied",
  ]

  /// What a line that only says yes or no may answer; nil for another line.
  func answers(of line: PAMLine) -> [String]? {
    if line.isWellFormed, line.moduleName == "pam_nologin.so" { return refusalByFile(line) }
    if line.isWellFormed, line.moduleName == "pam_faillock.so" { return refusalByCount(line) }
    if line.isWellFormed, line.moduleName == "pam_limits.so" { return refusalByLimit(line) }
    guard line.isWellFormed, let refusal = Self.refusals[line.moduleName] else { return nil }
    return says(line).map { $0 ? ["success"] : [refusal] } ?? ["success", refusal]
  }

  /// What a line answers whose file keeps everybody but root out; nil where it says nothing to this person.
  private func refusalByFile(_ line: PAMLine) -> [String]? {
    let own = line.arguments.last { $0.hasPrefix("file=") }.map { String($0.dropFirst("file=".count)) }
    // libpam-modules looks at both.
    let files = own.map { [$0] } ?? ["/var/run/nologin", "/etc/nologin"]
    return userID != 0 && files.contains(where: passwords.hasFile) ? ["auth_err"] : nil
  }

  /// What pam_faillock answers to somebody whose wrong passwords it counts; nil where it counts none, or does not look.
  private func refusalByCount(_ line: PAMLine) -> [String]? {
    guard !line.arguments.contains("authfail"), !line.arguments.contains("authsucc") else { return nil }
    // An argument goes before the file.
    let path = Self.value("conf", of: line) ?? "/etc/security/faillock.conf"
    let file = passwords.limits(in: [path]).map {
      $0.joined(separator: " ").split { "= \t".contains($0) }.map(String.init)
    }
    func setting(_ name: String) -> String? {
      Self.value(name, of: line) ?? file.last { $0.count == 2 && $0[0] == name }.map { $0[1] }
    }
    // root is not locked unless that is said.
    let locksRoot = line.arguments.contains("even_deny_root") || file.contains(["even_deny_root"])
    guard userID != 0 || locksRoot else { return nil }
    let count = passwords.wrongPasswords(of: name, in: setting("dir") ?? Self.countFolder)
    // How long a lock lasts is not looked at.
    return count >= max(1, setting("deny").flatMap { Int($0) } ?? Self.usualDeny) ? ["success", "auth_err"] : nil
  }

  /// How many wrong passwords lock an account, where nothing says it.
  private static let usualDeny = 3
  /// Where pam_faillock counts.
  package static let countFolder = "/var/run/faillock"

  /// What pam_limits answers to somebody who may have no session; nil where nothing says that.
  private func refusalByLimit(_ line: PAMLine) -> [String]? {
    let files = Self.value("conf", of: line).map { [$0] }
    let none = passwords.limits(in: files).filter { $0.count == 4 && Self.sessions.contains($0[2]) }
    if let own = none.last(where: { $0[0] == name }) { return own[3] == "0" ? ["perm_denied"] : nil }
    // A group's line goes before one for everybody, which does not hold for root.
    let others = none.filter { $0[3] == "0" && (userID != 0 || !["*", "%"].contains($0[0])) && concerns($0[0]) }
    return others.isEmpty ? nil : ["success", "perm_denied"]
  }

  private static let sessions: Set<String> = ["maxlogins", "maxsyslogins"]

  /// Whether a line of limits.conf(5) may be about them.
  private func concerns(_ domain: String) -> Bool {
    if domain.hasPrefix("@") || domain.hasPrefix("%") && domain.count > 1 {
      return domain.contains(":") || isMember(of: String(domain.dropFirst()))
    }
    return ["*", "%"].contains(domain) || domain.contains(":")
  }

  private static func value(_ name: String, of line: PAMLine) -> String? {
    line.arguments.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// Whether the line says yes; nil where a file, a terminal or an hour decides, which is not known beforehand.
  private func says(_ line: PAMLine) -> Bool? {
    switch line.moduleName {
    case "pam_localuser.so":
      guard line.arguments.allSatisfy({ $0 == "debug" }) else { return nil }
      return passwords.localAccounts().contains(name)
    // It looks at root alone.
    case "pam_securetty.so": return userID == 0 ? nil : true
    case "pam_shells.so": return passwords.isListed(shell: passwords.shell(of: name) ?? "")
    case "pam_usertype.so": return isOfType(line.arguments)
    case "pam_succeed_if.so": return succeeds(line.arguments)
    default: return nil
    }
  }

  // Between these numbers the machine's own limits decide (login.defs).
  private static let (lastSystem, firstRegular, unmapped): (uid_t, uid_t, uid_t) = (99, 1000, 65_534)

  private func isOfType(_ arguments: [String]) -> Bool? {
    guard userID <= Self.lastSystem || userID >= Self.firstRegular, userID != Self.unmapped,
      !arguments.contains("use_uid"), arguments.contains("issystem") != arguments.contains("isregular")
    else { return nil }
    return arguments.contains("issystem") == (userID <= Self.lastSystem)
  }

  private static let flags: Set<String> = ["audit", "debug", "quiet", "quiet_fail", "quiet_success"]

  /// pam_succeed_if(8): every condition has to hold.
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
  /// What stops a person at a service, although the password is right; nil if nothing does.
  ///
  /// - Parameter account: what libpam says to whether somebody may use a service.
  func stop(_ person: RescuePerson, at service: String, account: (_ service: String, _ name: String) -> CInt) -> WayIn
    .Stop?
  {
    if let stop = stop(person, at: service, in: "auth") { return stop }
    let code = account(service, person.name)
    // A password that has to be changed can be changed.
    guard code == PAM_SUCCESS || code == PAM_NEW_AUTHTOK_REQD else { return .account(service: service, code) }
    return stop(person, at: service, in: "session")
  }

  /// The account lines of a service at which a terminal, a host or an hour may decide: libpam was asked here and now alone.
  func unseen(_ service: String) -> [StackLinePlace] {
    reader.entries(of: service, in: "account").filter { entry in
      ["pam_access.so", "pam_time.so"].contains(entry.line.moduleName)
        || entry.line.moduleName == "pam_listfile.so"
          && entry.line.arguments.contains { ["item=tty", "item=rhost", "item=ruser"].contains($0) }
    }.map(\.place)
  }

  private func stop(_ person: RescuePerson, at service: String, in group: String) -> WayIn.Stop? {
    let own = reader.entries(of: service, in: group)
    let entries = own.isEmpty ? reader.entries(of: "other", in: group) : own
    guard !entries.isEmpty else { return nil }
    var isCertain = true
    let endings = StackOutcomes(entries).endings { line in
      guard line.isWellFormed else { return ["perm_denied"] }
      guard line.moduleIsThere(in: moduleFolders) else { return ["module_unknown"] }
      if let answers = person.answers(of: line) {
        if answers.count > 1 { isCertain = false }
        return answers
      }
      if group == "session" { return [line.moduleName == "pam_deny.so" ? "session_err" : "success"] }
      return ModuleResults.ofRightPassword(line, asRescuer: false, in: service)
    }
    guard let line = endings.filter({ !$0.isSuccess }).map({ $0.refusing ?? entries.count - 1 }).min() else {
      return nil
    }
    let place = entries[line].place
    return !isCertain && endings.contains(where: \.isSuccess) ? .unsure(place) : .refused(place)
  }
}

extension WayIn {
  /// What stops somebody whose password is right.
  enum Stop: Equatable, Catalogued {
    case refused(StackLinePlace)
    /// The line may refuse: a file, a terminal or an hour decides.
    case unsure(StackLinePlace)
    /// libpam's code for the service's account lines.
    case account(service: String, CInt)

    var english: String {
      switch self {
      case .refused(let place): "is refused by \(place.path):\(place.line)"
      case .unsure(let place): "may be refused by \(place.path):\(place.line): uafctl cannot say beforehand"
      case .account(let service, let code): "is refused by the account lines of \(ShownText.line(service)) (\(code))"
      }
    }

    var korean: String {
      switch self {
      case .refused(let place): "\(place.path):\(place.line)에서 거부됩니다"
      case .unsure(let place): "\(place.path):\(place.line)에서 거부될 수 있으나 미리 알 수 없습니다"
      case .account(let service, let code): "\(ShownText.line(service))의 account 줄에서 거부됩니다(\(code))"
      }
    }
  }
}

/// Whether an account's shell gives a session.
package enum LoginShell: Equatable, Catalogued {
  case usable
  /// A program that ends the session at once.
  case refuses(String)
  /// No program of that name.
  case missing(String)
  /// A program that the person may not run.
  case closed(String)

  private static let refusing: Set<String> = ["false", "halt", "nologin", "shutdown", "sync", "true"]

  /// - Parameters:
  ///   - path: as the account has it; without one login(1) takes the standard shell.
  ///   - userID: whose it is; nil: whoever may run a program may run this one.
  ///   - isMember: whether they are in the group with a number.
  package init(path: String, of userID: uid_t? = nil, isMember: (gid_t) -> Bool = { _ in false }) {
    let path = path.isEmpty ? _PATH_BSHELL : path
    guard let program = Self.resolved(path) else {
      self = Self.isRefusing(path) ? .refuses(path) : .missing(path)
      return
    }
    guard !Self.isRefusing(path), !Self.isRefusing(program) else {
      self = .refuses(path)
      return
    }
    guard let status = Self.status(of: program), status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o111 != 0 else {
      self = .missing(path)
      return
    }
    let folders = program.split(separator: "/").dropLast()
    let places = folders.indices.map { folders[...$0].map { "/" + $0 }.joined() } + [program]
    let isOpen = places.allSatisfy { place in
      guard let userID, userID != 0 else { return true }
      guard let status = Self.status(of: place) else { return false }
      let bit = status.st_uid == userID ? S_IXUSR : isMember(status.st_gid) ? S_IXGRP : S_IXOTH
      return status.st_mode & bit != 0
    }
    self = isOpen ? .usable : .closed(path)
  }

  private static func isRefusing(_ path: String) -> Bool {
    refusing.contains(path.split(separator: "/").last.map(String.init) ?? path)
  }

  /// The path without links; nil where there is nothing.
  private static func resolved(_ path: String) -> String? {
    // SAFETY: with NULL realpath allocates a NUL-terminated text that is ours to free.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    // SAFETY: the path lives for the call, which fills exactly one stat.
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// It in English.
  package var english: String {
    switch self {
    case .usable: "has a shell"
    case .refuses(let path): "has \(ShownText.line(path)) for a shell, which ends every session"
    case .missing(let path): "has \(ShownText.line(path)) for a shell, which is not there"
    case .closed(let path): "has \(ShownText.line(path)) for a shell, which they may not run"
    }
  }

  /// It in Korean.
  package var korean: String {
    switch self {
    case .usable: "셸을 쓸 수 있습니다"
    case .refuses(let path): "셸이 세션을 바로 끝내는 \(ShownText.line(path))입니다"
    case .missing(let path): "셸 \(ShownText.line(path))이(가) 없습니다"
    case .closed(let path): "셸 \(ShownText.line(path))을(를) 실행할 권한이 없습니다"
    }
  }
}
