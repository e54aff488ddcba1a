import Wording

/// What doctor says to root of accounts with a key of which the server has seen more signatures than this machine has made.
struct BehindText: FindingCatalogue {
  /// The accounts.
  let names: [String]

  var english: FindingText {
    FindingText(
      "accounts: the server has seen more signatures than this machine made with the keys of "
        + "\(PeopleText.list(names, more: { "and \($0) more" })): an older copy was put back, or another machine has the keys",
      do:
        "each of them runs 'uafctl repair --code FILE' with a new enrolment code; other machines get keys of their own")
  }

  var korean: FindingText {
    FindingText(
      "계정: 서버가 이 컴퓨터가 만든 것보다 더 많은 서명을 확인했습니다: \(PeopleText.list(names, more: { "외 \($0)개" })). "
        + "이전 사본이 복원되었거나 다른 컴퓨터에도 이 키가 있습니다",
      do: "해당 사용자가 새 등록 코드로 'uafctl repair --code FILE'을 실행하십시오. 다른 컴퓨터에서는 키를 따로 등록하십시오")
  }
}
