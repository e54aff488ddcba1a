import Authenticator
import FidoResults
import Glibc
import UAFClient
import UAFConfiguration

/// A text in both languages for the administrator of this machine, about the machine's state and the command that repairs it.
///
/// It contains files, numbers and commands, which the fixed texts of the message catalogues cannot contain.
struct RootText: Hashable, Sendable {
  private let english: String
  private let korean: String

  /// - Parameter korean: the Korean text; it has both forms of a particle if the right one depends on an inserted word.
  init(_ english: String, korean: String) { (self.english, self.korean) = (english, korean) }

  /// The text in one language.
  func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .korean: KoreanParticles.resolved(korean)
    }
  }

  /// Both texts, preceded by their subject.
  func after(english: String, korean: String) -> RootText {
    RootText("\(english): \(self.english)", korean: "\(korean): \(self.korean)")
  }
}

extension RootText {
  /// The text about a failure of the state of the machine or of an account.
  init(_ error: StateError) { self.init("\(error)", korean: Self.korean(error)) }

  private static func korean(_ error: StateError) -> String {
    switch error {
    case .unsafe(let path, let why): "\(path): \(korean(why))"
    case .notInitialised(let path): "\(path): 이 컴퓨터의 키가 없습니다. root로 'uafctl init' 명령을 실행하십시오"
    case .keyMissing(let path):
      "\(path): 파일이 없고, 옆에 있는 계정은 다른 키로 열 수 없습니다. 복원하거나, 새로 시작하려면 'accounts'를 다른 곳으로 옮기십시오"
    case .keySealed(let path): "\(path): 칩이 봉인한 키를 열지 못했습니다. 칩과 설정의 [tpm]을 확인하십시오"
    case .keyElsewhere(let path): "\(path): 기기 키가 여기에 없어 옮길 것이 없습니다"
    case .cannotOpen(let path, let number): "\(path): \(korean(systemError: number))"
    case .damaged: "상태 파일이 손상되었거나 변경되어 계정이 잠겼습니다. root가 'uafctl forget USER' 명령으로 지울 수 있습니다"
    case .identityMismatch:
      "지금 계정의 이름과 다른 이름으로 등록되어 있습니다. 이름이 바뀐 계정의 등록은 root가 'uafctl rename USER --from OLD' 명령으로 옮기고, "
        + "다른 사람의 등록은 'uafctl forget USER' 명령으로 지웁니다"
    case .serverNameChanged(let registered, let configured):
      "서버에는 '\(registered)' 이름으로 등록되어 있는데 지금 server.username으로는 '\(configured)'입니다. 되돌리십시오. 이름을 바꾸려면 먼저 등록을 "
        + "해지하고 바꾼 뒤 다시 등록하십시오"
    case .superseded: "그사이 다른 작업이 값을 바꾸었거나 등록했습니다. 바뀐 것은 없습니다. 다시 시도하십시오"
    case .database(let code):
      "상태 데이터베이스: SQLite 오류 \(code)번입니다"
        + (code & 0xff == 8 ? ". 파일 시스템을 쓸 수 있게 마운트하고, 파일의 속성을 lsattr로 확인하십시오" : "")
        + (error.meansLocked ? ". 계정이 잠겼습니다. root가 'uafctl forget USER' 명령으로 지울 수 있습니다" : "")
    case .unknownSchema(let version): "상태 데이터베이스의 형식이 \(version)번입니다. pam-uaf의 다른 버전이 썼습니다"
    case .absent: "등록된 것이 없습니다"
    case .cryptography: "키를 만들거나 난수를 얻지 못했습니다. 메모리가 부족할 수 있습니다"
    case .share: "칩이 이 계정에 필요한 일을 하지 못했습니다"
    }
  }

  private static func korean(_ fault: UnsafeFile) -> String {
    switch fault {
    case .badPath: "'.'과 '..'이 없는 절대 경로여야 합니다"
    case .notFolder: "폴더가 아니거나 심볼릭 링크입니다"
    case .owner(let uid, let wanted): "소유자가 uid \(wanted)이(가) 아니라 \(uid)입니다"
    case .open(let mode): "다른 사용자가 쓰거나 읽을 수 있습니다(모드 \(mode))"
    case .symbolicLink: "심볼릭 링크입니다"
    case .notRegular: "일반 파일이 아닙니다"
    case .names(let count): "이름(하드 링크)이 \(count)개입니다"
    case .size(let limit): "크기가 1~\(limit)바이트가 아닙니다"
    case .keySize(let size): "크기가 \(size)바이트가 아닙니다"
    }
  }

  private static func korean(systemError number: CInt) -> String {
    switch number {
    case ENOENT: "그런 파일이나 폴더가 없습니다"
    case EACCES, EPERM: "권한이 없습니다"
    case ENOSPC, EDQUOT: "디스크에 남은 공간이 없습니다"
    case EROFS: "읽기 전용 파일 시스템입니다. 로그인할 때마다 상태를 써야 하므로 쓸 수 있게 마운트하십시오"
    default: "열 수 없습니다(시스템 오류 \(number)번)"
    }
  }
}

extension RootText {
  /// The text that names the line or argument of root's configuration that cannot be used.
  ///
  /// The log has the reason in English, and `doctor` explains it in every language.
  static func configuration(_ error: ConfigurationError) -> RootText {
    RootText(
      "\(error)", korean: "설정을 사용할 수 없습니다: \(error.place). 이유는 로그(authpriv)에 있습니다")
  }
}

extension ConfigurationError {
  /// The file with the line and the key, as far as they are known, or the module's argument.
  var place: String {
    let place =
      switch self {
      case .file(let path, _): path
      case .syntax(let path, let line, _): "\(path):\(line)"
      case .key(let path, let line, let key, _): "\(path):\(line): \(key)"
      case .argument(let argument, _): argument
      }
    return Text.cleaned(place, limit: 256)
  }
}

extension CheckInFlow.Fault {
  /// The Korean version of `description`, with both forms of a particle where needed.
  var korean: String {
    switch self {
    case .transport(.noHandshake(let reason)), .transport(.afterHandshake(let reason)),
      .transport(.withoutHandshake(let reason)):
      PromptText.noAnswer(reason).text(in: .korean)
    case .transport: FidoResult.noAnswer.text(in: .korean)
    case .status(403): "서버가 이 컴퓨터를 모릅니다. 다시 가입하십시오"
    case .status(404): "서버가 컴퓨터의 상태를 받지 않습니다"
    case .unknown: "서버가 이 컴퓨터를 모른다고 서명하여 알렸습니다. 다시 가입하십시오"
    case .status(let number): "서버가 HTTP 상태 \(number)(으)로 응답했습니다"
    case .answer: "서버의 응답이 상태를 알린 데 대한 것이 아닙니다"
    case .unsigned: "서버의 응답이 오래되었거나, 이 요청에 대해 verdict_key로 서명되지 않았습니다"
    }
  }
}
