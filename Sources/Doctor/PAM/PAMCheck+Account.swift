// What `account` lines do for somebody who came in without the module: by the second way in, by a public key, by cron.

import PAMStacks

extension PAMCheck {
  /// A service that has no `account` lines but pam_uaf's.
  ///
  /// Those say that a passcode is stale, or answer "ignore"; libpam makes a refusal of that if no other line decides.
  func accountFindings(_ service: String, _ lines: [PAMLine]) -> [Finding] {
    let checks = checkFindings("\(directory)/\(service)", lines.filter(\.asksOwnModule))
    let account = lines.filter { $0.group == "account" }
    guard !account.isEmpty, account.allSatisfy(\.asksOwnModule) else { return checks }
    return checks + [
      .warning(.pamAccountAlone, PAMLineText.accountAlone(file: "\(directory)/\(service)"))
    ]
  }

  /// Lines with `account_check` that refuse everybody, or that can ask nobody.
  private func checkFindings(_ file: String, _ own: [PAMLine]) -> [Finding] {
    let checking = own.filter(Self.checksAccounts)
    guard !checking.isEmpty else { return [] }
    let allowed: Set<String> = ["account_check", "account_check=required"]
    let isRight = checking.allSatisfy { line in
      line.group == "account" && line.arguments.filter { $0.hasPrefix("account_check") }.allSatisfy(allowed.contains)
    }
    guard isRight else { return [.failure(.pamAccountCheck, PAMAccountText.wrong(file: file))] }
    return canAskStates ? [] : [.warning(.pamAccountCheck, PAMAccountText.blind(file: file))]
  }

  /// Whether the account lines may find a stale passcode: not where the module only checks accounts, and no line logs in with it.
  func mayFindStale(_ own: [PAMLine]) -> Bool {
    let account = own.filter { $0.group == "account" }
    return !account.isEmpty
      && (!account.allSatisfy(Self.checksAccounts) || own.contains { $0.isPart(of: "auth") })
  }

  /// Whether a service's account stage asks the server about accounts.
  static func asksForStates(in directory: String) -> Bool {
    let folder = PAMDirectory(path: directory)
    return (folder.services() ?? []).contains { service in
      folder.wholeStack(of: service).contains { $0.asksOwnModule && $0.group == "account" && checksAccounts($0) }
    }
  }

  static func checksAccounts(_ line: PAMLine) -> Bool {
    line.arguments.contains { $0 == "account_check" || $0.hasPrefix("account_check=") }
  }
}
