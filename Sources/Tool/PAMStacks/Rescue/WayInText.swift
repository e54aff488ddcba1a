import Glibc
import HostSystem
import Wording

// The texts about why there is no other way in, and who has one.

extension WayIn {
  /// One thing that is missing.
  enum Lack: Equatable, Catalogued {
    case leadsNobodyPast
    case rootsPassword(PasswordState)
    /// Why root cannot log in at the console.
    case root(Member)
    case noConsole
    /// A right password gets no farther than this line.
    case refused(StackLinePlace)
    case noGroup
    /// /etc/group has the group, but the C library does not look for groups there.
    case unseenGroup
    /// Only a directory service has the group, and not /etc/group.
    case directoryGroup
    case emptyGroup
    /// Why a member of the group cannot log in.
    case member(String, Member)

    var english: String {
      let group = WayIn.rescueGroup
      return switch self {
      case .leadsNobodyPast: "the stack leads no member of \(group) past pam_uaf"
      case .rootsPassword(let state): "root's password is \(state.english)"
      case .root(let lack): "root \(lack.english)"
      case .noConsole: "the console (login) asks pam_uaf as well, or is not there"
      case .refused(let place):
        place.unread.map { "\(place.path):\(place.line) includes \(ShownText.line($0)), which libpam cannot read" }
          ?? place.unloaded.map { "\(place.path):\(place.line) names \(ShownText.line($0)), which libpam cannot load" }
          ?? "\(place.path):\(place.line) refuses the right password"
      case .noGroup: "there is no group \(group)"
      case .unseenGroup: WayIn.Hint.unseenGroup.english
      case .directoryGroup: "the group \(group) is not in /etc/group: a directory decides who is in it"
      case .emptyGroup: "the group \(group) is empty"
      case .member(let name, let lack): "\(ShownText.line(name)) of \(group) \(lack.english)"
      }
    }

    var korean: String {
      let group = WayIn.rescueGroup
      return switch self {
      case .leadsNobodyPast: "스택에서 \(group) 그룹이 pam_uaf를 건너뛰지 않습니다"
      case .rootsPassword(let state): "root의 비밀번호: \(state.korean)"
      case .root(let lack): "root: \(lack.korean)"
      case .noConsole: "콘솔(login)도 pam_uaf를 쓰거나 콘솔이 없습니다"
      case .refused(let place):
        place.unread.map { "\(place.path):\(place.line): libpam이 이 줄에서 포함하는 \(ShownText.line($0)) 파일을 읽을 수 없습니다" }
          ?? place.unloaded.map { "\(place.path):\(place.line): libpam이 모듈 \(ShownText.line($0))을(를) 불러올 수 없습니다" }
          ?? "\(place.path):\(place.line)에서 맞는 비밀번호가 거부됩니다"
      case .noGroup: "그룹 \(group)이(가) 없습니다"
      case .unseenGroup: WayIn.Hint.unseenGroup.korean
      case .directoryGroup: "그룹 \(group)이(가) /etc/group에 없어 누가 그 그룹인지 디렉터리가 정합니다"
      case .emptyGroup: "그룹 \(group)이(가) 비어 있습니다"
      case .member(let name, let lack): "\(group) 그룹의 \(ShownText.line(name)): \(lack.korean)"
      }
    }
  }

  /// Why a member of the rescue group cannot become root with a password.
  package enum Member: Equatable, Catalogued {
    case noAccount
    /// /etc/passwd has the account, but the C library does not look for accounts there.
    case unseen
    /// sudo and other programs take the person for another account with the same uid, or for no account at all.
    case sharedID(uid_t, String?)
    /// A group lists the person, but the person is not a member of it after a login.
    case withheld(group: String)
    case password(PasswordState)
    case noConsole
    /// Because of this flaw, login(1) starts no session.
    case login(ProgramFlaw)
    /// login(1) ends after this number of seconds.
    case timeout(Int)
    /// login(1) refuses people without a home directory that they can enter.
    case home(String, isThere: Bool)
    case noAdministrator(groups: [String])
    /// sudoers has no rule that lets them run everything as root.
    case noRule
    /// An option of sudoers because of which sudo may refuse.
    case option(String)
    /// sudo asks for the password of a different account, which the stack does not lead past pam_uaf.
    case asksOther(String)
    /// sudo asks for the password of a different account, which has no usable password.
    case asksOtherWithout(String, PasswordState)
    case noSudo
    /// Because of this flaw, sudo makes nobody root.
    case sudo(ProgramFlaw)
    /// Whatever sudoers says, sudo refuses, or may refuse.
    case gap(SudoersGap)
    case shell(LoginShell)
    /// login starts this program in place of every shell (`FAKE_SHELL`), and it may give no session.
    case shellOfEverybody(String)
    /// What was seen when their shell was started.
    case session(SessionFlaw)
    case stopped(Stop)

    /// The text in English, without the name.
    package var english: String {
      switch self {
      case .noAccount: "is not an account"
      case .unseen:
        "is in /etc/passwd, where programs do not look: the line passwd of /etc/nsswitch.conf names no files"
      case .sharedID(let number, let other?):
        "has the uid \(number) of \(ShownText.line(other)), so that sudo and others take them for that account"
      case .sharedID(let number, nil): "has the uid \(number), for which no name is found, so that sudo refuses"
      case .withheld(let group):
        "does not have the group \(ShownText.line(group)) after a login, although it lists them: a line of "
          + "/etc/nsswitch.conf, such as initgroups, leaves it out"
      case .password(.accountExpired): "has an account that has expired"
      case .login(let flaw): "cannot log in by a password: \(flaw.english.what)"
      case .sudo(let flaw): "cannot become root: \(flaw.english.what)"
      case .gap(let gap): "cannot become root: \(gap.english.what)"
      case .timeout(let seconds):
        "cannot type a password at login in time (LOGIN_TIMEOUT \(seconds) of /etc/login.defs)"
      case .home(let path, let isThere):
        "has \(ShownText.line(path)) for a home, which is \(isThere ? "closed to them" : "not there"), and login lets nobody "
          + "in without one (DEFAULT_HOME of login.defs)"
      case .option(let name):
        "cannot be sure to become root: sudo may refuse by \(ShownText.line(name)) of sudoers"
      case .password(let state): "has a password that is \(state.english)"
      case .noConsole: "cannot log in by a password: the console (login) is not there, or leads nobody past pam_uaf"
      case .noAdministrator(let groups): "is in none of the groups \(groups.joined(separator: ", "))"
      case .noRule: "cannot become root: no rule of sudoers is certain to let them run ALL as root on this host"
      case .asksOther(let name):
        "cannot become root by their password: because of sudoers, sudo asks for the password of \(ShownText.line(name)), who is not in "
          + WayIn.rescueGroup
      case .asksOtherWithout(let name, let state):
        "cannot become root by their password: because of sudoers, sudo asks for the password of \(ShownText.line(name)), which is "
          + state.english
      case .noSudo:
        "cannot become root by a password: the PAM service of sudo is not there, or leads nobody past pam_uaf"
      case .shell(let shell): shell.english
      case .shellOfEverybody(let path):
        "cannot log in: instead of any shell, login starts a program that may give no session, \(ShownText.line(path)) "
          + "(FAKE_SHELL of login.defs)"
      case .session(let flaw): flaw.english
      case .stopped(let stop): stop.english
      }
    }

    /// The text in Korean, without the name.
    package var korean: String {
      switch self {
      case .noAccount: "그런 계정이 없습니다"
      case .unseen: "/etc/passwd에 있으나 /etc/nsswitch.conf의 passwd 줄에 files가 없어 찾지 못합니다"
      case .sharedID(let number, let other?):
        "uid \(number)이(가) \(ShownText.line(other))의 것과 같아, sudo 등은 그 계정으로 봅니다"
      case .sharedID(let number, nil): "uid \(number)의 이름을 찾을 수 없어 sudo에서 거부됩니다"
      case .withheld(let group):
        "그룹 \(ShownText.line(group))의 구성원이지만 로그인하면 그 그룹이 없습니다. /etc/nsswitch.conf의 initgroups 같은 줄에서 빠집니다"
      case .password(.accountExpired): "계정의 기한이 지났습니다"
      case .login(let flaw): "비밀번호로 로그인할 수 없습니다. \(flaw.korean.what)"
      case .sudo(let flaw): "root가 될 수 없습니다. \(flaw.korean.what)"
      case .gap(let gap): "root가 될 수 없습니다. \(gap.korean.what)"
      case .timeout(let seconds): "login에서 비밀번호를 제때 입력할 수 없습니다(/etc/login.defs의 LOGIN_TIMEOUT \(seconds))"
      case .home(let path, let isThere):
        "홈 디렉터리 \(ShownText.line(path))\(isThere ? "에 들어갈 수 없으며" : "이(가) 없으며"), 그러면 login에서 거부됩니다"
          + "(login.defs의 DEFAULT_HOME)"
      case .option(let name): "root가 되지 못할 수 있습니다. sudoers의 \(ShownText.line(name)) 때문에 sudo가 거부할 수 있습니다"
      case .password(let state): "비밀번호: \(state.korean)"
      case .noConsole: "비밀번호로 로그인할 수 없습니다. 콘솔(login)이 없거나 아무도 pam_uaf를 건너뛰지 않습니다"
      case .noAdministrator(let groups): "다음 그룹 어디에도 없습니다: \(groups.joined(separator: ", "))"
      case .noRule: "root가 될 수 없습니다. 이 호스트에서 root로 ALL을 실행하게 하는 확실한 sudoers 규칙이 없습니다"
      case .asksOther(let name):
        "자신의 비밀번호로 root가 될 수 없습니다. sudoers 설정에 따라 sudo 명령은 \(ShownText.line(name))의 비밀번호를 물으며, "
          + "그 계정은 \(WayIn.rescueGroup) 그룹에 없습니다"
      case .asksOtherWithout(let name, let state):
        "자신의 비밀번호로 root가 될 수 없습니다. sudoers 설정에 따라 sudo 명령이 묻는 \(ShownText.line(name))의 비밀번호: "
          + state.korean
      case .noSudo: "비밀번호로 root가 될 수 없습니다. sudo의 PAM 서비스가 없거나 아무도 pam_uaf를 건너뛰지 않습니다"
      case .shell(let shell): shell.korean
      case .shellOfEverybody(let path):
        "로그인할 수 없습니다. login이 모든 셸 대신 실행하는 \(ShownText.line(path))에서 세션이 열리지 않을 수 있습니다"
          + "(login.defs의 FAKE_SHELL)"
      case .session(let flaw): flaw.korean
      case .stopped(let stop): stop.korean
      }
    }
  }

  /// What to do if there is no other way in.
  package struct Hint: Catalogued {
    /// Why the group leads nobody past pam_uaf.
    package enum Cause {
      case missing
      /// A directory has the group, so groupadd(8) refuses to create it.
      case inDirectory
      /// /etc/group has the group, but the C library does not look there.
      case unseen
    }

    private let cause: Cause
    private let commands =
      "groupadd --system \(WayIn.rescueGroup); usermod --append --groups \(WayIn.rescueGroup) ADMINISTRATOR"
    private let line = "vigr: \(WayIn.rescueGroup):x:NUMBER:ADMINISTRATOR"

    /// What is said about a group that the C library does not find.
    package static let unseenGroup = (
      english:
        "the group \(WayIn.rescueGroup) is in /etc/group, where programs do not look: the line group of /etc/nsswitch.conf names no "
        + "files",
      korean: "그룹 \(WayIn.rescueGroup)이(가) /etc/group에 있으나 /etc/nsswitch.conf의 group 줄에 files가 없어 찾지 못합니다"
    )

    /// The hint, the same for everybody.
    package init(_ cause: Cause = .missing) { self.cause = cause }

    /// The text in English.
    package var english: String {
      switch cause {
      case .missing: "\(commands), who has a password and may use sudo"
      case .inDirectory: "\(line), with a number that the directory never gives"
      case .unseen: "name files first in the line group of /etc/nsswitch.conf"
      }
    }
    /// The text in Korean.
    package var korean: String {
      switch cause {
      case .missing: "\(commands). ADMINISTRATOR는 비밀번호가 있고 sudo를 쓸 수 있어야 합니다"
      case .inDirectory: "\(line). NUMBER는 디렉터리가 쓰지 않는 번호여야 합니다"
      case .unseen: "/etc/nsswitch.conf의 group 줄에 files를 맨 앞에 적으십시오"
      }
    }
  }
}

extension WayIn.Member {
  /// What to do about it for one member of the group.
  package func remedy(_ name: String) -> (english: String, korean: String) {
    let name = ShownText.line(name)
    func either(_ command: String) -> (english: String, korean: String) {
      ("\(command), or take it out of the group", "\(command), 또는 그룹에서 빼십시오")
    }
    switch self {
    case .password(.accountExpired): return either("chage -E -1 \(name)")
    case .password(.unknown):
      return (
        "passwd \(name), or name files in the line shadow of /etc/nsswitch.conf, or take it out of the group",
        "passwd \(name), 또는 /etc/nsswitch.conf의 shadow 줄에 files를 적거나, 그룹에서 빼십시오"
      )
    case .password: return either("passwd \(name)")
    case .shell(.unlisted(let path)):
      return (
        "write \(ShownText.line(path)) into /etc/shells if it is a shell, or usermod --shell /bin/bash \(name)",
        "\(ShownText.line(path))이(가) 셸이면 /etc/shells에 적으십시오. 아니면 usermod --shell /bin/bash \(name)"
      )
    case .shell(.needs(let path, let needed)):
      let (shell, needed) = (ShownText.line(path), ShownText.line(needed))
      return (
        "reinstall the packages that have \(shell) and \(needed), or usermod --shell \(Self.shell(besides: path)) \(name)",
        "\(shell)과(와) \(needed)이(가) 든 패키지를 다시 설치하거나 usermod --shell \(Self.shell(besides: path)) \(name)"
      )
    case .shell(.damaged(let path)):
      return (
        "reinstall the package that has \(ShownText.line(path)), or usermod --shell \(Self.shell(besides: path)) \(name)",
        "\(ShownText.line(path))이(가) 든 패키지를 다시 설치하거나 usermod --shell \(Self.shell(besides: path)) \(name)"
      )
    case .session(.notTried):
      return (
        "see that /dev/pts is mounted and has a terminal left (sysctl kernel.pty); 'uafctl pam enable --no-sessions' does without it",
        "/dev/pts가 마운트되어 있고 남은 터미널이 있는지 확인하십시오(sysctl kernel.pty). 셸 없이 하려면 'uafctl pam enable --no-sessions'"
      )
    case .session(.noSudo):
      return (
        "log in as \(name) and type 'sudo -V': an alias, PATH or a restricted shell may hide it; if it runs: uafctl pam enable --no-sessions",
        "\(name)(으)로 로그인해 'sudo -V'를 입력해 보십시오. 별칭, PATH, 제한된 셸이 가릴 수 있습니다. 실행되면 'uafctl pam enable --no-sessions'"
      )
    case .session:
      return (
        "log in as \(name) and see what the shell's files do (~/.profile, /etc/profile.d); if that works: uafctl pam enable --no-sessions",
        "\(name)(으)로 로그인해 셸이 읽는 파일(~/.profile, /etc/profile.d)을 확인하십시오. 로그인이 되면 'uafctl pam enable --no-sessions'"
      )
    case .shell(.missing(let path)), .shell(.closed(let path)):
      return either("usermod --shell \(Self.shell(besides: path)) \(name)")
    case .shell: return either("usermod --shell /bin/bash \(name)")
    case .home(_, isThere: false): return either("mkhomedir_helper \(name)")
    case .home(let path, isThere: true):
      return (
        "namei -l \(ShownText.line(path)) shows what \(name) may not enter: open it with chown or chmod",
        "namei -l \(ShownText.line(path)) 명령으로 \(name)이(가) 들어갈 수 없는 곳을 찾아 chown이나 chmod로 여십시오"
      )
    case .unseen:
      return (
        "name files first in the line passwd of /etc/nsswitch.conf", "/etc/nsswitch.conf의 passwd 줄에 files를 맨 앞에 적으십시오"
      )
    case .sharedID(_, nil): return either("getent passwd \(name)")
    case .sharedID: return either("usermod --uid NUMBER \(name)")
    case .withheld:
      return (
        "take initgroups out of /etc/nsswitch.conf, or name files in it; 'id \(name)' shows the groups",
        "/etc/nsswitch.conf에서 initgroups 줄을 지우거나 그 줄에 files를 적으십시오. 그룹은 'id \(name)' 명령으로 볼 수 있습니다"
      )
    case .noAccount:
      return ("gpasswd --delete \(name) \(WayIn.rescueGroup)", "gpasswd --delete \(name) \(WayIn.rescueGroup)")
    case .noAdministrator: return either("usermod --append --groups sudo \(name)")
    case .noRule:
      return (
        "visudo: '\(name) ALL=(ALL:ALL) ALL' as the last line, behind @includedir, or take it out of the group",
        "visudo로 맨 끝, @includedir 뒤에 '\(name) ALL=(ALL:ALL) ALL'을 적거나, 그룹에서 빼십시오"
      )
    case .noConsole, .noSudo, .timeout, .option, .asksOther, .asksOtherWithout, .stopped, .login, .sudo, .gap,
      .shellOfEverybody:
      return mending ?? (
        "let it in there, or put another administrator into \(WayIn.rescueGroup)",
        "그곳에서 들어올 수 있게 하거나, 다른 관리자를 \(WayIn.rescueGroup) 그룹에 넣으십시오"
      )
    }
  }
}

extension WayIn.Member {
  /// What to do about a cause other than the person's own account; nil if that is not known.
  fileprivate var mending: (english: String, korean: String)? {
    switch self {
    case .login(let flaw), .sudo(let flaw): Self.remedy(flaw)
    case .gap(let gap): Self.remedy(gap)
    case .option(let name): Self.remedy(ofOption: name)
    case .timeout:
      ("LOGIN_TIMEOUT 60 in /etc/login.defs", "/etc/login.defs에 'LOGIN_TIMEOUT 60'")
    case .shellOfEverybody:
      (
        "take FAKE_SHELL out of /etc/login.defs, or name a shell there",
        "/etc/login.defs에서 FAKE_SHELL을 지우거나 그곳에 셸을 쓰십시오"
      )
    case .stopped(.closed(_, let file)):
      (
        "rm \(ShownText.line(file)): as long as it is there, it keeps everybody but root out",
        "rm \(ShownText.line(file)). 이 파일이 있는 동안에는 root만 들어올 수 있습니다"
      )
    case .stopped(.refused(let place)): place.loadRemedy
    case .stopped(.unread(_, let file)):
      (
        "correct \(ShownText.line(file.path)):\(file.line), or take the line out",
        "\(ShownText.line(file.path)):\(file.line) 줄을 고치거나 지우십시오"
      )
    case .stopped(.unchangeable):
      (
        "mount -o remount,rw \"$(findmnt -no TARGET -T /etc)\", or change the password before",
        "mount -o remount,rw \"$(findmnt -no TARGET -T /etc)\", 또는 비밀번호를 미리 바꾸십시오"
      )
    case .stopped(.empty(let path, _, let group)):
      (
        "write '@include common-\(group)', or other \(group) lines, into \(path)",
        "\(path)에 '@include common-\(group)'이나 다른 \(group) 줄을 넣으십시오"
      )
    default: nil
    }
  }

  /// A shell that every machine has, other than one that does not work.
  fileprivate static func shell(besides path: String) -> String { "/bin/" + (path.hasSuffix("/bash") ? "sh" : "bash") }

  /// Whether the person's own account has to be changed.
  fileprivate var isPersonal: Bool {
    switch self {
    case .shell, .home, .session: true
    default: false
    }
  }

  /// What to do about an option of sudoers.
  private static func remedy(ofOption name: String) -> (english: String, korean: String) {
    let option = ShownText.line(name)
    switch name {
    case "iolog_dir":
      return (
        "visudo: name in iolog_dir a folder that root can write or make, or set ignore_iolog_errors",
        "visudo로 iolog_dir에 root가 쓰거나 만들 수 있는 폴더를 적거나 ignore_iolog_errors를 켜십시오"
      )
    case "logfile":
      return (
        "visudo: name in logfile a file that root can write, or set ignore_logfile_errors",
        "visudo로 logfile에 root가 쓸 수 있는 파일을 적거나 ignore_logfile_errors를 켜십시오"
      )
    case "log_servers":
      return (
        "visudo: set ignore_logfile_errors and ignore_iolog_errors, or take log_servers out",
        "visudo로 ignore_logfile_errors와 ignore_iolog_errors를 켜거나 log_servers를 지우십시오"
      )
    case "runas_check_shell":
      return (
        "visudo: take runas_check_shell out, or list root's shell in /etc/shells",
        "visudo로 runas_check_shell을 지우거나 root의 셸을 /etc/shells에 적으십시오"
      )
    default:
      return (
        "visudo: take \(option) out of sudoers, or correct it", "visudo로 sudoers에서 \(option)을(를) 지우거나 고치십시오"
      )
    }
  }

  private static func remedy(_ text: some Catalogued<FindingText>) -> (english: String, korean: String)? {
    text.english.remedy.flatMap { english in text.korean.remedy.map { (english, $0) } }
  }
}

extension WayIn.Objection {
  /// What to do about it.
  var remedy: (english: String, korean: String) {
    let group = WayIn.rescueGroup
    if let expired { return WayIn.Member.password(.accountExpired).remedy(expired) }
    if let mending { return mending }
    if refusing?.unread != nil { return StackLinePlace.includeRemedy }
    if let remedy = refusing?.loadRemedy { return remedy }
    if let member, member.lack.isPersonal { return member.lack.remedy(member.name) }
    if isStopped {
      return (
        "put another administrator into \(group), or let this one in", "다른 관리자를 \(group) 그룹에 넣거나, 이 관리자가 들어올 수 있게 하십시오"
      )
    }
    if refusing != nil {
      return (
        "let a right password end the stack before that line, or jump over it: a jump counts lines",
        "맞는 비밀번호가 그 줄에 걸리지 않게 하십시오. 건너뛰기는 줄 수를 셉니다"
      )
    }
    if lacks.contains(.leadsNobodyPast) {
      return (
        "choose a stack that leads \(group) past pam_uaf (pam.d/README.md)"
          + (needsRootsPassword ? ", or passwd root" : ""),
        "\(group) 그룹이 pam_uaf를 건너뛰는 스택을 고르십시오(pam.d/README.md)" + (needsRootsPassword ? ". 또는 passwd root" : "")
      )
    }
    return member.map { $0.lack.remedy($0.name) } ?? (hint.english, hint.korean)
  }

  private var hint: WayIn.Hint {
    WayIn.Hint(lacks.contains(.directoryGroup) ? .inDirectory : lacks.contains(.unseenGroup) ? .unseen : .missing)
  }

  /// The first member whose account has expired; nil if there is none.
  private var expired: String? {
    lacks.lazy.compactMap { if case .member(let name, .password(.accountExpired)) = $0 { name } else { nil } }.first
  }

  /// Whether root could log in at the console with a password.
  private var needsRootsPassword: Bool {
    lacks.contains { if case .rootsPassword = $0 { true } else { false } }
  }

  /// The first member of the group, with what is wrong; nil if the group has none.
  private var member: (name: String, lack: WayIn.Member)? {
    lacks.lazy.compactMap { if case .member(let name, let lack) = $0 { (name, lack) } else { nil } }.first
  }

  /// What is wrong with each person.
  private var members: [WayIn.Member] {
    lacks.compactMap { lack in
      switch lack {
      case .member(_, let lack), .root(let lack): lack
      default: nil
      }
    }
  }

  /// The remedy for the first cause that has one; nil if none has.
  private var mending: (english: String, korean: String)? { members.lazy.compactMap(\.mending).first }

  private var isStopped: Bool {
    members.contains { lack in
      switch lack {
      case .shell, .home, .session, .stopped: true
      default: false
      }
    }
  }

  /// The line that refuses a right password.
  private var refusing: StackLinePlace? {
    if case .refused(let place)? = lacks.first { place } else { nil }
  }
}

extension WayIn.Objection: Catalogued {
  /// The text in English.
  package var english: String { lacks.map(\.english).joined(separator: "; ") }
  /// The text in Korean.
  package var korean: String { lacks.map(\.korean).joined(separator: "; ") }
}

extension WayIn.Way: Catalogued {
  /// The text in English.
  package var english: String {
    (rescuer.map { "\(ShownText.line($0)), by the password at the console, as one of \(WayIn.rescueGroup)" }
      ?? "root, by the password at the console, where pam_uaf is not asked")
      + (unseen.isEmpty
        ? ""
        : "; not tried: what \(unseen.map { "\($0.path):\($0.line)" }.joined(separator: ", ")) returns for another terminal or hour")
  }

  /// The text in Korean.
  package var korean: String {
    (rescuer.map { "\(ShownText.line($0)), \(WayIn.rescueGroup) 그룹으로서 콘솔에서 비밀번호로" }
      ?? "root, pam_uaf를 쓰지 않는 콘솔에서 비밀번호로")
      + (unseen.isEmpty
        ? ""
        : ". 다른 터미널이나 시간에 대해 시험하지 않은 줄: \(unseen.map { "\($0.path):\($0.line)" }.joined(separator: ", "))")
  }
}

extension PasswordState: Catalogued {
  /// The text in English.
  package var english: String {
    switch self {
    case .usable: "usable"
    case .unknown: "not set"
    case .empty: "empty"
    case .locked: "locked"
    case .expired, .accountExpired: "expired"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .usable: "쓸 수 있습니다"
    case .unknown: "정해지지 않았습니다"
    case .empty: "비어 있습니다"
    case .locked: "잠겨 있습니다"
    case .expired, .accountExpired: "기한이 지났습니다"
    }
  }
}
