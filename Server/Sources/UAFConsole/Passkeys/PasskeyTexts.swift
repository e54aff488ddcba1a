import UAFService

/// The texts about refusals of passkeys, for programs that show them and for the page.
package enum PasskeyRefusalText: String, CaseIterable {
  case unreadable
  case wrongCode = "wrong-code"
  case notAccepted = "not-accepted"
  case noName = "no-name"
  case tooMany = "too-many"
  case known
  case unverified
  case blocked
  case ended
  case refused
  case failed

  package init(_ refusal: ServiceRefusal) {
    self =
      switch refusal {
      case .malformedRequest, .malformedMessage, .malformedAssertion, .invalidUsername: .unreadable
      case .wrongEnrolmentCode, .enrolmentCodeUsed: .wrongCode
      case .passkeysNotAccepted, .notInPolicy: .notAccepted
      case .noRelyingParty: .noName
      case .tooManyKeys: .tooMany
      case .keyAlreadyRegistered: .known
      case .userNotVerified: .unverified
      case .accountDisabled, .accountLocked, .revokedKey: .blocked
      case .expiredChallenge, .unknownChallenge, .invalidServerData: .ended
      case .internalError: .failed
      default: .refused
      }
  }

  /// The text about a refusal in English, for `errorMessage`.
  package static func english(_ refusal: ServiceRefusal) -> String { PasskeyRefusalText(refusal).text(in: .english) }

  func text(in language: PageLanguage) -> String {
    switch language {
    case .english: english
    case .korean: korean
    }
  }

  private var english: String {
    switch self {
    case .unreadable: "The request cannot be read."
    case .wrongCode: "The account's name or the code is wrong, or the code has expired or was used. Ask for a new code."
    case .notAccepted: "This server does not accept this kind of passkey for the account. Ask your administrator."
    case .noName: "This server is reached by an IP address, and passkeys need a name. Ask your administrator."
    case .tooMany: "The account has too many passkeys. Ask your administrator to revoke one."
    case .known: "This passkey is registered already."
    case .unverified:
      "The authenticator did not verify who you are. If it has no PIN and no fingerprint yet, set one; then try again."
    case .blocked: "The account or the passkey is blocked. Ask your administrator."
    case .ended: "The request has expired, or was answered already. Begin again."
    case .refused: "The passkey was not accepted."
    case .failed: "The server could not do this. Try again later."
    }
  }

  private var korean: String {
    switch self {
    case .unreadable: "요청을 읽을 수 없습니다."
    case .wrongCode: "계정 이름이나 코드가 올바르지 않거나, 코드가 만료되었거나 이미 사용되었습니다. 새 코드를 요청하십시오."
    case .notAccepted: "이 서버는 이 계정에 이런 종류의 패스키를 허용하지 않습니다. 관리자에게 문의하십시오."
    case .noName: "이 서버는 IP 주소로 접속되고 있어 패스키를 쓸 수 없습니다. 관리자에게 문의하십시오."
    case .tooMany: "이 계정에는 패스키가 너무 많습니다. 관리자에게 하나를 폐기해 달라고 요청하십시오."
    case .known: "이미 등록된 패스키입니다."
    case .unverified: "인증 장치가 본인 확인을 하지 않았습니다. 장치에 PIN이나 지문이 없으면 먼저 설정하고 다시 시도하십시오."
    case .blocked: "계정이나 패스키가 차단되어 있습니다. 관리자에게 문의하십시오."
    case .ended: "요청이 만료되었거나 이미 처리되었습니다. 처음부터 다시 시작하십시오."
    case .refused: "패스키가 허용되지 않았습니다."
    case .failed: "서버가 요청을 처리하지 못했습니다. 잠시 뒤에 다시 시도하십시오."
    }
  }
}

/// A text that is in a page from the beginning, until a script shows it by its name.
struct PasskeyNotice {
  let name: String
  let text: String

  /// The notices of a page: its own, those of every page with a passkey, and each reason of a refusal under its own name, so
  /// that the script looks nothing up.
  static func all(_ own: [(name: String, text: PageText)], _ language: PageLanguage) -> [PasskeyNotice] {
    let every: [(name: String, text: PageText)] = [
      ("waiting", .passkeyWaiting), ("no-passkeys", .passkeyUnavailable), ("unreachable", .passkeyUnreachable),
      ("too-often", .tooMany),
    ]
    return (every + own).map { PasskeyNotice(name: $0.name, text: language.text($0.text)) }
      + ServiceRefusal.allCases.map {
        PasskeyNotice(name: $0.rawValue, text: PasskeyRefusalText($0).text(in: language))
      }
  }
}
