import Glibc
import Wording

/// Why the trial of a stack failed.
package enum TrialProblem: Error, Equatable {
  /// A folder for the trial could not be made in `parent`; the system's error number.
  case folder(CInt, parent: String)
  /// A process for the trial could not be started; the system's error number.
  case notTried(CInt)
  /// A module of the stack crashed or did not end.
  case crashed(service: String, signal: CInt)
  /// A line of the stack names a module that does not exist.
  case noModule(String, file: String)
  /// The stack has a line that libpam would treat as a refusal, or as the beginning of another line.
  case noLine(Int, file: String)
  /// A line of the stack includes a file that libpam cannot read.
  case noInclude(String, file: String)
  /// No line of the stack asks pam_uaf.
  case asksNothing
  /// libpam cannot read the stack.
  case unreadable(service: String)
  /// libpam cannot load or understand a line of the stack; with libpam's error number.
  case broken(service: String, CInt)
  /// Somebody who entered nothing was let in.
  case letsAnybodyIn(service: String)
  /// The account lines give a person a result that differs from the one before; libpam's codes.
  case accountDiffers(service: String, user: String, before: CInt, after: CInt)
  /// The module did not get an answer from the core; libpam's number.
  case noCore(CInt)
  /// The core cannot use its configuration, or the module its arguments.
  case configuration
  /// The person at the terminal was not let in; libpam's number for that, as a text.
  case personRefused(StackRefusal)
}

// The texts about what a tried stack did, and what to do about it.

extension TrialProblem: Catalogued {
  /// What the stack did, and what to do, in English.
  package var english: FindingText {
    switch self {
    case .folder(let number, let parent):
      FindingText(
        "no folder for the trial could be made: \(SystemReason(number).english)",
        do: "make \(parent) writable, and free room in it")
    case .notTried(let number):
      FindingText(
        "no process for the trial could be started: \(SystemReason(number).english)", do: "free memory or processes")
    case .crashed(let service, SIGALRM):
      FindingText("a module of \(service) did not come to an end", do: Self.logNamesLine)
    case .crashed(let service, let signal):
      FindingText("a module of \(service) crashed (signal \(signal))", do: Self.logNamesLine)
    case .noModule(let module, let file):
      FindingText(
        "\(file) names \(ShownText.line(module)), which is not where PAM looks for it", do: Self.logNamesLine)
    case .noLine(let line, let file):
      FindingText(
        "\(file):\(line) is not a line libpam understands",
        do: "write it as pam.conf(5) says, or choose another template")
    case .noInclude(let name, let file):
      FindingText(
        "\(file) includes \(ShownText.line(name)), which libpam cannot read", do: StackLinePlace.includeRemedy.english)
    case .asksNothing: FindingText("none of its lines asks pam_uaf", do: "choose another template")
    case .unreadable(let service): FindingText("libpam cannot read the stack of \(service)", do: Self.logNamesLine)
    case .broken(let service, let code):
      FindingText("libpam has a stack for \(service) that it cannot use (\(code))", do: Self.logNamesLine)
    case .letsAnybodyIn(let service):
      FindingText("\(service) lets somebody in who enters nothing", do: "choose another template")
    case .accountDiffers(let service, let user, let before, let after):
      FindingText(
        "without pam_uaf, the account lines of \(service) said \(before) to \(user) before, and would say \(after)",
        do: "write the lines of the service so that no account line of it is left out or jumped over")
    case .noCore(let code): FindingText("the core did not answer the module (\(code))", do: "uafctl doctor says why")
    case .configuration:
      FindingText(
        "the core cannot use its configuration, or the module its arguments", do: "uafctl doctor says why")
    case .personRefused(let refusal):
      FindingText(
        "it did not let you in: \(ShownText.line(refusal.english))",
        do: "first make sure that uafctl authenticate accepts you")
    }
  }

  /// What the stack did, and what to do, in Korean.
  package var korean: FindingText {
    switch self {
    case .folder(let number, let parent):
      FindingText(
        "시험할 폴더를 만들 수 없습니다: \(SystemReason(number).korean)", do: "\(parent)에 쓸 수 있게 하고 공간을 비우십시오")
    case .notTried(let number):
      FindingText(
        "시험할 프로세스를 만들 수 없습니다: \(SystemReason(number).korean)", do: "메모리나 프로세스를 비우십시오")
    case .crashed(let service, SIGALRM): FindingText("\(service)의 모듈이 끝나지 않았습니다", do: Self.koreanLogNamesLine)
    case .crashed(let service, let signal):
      FindingText("\(service)의 모듈이 비정상 종료했습니다(시그널 \(signal))", do: Self.koreanLogNamesLine)
    case .noModule(let module, let file):
      FindingText(
        "\(file)에 적힌 \(ShownText.line(module))이(가) PAM이 찾는 곳에 없습니다", do: Self.koreanLogNamesLine)
    case .noLine(let line, let file):
      FindingText("\(file):\(line): libpam이 이해하지 못하는 줄입니다", do: "pam.conf(5)에 맞게 쓰거나 다른 템플릿을 고르십시오")
    case .noInclude(let name, let file):
      FindingText(
        "\(file): libpam이 이 줄에서 포함하는 \(ShownText.line(name)) 파일을 읽을 수 없습니다",
        do: StackLinePlace.includeRemedy.korean)
    case .asksNothing: FindingText("pam_uaf를 쓰는 줄이 없습니다", do: "다른 템플릿을 고르십시오")
    case .unreadable(let service): FindingText("libpam이 \(service)의 스택을 읽을 수 없습니다", do: Self.koreanLogNamesLine)
    case .broken(let service, let code):
      FindingText("libpam이 \(service)의 스택을 쓸 수 없습니다(\(code))", do: Self.koreanLogNamesLine)
    case .letsAnybodyIn(let service):
      FindingText("\(service): 아무것도 입력하지 않은 사람이 들어옵니다", do: "다른 템플릿을 고르십시오")
    case .accountDiffers(let service, let user, let before, let after):
      FindingText(
        "pam_uaf 없이 \(service)의 account 줄은 \(user)에게 \(before)(이)라고 했으나, 이제 \(after)(이)라고 하게 됩니다",
        do: "account 줄이 빠지거나 건너뛰어지지 않도록 서비스의 줄을 고치십시오")
    case .noCore(let code): FindingText("코어가 모듈에 응답하지 않았습니다(\(code))", do: "uafctl doctor가 이유를 알려 줍니다")
    case .configuration:
      FindingText("코어가 설정을, 또는 모듈이 인수를 사용할 수 없습니다", do: "uafctl doctor가 이유를 알려 줍니다")
    case .personRefused(let refusal):
      FindingText(
        "로그인되지 않았습니다: \(ShownText.line(refusal.korean))", do: "먼저 uafctl authenticate로 되는지 확인하십시오")
    }
  }

  private static let logNamesLine = "the log (authpriv) says which line; reinstall the package that has the module"
  private static let koreanLogNamesLine = "로그(authpriv)에 어느 줄인지 나와 있습니다. 모듈이 든 패키지를 다시 설치하십시오"
}

extension TrialProblem {
  /// What to do, for doctor's own report.
  ///
  /// It has the other checks as well, so it tells nobody to run doctor.
  package var remedyInDoctor: (english: String?, korean: String?) {
    switch self {
    case .noCore, .configuration:
      (
        "do what the lines about the core and the configuration say, then run it again",
        "코어와 설정에 관한 줄의 조치를 한 뒤 다시 실행하십시오"
      )
    default: (english.remedy, korean.remedy)
    }
  }
}

extension StackLinePlace {
  /// What to do about a line whose module libpam cannot load; nil for any other line.
  var loadRemedy: (english: String, korean: String)? {
    unloaded.map(ShownText.line).map { module in
      (
        "reinstall the package that has \(module) ('dpkg -S \(module)'), or take the line out",
        "\(module)이(가) 든 패키지를 다시 설치하거나('dpkg -S \(module)') 이 줄을 지우십시오"
      )
    }
  }

  /// What to do about a line that includes a file that libpam cannot read.
  package static let includeRemedy = (
    english:
      "put the file into the same folder, or take the line out: libpam looks nowhere else for what a line includes",
    korean: "그 파일을 같은 폴더에 두거나 이 줄을 지우십시오. libpam은 포함하는 파일을 다른 폴더에서 찾지 않습니다"
  )
}
