// What `account` lines do for somebody who came in without the module: by the second way in, by a public key, by cron.

import PAMStacks

extension PAMCheck {
  /// A service that has no `account` lines but pam_uaf's.
  ///
  /// Those say that a passcode is stale, or answer "ignore"; libpam makes a refusal of that if no other line decides.
  func accountFindings(_ service: String, _ lines: [PAMLine]) -> [Finding] {
    let account = lines.filter { $0.group == "account" }
    guard !account.isEmpty, account.allSatisfy(\.asksOwnModule) else { return [] }
    return [
      .warning(.pamAccountAlone, PAMLineText.accountAlone(file: "\(directory)/\(service)"))
    ]
  }
}
