import Wording

/// Why a service is not the one to enable for sudo: sudoers has it ask for others (`pam_service`, `pam_login_service`).
package enum SudoersProblem: Error, Equatable, Catalogued {
  /// sudo asks for another service than the one that was named.
  case otherService(String, asked: String)
  /// sudo asks for one more service, which would stay open.
  case furtherService(String, asked: String)

  /// What sudo asks for, and what to do, in English.
  package var english: FindingText {
    switch self {
    case .otherService(let name, let asked):
      FindingText(
        "sudo does not ask for the service \(name), but for \(ShownText.line(asked)): sudoers says so",
        do: "uafctl pam enable \(ShownText.line(asked)) --template sudo")
    case .furtherService(let name, let asked):
      FindingText(
        "sudo asks for the service \(ShownText.line(asked)) beside \(name), and that asks without the passcode: sudoers says so",
        do:
          "uafctl pam enable \(ShownText.line(asked)) --template sudo first, or --only, which leaves it open to the password"
      )
    }
  }

  /// What sudo asks for, and what to do, in Korean.
  package var korean: FindingText {
    switch self {
    case .otherService(let name, let asked):
      FindingText(
        "sudoers에 따라 sudo는 \(name)이(가) 아니라 \(ShownText.line(asked)) 서비스를 씁니다",
        do: "uafctl pam enable \(ShownText.line(asked)) --template sudo")
    case .furtherService(let name, let asked):
      FindingText(
        "sudoers에 따라 sudo는 \(name) 말고 \(ShownText.line(asked)) 서비스도 쓰며, 그곳에서는 패스코드를 묻지 않습니다",
        do: "먼저 uafctl pam enable \(ShownText.line(asked)) --template sudo, 또는 --only. --only이면 그곳은 비밀번호만 묻습니다")
    }
  }
}
