import Wording

/// What doctor says about lines with `account_check`; `file` is the service's file.
enum PAMAccountText: FindingCatalogue {
  /// It refuses everybody.
  case wrong(file: String)
  /// It can ask nobody.
  case blind(file: String)

  var english: FindingText {
    switch self {
    case .wrong(let file):
      FindingText(
        "pam: \(file): account_check stands in a line of another type, or with another value than required: everybody is refused",
        do: "write it into an account line, as account_check or account_check=required")
    case .blind(let file):
      FindingText(
        "pam: \(file): account_check cannot ask whether an account is disabled: the server's answers are not signed here, or "
          + "server.request_url does not end in /get",
        do: "set server.require_signed_verdict and server.verdict_key; the server has to be uaf-server")
    }
  }

  var korean: FindingText {
    switch self {
    case .wrong(let file):
      FindingText(
        "pam: \(file): account_check가 account가 아닌 줄에 있거나 required가 아닌 값이 있어 모두 거부됩니다",
        do: "account 줄에 account_check나 account_check=required로 쓰십시오")
    case .blind(let file):
      FindingText(
        "pam: \(file): account_check가 계정의 사용 중지 여부를 물을 수 없습니다. 서버의 답에 서명이 없거나 server.request_url이 "
          + "/get으로 끝나지 않습니다",
        do: "server.require_signed_verdict와 server.verdict_key를 정하십시오. 서버는 uaf-server여야 합니다")
    }
  }
}
