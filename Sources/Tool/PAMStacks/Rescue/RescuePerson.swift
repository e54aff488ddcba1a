import CPAM
import Glibc
import HostSystem
import Wording

/// A person who should get in with the password while pam_uaf refuses everybody, and the answers of a service's lines to that
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

  /// What a line that only accepts or refuses may answer in a group; nil for any other line.
  func answers(of line: PAMLine, in group: String) -> [String]? {
    guard line.isWellFormed else { return nil }
    switch (group, line.moduleName) {
    case ("auth", "pam_nologin.so"): return refusalByFile(line)
    case ("auth", "pam_faillock.so"): return refusalByCount(line)
    case ("session", "pam_limits.so"): return refusalByLimit(line)
    // In a session, these modules do nothing, and libpam refuses.
    case ("auth", _), (_, "pam_access.so"), (_, "pam_listfile.so"), (_, "pam_localuser.so"), (_, "pam_succeed_if.so"),
      (_, "pam_time.so"), (_, "pam_usertype.so"):
      guard let refusal = Self.refusals[line.moduleName] else { return nil }
      return says(line).map { $0 ? ["success"] : [refusal] } ?? ["success", refusal]
    default: return nil
    }
  }

  /// The answer of a line whose file keeps out everybody but root; nil if the line has no effect on this person.
  private func refusalByFile(_ line: PAMLine) -> [String]? {
    let own = line.arguments.last { $0.hasPrefix("file=") }.map { String($0.dropFirst("file=".count)) }
    // libpam-modules checks both.
    let files = own.map { [$0] } ?? ["/var/run/nologin", "/etc/nologin"]
    return userID != 0 && files.contains(where: passwords.hasFile) ? ["auth_err"] : nil
  }

  /// The answer of pam_faillock to a person whose wrong passwords it counts; nil if it counted none, or does not check.
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
    // It counts, and never locks.
    guard deny != 0 else { return nil }
    let count = passwords.wrongPasswords(of: name, in: setting("dir") ?? Self.countFolder)
    // The length of a lock is not considered.
    return count >= deny ? ["success", "auth_err"] : nil
  }

  /// How many wrong passwords lock an account, by default.
  private static let usualDeny = 3
  /// The folder in which pam_faillock counts.
  package static let countFolder = "/var/run/faillock"

  /// The answer of pam_limits to a person who may have no session, or no session in which anything runs; nil if no limit says
  /// that.
  private func refusalByLimit(_ line: PAMLine) -> [String]? {
    // Without its file it refuses.
    guard let found = passwords.limits(in: Self.value("conf", of: line).map { [$0] }) else { return ["service_err"] }
    let lines = found.map { words in words.prefix(1) + words.dropFirst().map { $0.lowercased() } }
    // Two words free a person from all limits.
    guard !lines.contains([name, "-"]) else { return nil }
    let limits = lines.filter { $0.count > 3 && ($0[0] == name || isForGroups($0[0])) }
    if limits.contains(where: { Self.mayRefuse(item: $0[2], $0[3]) }) { return ["success", "perm_denied"] }
    // It lets root have as many sessions as root likes.
    guard userID != 0 else { return nil }
    let counts = limits.filter { Self.sessions.contains($0[2]) && Self.number($0[3]) != nil }
    if let own = counts.last(where: { $0[0] == name }) { return Self.number(own[3]) == 0 ? ["perm_denied"] : nil }
    return counts.contains { Self.number($0[3]) == 0 } ? ["success", "perm_denied"] : nil
  }

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
      // The kernel refuses more files, and pam_limits the session with it.
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
    case PAM_NEW_AUTHTOK_REQD: if let stop = stop(person, at: service, in: "password") { return stop }
    default: return .account(service: service, code)
    }
    return stop(session ?? person, at: service, in: "session")
  }

  /// The account lines of a service at which a terminal, a host or the time of day may decide: libpam was asked only for the
  /// present place and time.
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
    let endings = StackOutcomes(entries).endings { index, line in
      guard line.isWellFormed else { return ["perm_denied"] }
      guard line.moduleIsThere(in: moduleFolders) else { return ["module_unknown"] }
      if ModuleResults.takesAnothersPassword(line, in: group),
        !entries[..<index].contains(where: { ModuleResults.authenticates($0.line) })
      {
        return ["auth_err"]
      }
      // An unknown module does not certainly accept anybody.
      return person.answers(of: line, in: group) ?? ModuleResults.ofCertainPassword(line, in: service, group)
        ?? ["success", "auth_err"]
    }
    guard let line = endings.filter({ !$0.isSuccess }).map({ $0.refusing ?? entries.count - 1 }).min() else {
      return nil
    }
    let place = entries[line].place
    return endings.contains(where: \.isSuccess) ? .unsure(place) : .refused(place)
  }
}

extension WayIn {
  /// What stops a person whose password is right.
  package enum Stop: Equatable, Catalogued {
    case refused(StackLinePlace)
    /// The line may refuse: a file, a terminal or the time of day decides.
    case unsure(StackLinePlace)
    /// libpam's code for the service's account lines.
    case account(service: String, CInt)

    /// The text in English.
    package var english: String {
      switch self {
      case .refused(let place): "is refused by \(place.path):\(place.line)"
      case .unsure(let place): "may be refused by \(place.path):\(place.line): uafctl cannot say beforehand"
      case .account(let service, let code): "is refused by the account lines of \(ShownText.line(service)) (\(code))"
      }
    }

    /// The text in Korean.
    package var korean: String {
      switch self {
      case .refused(let place): "\(place.path):\(place.line)에서 거부됩니다"
      case .unsure(let place): "\(place.path):\(place.line)에서 거부될 수 있으나 미리 알 수 없습니다"
      case .account(let service, let code): "\(ShownText.line(service))의 account 줄에서 거부됩니다(\(code))"
      }
    }
  }
}

/// Whether an account's shell allows a session.
package enum LoginShell: Equatable, Catalogued {
  case usable
  /// A program that ends the session immediately.
  case refuses(String)
  /// There is no program with that name.
  case missing(String)
  /// A program that the person may not run.
  case closed(String)
  /// A program whose interpreter does not exist, or may not be run by the person.
  case needs(String, interpreter: String)

  private static let refusing: Set<String> = ["false", "halt", "nologin", "shutdown", "sync", "true"]

  /// - Parameters:
  ///   - path: the shell in the account's entry; without one, login(1) uses the standard shell.
  ///   - userID: the person's uid; nil if everybody who may run programs may run this one.
  ///   - isMember: whether the person is in the group with a gid.
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
    guard Self.isProgram(program) else {
      self = .missing(path)
      return
    }
    guard Self.isOpen(program, to: userID, isMember: isMember) else {
      self = .closed(path)
      return
    }
    var seen = [program]
    while let interpreter = ProgramStart(of: seen.last ?? program).interpreter {
      guard seen.count < Self.deepest, let next = Self.resolved(interpreter), Self.isProgram(next),
        Self.isOpen(next, to: userID, isMember: isMember)
      else {
        self = .needs(path, interpreter: interpreter)
        return
      }
      seen.append(next)
    }
    self = .usable
  }

  // ST_NOEXEC of Linux, which Glibc's module does not contain.
  private static let noExecution: UInt = 8
  // The kernel follows a few interpreters of interpreters.
  private static let deepest = 6

  private static func isProgram(_ path: String) -> Bool {
    guard let status = status(of: path) else { return false }
    return status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o111 != 0
  }

  /// Whether a person may run a program: its file, and the folders on the way to it.
  private static func isOpen(_ program: String, to userID: uid_t?, isMember: (gid_t) -> Bool) -> Bool {
    var system = statvfs()
    // SAFETY: the path lives for the call, which fills exactly one statvfs.
    if unsafe statvfs(program, &system) == 0, system.f_flag & noExecution != 0 { return false }
    guard let userID, userID != 0 else { return true }
    let folders = program.split(separator: "/").dropLast()
    return (folders.indices.map { folders[...$0].map { "/" + $0 }.joined() } + [program]).allSatisfy { place in
      guard let status = status(of: place) else { return false }
      let bit = status.st_uid == userID ? S_IXUSR : isMember(status.st_gid) ? S_IXGRP : S_IXOTH
      return status.st_mode & bit != 0
    }
  }

  private static func isRefusing(_ path: String) -> Bool {
    refusing.contains(path.split(separator: "/").last.map(String.init) ?? path)
  }

  /// The path without links; nil if it does not exist.
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

  /// The text in English.
  package var english: String {
    switch self {
    case .usable: "has a shell"
    case .refuses(let path): "has \(ShownText.line(path)) for a shell, which ends every session"
    case .missing(let path): "has \(ShownText.line(path)) for a shell, which is not there"
    case .closed(let path): "has \(ShownText.line(path)) for a shell, which they may not run"
    case .needs(let path, let interpreter):
      "has \(ShownText.line(path)) for a shell, which needs \(ShownText.line(interpreter)): that is not there, or they may not run it"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .usable: "셸을 쓸 수 있습니다"
    case .refuses(let path): "셸이 세션을 바로 끝내는 \(ShownText.line(path))입니다"
    case .missing(let path): "셸 \(ShownText.line(path))이(가) 없습니다"
    case .closed(let path): "셸 \(ShownText.line(path))을(를) 실행할 권한이 없습니다"
    case .needs(let path, let interpreter):
      "셸 \(ShownText.line(path))에 필요한 \(ShownText.line(interpreter))이(가) 없거나 실행할 권한이 없습니다"
    }
  }
}

/// The first bytes of a program, which show what else the kernel needs to run it (execve(2), elf(5)).
private struct ProgramStart {
  private let bytes: [UInt8]

  // The kernel reads no more of a first line; an ELF file also names what it needs in its first bytes.
  private static let length = 4096

  init(of path: String) {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      bytes = []
      return
    }
    defer { close(descriptor) }
    bytes = DescriptorReader.read(descriptor, atMost: Self.length) ?? []
  }

  /// The program that runs a script, or loads a program's libraries; nil if none is named.
  var interpreter: String? { bytes.starts(with: Array("#!".utf8)) ? ofScript : ofELF }

  private var ofScript: String? {
    let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }.drop(while: blanks.contains)
    // A carriage return is part of the name, as the kernel reads it.
    return String(decoding: line.prefix { !blanks.contains($0) }, as: UTF8.self)
  }

  /// The interpreter of a 64-bit little-endian program, the kind of Debian's amd64 and arm64.
  private var ofELF: String? {
    guard bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2, 1]) else { return nil }
    let (table, size, count) = (number(at: 32, 8), number(at: 54, 2), number(at: 56, 2))
    guard let table, let size, let count, size > 0 else { return nil }
    for index in 0..<min(count, 64) {
      let place = table + index * size
      // PT_INTERP
      guard place < Self.length, number(at: place, 4) == 3, let offset = number(at: place + 8, 8),
        let length = number(at: place + 32, 8), offset < bytes.count, length <= bytes.count - offset
      else { continue }
      return String(decoding: bytes[offset..<offset + length].prefix { $0 != 0 }, as: UTF8.self)
    }
    return nil
  }

  /// A number of some bytes; nil if it is beyond the bytes, or too large for a position in a file.
  private func number(at place: Int, _ length: Int) -> Int? {
    guard place >= 0, place <= bytes.count - length else { return nil }
    let value = bytes[place..<place + length].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value < 1 << 31 ? Int(value) : nil
  }
}
