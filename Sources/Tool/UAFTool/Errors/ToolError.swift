import FidoResults
import Glibc
import Invocation
import PAMStacks
import TerminalPrompts
import Wording

/// Why a subcommand could not do its work.
enum ToolError: Error, Equatable {
  /// Only root may do this.
  case onlyRoot(RootsWork)
  /// There is no such account, or it cannot be looked up.
  case noSuchAccount(String)
  /// The command line has only one name, and it is neither an account nor an authenticator type.
  case noSuchAccountOrType(String)
  /// The command line has an empty name for the account.
  case emptyName
  /// No account can have this name: it has white space, control or non-ASCII characters.
  case badName(String)
  /// A caller that is not root has named somebody else's account.
  case accountIsNotYours
  /// The command line contains a mistake that the parser does not find.
  case badArgument(ArgumentProblem)
  /// The configuration cannot be used.
  case configuration(ConfigurationProblem)
  /// The command has no code to work with.
  case payload(PayloadError)
  /// The person cancelled a prompt of this program.
  case cancelled
  /// Standard input has nothing after the code, and there is no terminal at which a person could be asked.
  case noTerminal
  /// The person entered no passcode to try.
  case noValue
  /// The conversation with the core did not end properly.
  case core(CoreError)
  /// The terminal cannot be used.
  case terminalFailed(CInt)
  /// A service's PAM stack was not changed.
  case stack(StackError)
  /// The command line has an unknown word in place of a command.
  case unknownCommand(UnknownCommand)
  /// A result could not be written; the system's error number.
  case unwritten(CInt)
  /// The file of the recovery key cannot be used.
  case recoveryKey(RecoveryKeyError)
  /// The file of a report cannot be written.
  case report(ReportFileError)
  /// The machine could not join a server, or leave it.
  case join(JoinProblem)
  /// There is no locked memory for an entry.
  case outOfMemory
}

extension ToolError {
  /// The exit status of the program.
  var exit: ToolExit {
    switch self {
    case .onlyRoot, .noSuchAccount, .noSuchAccountOrType, .emptyName, .badName, .accountIsNotYours, .badArgument,
      .configuration, .payload, .noTerminal, .noValue,
      .terminalFailed, .unknownCommand, .recoveryKey, .report, .join, .outOfMemory:
      .usage
    case .stack(.badService), .stack(.noTemplateKnown), .stack(.noShape), .stack(.noService), .stack(.noTemplate):
      .usage
    case .stack, .cancelled: .refused
    case .unwritten: .unwritten
    case .core(.noHandler): .refused
    case .core: .unreachable
    }
  }
}

extension ToolError {
  /// The result that programs read: the same that the core would report for this reason.
  var result: FidoResult {
    switch self {
    case .emptyName: .emptyUsername
    case .badName: .invalidUsername
    case .cancelled: .userCancel
    case .noSuchAccountOrType, .badArgument(.noSuchType): .invalidAuthenticatorType
    case .core(.noHandler): .noSuitableAuthenticator
    case .core(.unable): .cannotUse
    case .core: .clientMismatch
    case .terminalFailed, .outOfMemory, .unwritten: .cannotUse
    case .onlyRoot, .noSuchAccount, .accountIsNotYours, .badArgument, .configuration, .payload, .noTerminal, .noValue,
      .stack, .unknownCommand, .recoveryKey, .report, .join:
      .invalidParameter
    }
  }
}

/// Why the file of the recovery key cannot be used.
struct RecoveryKeyError: Error, Equatable, Catalogued {
  let path: String
  /// The system's error number.
  let number: CInt

  var english: FindingText {
    FindingText(
      "recovery key: \(ShownText.line(path)): \(SystemReason(number).english)",
      do: number == EEXIST ? "name a file that does not exist" : nil)
  }

  var korean: FindingText {
    FindingText(
      "복구 키: \(ShownText.line(path)): \(SystemReason(number).korean)",
      do: number == EEXIST ? "없는 파일의 이름을 주십시오" : nil)
  }
}

/// Work that only root may request.
enum RootsWork: Catalogued, Equatable {
  case chooseConfiguration
  case unlock
  case initialise
  case moveKey
  case forget
  case rename
  case trust
  case join
  case checkIn
  case tellServer
  case changeServices
  case startSessions

  var english: String {
    switch self {
    case .chooseConfiguration: "choose the configuration (--conf)"
    case .unlock: "unlock an account"
    case .initialise: "initialise this machine"
    case .moveKey: "move this machine's key"
    case .forget: "make this machine forget an account"
    case .rename: "take a registration over to another name"
    case .trust: "change which server is trusted"
    case .join: "join a server or leave it"
    case .checkIn: "tell the server how this machine is"
    case .tellServer: "choose whether the server is told (--deregister)"
    case .changeServices: "change how services ask"
    case .startSessions: "start the shells of others (--sessions)"
    }
  }

  /// What root may do, in Korean, in the form before "can".
  var korean: String {
    switch self {
    case .chooseConfiguration: "설정 파일을 고를"
    case .unlock: "계정의 잠금을 풀"
    case .initialise: "이 컴퓨터를 초기 설정할"
    case .moveKey: "이 컴퓨터의 키를 옮길"
    case .forget: "이 컴퓨터에서 계정을 지울"
    case .rename: "등록을 다른 이름으로 옮길"
    case .trust: "신뢰할 서버를 바꿀"
    case .join: "서버에 가입하거나 탈퇴할"
    case .checkIn: "서버에 이 컴퓨터의 상태를 알릴"
    case .tellServer: "서버에 알릴지(--deregister) 고를"
    case .changeServices: "서비스가 묻는 방법을 바꿀"
    case .startSessions: "다른 사람의 셸을 시작할(--sessions)"
    }
  }
}

extension ToolError {
  /// The error of a failed prompt, as a subcommand reports it.
  init(_ error: TerminalError) {
    self =
      switch error {
      case .failed(let number): .terminalFailed(number)
      case .outOfMemory: .outOfMemory
      }
  }

  /// Does work at a terminal, and throws its failure as the error of a subcommand.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  static func atTerminal<Value: ~Copyable>(
    _ work: () throws(TerminalError) -> Value
  ) throws(ToolError) -> Value {
    do throws(TerminalError) { return try work() } catch { throw ToolError(error) }
  }
}

// The texts of the errors: what failed, where, and what to do about it.

extension ToolError: Catalogued {
  var english: FindingText {
    switch self {
    case .onlyRoot(.unlock):
      FindingText(
        "only root may \(RootsWork.unlock.english) without the helpdesk",
        do:
          "ask the helpdesk: 'uafctl unlock --payload FILE' or 'uafctl unlock --code' takes what it gives out for your account"
      )
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
    case .badArgument(let what): FindingText(what.english, do: what.remedy?.english)
    case .configuration(let what):
      FindingText("the configuration cannot be used: \(what.english)", do: "uafctl doctor checks all of it")
    case .payload(let error): error.english
    case .cancelled: Self.words(of: .userCancel, in: .english)
    case .noTerminal:
      FindingText(
        "standard input has no answer behind the code, and there is no terminal to ask at",
        do: "give the code there as the first line and each answer as a further one, or run it at a terminal")
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
    case .report(let error): error.english
    case .join(let problem): problem.english
    case .outOfMemory: FindingText("no memory for a secret", do: "free some, or raise this process's limits")
    }
  }

  var korean: FindingText {
    switch self {
    case .onlyRoot(.unlock):
      FindingText(
        "헬프데스크 없이 \(RootsWork.unlock.korean) 수 있는 사용자는 root뿐입니다",
        do: "헬프데스크에 문의하십시오. 자신의 계정은 헬프데스크에서 받은 것을 'uafctl unlock --payload FILE'이나 'uafctl unlock --code'에 주어 풉니다")
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
    case .badArgument(let what): FindingText(what.korean, do: what.remedy?.korean)
    // The core's Korean text is a whole sentence, and mentions `uafctl doctor` itself.
    case .configuration(.refused(let text)): FindingText(ShownText.line(text))
    case .configuration(let what):
      FindingText("설정을 사용할 수 없습니다: \(what.korean)", do: "uafctl doctor로 모두 점검할 수 있습니다")
    case .payload(let error): error.korean
    case .cancelled: Self.words(of: .userCancel, in: .korean)
    case .noTerminal:
      FindingText(
        "표준 입력에 코드 다음의 답이 없고, 물어볼 터미널도 없습니다",
        do: "코드를 첫 줄에, 답을 그다음 줄부터 한 줄씩 주거나, 터미널에서 실행하십시오")
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
    case .report(let error): error.korean
    case .join(let problem): problem.korean
    case .outOfMemory:
      FindingText("비밀 값을 담을 메모리가 없습니다", do: "메모리를 비우거나 이 프로세스의 한도를 높이십시오")
    }
  }

  /// The text of a result, from the table of results.
  private static func words(of result: FidoResult, in language: Language) -> FindingText {
    FindingText("\(result.text(in: language)) [\(result.code)]", do: result.nextStep(in: language))
  }
}
