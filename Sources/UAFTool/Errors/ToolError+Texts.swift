import FidoResults
import Invocation
import Wording

// What failed, where, and what to do about it.

extension ToolError: Catalogued {
  var english: FindingText {
    switch self {
    case .onlyRoot(let what): FindingText("only root may \(what.english)", do: "run it with sudo, or as root")
    case .noSuchAccount(let name):
      FindingText("no such account: \(ShownText.line(name))", do: "getent passwd lists the accounts")
    case .noSuchAccountOrType(let name):
      FindingText(
        "no such account or authenticator type: \(ShownText.line(name))",
        do: "getent passwd lists the accounts, uafctl status the authenticator types")
    case .emptyName: Self.words(of: .emptyUsername, in: .english)
    case .badName: Self.words(of: .invalidUsername, in: .english)
    case .accountIsNotYours:
      FindingText(
        "only root may name another account", do: "leave the name out for your own account, or run it as root")
    case .badArgument(let what): FindingText(what.english)
    case .configuration(let what):
      FindingText("the configuration cannot be used: \(what.english)", do: "uafctl doctor checks all of it")
    case .payload(let error): error.english
    case .noValue:
      FindingText(
        "no value was given", do: "enter it at the question, or give it as the first line of standard input")
    case .core(let error): error.english
    case .terminalFailed(let number): FindingText("cannot use the terminal: \(SystemReason(number).english)")
    case .stack(let error): error.english
    case .unknownCommand(let unknown): FindingText(ShownText.line(unknown.description), do: unknown.hint)
    case .unwritten(let number):
      FindingText(
        "the output could not be written: \(SystemReason(number).english)",
        do: "what was asked for may be done all the same: look before you repeat it")
    case .recoveryKey(let error): error.english
    case .join(let problem): problem.english
    case .outOfMemory: FindingText("no memory for a secret", do: "free some, or raise this process's limits")
    }
  }

  var korean: FindingText {
    switch self {
    case .onlyRoot(let what):
      FindingText("\(what.korean) 수 있는 사용자는 root뿐입니다", do: "sudo로 실행하거나 root로 실행하십시오")
    case .noSuchAccount(let name):
      FindingText("그런 계정은 없습니다: \(ShownText.line(name))", do: "getent passwd로 계정 목록을 볼 수 있습니다")
    case .noSuchAccountOrType(let name):
      FindingText(
        "그런 계정이나 인증 수단은 없습니다: \(ShownText.line(name))",
        do: "getent passwd로 계정 목록을, uafctl status로 인증 수단을 볼 수 있습니다")
    case .emptyName: Self.words(of: .emptyUsername, in: .korean)
    case .badName: Self.words(of: .invalidUsername, in: .korean)
    case .accountIsNotYours:
      FindingText(
        "다른 계정을 지정할 수 있는 사용자는 root뿐입니다", do: "자신의 계정이면 이름을 빼고, 아니면 root로 실행하십시오")
    case .badArgument(let what): FindingText(what.korean)
    case .configuration(let what):
      FindingText("설정을 사용할 수 없습니다: \(what.korean)", do: "uafctl doctor로 모두 점검할 수 있습니다")
    case .payload(let error): error.korean
    case .noValue:
      FindingText("값을 입력하지 않았습니다", do: "질문에 입력하거나 표준 입력의 첫 줄로 주십시오")
    case .core(let error): error.korean
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
    case .recoveryKey(let error): error.korean
    case .join(let problem): problem.korean
    case .outOfMemory:
      FindingText("비밀 값을 담을 메모리가 없습니다", do: "메모리를 비우거나 이 프로세스의 한도를 높이십시오")
    }
  }

  /// The words of the one table of results.
  private static func words(of result: FidoResult, in language: Language) -> FindingText {
    FindingText("\(result.text(in: language)) [\(result.code)]", do: result.nextStep(in: language))
  }
}
