import FidoResults
import Invocation
import UAFWire
import Wording

// What failed, where, and what to do about it.

extension ToolError: Catalogued {
  var english: FindingText {
    switch self {
    case .onlyRoot(let what): FindingText("only root may \(what.english)", do: "run it with sudo, or as root")
    case .noSuchAccount(let name):
      FindingText("no such account: \(ShownText.line(name))", do: "getent passwd lists the accounts")
    case .accountIsNotYours:
      FindingText(
        "only root may name another account", do: "leave the name out for your own account, or run it as root")
    case .badArgument(let what): FindingText(what.english)
    case .configuration(let what):
      FindingText("the configuration cannot be used: \(what.english)", do: "uafctl doctor checks all of it")
    case .payloadOnCommandLine:
      FindingText(
        "a code's place is a file, not the command line",
        do: "other people see command lines: put it into a file, or give - to enter it on standard input")
    case .payloadUnreadable(let path, let number):
      FindingText("cannot read the code from \(ShownText.line(path)): \(SystemReason(number).english)")
    case .payloadUnusable:
      FindingText(
        "that is no code: it must be one line of 1 to 16384 bytes",
        do: "the server's enrol command prints the code as one line")
    case .payloadNotUnderstood(let why):
      FindingText(
        "the code cannot be used: \(ShownText.line(why.english))",
        do: "the server's enrol command prints the code as one line")
    case .noPayload:
      FindingText("no code was given", do: "give a file with --code FILE, or - for standard input")
    case .noValue:
      FindingText(
        "no value was given", do: "enter it at the question, or give it as the first line of standard input")
    case .noCore(let number):
      FindingText(
        "cannot reach the core at \(InstalledCore.socketPath): \(SystemReason(number).english)",
        do: "start the unit pam-uaf.socket, or run it as root")
    case .coreIsNotRoots:
      FindingText(
        "what serves \(InstalledCore.socketPath) is not root's", do: "stop what listens there; the core runs as root")
    case .coreNotStarted(let path, let number):
      FindingText(
        "cannot start the core at \(ShownText.line(path)): \(SystemReason(number).english)",
        do: "reinstall the libpam-uaf package")
    case .coreEnded: FindingText("the core ended before it said how it went", do: Self.logSaysMore)
    case .coreUnable(let what):
      FindingText(
        "the core cannot work: \(what.english)", do: "mend what fails in the lines about the state and the programs")
    case .coreSilent: FindingText("the core said nothing within the time", do: Self.logSaysMore)
    case .coreConfused(let what):
      FindingText("the core does not keep to the protocol: \(what.english)", do: Self.versions)
    case .noHandler(check: Check.choice.rawValue):
      FindingText(
        "several authenticators fit, and nobody is there to choose [\(FidoResult.noSuitableAuthenticator.code)]",
        do: "name one of them, or run it on a terminal")
    case .noHandler(let check):
      FindingText(
        "the core asks for '\(ShownText.line(check))', which cannot be answered here "
          + "[\(FidoResult.noSuitableAuthenticator.code)]", do: Self.versions)
    case .terminalFailed(let number): FindingText("cannot use the terminal: \(SystemReason(number).english)")
    case .stack(let error): error.english
    case .unknownCommand(let unknown): FindingText(ShownText.line(unknown.description), do: unknown.hint)
    case .unwritten(let number):
      FindingText(
        "the output could not be written: \(SystemReason(number).english)",
        do: "what was asked for may be done all the same: look before you repeat it")
    case .outOfMemory: FindingText("no memory for a secret", do: "free some, or raise this process's limits")
    }
  }

  var korean: FindingText {
    switch self {
    case .onlyRoot(let what):
      FindingText("\(what.korean) 수 있는 사용자는 root뿐입니다", do: "sudo로 실행하거나 root로 실행하십시오")
    case .noSuchAccount(let name):
      FindingText("그런 계정은 없습니다: \(ShownText.line(name))", do: "getent passwd로 계정 목록을 볼 수 있습니다")
    case .accountIsNotYours:
      FindingText(
        "다른 계정을 지정할 수 있는 사용자는 root뿐입니다", do: "자신의 계정이면 이름을 빼고, 아니면 root로 실행하십시오")
    case .badArgument(let what): FindingText(what.korean)
    case .configuration(let what):
      FindingText("설정을 사용할 수 없습니다: \(what.korean)", do: "uafctl doctor로 모두 점검할 수 있습니다")
    case .payloadOnCommandLine:
      FindingText(
        "코드는 명령줄이 아니라 파일에 두어야 합니다",
        do: "명령줄은 다른 사용자에게도 보입니다. 파일에 넣거나, -를 주고 표준 입력으로 입력하십시오")
    case .payloadUnreadable(let path, let number):
      FindingText("\(ShownText.line(path))에서 코드를 읽을 수 없습니다: \(SystemReason(number).korean)")
    case .payloadUnusable:
      FindingText(
        "코드가 아닙니다. 1~16384바이트의 한 줄이어야 합니다", do: "서버의 enrol 명령이 코드를 한 줄로 출력합니다")
    case .payloadNotUnderstood(let why):
      FindingText(
        "코드를 사용할 수 없습니다: \(ShownText.line(why.korean))",
        do: "서버의 enrol 명령이 코드를 한 줄로 출력합니다")
    case .noPayload:
      FindingText("코드를 입력하지 않았습니다", do: "--code FILE로 파일을 주거나, 표준 입력이면 -를 주십시오")
    case .noValue:
      FindingText("값을 입력하지 않았습니다", do: "질문에 입력하거나 표준 입력의 첫 줄로 주십시오")
    case .noCore(let number):
      FindingText(
        "\(InstalledCore.socketPath)의 코어에 연결할 수 없습니다: \(SystemReason(number).korean)",
        do: "유닛 pam-uaf.socket을 시작하거나 root로 실행하십시오")
    case .coreIsNotRoots:
      FindingText(
        "\(InstalledCore.socketPath)에서 응답하는 프로그램이 root의 것이 아닙니다",
        do: "그곳에서 대기하는 프로그램을 멈추십시오. 코어는 root로 실행됩니다")
    case .coreNotStarted(let path, let number):
      FindingText(
        "\(ShownText.line(path))의 코어를 시작할 수 없습니다: \(SystemReason(number).korean)",
        do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .coreEnded: FindingText("코어가 결과를 알리기 전에 끝났습니다", do: Self.koreanLogSaysMore)
    case .coreUnable(let what):
      FindingText("코어가 동작할 수 없습니다: \(what.korean)", do: "상태와 프로그램에 관한 줄에서 실패한 것을 바로잡으십시오")
    case .coreSilent: FindingText("코어가 제시간에 응답하지 않았습니다", do: Self.koreanLogSaysMore)
    case .coreConfused(let what):
      FindingText("코어가 프로토콜을 따르지 않습니다: \(what.korean)", do: Self.koreanVersions)
    case .noHandler(check: Check.choice.rawValue):
      FindingText(
        "쓸 수 있는 인증 수단이 여럿인데 고를 사람이 없습니다 [\(FidoResult.noSuitableAuthenticator.code)]",
        do: "하나를 지정하거나 터미널에서 실행하십시오")
    case .noHandler(let check):
      FindingText(
        "코어가 요구하는 '\(ShownText.line(check))'은(는) 여기서 답할 수 없습니다 "
          + "[\(FidoResult.noSuitableAuthenticator.code)]", do: Self.koreanVersions)
    case .terminalFailed(let number): FindingText("터미널을 사용할 수 없습니다: \(SystemReason(number).korean)")
    case .stack(let error): error.korean
    case .unknownCommand(let unknown):
      FindingText(
        "그런 명령은 없습니다: \(ShownText.line((unknown.parents.dropFirst() + [unknown.word]).joined(separator: " ")))",
        do: unknown.suggestion.map { "'\($0)'입니까?" } ?? "'\(unknown.list)'로 명령 목록을 볼 수 있습니다")
    case .unwritten(let number):
      FindingText(
        "출력을 쓸 수 없습니다: \(SystemReason(number).korean)",
        do: "요청한 작업은 이미 이루어졌을 수 있습니다. 다시 하기 전에 확인하십시오")
    case .outOfMemory:
      FindingText("비밀 값을 담을 메모리가 없습니다", do: "메모리를 비우거나 이 프로세스의 한도를 높이십시오")
    }
  }

  private static let logSaysMore = "the log (authpriv) says more; uafctl doctor checks the installation"
  private static let koreanLogSaysMore = "로그(authpriv)에 자세한 내용이 있습니다. uafctl doctor로 설치를 점검하십시오"
  private static let versions = "uafctl and uaf-helper may be of different versions: reinstall the libpam-uaf package"
  private static let koreanVersions = "uafctl과 uaf-helper의 버전이 다를 수 있습니다. libpam-uaf 패키지를 다시 설치하십시오"
}
