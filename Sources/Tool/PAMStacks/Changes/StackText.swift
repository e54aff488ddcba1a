import Wording

/// What `uafctl pam` did, found or would do, one line for each; `path` is that of a file.
package enum StackText: Catalogued, Equatable {
  // What was found
  case inPlace(service: String, template: String)
  case follows(path: String, service: String)
  case byHandAlready(path: String)
  case otherName(String, asking: String)
  case fallen(FallenName)
  case polkit(String, asking: String)
  case sudoService(String)
  case sshService(String)
  /// A file of sshd's configuration that was not read.
  case sshUnread(String)
  case sudoAsks(SudoSettings.Question)
  case sudoUnasked(SudoSettings.Unasked)
  case sudoersGap(SudoersGap)
  case unregistered([String])
  /// These people have registered nothing, and get to the password up to the end of this day.
  case unregisteredUntil(String, [String])
  /// A service leads people to the password who never registered, up to the end of this day.
  case passesUntil(String, service: String)
  /// The same of a day that is over.
  case passedUntil(String, service: String)
  /// The password of these people adds nothing to the passcode.
  case emptyPasswords([String])
  case openOthers([String])
  /// Like the three cases before, for a service that lets people in without asking for anything.
  case unaskedName(String, asking: String)
  case unaskedPolkit(String, asking: String)
  case unaskedOthers([String])
  case nobodyAsks(folder: String)
  case listed(service: String, StackList.Entry.Origin)
  case passedOver(service: String, StackLinePlace)
  case letsInRefused(service: String)
  /// A service includes a stack of ours that no longer asks for the passcode.
  case silent(service: String, stack: String)
  case passwordGap(service: String, PasswordGap)
  case stillAsks(path: String)
  /// What would change, in the form of diff(1); the same in every language.
  case difference(String)
  // What was done
  case asks(path: String, stack: String, template: String)
  case saved(path: String)
  case putBack(path: String, line: String)
  case vendorAgain(path: String, vendor: String)
  case stackStays(path: String, users: [String])
  case stackSaved(path: String, saved: String)
  case stackRemoved(path: String)
  // What was tried
  case wayIn(WayIn.Way, isTried: Bool)
  /// The shell of this person is started now.
  case startsShell(String)
  case triedModule(user: String, code: CInt)
  case triedRefused(name: String, user: String, code: CInt)
  case triedAsBefore(name: String, user: String, code: CInt)
  case triedRead(service: String)
  case triedAccount(service: String, user: String, code: CInt)

  /// The text in English.
  package var english: String {
    switch self {
    case .inPlace(let service, let template): "\(service) asks for the passcode already: \(template)"
    case .follows(let path, let service): "\(path): takes its lines from \(service)"
    case .byHandAlready(let path): "\(path): asks for the passcode already, by lines that uafctl did not write"
    case .otherName(let name, let asking):
      "\(name): does not ask for the passcode, and is the same program as \(asking)"
    case .fallen(let name): name.english.what
    case .polkit(let name, let asking):
      "\(name): does not ask for the passcode: people whom \(asking) asks for it become root with only the password by pkexec and run0"
    case .openOthers(let names): "services that do not ask for the passcode: \(names.joined(separator: ", "))"
    case .unaskedName(let name, let asking):
      "\(name): lets people in without asking for anything, and is the same program as \(asking)"
    case .unaskedPolkit(let name, let asking):
      "\(name): lets people in without asking for anything: people whom \(asking) asks for the passcode become root by pkexec and run0"
    case .unaskedOthers(let names):
      "services that let people in without asking for anything: \(names.joined(separator: ", "))"
    case .nobodyAsks(let folder): "no service in \(folder) asks for the passcode"
    case .listed(let service, let origin): "\(service): \(Self.english(origin))"
    case .passedOver(let service, let place):
      "\(service): \(place.path):\(place.line) can let somebody in before pam_uaf is asked"
    case .letsInRefused(let service): "\(service): somebody whom pam_uaf has refused can still get in"
    case .silent(let service, let stack): "\(service): \(stack) was edited, and no longer asks for the passcode"
    case .passwordGap(let service, let gap): "\(service): \(gap.error.english.what)"
    case .stillAsks(let path): "\(path) still asks pam_uaf"
    case .difference(let text): text
    case .asks(let path, let stack, let template): "\(path): asks for the passcode, by \(stack) (\(template))"
    case .sudoService(let service):
      "sudo uses the PAM service \(ShownText.line(service)), because of sudoers, and that service lets people in without the passcode"
    case .sshUnread(let path):
      "\(ShownText.line(path)) cannot be read: whether sshd asks for another service (PAMServiceName) is not known"
    case .sshService(let service):
      "sshd uses the PAM service \(ShownText.line(service)), because of sshd_config, and that service lets people in without the passcode"
    case .sudoAsks(let question) where question.isForSome:
      "sudo asks some people, or for some commands, for the passcode of \(question.asked.english), and not for the caller's "
        + "(Defaults \(question.asked.rawValue) of sudoers)"
    case .sudoAsks(let question):
      "sudo asks for the passcode of \(question.asked.english), and not for the caller's "
        + "(Defaults \(question.asked.rawValue) of sudoers)"
    case .sudoUnasked(let unasked): unasked.english
    case .sudoersGap(let gap): gap.english.what
    case .saved(let path): "the edited stack is kept as \(path)"
    case .putBack(let path, let line): "\(path): '\(line)' again"
    case .vendorAgain(let path, let vendor): "\(path): removed; \(vendor) is in force again"
    case .stackStays(let path, let users):
      "\(path): stays, because \(users.joined(separator: ", ")) includes it by hand"
    case .stackSaved(let path, let saved): "\(path): was edited, and is kept as \(saved)"
    case .stackRemoved(let path): "\(path): removed"
    case .unregistered(let names):
      "not registered on this machine, and refused until they are: \(ShownText.names(names) { "and \($0) more" })"
    case .unregisteredUntil(let day, let names):
      "not registered on this machine, and refused after \(day) (UTC) unless they are by then: "
        + ShownText.names(names) { "and \($0) more" }
    case .passesUntil(let day, let service):
      "\(service): up to the end of \(day) (UTC), people who never registered here get in with the password"
    case .passedUntil(let day, let service):
      "\(service): since the end of \(day) (UTC), people who never registered here are refused; "
        + "'uafctl pam enable \(service)' removes the day"
    case .emptyPasswords(let names):
      "with an empty password, which adds nothing to the passcode: \(ShownText.names(names) { "and \($0) more" })"
    case .wayIn(let way, let isTried):
      "can log in without pam_uaf: \(way.english) "
        + (isTried
          ? "(their shell was started, and ran commands; the password was not tried)"
          : "(judged from files; no shell was started)")
    case .startsShell(let name):
      "starting the shell of \(ShownText.line(name)), as that person, to see whether it runs commands (up to 20 s)"
    case .triedModule(let user, let code):
      "tried \(PAMLine.ownModule) as \(user), entering nothing: the core was reached, nobody let in (\(code))"
    case .triedRefused(let name, let user, let code): "tried \(name) as \(user), entering nothing: refused (\(code))"
    case .triedAsBefore(let name, let user, let code): "tried \(name) as \(user), entering nothing: as before (\(code))"
    case .triedRead(let service): "tried \(service): libpam reads it"
    case .triedAccount(let service, let user, let code):
      "tried the account lines of \(service) as \(user): as before (\(code))"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .inPlace(let service, let template): "\(service): 이미 패스코드를 묻습니다: \(template)"
    case .follows(let path, let service): "\(path): \(service)의 줄을 그대로 씁니다"
    case .byHandAlready(let path): "\(path): uafctl이 쓰지 않은 줄로 이미 패스코드를 묻습니다"
    case .otherName(let name, let asking): "\(name): \(asking)와(과) 같은 프로그램이지만 패스코드를 묻지 않습니다"
    case .fallen(let name): name.korean.what
    case .polkit(let name, let asking):
      "\(name): 패스코드를 묻지 않습니다. \(asking)에서 패스코드를 묻는 사람도 pkexec와 run0로는 비밀번호만으로 root가 됩니다"
    case .openOthers(let names): "패스코드를 묻지 않는 서비스: \(names.joined(separator: ", "))"
    case .unaskedName(let name, let asking): "\(name): \(asking)와(과) 같은 프로그램이지만 아무것도 묻지 않고 들여보냅니다"
    case .unaskedPolkit(let name, let asking):
      "\(name): 아무것도 묻지 않고 들여보냅니다. \(asking)에서 패스코드를 묻는 사람도 pkexec와 run0로는 그대로 root가 됩니다"
    case .unaskedOthers(let names): "아무것도 묻지 않고 들여보내는 서비스: \(names.joined(separator: ", "))"
    case .nobodyAsks(let folder): "\(folder)에 패스코드를 묻는 서비스가 없습니다"
    case .listed(let service, let origin): "\(service): \(Self.korean(origin))"
    case .passedOver(let service, let place):
      "\(service): pam_uaf가 묻기 전에 \(place.path):\(place.line)에서 로그인될 수 있습니다"
    case .letsInRefused(let service): "\(service): pam_uaf가 거부해도 로그인될 수 있습니다"
    case .silent(let service, let stack): "\(service): \(stack) 파일을 직접 고쳐, 더는 패스코드를 묻지 않습니다"
    case .passwordGap(let service, let gap): "\(service): \(gap.error.korean.what)"
    case .stillAsks(let path): "\(path): 아직 pam_uaf를 씁니다"
    case .difference(let text): text
    case .asks(let path, let stack, let template): "\(path): 패스코드를 묻습니다. 스택: \(stack)(\(template))"
    case .sudoService(let service):
      "sudoers 설정에 따라 sudo 명령은 PAM 서비스 \(ShownText.line(service))을(를) 쓰며, 그곳에서는 패스코드를 묻지 않습니다"
    case .sshUnread(let path):
      "\(ShownText.line(path)): 읽을 수 없어 sshd가 다른 서비스를 쓰는지(PAMServiceName) 알 수 없습니다"
    case .sshService(let service):
      "sshd_config에 따라 sshd가 쓰는 PAM 서비스에서는 패스코드를 묻지 않습니다: \(ShownText.line(service))"
    case .sudoAsks(let question) where question.isForSome:
      "sudo는 일부 사용자나 일부 명령에 대해, 부른 사람이 아니라 \(question.asked.korean)의 패스코드를 묻습니다"
        + "(sudoers의 Defaults \(question.asked.rawValue))"
    case .sudoAsks(let question):
      "sudo는 부른 사람이 아니라 \(question.asked.korean)의 패스코드를 묻습니다"
        + "(sudoers의 Defaults \(question.asked.rawValue))"
    case .sudoUnasked(let unasked): unasked.korean
    case .sudoersGap(let gap): gap.korean.what
    case .saved(let path): "직접 고친 스택은 \(path)(으)로 남겼습니다"
    case .putBack(let path, let line): "\(path): 다시 '\(line)'입니다"
    case .vendorAgain(let path, let vendor): "\(path): 지웠습니다. 다시 \(vendor)을(를) 씁니다"
    case .stackStays(let path, let users): "\(path): 다음에서 직접 포함하므로 남겼습니다: \(users.joined(separator: ", "))"
    case .stackSaved(let path, let saved): "\(path): 직접 고친 내용이 있어 \(saved)(으)로 남겼습니다"
    case .stackRemoved(let path): "\(path): 지웠습니다"
    case .unregistered(let names):
      "이 컴퓨터에 등록되어 있지 않아 등록할 때까지 거부되는 계정: \(ShownText.names(names) { "외 \($0)개" })"
    case .unregisteredUntil(let day, let names):
      "이 컴퓨터에 등록되어 있지 않아 \(day)(UTC)까지 등록하지 않으면 그 뒤로 거부되는 계정: "
        + ShownText.names(names) { "외 \($0)개" }
    case .passesUntil(let day, let service):
      "\(service): \(day)(UTC)이 끝날 때까지, 이 컴퓨터에 등록한 적이 없는 사람은 비밀번호로 들어옵니다"
    case .passedUntil(let day, let service):
      "\(service): \(day)(UTC)이 지나, 이 컴퓨터에 등록한 적이 없는 사람은 거부됩니다. 'uafctl pam enable \(service)' 명령으로 날짜를 "
        + "지울 수 있습니다"
    case .emptyPasswords(let names):
      "비밀번호가 비어 있어 아무것도 막지 못하는 계정: \(ShownText.names(names) { "외 \($0)개" })"
    case .wayIn(let way, let isTried):
      "pam_uaf 없이 들어올 수 있는 사람: \(way.korean) "
        + (isTried ? "(셸을 시작해 명령이 실행되는 것을 확인했으며, 비밀번호는 시험하지 않음)" : "(파일로 판단했으며, 셸은 시작하지 않음)")
    case .startsShell(let name):
      "\(ShownText.line(name))의 셸에서 명령이 실행되는지 보려고 그 사람으로 셸을 시작합니다(최대 20초)"
    case .triedModule(let user, let code):
      "\(PAMLine.ownModule): \(user)(으)로 아무것도 입력하지 않고 시험했습니다. 코어에 연결되었고 거부되었습니다(\(code))"
    case .triedRefused(let name, let user, let code):
      "\(name): \(user)(으)로 아무것도 입력하지 않고 시험했습니다. 거부되었습니다(\(code))"
    case .triedAsBefore(let name, let user, let code):
      "\(name): \(user)(으)로 아무것도 입력하지 않고 시험했습니다. 이전과 같습니다(\(code))"
    case .triedRead(let service): "\(service): 시험했습니다. libpam이 읽을 수 있습니다"
    case .triedAccount(let service, let user, let code):
      "\(service): account 줄을 \(user)(으)로 시험했습니다. 이전과 같습니다(\(code))"
    }
  }

  private static func english(_ origin: StackList.Entry.Origin) -> String {
    switch origin {
    case .enabled(let template, let isEdited): ShownText.line(template) + (isEdited ? ", edited" : "")
    case .unused: "not included by its service"
    case .profile: "by pam-auth-update, in every service"
    case .byHand: "by hand"
    }
  }

  private static func korean(_ origin: StackList.Entry.Origin) -> String {
    switch origin {
    case .enabled(let template, let isEdited): ShownText.line(template) + (isEdited ? ", 직접 고침" : "")
    case .unused: "서비스가 포함하지 않습니다"
    case .profile: "pam-auth-update로, 모든 서비스에서"
    case .byHand: "직접 쓴 줄로"
    }
  }
}

extension StackText {
  /// The text about a name that asks, but not for the passcode.
  package static func open(_ member: ServiceDoors.OpenMember) -> StackText {
    if let fallen = member.fallen { return .fallen(fallen) }
    return member.asksNobody
      ? .unaskedName(member.name, asking: member.asking) : .otherName(member.name, asking: member.asking)
  }
}
