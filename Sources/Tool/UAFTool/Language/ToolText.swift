import Wording

/// The texts of uafctl other than errors, findings and the core's texts.
enum ToolText: Catalogued {
  case hint(String)
  // The texts for a success
  case accepted
  case approved
  case changed
  case denied
  case deregistered
  case keyringKept
  case keyringForgotten
  case forgotten
  case initialised
  /// `init` found a device key, which stays.
  case initialisedBefore
  case registered
  case renamed
  case repaired
  case reset
  case trusted
  case sealed
  case unsealed
  case recovered
  case unlocked
  case joined(server: String, group: String)
  case fingerprint(String)
  case left
  case checkedIn
  case checkedInPolicy(Int64)
  /// The machine is not examined from a mount namespace other than that of the first process.
  case notExamined
  /// The machine has joined, but its first check-in failed.
  case notCheckedIn(String)
  case checkInLater
  case meetsRules
  case reportWritten(String)
  /// The version of the policy from which a rule comes.
  case ofPolicy(Int64)
  case noToken
  // Prompts
  case valueQuestion
  case reportQuestion(String)
  case readyQuestion
  /// The passcode that was accepted no longer meets the rules.
  case changeStaleValue
  /// How many tries are left until a lock.
  case triesLeft(UInt32)
  /// The reason why the person is asked.
  case reason(String)
  // The recovery key
  case recoveryKeyWritten(String)
  case recoveryKeyUnused
  // The keyring
  case keyringPasswordWrong
  case keyringUnchecked
  case keyringUnlockIsOff
  case keyringNothing
  case keyringUnder(type: String, isKept: Bool)
  // Why a line of JSON is not an answer
  case lineHoldsNUL
  case noFurtherLine
  case lineIsNoAnswer
  case nothingAskedYet
  case nothingToDeny

  var english: String {
    switch self {
    case .hint(let text): "hint: \(text)"
    case .accepted: "accepted"
    case .approved: "approved"
    case .changed: "changed"
    case .denied: "denied"
    case .deregistered: "deregistered"
    case .keyringKept: "kept"
    case .keyringForgotten: "no longer kept"
    case .forgotten: "forgotten"
    case .initialised: "initialised"
    case .initialisedBefore: "this machine has its key already, and keeps it"
    case .registered: "registered"
    case .renamed: "renamed"
    case .repaired: "repaired"
    case .reset: "reset"
    case .trusted: "trusted"
    case .sealed: "sealed"
    case .unsealed: "unsealed"
    case .recovered: "recovered"
    case .recoveryKeyWritten(let path): "recovery key: \(path): keep it away from this machine; it is not made again"
    case .recoveryKeyUnused: "no key was sealed, so no recovery key was made"
    case .unlocked: "unlocked"
    case .joined(let server, let group): "joined \(ShownText.line(server)), group \(group)"
    case .fingerprint(let digits): "fingerprint of the server: \(digits)"
    case .left: "left"
    case .checkedIn: "checked in; the server has no policy for this machine"
    case .checkedInPolicy(let version): "checked in; the server's policy for this machine is version \(version)"
    case .notExamined:
      "not examined: this process has mounts of its own, so it does not see the files that a login sees"
    case .notCheckedIn(let text): "the first check-in failed: \(text)"
    case .checkInLater: "the next login checks in, or uafctl check-in"
    case .meetsRules: "accepted"
    case .reportWritten(let path): "report: \(ShownText.line(path)): read it before you give it away"
    case .ofPolicy(let version): "(the server's policy \(version))"
    case .noToken: "the server gave no token"
    case .valueQuestion: "Value to try: "
    case .reportQuestion(let path): "Write this to \(ShownText.line(path))? [y/N] "
    case .readyQuestion: "Ready. An empty line goes on, any other cancels."
    case .changeStaleValue: "Change it with 'uafctl change'."
    case .triesLeft(let count): count == 1 ? "1 try left." : "\(count) tries left."
    case .reason(let text): "Reason: \(text)"
    case .keyringPasswordWrong: "that password does not open the keyring of this session"
    case .keyringUnchecked: "whether the password is right could not be tried here"
    case .keyringUnlockIsOff: "no login opens a keyring on this machine (unlock in [keyring])"
    case .keyringNothing: "keyring: no password is kept"
    case .keyringUnder(let type, let isKept):
      isKept ? "keyring: opens after a login with the \(type)" : "keyring: none is to be kept under the \(type)"
    case .lineHoldsNUL: "the line holds a NUL: cancelled"
    case .noFurtherLine: "standard input has no further line: cancelled"
    case .lineIsNoAnswer: "the line is not an answer: cancelled"
    case .nothingAskedYet: "nothing was asked yet: cancelled"
    case .nothingToDeny: "only an approval can be denied: cancelled"
    }
  }

  var korean: String {
    switch self {
    case .hint(let text): "도움말: \(text)"
    case .accepted: "인증되었습니다"
    case .approved: "승인했습니다"
    case .changed: "변경했습니다"
    case .denied: "거부했습니다"
    case .deregistered: "등록을 해지했습니다"
    case .keyringKept: "보관했습니다"
    case .keyringForgotten: "더 이상 보관하지 않습니다"
    case .forgotten: "이 컴퓨터에서 지웠습니다"
    case .initialised: "초기 설정을 마쳤습니다"
    case .initialisedBefore: "이 컴퓨터에 이미 키가 있어 그대로 둡니다"
    case .registered: "등록했습니다"
    case .renamed: "등록을 새 이름으로 옮겼습니다"
    case .repaired: "복구했습니다"
    case .reset: "초기화했습니다"
    case .sealed: "봉인했습니다"
    case .unsealed: "봉인을 풀었습니다"
    case .recovered: "복구했습니다"
    case .recoveryKeyWritten(let path): "복구 키: \(path): 이 컴퓨터와 떨어진 곳에 보관하십시오. 다시 만들지 않습니다"
    case .recoveryKeyUnused: "봉인한 키가 없어 복구 키를 만들지 않았습니다"
    case .trusted: "신뢰할 서버로 정했습니다"
    case .unlocked: "잠금을 풀었습니다"
    case .joined(let server, let group): "\(ShownText.line(server))에 가입했습니다(그룹: \(group))"
    case .fingerprint(let digits): "서버의 지문: \(digits)"
    case .left: "탈퇴했습니다"
    case .checkedIn: "서버에 상태를 알렸습니다. 서버에 이 컴퓨터를 위한 정책은 없습니다"
    case .checkedInPolicy(let version): "서버에 상태를 알렸습니다. 이 컴퓨터를 위한 서버의 정책은 버전 \(version)입니다"
    case .notExamined: "검사하지 않았습니다. 이 프로세스는 마운트가 따로 있어 로그인할 때와 같은 파일을 보지 못합니다"
    case .notCheckedIn(let text): "서버에 상태를 처음 알리지 못했습니다: \(text)"
    case .checkInLater: "다음 로그인 때나 uafctl check-in으로 알립니다"
    case .meetsRules: "사용할 수 있는 값입니다"
    case .reportWritten(let path): "보고서: \(ShownText.line(path)): 다른 사람에게 주기 전에 읽어 보십시오"
    case .ofPolicy(let version): "(서버의 정책 \(version))"
    case .noToken: "서버가 토큰을 주지 않았습니다"
    case .valueQuestion: "시험할 값: "
    case .reportQuestion(let path): "이 내용을 \(ShownText.line(path))에 쓸까요? [y/N] "
    case .readyQuestion: "준비되었습니다. 빈 줄을 넣으면 계속하고, 다른 줄을 넣으면 취소합니다."
    case .changeStaleValue: "'uafctl change'로 바꾸십시오."
    case .triesLeft(let count): "남은 횟수: \(count)번"
    case .reason(let text): "사유: \(text)"
    case .keyringPasswordWrong: "이 세션의 키링이 그 비밀번호로 열리지 않습니다"
    case .keyringUnchecked: "비밀번호가 맞는지 여기서는 시험할 수 없었습니다"
    case .keyringUnlockIsOff: "이 컴퓨터에서는 로그인이 키링을 열지 않습니다([keyring]의 unlock)"
    case .keyringNothing: "키링: 보관하는 비밀번호가 없습니다"
    case .keyringUnder(let type, let isKept):
      isKept ? "키링: \(type) 로그인 뒤에 열립니다" : "키링: \(type) 로그인에는 보관하지 않기로 했습니다"
    case .lineHoldsNUL: "줄에 NUL이 있어 취소했습니다"
    case .noFurtherLine: "표준 입력에 줄이 더 없어 취소했습니다"
    case .lineIsNoAnswer: "답이 아닌 줄이어서 취소했습니다"
    case .nothingAskedYet: "아직 물은 것이 없어 취소했습니다"
    case .nothingToDeny: "거부할 수 있는 것은 승인뿐이어서 취소했습니다"
    }
  }
}
