import UAFMessages
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

/// Why a payload cannot be used.
enum PayloadProblem: Catalogued, Equatable {
  case message(MessageError)
  /// It asks for an operation that no payload may.
  case operation(String)
  /// It asks for a registration, and was to be denied.
  case registrationDenied

  var english: String {
    switch self {
    case .message(let error): "\(error)"
    case .operation(let name): "it asks for \(name), which no code may"
    case .registrationDenied: "it asks for a registration, which needs no denial"
    }
  }

  var korean: String {
    switch self {
    case .message(let error): Self.korean(error)
    case .operation(let name): "코드로 할 수 없는 작업(\(name))을 요구합니다"
    case .registrationDenied: "등록을 요구하는 코드이며, 등록은 거절할 필요가 없습니다"
    }
  }

  private static func korean(_ error: MessageError) -> String {
    switch error {
    case .json: "올바른 JSON이 아닙니다"
    case .tlv: "올바른 TLV가 아닙니다"
    case .missing(let path): "\(path)이(가) 없습니다. 보낸 쪽에서 바로잡아야 합니다"
    case .wrongType(let path): "\(path)의 형식이 다릅니다. 보낸 쪽에서 바로잡아야 합니다"
    case .outOfRange(let path): "\(path)이(가) 범위를 벗어났습니다. 보낸 쪽에서 바로잡아야 합니다"
    case .notBase64URL("", _): "base64url이 아닙니다"
    case .notBase64URL(let path, _): "\(path): base64url이 아닙니다"
    case .unsupportedVersion: "지원하는 UAF 버전(1.0, 1.1)이 없습니다"
    case .repeatedVersion: "같은 UAF 버전이 두 번 들어 있습니다. 보낸 쪽에서 바로잡아야 합니다"
    case .wrongOperation: "다른 작업의 메시지입니다. 보낸 쪽에서 바로잡아야 합니다"
    case .unknownExtension(let path): "\(path): 지원하지 않는 확장을 요구합니다"
    }
  }
}
