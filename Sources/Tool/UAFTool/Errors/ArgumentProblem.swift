import Doctor
import UAFConfiguration
import UAFWire
import Wording

/// A mistake on the command line that this program finds after parsing.
enum ArgumentProblem: Catalogued, Equatable {
  case confWithoutName
  case confTooLong
  case payloadWithoutName(CodePlace)
  /// Root gives a payload for a reset that does not involve the server.
  case payloadOfRoot
  case noSuchType(String)
  /// The text to be confirmed is empty, too long or contains a NUL.
  case transactionLength
  /// No former name is given for a rename.
  case oldNameMissing
  /// The former name belongs to an existing account.
  ///
  /// `user` is the account that should take over its records.
  case oldNameInUse(String, user: String)
  /// What `--until` names is no day.
  case noDay(String)
  /// The day of `--until` is over.
  case dayIsOver(CalendarDay, today: CalendarDay)
  /// The day of `--until` is more than a year ahead.
  case dayIsFar(CalendarDay)
  /// A report would be written before anybody has seen it.
  case reportUnseen
  /// One of the texts on the command line does not fit into a packet.
  case tooLong

  var english: String {
    switch self {
    case .confWithoutName: "--conf takes the name of a file"
    case .confTooLong: "--conf: the file's name is too long"
    case .payloadWithoutName(let place): "\(place.text): it takes the name of a file, or - for standard input"
    case .payloadOfRoot: "root resets without a code: --code goes with --deregister"
    case .noSuchType(let name): "no such authenticator type: \(ShownText.line(name))"
    case .transactionLength: "--transaction takes a text of 1 to \(WireLimit.transaction) bytes"
    case .oldNameMissing: "--from takes the name that the account was registered under"
    case .oldNameInUse(let name, _):
      "\(ShownText.line(name)) is the name of another account: its registration stays its own"
    case .noDay(let text): "--until takes a day as YYYY-MM-DD, and \(ShownText.line(text)) is none"
    case .dayIsOver(let day, let today): "--until: \(day) is over, today is \(today) (UTC)"
    case .dayIsFar(let day): "--until: \(day) is more than \(PasswordEnd.longest) days ahead"
    case .reportUnseen: "there is no terminal to ask at before the file is written: give --yes, or name no file"
    case .tooLong: "one of the arguments is too long"
    }
  }

  var korean: String {
    switch self {
    case .confWithoutName: "--conf에는 파일 이름이 필요합니다"
    case .confTooLong: "--conf: 파일 이름이 너무 깁니다"
    case .payloadWithoutName(let place): "\(place.text): 파일 이름이나 표준 입력을 뜻하는 -가 필요합니다"
    case .payloadOfRoot: "root는 등록 코드 없이 초기화합니다. --code는 --deregister와 함께 쓰십시오"
    case .noSuchType(let name): "그런 인증 수단은 없습니다: \(ShownText.line(name))"
    case .transactionLength: "--transaction에는 1에서 \(WireLimit.transaction)바이트의 텍스트가 필요합니다"
    case .oldNameMissing: "--from에는 등록할 때의 계정 이름이 필요합니다"
    case .oldNameInUse(let name, _): "다른 계정의 이름이므로 등록을 옮길 수 없습니다: \(ShownText.line(name))"
    case .noDay(let text): "--until에는 YYYY-MM-DD 형식의 날짜가 필요합니다: \(ShownText.line(text))"
    case .dayIsOver(let day, let today): "--until: \(day)은(는) 지난 날입니다. 오늘은 \(today)(UTC)입니다"
    case .dayIsFar(let day): "--until: \(day)은(는) \(PasswordEnd.longest)일보다 더 뒤입니다"
    case .reportUnseen: "파일에 쓰기 전에 물어볼 터미널이 없습니다. --yes를 주거나 파일 이름을 빼십시오"
    case .tooLong: "인수 하나가 너무 깁니다"
    }
  }
}

extension ArgumentProblem {
  /// What to do about the problem, in each language; nil if the problem's text says it.
  var remedy: (english: String, korean: String)? {
    guard case .oldNameInUse(let name, let user) = self else { return nil }
    let (old, new) = (ShownText.line(name), ShownText.line(user))
    return (
      "'uafctl status \(new)' says what is registered; if that is as '\(old)', 'uafctl forget \(new)' removes it, and '\(new)' "
        + "can register anew",
      "'uafctl status \(new)' 명령으로 등록된 이름을 확인하십시오. 그 이름이 '\(old)' 그대로이면 'uafctl forget \(new)' 명령으로 지운 뒤 다시 "
        + "등록하십시오"
    )
  }
}

/// Why the configuration cannot be used.
enum ConfigurationProblem: Catalogued, Equatable {
  case unusable(ConfigurationError)
  /// The core's text about the configuration, already in the caller's language.
  case refused(String)
  /// The core's result, if it sent no text.
  case result(UInt32)
  case noServer(path: String)
  /// The file belongs neither to root nor to the caller.
  case notYours(path: String)
  /// The folder belongs neither to root nor to the caller.
  case folderNotYours(path: String, folder: String)

  var english: String {
    switch self {
    case .unusable(let error): error.english
    case .refused(let text): ShownText.line(text)
    case .result(let number): "result \(number)"
    case .noServer(let path): "\(path): names no server"
    case .notYours(let path): "\(path): it is neither yours nor root's"
    case .folderNotYours(let path, let folder):
      "\(path): \(folder) belongs neither to root nor to the owner of the file"
    }
  }

  var korean: String {
    switch self {
    case .unusable(let error): error.korean
    case .refused(let text): ShownText.line(text)
    case .result(let number): "결과 \(number)"
    case .noServer(let path): "\(path): 서버가 없습니다"
    case .notYours(let path): "\(path): 자신의 파일도 root의 파일도 아닙니다"
    case .folderNotYours(let path, let folder): "\(path): \(folder)의 소유자가 root도 파일의 소유자도 아닙니다"
    }
  }
}
