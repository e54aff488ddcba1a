import PAMStacks
import UAFConfiguration
import Wording

/// Doctor's texts about the services' stacks; `file` is the service's file.
enum PAMText: FindingCatalogue {
  case noFolder(String)
  case unused(folder: String)
  case noModule(String)
  case module(path: String)
  case moduleNoFile(path: String)
  case moduleOpen(path: String)
  case letsIn(file: String)
  /// A line lets people in before the module is asked.
  case passedOver(file: String, line: Int)
  /// People can log in without the right password.
  case passwordGap(PasswordGap)
  /// The password of these people adds nothing, although the stack asks for it first.
  case emptyPasswords(file: String, [String])
  /// A stack of `uafctl pam enable`, edited so that people can get in although pam_uaf has refused.
  case edited(file: String, service: String)
  /// A stack of `uafctl pam enable`, edited so that it no longer asks pam_uaf.
  case silent(file: String, service: String, PasswordAlone)
  case noEffect(file: String)
  case wayBehind(file: String)
  case wayBefore(file: String)
  case wayPast(file: String)
  case noWayIn(file: String)

  private static func english(_ alone: PasswordAlone) -> String {
    switch alone {
    case .everybody: "and lets everybody in by the password"
    case .othersThanRescuers:
      "and lets in everybody by the password but the members of \(WayIn.rescueGroup), who are refused"
    case .rescuers: "and lets in nobody but the members of \(WayIn.rescueGroup)"
    case .nobody: "and lets nobody in"
    }
  }

  private static func korean(_ alone: PasswordAlone) -> String {
    switch alone {
    case .everybody: "비밀번호만으로 누구나 들어옵니다"
    case .othersThanRescuers: "\(WayIn.rescueGroup) 그룹은 거부되고 다른 사람은 비밀번호만으로 들어옵니다"
    case .rescuers: "\(WayIn.rescueGroup) 그룹 외에는 아무도 들어올 수 없습니다"
    case .nobody: "아무도 들어올 수 없습니다"
    }
  }

  var english: FindingText {
    switch self {
    case .noFolder(let path): FindingText("pam: \(path) cannot be read", do: "name the folder with --pam-directory")
    case .unused(let folder):
      FindingText("pam: no service in \(folder) uses \(PAMLine.ownModule)", do: "uafctl pam enable SERVICE")
    case .noModule(let name):
      FindingText("pam: \(name) is not where PAM looks for it", do: "reinstall the libpam-uaf package")
    case .module(let path): FindingText("pam: \(path)")
    case .moduleNoFile(let path):
      FindingText("pam: \(path) is not a plain file", do: "reinstall the libpam-uaf package")
    case .moduleOpen(let path):
      FindingText(
        "pam: \(path) can be changed by others than root", do: "chown root:root \(path) && chmod 644 \(path)")
    case .letsIn(let file):
      FindingText(
        "pam: \(file): a refusal of pam_uaf does not make the stack refuse",
        do: "put 'auth required pam_deny.so' after the line of pam_uaf")
    case .passedOver(let file, let line):
      Self.ofPAM(StackError.passedOver(path: file, line: line).english)
    case .passwordGap(let gap): Self.ofPAM(gap.error.english)
    case .emptyPasswords(let file, let names):
      FindingText(
        "pam: \(file): accepts the empty password of these accounts, which adds nothing to the passcode: \(ShownText.names(names) { "and \($0) more" })",
        do: "set a password for each with 'passwd NAME', or lock the account's password with 'passwd --lock NAME'")
    case .edited(let file, let service):
      FindingText(
        "pam: \(file): was edited: somebody whom pam_uaf has refused can still get in",
        do: "uafctl pam enable \(service), which puts the ready stack back and keeps the edited one")
    case .silent(let file, let service, let alone):
      FindingText(
        "pam: \(file): was edited: \(service) no longer asks for the passcode, "
          + Self.english(alone),
        do: "uafctl pam enable \(service), which puts the ready stack back and keeps the edited one")
    case .noEffect(let file):
      FindingText(
        "pam: \(file): whatever pam_uaf returns, the lines after it decide",
        do: "give its line a control word that counts: a stack of pam.d/")
    case .wayBehind(let file): FindingText("pam: \(file): a line after pam_uaf's is another way in")
    case .wayBefore(let file): FindingText("pam: \(file): a line before pam_uaf's is another way in")
    case .wayPast(let file): FindingText("pam: \(file): a line leads some people past pam_uaf to another way in")
    case .noWayIn(let file):
      FindingText(
        "pam: \(file): nobody gets in if pam_uaf refuses, administrators included",
        do: "keep another way in: a stack of pam.d/, or root's console without it")
    }
  }

  var korean: FindingText {
    switch self {
    case .noFolder(let path): FindingText("pam: \(path)을(를) 읽을 수 없습니다", do: "--pam-directory로 폴더를 지정하십시오")
    case .unused(let folder):
      FindingText("pam: \(folder)에서 '\(PAMLine.ownModule)' 모듈을 쓰는 서비스가 없습니다", do: "uafctl pam enable SERVICE")
    case .noModule(let name):
      FindingText("pam: \(name)이(가) PAM이 찾는 곳에 없습니다", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .module(let path): FindingText("pam: \(path)")
    case .moduleNoFile(let path): FindingText("pam: \(path): 일반 파일이 아닙니다", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .moduleOpen(let path):
      FindingText(
        "pam: root가 아닌 사용자가 \(path)을(를) 바꿀 수 있습니다", do: "chown root:root \(path) && chmod 644 \(path)")
    case .letsIn(let file):
      FindingText("pam: \(file): 거부된 뒤에 거부하는 줄이 없습니다", do: "그 뒤에 'auth required pam_deny.so'를 넣으십시오")
    case .passedOver(let file, let line):
      Self.ofPAM(StackError.passedOver(path: file, line: line).korean)
    case .passwordGap(let gap): Self.ofPAM(gap.error.korean)
    case .emptyPasswords(let file, let names):
      FindingText(
        "pam: \(file): 비밀번호가 비어 있어 아무것도 막지 못하는 계정: \(ShownText.names(names) { "외 \($0)개" })",
        do: "각 계정의 비밀번호를 'passwd NAME'으로 정하거나 'passwd --lock NAME'으로 잠그십시오")
    case .edited(let file, let service):
      FindingText(
        "pam: \(file): 직접 고쳐져, pam_uaf가 거부해도 로그인될 수 있습니다",
        do: "uafctl pam enable \(service). 준비된 스택으로 되돌리고 고친 것은 남겨 둡니다")
    case .silent(let file, let service, let alone):
      FindingText(
        "pam: \(file): 직접 고쳐져, \(service) 서비스가 더는 패스코드를 묻지 않으며 "
          + Self.korean(alone),
        do: "uafctl pam enable \(service). 준비된 스택으로 되돌리고 고친 것은 남겨 둡니다")
    case .noEffect(let file):
      FindingText(
        "pam: \(file): pam_uaf가 무엇이라 하든 그 뒤의 줄이 결정합니다",
        do: "pam.d/의 스택처럼, 결과가 반영되는 제어 값을 주십시오")
    case .wayBehind(let file): FindingText("pam: \(file): 그 뒤에 들어올 다른 방법이 있습니다")
    case .wayBefore(let file): FindingText("pam: \(file): 그 앞에 들어올 다른 방법이 있습니다")
    case .wayPast(let file): FindingText("pam: \(file): 일부 사용자는 이를 건너뛰어 다른 방법으로 들어옵니다")
    case .noWayIn(let file):
      FindingText(
        "pam: \(file): 거부되면 관리자를 포함해 아무도 들어올 수 없습니다",
        do: "다른 방법을 남기십시오. pam.d/의 스택을 쓰거나, root의 콘솔에서는 쓰지 마십시오")
    }
  }

  /// The text of `uafctl pam enable` about the same line.
  fileprivate static func ofPAM(_ text: FindingText) -> FindingText {
    FindingText("pam: " + text.what, do: text.remedy)
  }
}

/// What doctor says about single lines of stacks, and about names of one program; `file` is the service's file.
enum PAMLineText: FindingCatalogue {
  case nouserok(file: String)
  case unregisteredExcused(file: String)
  case noPasswordLine(file: String)
  case accountAlone(file: String)
  case include(file: String, service: String, stack: String)
  case unusedStack(file: String, service: String, stack: String)
  case twoReadings(file: String, line: Int)
  case carriageReturn(file: String, line: Int)
  case otherName(file: String, asking: String, command: String)
  case openOthers([String])
  /// Like the two cases before, for a service that lets people in without asking for anything.
  case unaskedName(file: String, asking: String, command: String)
  case unaskedOthers([String])
  case profile

  var english: FindingText {
    switch self {
    case .nouserok(let file):
      FindingText(
        "pam: \(file): nouserok is set: whoever never registered is not asked for a passcode",
        do: "take it out once everybody has one")
    case .unregisteredExcused(let file):
      FindingText(
        "pam: \(file): user_unknown in the control of pam_uaf.so: whoever never registered is not asked for a passcode",
        do: "take it out once everybody has one")
    case .noPasswordLine(let file):
      FindingText(
        "pam: \(file): an account line without a password line: people whose passcode is stale are asked for a new password instead",
        do: "use both lines or neither; the stacks in pam.d/ for services have both")
    case .accountAlone(let file):
      FindingText(
        "pam: \(file): no account line but pam_uaf's, which lets nobody in by itself: uaf-rescue is refused, too",
        do: "write '@include common-account', or whatever 'other' has for account, into it")
    case .include(let file, let service, let stack):
      FindingText(
        "pam: \(file): includes \(stack), which is not there: everybody is refused", do: "uafctl pam disable \(service)"
      )
    case .unusedStack(let file, let service, let stack):
      FindingText(
        "pam: \(file): does not include \(stack), the stack that was made for it, and does not ask for the passcode",
        do: "uafctl pam enable \(service), or uafctl pam disable \(service)")
    case .twoReadings(let file, let line):
      FindingText(
        "pam: \(file):\(line): libpam 1.5 reads this line differently from libpam 1.6 and newer: it cannot be said who gets in",
        do: "write lines of plain text, at most 1,000 bytes each, and none with '\\' at its end")
    case .carriageReturn(let file, let line):
      FindingText(
        "pam: \(file):\(line): the line ends with a carriage return (CRLF), which libpam takes for part of its last word",
        do: "sed -i 's/\\r$//' \(file)")
    case .otherName(let file, let asking, let command):
      FindingText(
        "pam: \(file): does not ask for the passcode, and is the same program as \(asking)", do: command)
    case .openOthers(let names):
      FindingText("pam: services that do not ask for the passcode: \(names.joined(separator: ", "))")
    case .unaskedName(let file, let asking, let command):
      FindingText(
        "pam: \(file): lets people in without asking for anything, and is the same program as \(asking)",
        do: "write '@include common-auth' in place of its auth lines, then \(command)")
    case .unaskedOthers(let names):
      FindingText("pam: services that let people in without asking for anything: \(names.joined(separator: ", "))")
    case .profile:
      FindingText(
        "pam: pam-auth-update's profile is on: the passcode decides in every service; the password lets in whoever never "
          + "registered",
        do:
          "if not every service should ask for the passcode: turn the profile off with pam-auth-update, and use uafctl pam enable SERVICE"
      )
    }
  }

  var korean: FindingText {
    switch self {
    case .nouserok(let file):
      FindingText(
        "pam: \(file): nouserok이 있어, 등록한 적이 없는 사람에게는 패스코드를 묻지 않습니다",
        do: "모두 등록한 뒤에 지우십시오")
    case .unregisteredExcused(let file):
      FindingText(
        "pam: \(file): pam_uaf.so의 제어 값에 user_unknown이 있어, 등록한 적이 없는 사람에게는 패스코드를 묻지 않습니다",
        do: "모두 등록한 뒤에 지우십시오")
    case .noPasswordLine(let file):
      FindingText(
        "pam: \(file): account 줄만 있고 password 줄이 없습니다. 패스코드를 바꿔야 하는 사람에게 새 비밀번호를 묻게 됩니다",
        do: "pam.d/의 스택처럼 두 줄을 모두 쓰거나 모두 지우십시오")
    case .accountAlone(let file):
      FindingText(
        "pam: \(file): account 줄이 pam_uaf의 것뿐이며, 그것만으로는 uaf-rescue를 포함해 아무도 들어올 수 없습니다",
        do: "'@include common-account'나 'other'의 account 줄을 넣으십시오")
    case .include(let file, let service, let stack):
      FindingText(
        "pam: \(file): 없는 파일 \(stack)을(를) 포함하므로 모두 거부됩니다", do: "uafctl pam disable \(service)")
    case .unusedStack(let file, let service, let stack):
      FindingText(
        "pam: \(file): 이 서비스용으로 만든 \(stack)을(를) 포함하지 않으므로 패스코드를 묻지 않습니다",
        do: "uafctl pam enable \(service) 또는 uafctl pam disable \(service)")
    case .twoReadings(let file, let line):
      FindingText(
        "pam: \(file):\(line): libpam 1.5와 1.6 이후 버전이 다르게 읽는 줄이어서, 누구를 들이는지 알 수 없습니다",
        do: "각 줄을 1,000바이트 이하의 일반 텍스트로 쓰고, 줄 끝에 '\\'를 쓰지 마십시오")
    case .carriageReturn(let file, let line):
      FindingText(
        "pam: \(file):\(line): 줄이 캐리지 리턴(CRLF)으로 끝나며, libpam은 이를 마지막 단어의 일부로 읽습니다",
        do: "sed -i 's/\\r$//' \(file)")
    case .otherName(let file, let asking, let command):
      FindingText(
        "pam: \(file): \(asking)와(과) 같은 프로그램이지만 패스코드를 묻지 않습니다", do: command)
    case .openOthers(let names): FindingText("pam: 패스코드를 묻지 않는 서비스: \(names.joined(separator: ", "))")
    case .unaskedName(let file, let asking, let command):
      FindingText(
        "pam: \(file): \(asking)와(과) 같은 프로그램이지만 아무것도 묻지 않고 들여보냅니다",
        do: "그 auth 줄 대신 '@include common-auth'를 쓴 다음 \(command)")
    case .unaskedOthers(let names):
      FindingText("pam: 아무것도 묻지 않고 들여보내는 서비스: \(names.joined(separator: ", "))")
    case .profile:
      FindingText(
        "pam: pam-auth-update의 프로필이 켜져 있어 모든 서비스에서 패스코드가 결정합니다. 등록한 적이 없는 사람은 비밀번호로 "
          + "들어옵니다", do: "지나치다면 pam-auth-update로 끄고 uafctl pam enable SERVICE 명령을 쓰십시오")
    }
  }
}

/// Doctor's texts about misspelt modules, about arguments without the intended effect, and about polkit's service next to that
/// of sudo.
enum PAMNameText: FindingCatalogue {
  case misspelt(service: String, module: String)
  /// A wrong argument, which refuses everybody unless the line reads no arguments.
  case argument(place: String, problem: ConfigurationError, isRead: Bool)
  case hidden(service: String)
  case polkit(service: String, asking: String)
  /// The same, if polkit asks for nothing.
  case unaskedPolkit(service: String, asking: String)
  case unread(place: String)
  case sudoService(service: String)
  case sshService(service: String)
  /// A name of a program without lines of its own.
  case fallen(FallenName)
  case sudoAsks(SudoSettings.Question)
  case sudoUnasked(SudoSettings.Unasked)
  case sudoersGap(SudoersGap)

  var english: FindingText {
    switch self {
    case .misspelt(let service, let module):
      FindingText(
        "pam: \(service): there is no module \(module): libpam refuses at this line, or leaves it out",
        do: "write \(PAMLine.ownModule), if that is meant")
    case .argument(let place, let problem, let isRead):
      FindingText(
        "pam: \(place): \(problem.english): this line \(isRead ? "refuses everybody" : "ignores it")",
        do: "correct the line")
    case .hidden(let service):
      FindingText(
        "pam: \(service): nouserok has no effect, because registrations are hidden (hide_state): whoever never registered is refused",
        do: "set hide_state = false for this service, or have everybody register")
    case .polkit(let service, let asking):
      FindingText(
        "pam: \(service) does not ask for the passcode: people whom \(asking) asks for it become root with only the password by pkexec and run0",
        do: "uafctl pam enable \(service)")
    case .unaskedPolkit(let service, let asking):
      FindingText(
        "pam: \(StackText.unaskedPolkit(service, asking: asking).english)",
        do: "write '@include common-auth' in place of its auth lines, then uafctl pam enable \(service)")
    case .sudoService(let service):
      FindingText(
        "pam: \(StackText.sudoService(service).english)", do: SudoersProblem.enabling(service).english)
    case .sshService(let service):
      FindingText("pam: \(StackText.sshService(service).english)", do: SSHProblem.remedy(service).english)
    case .sudoAsks(let asked): FindingText("pam: \(StackText.sudoAsks(asked).english)")
    case .sudoUnasked(let unasked): FindingText("pam: \(unasked.english)")
    case .fallen(let name): PAMText.ofPAM(name.english)
    case .unread(let place):
      FindingText(
        "pam: \(place): includes a file that libpam cannot read: everybody is refused",
        do: StackLinePlace.includeRemedy.english)
    case .sudoersGap(let gap): FindingText("pam: \(gap.english.what)", do: gap.english.remedy)
    }
  }

  var korean: FindingText {
    switch self {
    case .misspelt(let service, let module):
      FindingText(
        "pam: \(service): 모듈 \(module)이(가) 없습니다. libpam은 이 줄에서 거부하거나 이 줄을 건너뜁니다",
        do: "뜻한 것이 \(PAMLine.ownModule)이면 그렇게 쓰십시오")
    case .argument(let place, let problem, let isRead):
      FindingText(
        "pam: \(place): \(problem.korean): 이 줄\(isRead ? "에서 모두 거부됩니다" : "은 이 인수를 무시합니다")", do: "이 줄을 고치십시오")
    case .hidden(let service):
      FindingText(
        "pam: \(service): 등록 여부를 숨기므로(hide_state) nouserok이 효과가 없습니다. 등록한 적이 없는 사람은 거부됩니다",
        do: "이 서비스에 hide_state = false를 쓰거나, 모두 등록하게 하십시오")
    case .polkit(let service, let asking):
      FindingText(
        "pam: \(service)은(는) 패스코드를 묻지 않습니다. \(asking)에서 패스코드를 묻는 사람도 pkexec와 run0로는 비밀번호만으로 root가 됩니다",
        do: "uafctl pam enable \(service)")
    case .unaskedPolkit(let service, let asking):
      FindingText(
        "pam: \(StackText.unaskedPolkit(service, asking: asking).korean)",
        do: "그 auth 줄 대신 '@include common-auth'를 쓴 다음 uafctl pam enable \(service)")
    case .sudoService(let service):
      FindingText(
        "pam: \(StackText.sudoService(service).korean)", do: SudoersProblem.enabling(service).korean)
    case .sshService(let service):
      FindingText("pam: \(StackText.sshService(service).korean)", do: SSHProblem.remedy(service).korean)
    case .sudoAsks(let asked): FindingText("pam: \(StackText.sudoAsks(asked).korean)")
    case .sudoUnasked(let unasked): FindingText("pam: \(unasked.korean)")
    case .fallen(let name): PAMText.ofPAM(name.korean)
    case .unread(let place):
      FindingText(
        "pam: \(place): libpam이 이 줄에서 포함하는 파일을 읽을 수 없어 모두 거부됩니다", do: StackLinePlace.includeRemedy.korean)
    case .sudoersGap(let gap): FindingText("pam: \(gap.korean.what)", do: gap.korean.remedy)
    }
  }
}

/// What doctor says about lines with `account_check`; `file` is the service's file.
enum PAMAccountText: FindingCatalogue {
  /// The line refuses everybody.
  case wrong(file: String)
  /// The line cannot ask the server.
  case blind(file: String)

  var english: FindingText {
    switch self {
    case .wrong(let file):
      FindingText(
        "pam: \(file): account_check is in a line of another type, or has a value other than required: everybody is refused",
        do: "write it into an account line, as account_check or account_check=required")
    case .blind(let file):
      FindingText(
        "pam: \(file): account_check cannot ask whether an account is disabled: the server's answers are not signed here, or "
          + "server.request_url does not end in /get",
        do: "set server.require_signed_verdict and server.verdict_key; the server has to be uaf-server")
    }
  }

  var korean: FindingText {
    switch self {
    case .wrong(let file):
      FindingText(
        "pam: \(file): account_check가 account가 아닌 줄에 있거나 required가 아닌 값이 있어 모두 거부됩니다",
        do: "account 줄에 account_check나 account_check=required로 쓰십시오")
    case .blind(let file):
      FindingText(
        "pam: \(file): account_check가 계정의 비활성화 여부를 물을 수 없습니다. 서버의 답에 서명이 없거나 server.request_url이 "
          + "/get으로 끝나지 않습니다",
        do: "server.require_signed_verdict와 server.verdict_key를 정하십시오. 서버는 uaf-server여야 합니다")
    }
  }
}

/// Doctor's texts about the group whose members bypass pam_uaf.
enum RescueText: FindingCatalogue {
  case noGroup
  /// /etc/group has the group, but the C library does not look there.
  case unseenGroup
  /// Only a directory service has the group, and not /etc/group.
  case directoryGroup
  case nobody
  /// Only root may read passwords.
  case closed
  /// What prevents a member of the group from becoming root with the password.
  case lacks(String, WayIn.Member)
  case untried(TrialProblem)
  /// pam_faillock has counted wrong passwords of a member.
  case counted(String)
  case fine([String], isTried: Bool)

  private static let group = WayIn.rescueGroup

  var english: FindingText {
    switch self {
    case .noGroup:
      FindingText("pam: there is no group \(Self.group), the second way in", do: WayIn.Hint().english)
    case .unseenGroup: FindingText("pam: \(WayIn.Hint.unseenGroup.english)", do: WayIn.Hint(.unseen).english)
    case .directoryGroup:
      FindingText(
        "pam: the group \(Self.group), which skips the passcode, is not in /etc/group: a directory decides who is in it",
        do: WayIn.Hint(.inDirectory).english)
    case .nobody: FindingText("pam: nobody is in \(Self.group), the second way in", do: WayIn.Hint().english)
    case .closed: FindingText.asRoot("pam: the passwords of \(Self.group)")
    case .lacks(let name, let lack):
      FindingText("pam: \(name) of \(Self.group) \(lack.english)", do: lack.remedy(name).english)
    case .untried(let problem):
      FindingText("pam: \(Self.group): \(problem.english.what)", do: problem.remedyInDoctor.english)
    case .counted(let name):
      FindingText(
        "pam: pam_faillock has counted wrong passwords of \(name) of \(Self.group), and may lock the account",
        do: "faillock --user \(name), and faillock --user \(name) --reset")
    case .fine(let names, let isTried):
      FindingText(
        "pam: \(names.joined(separator: ", ")) of \(Self.group) can use a password"
          + (isTried
            ? ", and their shells run commands"
            : " (judged from files; 'uafctl doctor --sessions' starts their shells)"))
    }
  }

  var korean: FindingText {
    switch self {
    case .noGroup: FindingText("pam: 두 번째 길인 그룹 \(Self.group)이(가) 없습니다", do: WayIn.Hint().korean)
    case .unseenGroup: FindingText("pam: \(WayIn.Hint.unseenGroup.korean)", do: WayIn.Hint(.unseen).korean)
    case .directoryGroup:
      FindingText(
        "pam: 패스코드를 건너뛰는 그룹 \(Self.group)이(가) /etc/group에 없어 누가 그 그룹인지 디렉터리가 정합니다",
        do: WayIn.Hint(.inDirectory).korean)
    case .nobody: FindingText("pam: 두 번째 길인 그룹 \(Self.group)에 아무도 없습니다", do: WayIn.Hint().korean)
    case .closed: FindingText.asRootKorean("pam: \(Self.group) 그룹의 비밀번호")
    case .lacks(let name, let lack):
      FindingText("pam: \(Self.group) 그룹의 \(name): \(lack.korean)", do: lack.remedy(name).korean)
    case .untried(let problem):
      FindingText("pam: \(Self.group): \(problem.korean.what)", do: problem.remedyInDoctor.korean)
    case .counted(let name):
      FindingText(
        "pam: \(Self.group) 그룹의 \(name): pam_faillock이 틀린 비밀번호를 세고 있어 잠겨 있을 수 있습니다",
        do: "faillock --user \(name) 명령으로 확인하고, faillock --user \(name) --reset 명령으로 푸십시오")
    case .fine(let names, let isTried):
      FindingText(
        "pam: \(Self.group) 그룹의 \(names.joined(separator: ", ")): 비밀번호를 쓸 수 있습니다"
          + (isTried ? ". 셸에서 명령도 실행됩니다" : "(파일로 판단함. 'uafctl doctor --sessions'로 셸을 시작해 볼 수 있습니다)"))
    }
  }
}
