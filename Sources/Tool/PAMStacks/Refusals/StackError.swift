import CPAM
import Glibc
import Wording

/// Why a service's stack is left unchanged.
package enum StackError: Error, Equatable {
  /// Why a name does not belong to a service that can be changed.
  package enum Name: Equatable {
    case noName, ours, shared, unattended
    /// libpam looks for the same name in small letters.
    case capitals
  }

  case badService(String, Name)
  /// No template was named, and none is known for the service.
  case noTemplateKnown(String)
  /// Registrations are hidden from those who ask for this service, so nobody would be led to the password.
  case untilHidden(String)
  /// A template without one line that could pass on people who never registered.
  case noUntil(path: String)
  /// This template has only one shape.
  case noShape
  case noTemplate(path: String)
  case folder(path: String, StackFileProblem)
  case busy(path: String)
  case file(path: String, StackFileProblem)
  /// The file has changed since it was read.
  case changed(path: String)
  case noService(String, folders: [String])
  case sudoers(SudoersProblem)
  case ssh(SSHProblem)
  /// A name of the program uses the lines of `other`.
  case fallen(FallenName)
  /// The service includes another service, which must be enabled or disabled instead.
  case follows(path: String, service: String)
  /// pam-auth-update put the module into the lines all services share.
  case profile(path: String)
  /// The file already has a line with the module, which `uafctl pam enable` did not write.
  case byHand(path: String)
  case noLine(path: String, include: String)
  /// The service lets people in without asking for anything, so it has no line that a stack could replace.
  case asksNobody(path: String)
  /// The line includes the password's stack through a file that contains more than that.
  case byWay(path: String, line: Int, file: String)
  /// The ready stack includes a file that does not exist; with the line of the service that it would replace.
  case noPart(path: String, name: String, replaced: String?)
  case severalLines(path: String, include: String)
  case foldedLine(path: String, line: Int)
  case lineIsNoText(path: String, line: Int)
  /// From this line on, libpam 1.5 and later versions read the file differently.
  case twoReadings(path: String, line: Int)
  /// The line ends as Windows writes it, and libpam treats the carriage return as part of the last word.
  case carriageReturn(path: String, line: Int)
  case jump(path: String, line: Int)
  /// This line can let people in before pam_uaf is asked.
  case passedOver(path: String, line: Int)
  /// A wrong password passes this line, and lets people in.
  ///
  /// If the line asks for nothing, it is not the line that should refuse.
  case wrongPassword(path: String, line: Int, asks: Bool)
  /// This line leads a person to the passcode as a second factor, although nothing has asked for the password.
  case noPassword(path: String, line: Int)
  /// People can get in although pam_uaf has refused.
  case noRefusal(path: String)
  /// This line keeps somebody out of a service, and would no longer do so.
  case losesLine(path: String, line: Int, service: String)
  /// pam_uaf's lines would be the only ones of a group.
  case alone(path: String, group: String)
  /// There is no record of the line that was there before.
  case nothingRecorded(path: String, include: String)
  case noWayIn(WayIn.Objection)
  /// These people use the service, and would be refused because they have registered nothing.
  case unregistered([String])
  /// These people's password is empty, and the stack accepts that, although it is for a second factor.
  case emptyPasswords([String])
  /// On this machine the module could let nobody in.
  case unusable
  case trial(TrialProblem)
  /// A different name of a service's program cannot be changed with it.
  indirect case member(StackError, of: String)
  /// The change failed halfway, and these services could not be restored.
  indirect case notUndone(StackError, services: [String])
  case outOfMemory
}

/// Why a service is not the one to enable for sudo: sudoers makes sudo use others (`pam_service`, `pam_login_service`).
package enum SudoersProblem: Error, Equatable {
  /// sudo uses a service other than the named one.
  case otherService(String, asked: String)
  /// sudo also uses another service, which would still let people in without the passcode.
  case furtherService(asked: String)
  /// A part that was not read might make sudo use a different service.
  case unread(SudoersGap)
}

/// Why a service is not enabled for sshd: sshd uses others (`PAMServiceName`), or the stack could not work with its settings.
package enum SSHProblem: Error, Equatable {
  /// sshd uses a service other than `sshd`.
  case otherService(asked: String)
  /// A Match block makes sshd use another service as well, which would still let people in without the passcode.
  case furtherService(asked: String)
  /// With sshd's settings the stack could not work, for this reason.
  case settings(english: FindingText, korean: FindingText)
}

extension SSHProblem: Catalogued {
  /// What is wrong, and what to do, in English.
  package var english: FindingText {
    switch self {
    case .otherService(let asked):
      FindingText(
        "sshd uses the PAM service \(ShownText.line(asked)) and not sshd, because of PAMServiceName in sshd_config",
        do: Self.enabling(asked)?.english ?? Self.noName.english)
    case .furtherService(let asked):
      FindingText(
        "sshd uses the PAM service \(ShownText.line(asked)) as well, because of a Match block, and that service lets people in without the passcode",
        do: Self.enabling(asked).map {
          "\($0.english) first, or --only, which leaves that service open to the password"
        }
          ?? Self.noName.english)
    case .settings(let text, _):
      FindingText(text.what, do: (text.remedy.map { $0 + "; " } ?? "") + "--anyway changes the service nevertheless")
    }
  }

  /// What is wrong, and what to do, in Korean.
  package var korean: FindingText {
    switch self {
    case .otherService(let asked):
      FindingText(
        "sshd_config의 PAMServiceName에 따라 sshd는 PAM 서비스 'sshd' 대신 다음 서비스를 씁니다: \(ShownText.line(asked))",
        do: Self.enabling(asked)?.korean ?? Self.noName.korean)
    case .furtherService(let asked):
      FindingText(
        "Match 블록에 따라 sshd가 쓰는 다른 PAM 서비스에서는 패스코드를 묻지 않습니다: \(ShownText.line(asked))",
        do: Self.enabling(asked).map { "먼저 \($0.korean), 또는 --only. --only이면 그곳은 비밀번호만 묻습니다" }
          ?? Self.noName.korean)
    case .settings(_, let text):
      FindingText(text.what, do: (text.remedy.map { $0 + ". " } ?? "") + "--anyway를 쓰면 그래도 바꿉니다")
    }
  }

  private static func enabling(_ service: String) -> (english: String, korean: String)? {
    guard PAMService.isName(service) else { return nil }
    let command = "uafctl pam enable \(service) --template sshd"
    return (command, command)
  }

  private static let noName = (
    english: "give PAMServiceName the name of a service: a-z, 0-9, '-', '_' and '.'",
    korean: "PAMServiceName에 서비스 이름을 쓰십시오: a-z, 0-9, '-', '_', '.'"
  )

  /// The command that makes the service ask for the passcode, or what to do if no service can have that name.
  package static func remedy(_ service: String) -> (english: String, korean: String) { enabling(service) ?? noName }
}

/// Why a stack that was tried refused the person at the terminal.
package enum StackRefusal: Error, Equatable, Catalogued {
  case noTerminal
  case unreadable
  /// libpam's code, which is not a success, and its text.
  case code(CInt, text: String)

  /// The reason in English.
  package var english: String {
    switch self {
    case .noTerminal: "standard input is not a terminal"
    case .unreadable: "the stack cannot be read"
    case .code(_, let text): text
    }
  }

  /// The reason in Korean.
  package var korean: String {
    switch self {
    case .noTerminal: "표준 입력이 터미널이 아닙니다"
    case .unreadable: "스택을 읽을 수 없습니다"
    case .code(PAM_AUTH_ERR, _): "인증에 실패했습니다"
    case .code(PAM_AUTHINFO_UNAVAIL, _): "서버의 응답을 얻지 못했습니다"
    case .code(PAM_USER_UNKNOWN, _): "모르는 계정입니다"
    case .code(PAM_MAXTRIES, _): "시도할 수 있는 횟수를 넘었습니다"
    case .code(PAM_PERM_DENIED, _): "허용되지 않습니다"
    case .code(PAM_ACCT_EXPIRED, _): "계정의 기한이 지났습니다"
    case .code(PAM_CONV_ERR, _): "대화할 수 없습니다"
    case .code(let number, _): "PAM 결과 \(number)"
    }
  }
}

/// What is wrong with a file of PAM's folder, so that it is neither read nor changed.
package enum StackFileProblem: Error, Equatable, Catalogued {
  case symbolicLink
  case noFile
  case owner(uid_t)
  case writable
  case hardLinks
  /// Something is mounted over the file, so the kernel lets nobody replace it.
  case mounted
  case tooLarge
  /// The system's error number.
  case system(CInt)

  /// The most bytes that a file of PAM's folder may have here: far more than any stack has.
  static let largest = 65_536

  /// What is wrong, in English; it follows the name of the file.
  package var english: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .noFile: "is not a file"
    case .owner(let user): "belongs to uid \(user)"
    case .writable: "may be written by others"
    case .hardLinks: "has more than one name"
    case .mounted: "is a mount point of its own, so that no other file can take its place"
    case .tooLarge: "is larger than \(Self.largest) bytes"
    case .system(let number): SystemReason(number).english
    }
  }
  /// What is wrong, in Korean; it follows the name of the file.
  package var korean: String {
    switch self {
    case .symbolicLink: "심볼릭 링크입니다"
    case .noFile: "파일이 아닙니다"
    case .owner(let user): "소유자가 uid \(user)입니다"
    case .writable: "다른 사용자가 쓸 수 있습니다"
    case .hardLinks: "이름이 둘 이상입니다"
    case .mounted: "따로 마운트되어 있어 다른 파일로 바꿀 수 없습니다"
    case .tooLarge: "\(Self.largest)바이트보다 큽니다"
    case .system(let number): SystemReason(number).korean
    }
  }
}

// What failed, where, and what to do about it.

extension StackError: Catalogued {
  /// What failed, and what to do, in English.
  package var english: FindingText { FindingText(englishProblem, do: englishRemedy) }
  /// What failed, and what to do, in Korean.
  package var korean: FindingText { FindingText(koreanProblem, do: koreanRemedy) }

  /// Whether the service lets in a person who is asked for nothing.
  private var isWithoutQuestion: Bool {
    switch self {
    case .asksNobody, .passedOver: true
    default: false
    }
  }

  /// Whether the cause is a file system that is mounted read-only.
  package var isOfReadOnlyFiles: Bool {
    switch self {
    case .folder(_, .system(EROFS)), .file(_, .system(EROFS)): true
    default: false
    }
  }

  private var englishProblem: String {
    switch self {
    case .badService(let name, .noName): "\(ShownText.line(name)) is not a name of a service"
    case .badService(let name, .capitals):
      "\(ShownText.line(name)) is never looked for: libpam reads names of services in small letters"
    case .badService(let name, .ours): "\(ShownText.line(name)) is a stack of pam-uaf's, and no service"
    case .badService(let name, .shared): "\(ShownText.line(name)) is shared by services"
    case .badService(let name, .unattended):
      "\(ShownText.line(name)) asks nobody: it starts a greeter, or logs somebody in without a prompt"
    case .noTemplateKnown(let name): "there is no ready stack for \(ShownText.line(name))"
    case .untilHidden(let name):
      "\(ShownText.line(name)) hides who is registered (hide_state), so --until would lead nobody to the password"
    case .noUntil(let path):
      "the ready stack \(path) logs nobody in, or decides itself about people who never registered"
    case .noShape: "the stack of passwd has one shape"
    case .noTemplate(let path): "the ready stack \(path) is not there"
    case .folder(let path, let problem), .file(let path, let problem): "\(path): \(problem.english)"
    case .changed(let path): "\(path) was changed meanwhile by somebody else"
    case .busy(let path): "another uafctl is changing how services ask, and holds \(path)"
    case .noService(let name, let folders): "there is no service \(name) in \(folders.joined(separator: " or "))"
    case .sudoers(let problem): problem.english.what
    case .ssh(let problem): problem.english.what
    case .fallen(let name): name.english.what
    case .follows(let path, let service): "\(path) takes its lines from \(service)"
    case .profile(let path): "\(path) asks pam_uaf itself: a profile of pam-auth-update is on"
    case .byHand(let path): "\(path) asks pam_uaf already, by lines that uafctl did not write"
    case .noLine(let path, _): "\(path) has no line that includes the password's stack"
    case .asksNobody(let path): "\(path) lets people in without asking for anything"
    case .byWay(let path, let line, let file):
      "\(path):\(line) includes the password's stack by way of \(ShownText.line(file)), which has other lines as well"
    case .noPart(let path, let name, _): "the ready stack includes \(name), and there is no \(path) here"
    case .severalLines(let path, _): "\(path) has more than one line that includes the password's stack"
    case .foldedLine(let path, let line): "\(path):\(line): the line goes on in another one"
    case .lineIsNoText(let path, let line): "\(path):\(line): the line is not UTF-8"
    case .twoReadings(let path, let line):
      "\(path):\(line): libpam 1.5 reads this line differently from libpam 1.6 and newer"
    case .carriageReturn(let path, let line):
      "\(path):\(line): the line ends with a carriage return (CRLF), which libpam takes for part of its last word"
    case .jump(let path, let line): "\(path):\(line): this line jumps past the place of the stack"
    case .passedOver(let path, let line): "\(path):\(line): this line can let somebody in before pam_uaf is asked"
    case .wrongPassword(let path, let line, _):
      "\(path):\(line): a wrong password gets past this line, and can let somebody in"
    case .noPassword(let path, let line):
      "\(path):\(line): this line leads to the passcode without a password before it, and the passcode alone can let somebody in"
    case .noRefusal(let path): "\(path): somebody could get in although pam_uaf has refused"
    case .losesLine(let path, let line, _):
      "\(path):\(line): this line can refuse people whom the new stack would let in without asking it"
    case .alone(let path, let group): "\(path) has no \(group) lines of its own, and pam_uaf's would be the only ones"
    case .nothingRecorded(let path, _): "\(path): there is no record of the line that was there before"
    case .noWayIn(let objection): "administrators would have no other way in: \(objection.english)"
    case .unregistered(let names):
      "not registered on this machine, and refused from then on: \(ShownText.names(names) { "and \($0) more" })"
    case .emptyPasswords(let names):
      "these accounts have an empty password, which pam_unix accepts (nullok), so that it adds nothing: "
        + ShownText.names(names) { "and \($0) more" }
    case .unusable: "pam_uaf could let in nobody on this machine"
    case .trial(let problem): "the new stack was tried, and was not installed: \(problem.english.what)"
    case .member(let error, let service):
      "\(error.englishProblem), and is another name of \(service): nothing was changed"
    case .notUndone(let error, let services):
      "\(error.englishProblem); and \(services.joined(separator: ", ")) could not be restored"
    case .outOfMemory: "no memory"
    }
  }

  private var koreanProblem: String {
    switch self {
    case .badService(let name, .noName): "\(ShownText.line(name)): 서비스 이름이 될 수 없습니다"
    case .badService(let name, .capitals):
      "\(ShownText.line(name)): 아무 프로그램도 찾지 않는 이름입니다. libpam은 서비스 이름을 소문자로 읽습니다"
    case .badService(let name, .ours): "\(ShownText.line(name)): 서비스가 아니라 pam-uaf의 스택입니다"
    case .badService(let name, .shared): "\(ShownText.line(name)): 여러 서비스가 함께 쓰는 파일입니다"
    case .badService(let name, .unattended):
      "\(ShownText.line(name)): 아무에게도 묻지 않는 서비스입니다. 로그인 화면을 띄우거나 묻지 않고 로그인시킵니다"
    case .noTemplateKnown(let name): "\(ShownText.line(name))에 맞는 준비된 스택이 없습니다"
    case .untilHidden(let name):
      "\(ShownText.line(name)): 등록 여부를 숨기므로(hide_state) --until을 써도 아무도 비밀번호로 넘어가지 않습니다"
    case .noUntil(let path): "준비된 스택 \(path): 로그인에 쓰지 않거나, 등록한 적이 없는 사람을 이미 직접 처리합니다"
    case .noShape: "passwd의 스택은 모양이 하나뿐입니다"
    case .noTemplate(let path): "준비된 스택 \(path)이(가) 없습니다"
    case .folder(let path, let problem), .file(let path, let problem): "\(path): \(problem.korean)"
    case .changed(let path): "그사이 다른 프로그램이 \(path)을(를) 바꾸었습니다"
    case .busy(let path): "다른 uafctl이 서비스가 묻는 방법을 바꾸고 있습니다(\(path))"
    case .noService(let name, let folders): "\(folders.joined(separator: ", "))에 \(name) 서비스가 없습니다"
    case .sudoers(let problem): problem.korean.what
    case .ssh(let problem): problem.korean.what
    case .fallen(let name): name.korean.what
    case .follows(let path, let service): "\(path)의 줄은 \(service)에서 옵니다"
    case .profile(let path): "\(path)에서 이미 pam_uaf를 씁니다. pam-auth-update의 프로필이 켜져 있습니다"
    case .byHand(let path): "\(path)에 uafctl이 쓰지 않은 pam_uaf 줄이 이미 있습니다"
    case .noLine(let path, _): "\(path)에 비밀번호 스택을 포함하는 줄이 없습니다"
    case .asksNobody(let path): "\(path): 아무것도 묻지 않고 들여보냅니다"
    case .byWay(let path, let line, let file):
      "\(path):\(line): 비밀번호 스택을 포함하는 파일에 다른 줄도 있습니다: \(ShownText.line(file))"
    case .noPart(let path, let name, _): "준비된 스택은 '\(name)' 파일을 포함하는데, 그 파일이 없습니다: \(path)"
    case .severalLines(let path, _): "\(path)에 비밀번호 스택을 포함하는 줄이 둘 이상입니다"
    case .foldedLine(let path, let line): "\(path):\(line): 다음 줄로 이어지는 줄입니다"
    case .lineIsNoText(let path, let line): "\(path):\(line): UTF-8이 아닌 줄입니다"
    case .twoReadings(let path, let line):
      "\(path):\(line): libpam 1.5와 1.6 이후 버전이 다르게 읽는 줄입니다"
    case .carriageReturn(let path, let line):
      "\(path):\(line): 줄이 캐리지 리턴(CRLF)으로 끝나며, libpam은 이를 마지막 단어의 일부로 읽습니다"
    case .jump(let path, let line): "\(path):\(line): 스택이 들어갈 자리를 넘어 건너뛰는 줄입니다"
    case .passedOver(let path, let line): "\(path):\(line): pam_uaf가 묻기 전에 이 줄에서 로그인될 수 있습니다"
    case .wrongPassword(let path, let line, _):
      "\(path):\(line): 이 줄에서 틀린 비밀번호가 거부되지 않아, 틀린 비밀번호로도 로그인될 수 있습니다"
    case .noPassword(let path, let line):
      "\(path):\(line): 이 줄에서는 비밀번호 없이 패스코드만 물어, 패스코드만으로 로그인될 수 있습니다"
    case .noRefusal(let path): "\(path): pam_uaf가 거부해도 로그인될 수 있습니다"
    case .losesLine(let path, let line, _):
      "\(path):\(line): 이 줄에서 거부될 수 있는 사람이 앞으로는 pam_uaf만으로 로그인됩니다"
    case .alone(let path, let group): "\(path)에 \(group) 줄이 없어, pam_uaf의 줄만 남게 됩니다"
    case .nothingRecorded(let path, _): "\(path): 이전에 있던 내용이 어디에도 적혀 있지 않습니다"
    case .noWayIn(let objection): "관리자가 들어올 다른 방법이 없어집니다: \(objection.korean)"
    case .unregistered(let names):
      "이 컴퓨터에 등록되어 있지 않아 앞으로 거부될 계정: \(ShownText.names(names) { "외 \($0)개" })"
    case .emptyPasswords(let names):
      "비밀번호가 비어 있고 pam_unix가 이를 받아들여(nullok) 비밀번호가 아무것도 막지 못하는 계정: "
        + ShownText.names(names) { "외 \($0)개" }
    case .unusable: "이 컴퓨터에서는 pam_uaf가 아무도 들여보낼 수 없습니다"
    case .trial(let problem): "새 스택을 시험했으나 적용하지 않았습니다: \(problem.korean.what)"
    case .member(let error, let service):
      "\(error.koreanProblem). \(service)의 다른 이름이므로 아무것도 바꾸지 않았습니다"
    case .notUndone(let error, let services):
      "\(error.koreanProblem). 되돌리지 못한 서비스: \(services.joined(separator: ", "))"
    case .outOfMemory: "메모리가 부족합니다"
    }
  }

  private var englishRemedy: String? {
    switch self {
    case .badService(_, .shared): "pam-auth-update changes the lines that all services share"
    case .badService(_, .ours): "name the service that includes it"
    case .badService(_, .unattended): "name the service that asks people, such as gdm-password, lightdm or sddm"
    case .badService(let name, .capitals): "uafctl pam enable \(PAMService.nameForLibPAM(name))"
    case .badService(_, .noName): nil
    case .noTemplateKnown: "--template NAME: sudo, sshd, login, su, polkit-1, display-manager, sddm or locker"
    case .untilHidden(let name):
      "leave --until out; or write hide_state = false into [service.\(ShownText.line(name))], and everybody sees who is registered"
    case .noUntil: "leave --until out"
    case .noShape: "leave --shape out"
    case .noTemplate: "choose another --shape or --template: pam.d/README.md has the ready stacks"
    case .noRefusal: "choose another --shape: pam.d/README.md has the ready stacks"
    case .folder(let path, .system(EROFS)), .file(let path, .system(EROFS)):
      "\(path) is on a file system that is mounted read-only: 'mount -o remount,rw' lets it be changed, unless it is an image"
    case .folder(_, .system): "name the folder with --pam-directory"
    case .folder(let path, _): "chown root:root \(path) && chmod 755 \(path)"
    case .file(let path, .owner), .file(let path, .writable): "chown root:root \(path) && chmod 644 \(path)"
    case .file(let path, .system(EPERM)):
      "look at \(path) and its folder with lsattr: 'chattr -i' lets a file with the attribute i be changed again"
    case .file(let path, .mounted), .file(let path, .system(EBUSY)):
      "umount \(path), and change the file that lies under it, or the one that was mounted there ('findmnt \(path)' names it)"
    case .file: "make it a regular file with one name, owned by root"
    case .changed: "run it again"
    case .busy: "wait for the other uafctl"
    case .noService: "name one of the files there; uafctl pam status lists those that ask for the passcode"
    case .sudoers(let problem): problem.english.remedy
    case .ssh(let problem): problem.english.remedy
    case .fallen(let name): name.english.remedy
    case .follows(_, let service): "uafctl pam enable \(service)"
    case .profile: "it asks in every service already; pam-auth-update takes it out"
    case .byHand: "take those lines out first"
    case .noLine(_, let include), .severalLines(_, let include):
      "write '@include \(include)' in place of the lines that ask for the password, by hand; the ready stacks are in pam.d/"
    case .asksNobody: "write '@include common-auth' in place of its auth lines, then run it again"
    case .byWay(_, _, let file): "write the lines of \(ShownText.line(file)) in place of this line, then run it again"
    case .noPart(_, _, let replaced?): "write '\(ShownText.line(replaced))' into a file of that name, then run it again"
    case .noPart(_, _, nil): "pam-auth-update --force makes it on Debian"
    case .foldedLine, .lineIsNoText: "write it as one line of plain text"
    case .twoReadings: "write lines of plain text, at most 1,000 bytes each, and none with '\\' at its end"
    case .carriageReturn: "write it with line feeds alone, for example with sed -i 's/\\r$//'"
    case .jump: "a jump counts lines, and the new stack has another number of them: change both by hand"
    case .passedOver:
      "if it asks for the password, have it jump to the line behind the last one that does ('[success=N default=ignore]'), with "
        + "'auth requisite pam_deny.so' before that line and 'auth required pam_permit.so' in it, since a jump alone lets nobody in; "
        + "otherwise remove it"
    case .wrongPassword(_, _, asks: false):
      "have it lead to the next line ('default=ignore', and no jump), or take it out: it asks for no password, and leads past "
        + "the line that refuses a wrong one"
    case .wrongPassword:
      "have it refuse ('required'), or take it out if it asks for no password; where a right password jumps over the next line, "
        + "that line must be 'auth requisite pam_deny.so'"
    case .noPassword:
      "let a line before the passcode ask everybody for the password, or use --shape instead, where the passcode is meant to be "
        + "enough"
    case .losesLine(_, _, let service):
      "write the same line into \(service), before the line that includes the password's stack"
    case .alone(let path, let group):
      "write '@include common-\(group)', or whatever 'other' has for \(group), into \(path)"
    case .nothingRecorded(_, let include):
      "write what stood in place of '@include \(include)', which is '@include common-auth' on Debian"
    case .noWayIn(let objection): objection.remedy.english
    case .unusable: "first correct what 'uafctl doctor' reports as FAIL; --anyway changes the service nevertheless"
    case .unregistered:
      "have each of them run 'uafctl register' first; --anyway changes the service now, and they register later"
    case .emptyPasswords:
      "set a password for each with 'passwd NAME', or lock the account's password with 'passwd --lock NAME'; "
        + "--anyway changes the service nevertheless"
    case .trial(let problem): problem.english.remedy
    case .member(let error, let service):
      (error.englishRemedy.map { $0 + "; or " } ?? "")
        + "uafctl pam enable \(service) --only, which leaves the other name open "
        + (error.isWithoutQuestion ? "without a question" : "to the password")
    case .notUndone(_, let services): "uafctl pam disable \(services.joined(separator: "; uafctl pam disable "))"
    case .outOfMemory: "free some, or raise this process's limits"
    }
  }

  private var koreanRemedy: String? {
    switch self {
    case .badService(_, .shared): "모든 서비스가 함께 쓰는 줄은 pam-auth-update로 바꾸십시오"
    case .badService(_, .ours): "이 스택을 포함하는 서비스를 지정하십시오"
    case .badService(_, .unattended): "gdm-password, lightdm, sddm처럼 사람이 답하는 서비스를 지정하십시오"
    case .badService(let name, .capitals): "uafctl pam enable \(PAMService.nameForLibPAM(name))"
    case .badService(_, .noName): nil
    case .noTemplateKnown: "--template NAME: sudo, sshd, login, su, polkit-1, display-manager, sddm 또는 locker"
    case .untilHidden(let name):
      "--until을 빼십시오. 또는 [service.\(ShownText.line(name))]에 hide_state = false를 쓰십시오. 그러면 누가 등록했는지 누구나 알 수 있습니다"
    case .noUntil: "--until을 빼십시오"
    case .noShape: "--shape를 빼십시오"
    case .noTemplate: "다른 --shape나 --template을 고르십시오. 준비된 스택은 pam.d/README.md에 있습니다"
    case .noRefusal: "다른 --shape를 고르십시오. 준비된 스택은 pam.d/README.md에 있습니다"
    case .folder(let path, .system(EROFS)), .file(let path, .system(EROFS)):
      "\(path)은(는) 읽기 전용으로 마운트된 파일 시스템에 있습니다. 이미지가 아니라면 'mount -o remount,rw'로 바꿀 수 있게 됩니다"
    case .folder(_, .system): "--pam-directory로 폴더를 지정하십시오"
    case .folder(let path, _): "chown root:root \(path) && chmod 755 \(path)"
    case .file(let path, .owner), .file(let path, .writable): "chown root:root \(path) && chmod 644 \(path)"
    case .file(let path, .system(EPERM)):
      "\(path)와(과) 그 폴더의 속성을 lsattr로 확인하십시오. i 속성은 'chattr -i'로 없앨 수 있습니다"
    case .file(let path, .mounted), .file(let path, .system(EBUSY)):
      "umount \(path) 명령을 실행하고, 그 아래의 파일이나 마운트한 원래 파일을 바꾸십시오. 원래 파일은 'findmnt \(path)' 명령으로 볼 수 있습니다"
    case .file: "root가 소유한 하나의 일반 파일로 만드십시오"
    case .changed: "다시 실행하십시오"
    case .busy: "다른 uafctl이 끝날 때까지 기다리십시오"
    case .noService: "그곳에 있는 파일 이름을 지정하십시오. 패스코드를 묻는 서비스는 uafctl pam status로 볼 수 있습니다"
    case .sudoers(let problem): problem.korean.remedy
    case .ssh(let problem): problem.korean.remedy
    case .fallen(let name): name.korean.remedy
    case .follows(_, let service): "uafctl pam enable \(service)"
    case .profile: "이미 모든 서비스에서 묻습니다. pam-auth-update로 끌 수 있습니다"
    case .byHand: "먼저 그 줄들을 지우십시오"
    case .noLine(_, let include), .severalLines(_, let include):
      "비밀번호를 묻는 줄 대신 '@include \(include)'을(를) 직접 쓰십시오. 준비된 스택은 pam.d/에 있습니다"
    case .asksNobody: "그 auth 줄 대신 '@include common-auth'를 쓴 다음 다시 실행하십시오"
    case .byWay(_, _, let file): "이 줄 대신 그 파일(\(ShownText.line(file)))의 줄들을 쓴 다음 다시 실행하십시오"
    case .noPart(_, _, let replaced?): "그 이름의 파일에 '\(ShownText.line(replaced))'을(를) 쓴 다음 다시 실행하십시오"
    case .noPart(_, _, nil): "데비안에서는 'pam-auth-update --force' 명령이 그 파일을 만듭니다"
    case .foldedLine, .lineIsNoText: "일반 텍스트 한 줄로 쓰십시오"
    case .twoReadings: "각 줄을 1,000바이트 이하의 일반 텍스트로 쓰고, 줄 끝에 '\\'를 쓰지 마십시오"
    case .carriageReturn: "sed -i 's/\\r$//' 등으로 줄 끝을 줄 바꿈 문자만으로 쓰십시오"
    case .jump: "건너뛸 줄 수가 새 스택에서는 달라집니다. 둘 다 직접 고치십시오"
    case .passedOver:
      "비밀번호를 묻는 줄이라면, 비밀번호를 묻는 마지막 줄의 다음 줄로 건너뛰게 하십시오('[success=N default=ignore]'). "
        + "건너뛰는 것만으로는 아무도 들어올 수 없으므로 그 앞줄은 'auth requisite pam_deny.so', 그 줄은 'auth required pam_permit.so'여야 합니다. "
        + "아니라면 지우십시오"
    case .wrongPassword(_, _, asks: false):
      "다음 줄로 이어지게 하거나('default=ignore', 건너뛰지 않게) 지우십시오. 비밀번호를 묻지 않으면서, 틀린 비밀번호를 거부하는 줄을 지나치는 줄입니다"
    case .wrongPassword:
      "이 줄에서 거부되게 하십시오('required'). 비밀번호를 묻는 줄이 아니라면 지우십시오. 맞는 비밀번호가 다음 줄을 건너뛴다면, "
        + "그 줄은 'auth requisite pam_deny.so'여야 합니다"
    case .noPassword:
      "패스코드보다 앞의 줄에서 모두에게 비밀번호를 묻게 하거나, 패스코드만으로 충분하다면 --shape instead를 쓰십시오"
    case .losesLine(_, _, let service): "\(service)에, 비밀번호 스택을 포함하는 줄보다 앞에 같은 줄을 쓰십시오"
    case .alone(let path, let group):
      "\(path)에 '@include common-\(group)'이나 'other'의 \(group) 줄을 넣으십시오"
    case .nothingRecorded(_, let include):
      "'@include \(include)' 대신 이전에 있던 줄을 쓰십시오. 데비안에서는 '@include common-auth'입니다"
    case .noWayIn(let objection): objection.remedy.korean
    case .unusable: "'uafctl doctor'가 FAIL이라고 하는 것을 먼저 바로잡으십시오. --anyway를 쓰면 지금 적용됩니다"
    case .unregistered: "각자 먼저 'uafctl register'를 실행하십시오. --anyway를 쓰면 지금 적용되고 등록은 나중에 할 수 있습니다"
    case .emptyPasswords:
      "각 계정의 비밀번호를 'passwd NAME'으로 정하거나 'passwd --lock NAME'으로 잠그십시오. --anyway를 쓰면 그래도 바꿉니다"
    case .trial(let problem): problem.korean.remedy
    case .member(let error, let service):
      (error.koreanRemedy.map { $0 + ". 또는 " } ?? "")
        + "uafctl pam enable \(service) --only. 이때 다른 이름은 "
        + (error.isWithoutQuestion ? "아무것도 묻지 않고 들여보낼 수 있습니다" : "비밀번호만 묻습니다")
    case .notUndone(_, let services): "uafctl pam disable \(services.joined(separator: "; uafctl pam disable "))"
    case .outOfMemory: "메모리를 비우거나 이 프로세스의 한도를 높이십시오"
    }
  }
}

extension SudoersProblem {
  /// The command that makes a service of sudoers ask for the passcode, or what to do if no service can have that name.
  package static func enabling(_ service: String) -> (english: String, korean: String) {
    if PAMService.isName(service) {
      let command = "uafctl pam enable \(service) --template sudo"
      return (command, command)
    }
    return (
      "visudo, and give pam_service the name of a service: a-z, 0-9, '-', '_' and '.'",
      "visudo로 pam_service에 서비스 이름을 쓰십시오: a-z, 0-9, '-', '_', '.'"
    )
  }
}

extension SudoersProblem: Catalogued {
  /// Which PAM service sudo uses, and what to do, in English.
  package var english: FindingText {
    switch self {
    case .otherService(let name, let asked):
      FindingText(
        "sudo uses the PAM service \(ShownText.line(asked)) and not \(name), because of sudoers",
        do: Self.enabling(asked).english)
    case .furtherService(let asked):
      FindingText(
        "sudo uses the PAM service \(ShownText.line(asked)) as well, because of sudoers, and that service lets people in without the passcode",
        do: PAMService.isName(asked)
          ? "\(Self.enabling(asked).english) first, or --only, which leaves that service open to the password"
          : Self.enabling(asked).english)
    case .unread(let gap):
      FindingText("sudo may use another PAM service: \(gap.english.what)", do: gap.english.remedy)
    }
  }

  /// Which PAM service sudo uses, and what to do, in Korean.
  package var korean: FindingText {
    switch self {
    case .otherService(let name, let asked):
      FindingText(
        "sudoers 설정에 따라 sudo 명령은 \(name) 대신 PAM 서비스 \(ShownText.line(asked))을(를) 씁니다",
        do: Self.enabling(asked).korean)
    case .furtherService(let asked):
      FindingText(
        "sudoers 설정에 따라 sudo 명령은 PAM 서비스 \(ShownText.line(asked))도 쓰며, 그곳에서는 패스코드를 묻지 않습니다",
        do: PAMService.isName(asked)
          ? "먼저 \(Self.enabling(asked).korean), 또는 --only. --only이면 그곳은 비밀번호만 묻습니다"
          : Self.enabling(asked).korean)
    case .unread(let gap):
      FindingText("sudo 명령이 다른 서비스를 쓸 수 있습니다. \(gap.korean.what)", do: gap.korean.remedy)
    }
  }
}
