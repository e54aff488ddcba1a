import Glibc
import HostSystem
import ServiceNames
import Wording

/// What sudoers says about how sudo asks people: with which PAM services, and for whose passcode (sudoers(5)).
package struct SudoSettings: Equatable {
  /// Whose passcode is asked for, if it is not that of sudo's caller.
  package enum Asked: String, CaseIterable {
    /// The account that the command will run as.
    case target = "targetpw"
    case root = "rootpw"
    /// The account of `runas_default`.
    case usual = "runaspw"
  }

  /// Whose passcode is asked for, and whether only for some people, on some hosts or for some commands.
  package struct Question: Equatable {
    /// Whose passcode it is.
    package let asked: Asked
    /// Whether this applies only to some people, or may do so.
    package let isForSome: Bool

    /// - Parameters:
    ///   - asked: whose passcode is asked for.
    ///   - isForSome: whether this applies only to some people, or may do so.
    package init(asked: Asked, isForSome: Bool) {
      self.asked = asked
      self.isForSome = isForSome
    }
  }

  /// The people that sudo asks for nothing.
  package enum Unasked: Equatable {
    /// Everybody, or only some people, or only for some commands: `!authenticate`.
    case option(isForSome: Bool)
    /// The members of a group: `exempt_group`.
    case group(String)
    /// The people whom rules with NOPASSWD let run everything, as sudoers names them.
    case people([String])
  }

  /// The PAM service of `sudo`, followed by those that sudoers sets for some people, hosts or commands.
  package let services: [String]
  /// The PAM service of `sudo -i`, followed by those that sudoers sets for some people, hosts or commands.
  package let loginServices: [String]
  /// The services of `sudo -A`; empty if it asks as `sudo` does.
  package let askpassServices: [String]
  /// Whose passcode is asked for, everywhere or for some people.
  package let asked: [Question]
  /// The people whom sudo does not ask for a password.
  package let unasked: [Unasked]
  /// What is wrong with the program, so that it makes nobody root; nil if nothing is wrong.
  package var flaw: ProgramFlaw?
  /// The paths at which the program may be; empty to skip that check.
  package var programs: [String] = []
  /// The parts that were not read.
  package let gaps: [SudoersGap]
  /// The rules; nil if there are none to read.
  let text: SudoersText?
  private let hosts: [String]

  /// Makes settings with sudo's own names, and nothing about people.
  ///
  /// - Parameter gaps: what could not be read.
  package init(gaps: [SudoersGap] = []) {
    services = ["sudo"]
    loginServices = ["sudo-i"]
    askpassServices = []
    asked = []
    unasked = []
    self.gaps = gaps
    text = nil
    hosts = []
  }

  /// Reads the settings from sudoers.
  ///
  /// - Parameters:
  ///   - text: the files, as far as they could be read.
  ///   - hosts: the names by which sudo may know this host.
  ///   - gaps: what could not be read.
  package init(_ text: SudoersText, hosts: [String], gaps: [SudoersGap] = []) {
    let rules = SudoersRules(text, hosts: hosts, accounts: NoDirectory(), passwords: NoDirectory())
    services = rules.services("pam_service", usual: "sudo")
    loginServices = rules.services("pam_login_service", usual: "sudo-i")
    askpassServices = rules.services("pam_askpass_service", usual: "").filter { !$0.isEmpty }
    asked = rules.asked()
    unasked = rules.unasked()
    let unknown = text.unknownGroups
    self.gaps = gaps + (unknown.isEmpty ? [] : [.groups(unknown)])
    self.text = text
    self.hosts = hosts
  }

  /// The rules for people; nil if there are none to read.
  func rules(accounts: any AccountDirectory, passwords: any PasswordDirectory) -> SudoersRules? {
    text.map { SudoersRules($0, hosts: hosts, accounts: accounts, passwords: passwords) }
  }

  /// Whether everything was read that could name a service.
  var knowsServices: Bool { !gaps.contains(where: \.mayHideService) }

  /// The service of most people's `sudo`.
  var main: String { services.first ?? "sudo" }

  /// The service names that Debian builds into sudo, or those that sudoers sets instead.
  var family: ServiceFamily {
    var members: [String] = []
    for name in services + loginServices + askpassServices where name != main && !members.contains(name) {
      members.append(name)
    }
    return ServiceFamily(main: main, members: members)
  }

  /// Every program with several names.
  var families: [ServiceFamily] {
    ServiceFamily.all.map { $0.main == "sudo" ? family : $0 }
  }

  /// The service that sudo uses instead of one of the usual names; nil if sudo uses that name.
  func replacement(of name: String) -> String? {
    guard ServiceFamily.of(name)?.main == "sudo", !family.names.contains(name) else { return nil }
    return name == "sudo" ? services.first : loginServices.first
  }
}

extension SudoSettings.Asked: Catalogued {
  /// The text in English.
  package var english: String {
    switch self {
    case .target: "the account that the command will run as"
    case .root: "root"
    case .usual: "the account of runas_default"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .target: "명령을 실행할 계정"
    case .root: "root"
    case .usual: "runas_default의 계정"
    }
  }
}

extension SudoSettings.Unasked: Catalogued {
  /// The text in English.
  package var english: String {
    switch self {
    case .option(isForSome: false): "sudo asks nobody for anything: Defaults !authenticate of sudoers"
    case .option(isForSome: true):
      "sudo asks some people, or for some commands, for nothing: Defaults !authenticate of sudoers"
    case .group(let name):
      "sudo asks the members of \(ShownText.line(name)) for nothing: Defaults exempt_group of sudoers"
    case .people(let names):
      "sudo asks \(ShownText.names(names) { "and \($0) more" }) for nothing: NOPASSWD of sudoers"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .option(isForSome: false): "sudo는 아무에게도 아무것도 묻지 않습니다(sudoers의 Defaults !authenticate)"
    case .option(isForSome: true):
      "sudo는 일부 사용자나 일부 명령에 대해 아무것도 묻지 않습니다(sudoers의 Defaults !authenticate)"
    case .group(let name): "sudo는 \(ShownText.line(name)) 그룹의 구성원에게 아무것도 묻지 않습니다(sudoers의 Defaults exempt_group)"
    case .people(let names):
      "sudo가 아무것도 묻지 않는 사용자: \(ShownText.names(names) { "외 \($0)개" })(sudoers의 NOPASSWD)"
    }
  }
}

/// An empty directory: sudoers' settings for services need no people.
private struct NoDirectory: AccountDirectory, PasswordDirectory {
  func account(named name: String) -> Account? { nil }
  func account(withID userID: uid_t) -> Account? { nil }
  func members(ofGroup name: String) -> [String]? { nil }
  func members(ofGroupNumber number: gid_t) -> [String]? { nil }
  func groups(alike name: String) -> [String] { [] }
  func localAccounts() -> [String] { [] }
  func shell(of name: String) -> String? { nil }
  func isListed(shell: String) -> Bool { false }
  func text(of path: String) -> String? { nil }
  func hasFile(_ path: String) -> Bool { false }
  func password(of name: String) -> PasswordState { .unknown }
  func wrongPasswords(of name: String, in folder: String) -> Int { 0 }
  func limits(in files: [String]?) -> [[String]]? { [] }
  func closedHome(of name: String) -> String? { nil }
  func shellOfEverybody() -> String? { nil }
  func groups(of name: String) -> [String] { [] }
  func flaw(of program: String, at paths: [String]) -> ProgramFlaw? { nil }
  func home(of name: String) -> String? { nil }
  func hasHome(_ name: String) -> Bool { true }
  func isWritable(_ path: String, makesFolders: Bool) -> Bool { true }
}

/// Something that sudo reads, but that was not read here.
package enum SudoersGap: Equatable {
  /// A file; the system's error number.
  case file(path: String, CInt)
  /// A file that is far larger than any real one.
  case tooLarge(path: String)
  /// A line that sudo cannot read either, and skips.
  case line(path: String, Int, mayNameService: Bool)
  /// A file or a folder that sudo does not read, because others can write it.
  case untrusted(path: String, Flaw, isWhole: Bool)
  /// sudo.conf names a policy other than sudoers.
  case policy(path: String, plugin: String)
  /// sudo.conf names one more plugin, which may refuse as well.
  case plugin(path: String, plugin: String)
  /// sudo cannot load a plugin, and so runs nothing.
  case unloadable(path: String, plugin: String)
  /// Rules that a directory service has.
  case directory(path: String, sources: [String])
  /// Netgroups, and groups of a plugin, whose members are not looked up.
  case groups([String])

  /// Why sudo does not read a file.
  package enum Flaw: Equatable {
    /// Everybody can write it.
    case everybody
    /// A group can write it.
    case group(gid_t)
    /// It does not belong to root.
    case owner(uid_t)
    /// It is not a file.
    case kind
  }

  /// Whether the part that was not read may make sudo use a different service.
  package var mayHideService: Bool {
    switch self {
    // An included file that does not exist changes nothing.
    case .file(_, let number): number != ENOENT
    case .line(_, _, let mayNameService): mayNameService
    case .tooLarge, .policy: true
    case .untrusted(_, _, let isWhole): isWhole
    case .directory, .groups, .plugin, .unloadable: false
    }
  }

  /// Whether sudo may refuse, whatever sudoers says.
  var mayRefuse: Bool {
    switch self {
    case .policy, .plugin, .unloadable: true
    case .file, .tooLarge, .line, .untrusted, .directory, .groups: false
    }
  }

  /// Whether rules may be missing, so that the usual groups count in addition to the rules that were read.
  var mayHideRules: Bool {
    switch self {
    case .groups, .plugin, .unloadable: false
    case .untrusted(_, _, let isWhole): isWhole
    case .file, .tooLarge, .line, .policy, .directory: true
    }
  }
}

extension SudoersGap: Catalogued {
  /// The text in English.
  package var english: FindingText {
    switch self {
    case .file(let path, let number):
      FindingText(
        "\(ShownText.line(path)) cannot be read (\(SystemReason(number).english)): what sudoers says is not known",
        do: number == EACCES ? "run it as root" : "visudo -c")
    case .tooLarge(let path):
      FindingText(
        "\(ShownText.line(path)) is too large to be read: what sudoers says is not known",
        do: "make several files of it")
    case .line(let path, let line, _):
      FindingText(
        "\(ShownText.line(path)):\(line): sudo cannot read this line, and leaves it out",
        do: "visudo -c, and correct the line")
    case .untrusted(let path, let flaw, let isWhole):
      FindingText(
        "\(ShownText.line(path)) \(flaw.english): sudo does not read it\(isWhole ? ", and lets nobody in" : "")",
        do: flaw.remedy(path))
    case .policy(let path, let plugin):
      FindingText(
        "\(path): \(ShownText.line(plugin)) decides in place of sudoers: it is not known whom sudo asks, and for what",
        do: "take the plugin out")
    case .plugin(let path, let plugin):
      FindingText(
        "sudo asks one more plugin, which may refuse anybody: \(ShownText.line(plugin)) (\(ShownText.line(path)))",
        do: "take the plugin out of \(ShownText.line(path))")
    case .unloadable(let path, let plugin):
      FindingText(
        "sudo cannot load \(ShownText.line(plugin)), and lets nobody in (\(ShownText.line(path)))",
        do: "correct \(ShownText.line(path)), or reinstall the package that has the plugin")
    case .directory(let path, let sources):
      FindingText(
        "the sudo rules of a directory service were not read (sudoers of \(path): \(sources.joined(separator: ", ")))")
    case .groups(let names):
      FindingText("netgroup, not looked up: \(names.map(ShownText.line).joined(separator: ", ")), which sudoers names")
    }
  }

  /// The text in Korean.
  package var korean: FindingText {
    switch self {
    case .file(let path, let number):
      FindingText(
        "\(ShownText.line(path))을(를) 읽을 수 없어(\(SystemReason(number).korean)) sudoers의 설정을 알 수 없습니다",
        do: number == EACCES ? "root로 실행하십시오" : "visudo -c")
    case .tooLarge(let path):
      FindingText(
        "\(ShownText.line(path))이(가) 너무 커서 sudoers의 설정을 알 수 없습니다", do: "여러 파일로 나누십시오")
    case .line(let path, let line, _):
      FindingText(
        "\(ShownText.line(path)):\(line): sudo가 읽지 못하고 건너뛰는 줄입니다", do: "visudo -c로 확인하고 이 줄을 고치십시오")
    case .untrusted(let path, let flaw, let isWhole):
      FindingText(
        "\(ShownText.line(path)): \(flaw.korean) sudo가 읽지 않습니다\(isWhole ? ". 그래서 sudo로는 아무도 들어올 수 없습니다" : "")",
        do: flaw.remedy(path))
    case .policy(let path, let plugin):
      FindingText(
        "\(path): sudoers 대신 \(ShownText.line(plugin))이(가) 결정하므로 sudo가 무엇을 묻는지 알 수 없습니다",
        do: "이 플러그인을 빼십시오")
    case .plugin(let path, let plugin):
      FindingText(
        "sudo가 다른 플러그인에도 물으며, 그 플러그인이 누구든 거부할 수 있습니다: \(ShownText.line(plugin))(\(ShownText.line(path)))",
        do: "\(ShownText.line(path))에서 이 플러그인을 빼십시오")
    case .unloadable(let path, let plugin):
      FindingText(
        "sudo가 플러그인 \(ShownText.line(plugin))을(를) 불러올 수 없어 sudo로는 아무도 들어올 수 없습니다(\(ShownText.line(path)))",
        do: "\(ShownText.line(path))을(를) 고치거나 플러그인이 든 패키지를 다시 설치하십시오")
    case .directory(let path, let sources):
      FindingText(
        "디렉터리 서비스의 sudo 규칙은 읽지 않았습니다(\(path)의 sudoers: \(sources.joined(separator: ", ")))")
    case .groups(let names):
      FindingText("sudoers에 있으나 구성원을 찾아보지 않은 넷그룹: \(names.map(ShownText.line).joined(separator: ", "))")
    }
  }
}

extension SudoersGap.Flaw {
  fileprivate var english: String {
    switch self {
    case .everybody: "can be written by everybody"
    case .group(let number): "can be written by group \(number)"
    case .owner(let number): "belongs to user \(number)"
    case .kind: "is not a file"
    }
  }

  fileprivate var korean: String {
    switch self {
    case .everybody: "누구나 쓸 수 있어"
    case .group(let number): "그룹 \(number)이(가) 쓸 수 있어"
    case .owner(let number): "소유자가 사용자 \(number)이어서"
    case .kind: "파일이 아니어서"
    }
  }

  /// The remedy, which is the same in every language.
  fileprivate func remedy(_ path: String) -> String? {
    switch self {
    case .everybody, .group: "chmod go-w \(ShownText.line(path))"
    case .owner: "chown root \(ShownText.line(path))"
    case .kind: "mv \(ShownText.line(path)) \(ShownText.line(path)).old"
    }
  }
}
