import Wording

/// Why there is no code to work with.
enum PayloadError: Equatable {
  /// It stands on the command line itself.
  case onCommandLine
  /// Its file cannot be read; the system's error number.
  case unreadable(path: String, CInt)
  /// What was read is not one line of 1 to 16,384 bytes.
  case unusable
  /// It cannot be parsed, or asks for something that no payload may ask for.
  case notUnderstood(PayloadProblem)
  /// The person gave none.
  case missing
  /// What was typed is no unlock code, or nothing.
  case noUnlockCode
}

extension PayloadError: Catalogued {
  var english: FindingText {
    switch self {
    case .onCommandLine:
      FindingText(
        "a code's place is a file, not the command line",
        do: "other people see command lines: put it into a file, or give - to enter it on standard input")
    case .unreadable(let path, let number):
      FindingText("cannot read the code from \(ShownText.line(path)): \(SystemReason(number).english)")
    case .unusable:
      FindingText(
        "that is no code: it must be one line of 1 to 16384 bytes",
        do: "the server's enrol command prints the code as one line")
    case .notUnderstood(let why):
      FindingText(
        "the code cannot be used: \(ShownText.line(why.english))",
        do: "the server's enrol command prints the code as one line")
    case .missing:
      FindingText("no code was given", do: "give a file with --code FILE, or - for standard input")
    case .noUnlockCode:
      FindingText(
        "no unlock code was entered",
        do: "enter the 24 characters from the helpdesk, or give its line in a file with --payload FILE")
    }
  }

  var korean: FindingText {
    switch self {
    case .onCommandLine:
      FindingText(
        "코드는 명령줄이 아니라 파일에 두어야 합니다",
        do: "명령줄은 다른 사용자에게도 보입니다. 파일에 넣거나, -를 주고 표준 입력으로 입력하십시오")
    case .unreadable(let path, let number):
      FindingText("\(ShownText.line(path))에서 코드를 읽을 수 없습니다: \(SystemReason(number).korean)")
    case .unusable:
      FindingText(
        "코드가 아닙니다. 1~16384바이트의 한 줄이어야 합니다", do: "서버의 enrol 명령이 코드를 한 줄로 출력합니다")
    case .notUnderstood(let why):
      FindingText(
        "코드를 사용할 수 없습니다: \(ShownText.line(why.korean))",
        do: "서버의 enrol 명령이 코드를 한 줄로 출력합니다")
    case .missing:
      FindingText("코드를 입력하지 않았습니다", do: "--code FILE로 파일을 주거나, 표준 입력이면 -를 주십시오")
    case .noUnlockCode:
      FindingText(
        "잠금 해제 코드를 입력하지 않았습니다",
        do: "헬프데스크에서 받은 24자를 입력하거나, 받은 줄을 담은 파일을 --payload FILE로 주십시오")
    }
  }
}
