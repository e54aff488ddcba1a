import UAFMessages
import Wording

/// The place on the command line where a command accepts a code.
enum CodePlace: Equatable {
  /// The value of an option, such as `--code`.
  case option(String)
  /// The command's first argument.
  case argument

  /// The option or argument as it is written on a command line.
  var text: String {
    switch self {
    case .option(let name): "\(name) FILE"
    case .argument: "FILE"
    }
  }
}

/// Why a command has no code to work with.
enum PayloadError: Equatable {
  /// The code is on the command line itself.
  case onCommandLine(CodePlace)
  /// A code of this kind is on the command line in place of an account or a type.
  case kindOnCommandLine(CodeKind)
  /// There is no file of that name. The name may be a code, so it is not repeated.
  case noFile(CodePlace)
  /// The file that should contain the code cannot be read; the system's error number.
  case unreadable(path: String, CInt)
  /// The file or the input was read, and contains no usable code.
  case unusable(UnusableCode)
  /// The payload cannot be parsed, or asks for an operation that no payload may ask for.
  case notUnderstood(PayloadProblem)
  /// The person entered no code.
  case missing(CodePlace)
  /// The file that should contain the code is empty.
  case emptyFile(path: String)
  /// Standard input is empty.
  case emptyInput(CodePlace)
  /// A blank line follows the code on standard input, in place of an answer.
  case blankBehindCode
  /// The person typed no unlock code.
  case noUnlockCode
  /// Standard input has no unlock code.
  case unlockCodeOfInput
  /// The entry has characters that no unlock code has.
  case notUnlockCode
  /// An unlock code is on the command line.
  case unlockCodeOnCommandLine
}

/// Why a text that should contain a code is not usable.
enum UnusableCode: Equatable {
  /// The text is neither in UTF-8 nor in UTF-16 with a byte order mark.
  case notText
  /// The text has NUL bytes.
  case holdsNUL
  /// The text is longer than a conversation can carry.
  case tooLong
  /// The text is one word, with characters that no code has.
  case badCharacters
  /// The text has several words, and none of them looks like a code.
  case notFound
  /// The text looks like an enrolment code with a typing error: in the group of this number, if the text shows it.
  case mistyped(inGroup: Int?)
  /// The text may be an enrolment code that was typed with the Korean keyboard layout.
  case typedInHangul
  /// The text has several words that could be the code.
  case several
}

extension PayloadError: Catalogued {
  var english: FindingText {
    switch self {
    case .onCommandLine(let place):
      FindingText(
        "a code's place is a file, not the command line",
        do:
          "other people see command lines: put it into a file (\(place.text)), or give - to enter it on standard input")
    case .kindOnCommandLine(let kind):
      FindingText(
        "that is \(kind.english): a code has no place on the command line, which other people see",
        do: "'\(kind.command)' takes it, from a file or at a question")
    case .noFile(let place):
      FindingText(
        "there is no file of that name, and a code itself has no place on the command line, which other people see",
        do: "give the name of a file with the code (\(place.text)), or - to enter it on standard input")
    case .unreadable(let path, let number):
      FindingText("cannot read the code from \(ShownText.line(path)): \(SystemReason(number).english)")
    case .unusable(let why): why.english
    case .notUnderstood(let why):
      FindingText("the code cannot be used: \(ShownText.line(why.english))", do: why.englishRemedy)
    case .missing(let place):
      FindingText("no code was given", do: "give a file (\(place.text)), or - for standard input")
    case .emptyFile(let path):
      FindingText(
        "there is no code in \(ShownText.line(path)): it is empty", do: "save the code there, and give it again")
    case .emptyInput(let place):
      FindingText(
        "there is no code on standard input: its first line is empty or missing",
        do: "give the code there as a line, or a file with it (\(place.text))")
    case .blankBehindCode:
      FindingText(
        "a blank line follows the code on standard input: that is a letter, or an answer is missing",
        do: "give the answers as the next lines, or the code in a file, and run it at a terminal")
    case .unlockCodeOfInput:
      FindingText(
        "there is no unlock code on standard input: its first line is empty or missing",
        do: "give the 24 characters there as a line, or the helpdesk's line in a file with --payload FILE")
    case .notUnlockCode:
      FindingText(
        "that is not an unlock code: it has characters that no code has",
        do: "enter the 24 characters from the helpdesk, or give its line in a file with --payload FILE")
    case .unlockCodeOnCommandLine:
      FindingText(
        "an unlock code has no place on the command line, which other people see",
        do: "give --code alone: uafctl asks for the 24 characters then, or takes the first line of standard input")
    case .noUnlockCode:
      FindingText(
        "no unlock code was entered",
        do: "enter the 24 characters from the helpdesk, or give its line in a file with --payload FILE")
    }
  }

  var korean: FindingText {
    switch self {
    case .onCommandLine(let place):
      FindingText(
        "코드는 명령줄이 아니라 파일에 두어야 합니다",
        do: "명령줄은 다른 사용자에게도 보입니다. 파일에 넣거나(\(place.text)), -를 주고 표준 입력으로 입력하십시오")
    case .kindOnCommandLine(let kind):
      FindingText(
        "\(kind.korean)입니다. 명령줄은 다른 사용자에게도 보이므로 코드를 명령줄에 쓰면 안 됩니다",
        do: "파일에 넣거나 물을 때 입력하십시오: '\(kind.command)'")
    case .noFile(let place):
      FindingText(
        "그런 이름의 파일이 없습니다. 명령줄은 다른 사용자에게도 보이므로 코드 자체를 명령줄에 쓰면 안 됩니다",
        do: "코드를 담은 파일의 이름을 주거나(\(place.text)), -를 주고 표준 입력으로 입력하십시오")
    case .unreadable(let path, let number):
      FindingText("\(ShownText.line(path))에서 코드를 읽을 수 없습니다: \(SystemReason(number).korean)")
    case .unusable(let why): why.korean
    case .notUnderstood(let why):
      FindingText("코드를 사용할 수 없습니다: \(ShownText.line(why.korean))", do: why.koreanRemedy)
    case .missing(let place):
      FindingText("코드를 입력하지 않았습니다", do: "파일을 주거나(\(place.text)), 표준 입력이면 -를 주십시오")
    case .emptyFile(let path):
      FindingText("코드가 없습니다. 빈 파일입니다: \(ShownText.line(path))", do: "코드를 저장한 뒤 다시 주십시오")
    case .emptyInput(let place):
      FindingText(
        "표준 입력에 코드가 없습니다. 첫 줄이 비어 있거나 없습니다", do: "코드를 한 줄로 주거나, 코드를 담은 파일을 주십시오(\(place.text))")
    case .blankBehindCode:
      FindingText(
        "표준 입력에서 코드 다음 줄이 비어 있습니다. 편지이거나 답이 빠졌습니다",
        do: "답을 바로 다음 줄부터 주거나, 코드를 파일에 넣어 터미널에서 실행하십시오")
    case .unlockCodeOfInput:
      FindingText(
        "표준 입력에 잠금 해제 코드가 없습니다. 첫 줄이 비어 있거나 없습니다",
        do: "24자를 한 줄로 주거나, 헬프데스크에서 받은 줄을 담은 파일을 --payload FILE로 주십시오")
    case .notUnlockCode:
      FindingText(
        "잠금 해제 코드가 아닙니다. 코드에 쓰이지 않는 문자가 들어 있습니다",
        do: "헬프데스크에서 받은 24자를 입력하거나, 받은 줄을 담은 파일을 --payload FILE로 주십시오")
    case .unlockCodeOnCommandLine:
      FindingText(
        "명령줄은 다른 사용자에게도 보이므로 잠금 해제 코드를 명령줄에 쓰면 안 됩니다",
        do: "--code만 주십시오. 그러면 24자를 묻거나 표준 입력의 첫 줄에서 읽습니다")
    case .noUnlockCode:
      FindingText(
        "잠금 해제 코드를 입력하지 않았습니다",
        do: "헬프데스크에서 받은 24자를 입력하거나, 받은 줄을 담은 파일을 --payload FILE로 주십시오")
    }
  }
}

extension UnusableCode: Catalogued {
  var english: FindingText {
    switch self {
    case .notText: FindingText("that is not a code: it is not text in UTF-8", do: "save it as plain text")
    case .holdsNUL:
      FindingText("that is not a code: it has NUL bytes", do: "save it as plain text in UTF-8, or give its file")
    case .tooLong: FindingText("that is not a code: no code is longer than \(CodeLine.maximumCount) bytes")
    case .badCharacters:
      FindingText("that is not a code: it has characters that no code has", do: Self.copyItAll.english)
    case .notFound: FindingText("there is no code in it, or only a part of one", do: Self.copyItAll.english)
    case .mistyped(let group):
      FindingText(
        "the enrolment code has a typing error" + (group.map { " in group \($0) of 4" } ?? ""),
        do: "compare it with the code from the administrator, and enter its 16 characters again")
    case .typedInHangul:
      FindingText(
        "the enrolment code was typed with the Korean keyboard layout",
        do: "switch the keyboard to English, and enter the code again")
    case .several:
      FindingText(
        "more than one code could be meant", do: "leave only the one that is to be used, on a line of its own")
    }
  }

  var korean: FindingText {
    switch self {
    case .notText: FindingText("코드가 아닙니다. UTF-8 텍스트가 아닙니다", do: "일반 텍스트로 저장하십시오")
    case .holdsNUL:
      FindingText("코드가 아닙니다. NUL 바이트가 들어 있습니다", do: "UTF-8 일반 텍스트로 저장하거나 그 파일을 주십시오")
    case .tooLong: FindingText("코드가 아닙니다. \(CodeLine.maximumCount)바이트보다 긴 코드는 없습니다")
    case .badCharacters:
      FindingText("코드가 아닙니다. 코드에 쓰이지 않는 문자가 들어 있습니다", do: Self.copyItAll.korean)
    case .notFound: FindingText("코드가 없거나 일부만 있습니다", do: Self.copyItAll.korean)
    case .mistyped(let group):
      FindingText(
        "등록 코드를 잘못 입력했습니다" + (group.map { ". 네 부분 중 \($0)번째 부분이 틀립니다" } ?? ""),
        do: "관리자에게 받은 코드와 비교하여 16자를 다시 입력하십시오")
    case .typedInHangul:
      FindingText("등록 코드를 한글 자판으로 입력했습니다", do: "한/영 키를 눌러 영문 자판으로 바꾼 뒤 코드를 다시 입력하십시오")
    case .several:
      FindingText("코드로 볼 수 있는 것이 둘 이상입니다", do: "사용할 코드 하나만 한 줄에 남기십시오")
    }
  }

  fileprivate static let copyItAll = (
    english: "copy the whole code, as the server printed it", korean: "서버가 출력한 코드를 빠짐없이 복사하십시오"
  )
}

/// Why a payload cannot be used.
enum PayloadProblem: Catalogued, Equatable {
  case message(MessageError)
  /// The payload asks for an operation that no payload may ask for.
  case operation(String)
  /// The payload asks for a registration, which cannot be denied.
  case registrationDenied
  /// The code is for a different command.
  case otherKind(CodeKind)
  /// The text is an enrolment code alone, and the command needs the payload, which names the server.
  case codeWithoutServer

  var english: String {
    switch self {
    case .message(let error): "\(error)"
    case .operation(let name): "it asks for \(name), which no code may"
    case .registrationDenied: "it asks for a registration, which needs no denial"
    case .otherKind(let kind): "it is \(kind.english)"
    case .codeWithoutServer: "it is the enrolment code alone, which names no server"
    }
  }

  var englishRemedy: String? {
    switch self {
    case .message: UnusableCode.copyItAll.english
    case .operation: nil
    case .registrationDenied: "leave it unused, and have the administrator revoke it"
    case .otherKind(let kind): "'\(kind.command)' takes it"
    case .codeWithoutServer: "give the whole line, as the server printed it"
    }
  }

  var koreanRemedy: String? {
    switch self {
    case .message: UnusableCode.copyItAll.korean
    case .operation: nil
    case .registrationDenied: "사용하지 말고, 관리자에게 취소를 요청하십시오"
    case .otherKind(let kind): "'\(kind.command)' 명령에 쓰십시오"
    case .codeWithoutServer: "서버가 출력한 줄 전체를 주십시오"
    }
  }

  var korean: String {
    switch self {
    case .message(let error): Self.korean(error)
    case .operation(let name): "코드로 할 수 없는 작업(\(name))을 요구합니다"
    case .registrationDenied: "등록을 요구하는 코드이며, 등록은 거부할 필요가 없습니다"
    case .otherKind(let kind): "\(kind.korean)입니다"
    case .codeWithoutServer: "등록 코드만 있어 어느 서버의 것인지 알 수 없습니다"
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

extension CodeKind: Catalogued {
  package var english: String {
    switch self {
    case .enrolmentCode, .enrolmentPayload: "an enrolment code, by which a person registers"
    case .approval: "a request for an approval, which a person gives or denies"
    case .machinePayload: "a machine payload, by which root has a machine join a server"
    case .unlockCode, .unlockPayload: "an unlock of the helpdesk's, which ends the locks of an account"
    case .recoveryKey: "a recovery key, which opens this machine's key without its chip"
    }
  }

  /// The Korean name of the kind, in the form before "입니다".
  package var korean: String {
    switch self {
    case .enrolmentCode, .enrolmentPayload: "사용자가 등록할 때 쓰는 등록 코드"
    case .approval: "사용자가 승인하거나 거부하는 승인 요청"
    case .machinePayload: "root가 컴퓨터를 서버에 가입시킬 때 쓰는 가입 파일의 내용"
    case .unlockCode, .unlockPayload: "계정의 잠금을 푸는, 헬프데스크의 잠금 해제 코드"
    case .recoveryKey: "칩 없이 이 컴퓨터의 키를 여는 복구 키"
    }
  }

  /// The command that accepts codes of this kind.
  var command: String {
    switch self {
    case .enrolmentCode, .enrolmentPayload: "uafctl register --code FILE"
    case .approval: "uafctl oob FILE"
    case .machinePayload: "uafctl join --payload FILE"
    case .unlockCode: "uafctl unlock --code"
    case .unlockPayload: "uafctl unlock --payload FILE"
    case .recoveryKey: "uafctl recover"
    }
  }
}
