import Wording

/// What doctor says to root about all accounts.
package enum PeopleText: FindingCatalogue {
  case closed
  case unasked(StatusFailure)
  case refused(AccountSurvey.Refused)
  case nobodys(file: String)
  case locked([String], of: Int)
  case waiting([String])
  case uncounted([String])
  case withoutSecret([String])
  case fine(count: Int)

  package var english: FindingText {
    switch self {
    case .closed: FindingText.asRoot("accounts: everybody's locks and files")
    case .unasked(let error):
      FindingText(
        "accounts: the core cannot be asked: \(error.english.what)",
        do: "do what the lines about the core say, then run it again")
    case .refused(let account):
      FindingText(
        "accounts: \(account.name): \(account.text)",
        do: "restore what changed (server.username, the account's name, the file); "
          + "or uafctl forget \(account.name), and register anew")
    case .nobodys(let file):
      FindingText(
        "accounts: \(file) is of a number that no account has",
        do: "remove it with its -journal, unless the account's directory is only away")
    case .locked(let names, let count):
      FindingText(
        "accounts: \(names.count) of \(count) locked: \(Self.list(names, more: { "and \($0) more" }))",
        do: "uafctl status USER says for how long; uafctl unlock USER lifts it")
    case .waiting(let names):
      FindingText(
        "accounts: changed lock options do not hold yet, because of wrong entries: "
          + "\(Self.list(names, more: { "and \($0) more" })) (3015)",
        do: "they hold after the person's next right entry, or uafctl unlock USER")
    case .uncounted(let names):
      FindingText(
        "accounts: the chip holds the machine's key, but does not count the wrong entries of "
          + "\(Self.list(names, more: { "and \($0) more" }))",
        do: "unless [tpm] use is off, they change their value (uafctl change); if this stays, make room in the chip "
          + "(pam_uaf.conf(5))")
    case .withoutSecret(let names):
      FindingText(
        "accounts: account_check cannot ask the server about \(Self.list(names, more: { "and \($0) more" })): it has given "
          + "this machine no secret for them",
        do: "each of them logs in once with uaf (uafctl authenticate); the server has to be uaf-server")
    case .fine(let count): FindingText("accounts: \(count) registered, none locked or damaged")
    }
  }

  package var korean: FindingText {
    switch self {
    case .closed: FindingText.asRootKorean("계정: 모든 사용자의 잠금과 파일")
    case .unasked(let error):
      FindingText("계정: 코어에 물을 수 없습니다: \(error.korean.what)", do: "코어에 관한 줄의 조치를 한 뒤 다시 실행하십시오")
    case .refused(let account):
      FindingText(
        "계정: \(account.name): \(account.text)",
        do: "바뀐 것(server.username, 계정 이름, 파일)을 되돌리거나, uafctl forget \(account.name) 후 새로 등록하십시오")
    case .nobodys(let file):
      FindingText(
        "계정: \(file): 그 번호의 계정이 없습니다", do: "계정 디렉터리가 잠시 끊긴 것이 아니라면 -journal과 함께 지우십시오")
    case .locked(let names, let count):
      FindingText(
        "계정: \(count)개 중 \(names.count)개가 잠겼습니다: \(Self.list(names, more: { "외 \($0)개" }))",
        do: "uafctl status USER로 기간을 확인하고, uafctl unlock USER로 잠금을 푸십시오")
    case .waiting(let names):
      FindingText(
        "계정: 잘못된 입력이 남아 있어 바뀐 잠금 설정이 아직 적용되지 않습니다: \(Self.list(names, more: { "외 \($0)개" })) (3015)",
        do: "본인이 올바른 값을 한 번 입력하거나 uafctl unlock USER를 실행하면 적용됩니다")
    case .uncounted(let names):
      FindingText(
        "계정: 칩이 이 컴퓨터의 키를 보관하지만, 다음 계정의 잘못된 입력은 칩이 세지 않습니다: "
          + "\(Self.list(names, more: { "외 \($0)개" }))",
        do: "[tpm] use가 off가 아니면 해당 사용자가 값을 바꾸십시오(uafctl change). 그래도 남으면 칩의 공간을 비우십시오"
          + "(pam_uaf.conf(5))")
    case .withoutSecret(let names):
      FindingText(
        "계정: account_check가 다음 계정에 관해 서버에 물을 수 없습니다: \(Self.list(names, more: { "외 \($0)개" })). 서버가 이 컴퓨터에 "
          + "비밀을 주지 않았습니다",
        do: "해당 사용자가 uaf로 한 번 로그인하십시오(uafctl authenticate). 서버는 uaf-server여야 합니다")
    case .fine(let count): FindingText("계정: \(count)개가 등록되어 있고, 잠기거나 손상된 것은 없습니다")
    }
  }

  // A longer list would not fit in a line.
  private static let longest = 10

  static func list(_ names: [String], more: (Int) -> String) -> String {
    let shown = names.prefix(longest).joined(separator: ", ")
    return names.count <= longest ? shown : "\(shown), \(more(names.count - longest))"
  }
}
