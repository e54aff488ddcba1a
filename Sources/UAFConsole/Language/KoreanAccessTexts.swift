/// The Korean texts of roles and of the keys that count for them.
enum KoreanAccessTexts {
  static let all: [PageText: String] = [
    .earlierKeys: "인정되지 않은 키",
    .earlierKeysHow:
      "이 사용자에게는 관리자가 서명하지 않은 코드로 등록된 키가 있습니다. 코드를 발급한 사람이 그 코드로 자신의 키를 "
      + "등록했을 수도 있습니다. 인정된 키로만 콘솔에 로그인하고 콘솔의 작업을 확인할 수 있습니다.",
    .earlierKeysAsk: "앞으로 인정할 키",
    .earlierKeysNone: "인정하지 않음: 관리자가 발급한 코드로 새 키를 등록합니다",
    .earlierKeysAll: "표시된 키 모두 인정: 이 사용자의 키임을 확인했습니다",
    .countsForSteps: "콘솔에서 인정",
    .signatureNeeded: "이 작업에는 관리자의 서명이 필요합니다.",
    .lastAdministrator:
      "이렇게 하면 로그인할 수 있는 관리자가 없어집니다. 먼저 다른 사용자에게 관리자 역할을 주거나, 서버에서 직접 실행하십시오.",
  ]
}
