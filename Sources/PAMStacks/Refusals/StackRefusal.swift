import CPAM
import Wording

/// Why a stack that was tried refused the person at the terminal.
package enum StackRefusal: Error, Equatable, Catalogued {
  case noTerminal
  case unreadable
  /// libpam's code, which is no success, and its text.
  case code(CInt, text: String)

  /// The reason in English.
  package var english: String {
    switch self {
    case .noTerminal: "standard input is no terminal"
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
