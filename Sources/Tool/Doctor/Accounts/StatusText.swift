import FidoResults
import Wording

/// The texts about the state of an account.
package enum StatusText: Catalogued {
  case account(String)
  case nameAtServer(String)
  /// The server's last report about the whole account.
  case serverState(ServerState)
  case noAuthenticator
  /// 3005 to 3008.
  case state(Int64)
  /// An authenticator is registered on this machine, but the server is known to refuse its keys.
  case refusedAtServer
  /// The server has revoked the key.
  case revokedAtServer(CodeUse)
  /// The server no longer has the key.
  case unknownAtServer(CodeUse)
  /// The server no longer has the key, and a different type can prove the person who registers this one again.
  case unknownBesideAnother(type: String, CodeUse)
  /// The server has seen more signatures with the key than this machine has made.
  case aheadAtServer(CodeUse)
  /// The server did not allow the account's last request.
  case forbiddenAtServer
  case here(StatusDocument.Counter)
  case overNetwork(StatusDocument.Counter)
  case byOthers(StatusDocument.Counter)
  /// A type that the configuration does not list.
  case notEnabled(String)

  package var english: String {
    switch self {
    case .account(let name): "account: \(name)"
    case .nameAtServer(let name): "name at the server: \(name)"
    case .serverState(let state): "account at the server: \(Self.english(state))"
    case .noAuthenticator: "no authenticator is enabled"
    case .state(AuthenticatorState.notSupported): "not supported"
    case .state(AuthenticatorState.available): "available"
    case .state(AuthenticatorState.notRegistered): "not registered"
    case .state(AuthenticatorState.locked): "locked"
    case .state(let number): "state \(number)"
    case .refusedAtServer: "set here, and refused by the server"
    case .revokedAtServer(.roots):
      "at the server: revoked, or the account is disabled: ask the administrator; if it is not disabled, have root run "
        + "'\(CodeUse.roots.setting())' with a new enrolment code"
    case .revokedAtServer(let codes) where !codes.takesCodes:
      "at the server: revoked, or the account is disabled: ask the administrator; if it is not disabled, '\(codes.repair)' "
        + "makes a new key"
    case .revokedAtServer(let codes):
      "at the server: revoked: ask the administrator for a code, then '\(codes.setting())'"
    case .unknownAtServer(.roots):
      "at the server: no longer registered, or the account is disabled: ask the administrator; if it is not disabled, have root "
        + "run '\(CodeUse.roots.setting())'"
    case .unknownAtServer(let codes) where !codes.takesCodes:
      "at the server: no longer registered: '\(codes.repair)' makes a new key"
    case .unknownAtServer(let codes): "at the server: no longer registered: '\(codes.setting())'"
    case .unknownBesideAnother(let type, let codes):
      "at the server: no longer registered: '\(codes.command("register", type))'"
    case .aheadAtServer(let codes):
      "at the server: it has seen more signatures than this machine made: '\(codes.repair)'"
    case .forbiddenAtServer:
      "at the server: the account was not let in when this machine asked last, and may be disabled or locked: ask the "
        + "administrator"
    case .here(let counter): "here: \(Self.english(counter))"
    case .overNetwork(let counter): "over the network: \(Self.english(counter))"
    case .byOthers(let counter): "by other users here: \(Self.english(counter))"
    case .notEnabled(let type): "\(type): not enabled"
    }
  }

  package var korean: String {
    switch self {
    case .account(let name): "계정: \(name)"
    case .nameAtServer(let name): "서버에서 쓰는 이름: \(name)"
    case .serverState(let state): "서버의 계정: \(Self.korean(state))"
    case .noAuthenticator: "사용하도록 설정된 인증 수단이 없습니다"
    case .state(AuthenticatorState.notSupported): "지원하지 않습니다"
    case .state(AuthenticatorState.available): "사용할 수 있습니다"
    case .state(AuthenticatorState.notRegistered): "등록되지 않았습니다"
    case .state(AuthenticatorState.locked): "잠겨 있습니다"
    case .state(let number): "상태 \(number)"
    case .refusedAtServer: "이 컴퓨터에는 있지만 서버가 거부합니다"
    case .revokedAtServer(.roots):
      "서버에서: 폐기되었거나 계정이 비활성화되었습니다. 관리자에게 문의하십시오. 비활성화된 것이 아니라면 root 관리자가 새 등록 코드로 '\(CodeUse.roots.setting())' 명령을 실행해야 합니다"
    case .revokedAtServer(let codes) where !codes.takesCodes:
      "서버에서: 폐기되었거나 계정이 비활성화되었습니다. 관리자에게 문의하십시오. 비활성화된 것이 아니라면 '\(codes.repair)' 명령으로 새 키를 만드십시오"
    case .revokedAtServer(let codes):
      "서버에서: 폐기되었습니다. 관리자에게 코드를 받아 '\(codes.setting())' 명령을 실행하십시오"
    case .unknownAtServer(.roots):
      "서버에서: 더 이상 등록되어 있지 않거나 계정이 비활성화되었습니다. 관리자에게 문의하십시오. 비활성화된 것이 아니라면 root 관리자가 '\(CodeUse.roots.setting())' 명령으로 다시 등록해야 합니다"
    case .unknownAtServer(let codes) where !codes.takesCodes:
      "서버에서: 더 이상 등록되어 있지 않습니다. '\(codes.repair)' 명령으로 새 키를 만드십시오"
    case .unknownAtServer(let codes): "서버에서: 더 이상 등록되어 있지 않습니다. '\(codes.setting())' 명령으로 다시 등록하십시오"
    case .unknownBesideAnother(let type, let codes):
      "서버에서: 더 이상 등록되어 있지 않습니다. '\(codes.command("register", type))' 명령으로 다시 등록하십시오"
    case .aheadAtServer(let codes):
      "서버에서: 이 컴퓨터가 만든 것보다 더 많은 서명이 확인되었습니다. '\(codes.repair)' 명령을 실행하십시오"
    case .forbiddenAtServer:
      "서버에서: 마지막으로 물었을 때 이 계정을 받아들이지 않았습니다. 비활성화되었거나 잠긴 계정일 수 있습니다. 관리자에게 문의하십시오"
    case .here(let counter): "이 컴퓨터에서: \(Self.korean(counter))"
    case .overNetwork(let counter): "네트워크에서: \(Self.korean(counter))"
    case .byOthers(let counter): "이 컴퓨터의 다른 사용자: \(Self.korean(counter))"
    case .notEnabled(let type): "\(type): 사용하도록 설정되지 않았습니다"
    }
  }

  private static func english(_ state: ServerState) -> String {
    let asked = state.asked.map { " (asked \(ShownTime.utc($0)))" } ?? ""
    return switch state.standing {
    case .active: "active\(asked)"
    case .disabled: "disabled\(asked): ask the administrator"
    case .locked: "locked until \(state.until.map(ShownTime.utc) ?? "?")\(asked)"
    case .unreadable: "the server's last report cannot be read"
    }
  }

  private static func korean(_ state: ServerState) -> String {
    let asked = state.asked.map { " (\(ShownTime.utc($0))에 물음)" } ?? ""
    return switch state.standing {
    case .active: "사용할 수 있습니다\(asked)"
    case .disabled: "비활성화되었습니다\(asked). 관리자에게 문의하십시오"
    case .locked: "\(state.until.map(ShownTime.utc) ?? "?")까지 잠겨 있습니다\(asked)"
    case .unreadable: "서버가 마지막으로 한 말을 읽을 수 없습니다"
    }
  }

  private static func english(_ counter: StatusDocument.Counter) -> String {
    if counter.isPermanent { return "locked for good until an unlock of the administrator's, or a new value" }
    if counter.remainingLockSeconds > 0 { return "locked for \(counter.remainingLockSeconds) s" }
    return "\(counter.remainingTries) \(counter.remainingTries == 1 ? "try" : "tries") left"
  }

  private static func korean(_ counter: StatusDocument.Counter) -> String {
    if counter.isPermanent { return "관리자가 잠금을 풀거나 값을 새로 정할 때까지 잠겨 있습니다" }
    if counter.remainingLockSeconds > 0 { return "\(counter.remainingLockSeconds)초 뒤에 풀립니다" }
    return "\(counter.remainingTries)번 더 시도할 수 있습니다"
  }
}

/// Doctor's text for root about accounts with a key for which the server has seen more signatures than this machine has made.
struct BehindText: FindingCatalogue {
  /// The accounts.
  let names: [String]
  /// What the server takes from each of them.
  let codes: CodeUse

  var english: FindingText {
    FindingText(
      "accounts: the server has seen more signatures than this machine made with the keys of "
        + "\(PeopleText.list(names, more: { "and \($0) more" })): an older copy was put back, or another machine has the keys",
      do:
        "each of them runs '\(codes.repair)'\(codes.takesCodes ? " with a new enrolment code" : ""); other machines get keys of "
        + "their own")
  }

  var korean: FindingText {
    FindingText(
      "계정: 서버가 이 컴퓨터가 만든 것보다 더 많은 서명을 확인했습니다: \(PeopleText.list(names, more: { "외 \($0)개" })). "
        + "이전 사본이 복원되었거나 다른 컴퓨터에도 이 키가 있습니다",
      do: "해당 사용자가 \(codes.takesCodes ? "새 등록 코드로 " : "")'\(codes.repair)' 명령을 실행하십시오. 다른 컴퓨터에서는 키를 따로 등록하십시오")
  }
}
