import PAMStacks
import UAFConfiguration
import Wording

/// What doctor says about a service that leads people to the password who never registered, up to the end of a day; `file` is the
/// service's file.
enum PasswordEndText: FindingCatalogue {
  /// The day is not over; with the people who use the service and have registered nothing, or nil if they are not known.
  case open(file: String, service: String, CalendarDay, unregistered: [String]?)
  case over(file: String, service: String, CalendarDay)

  var english: FindingText {
    switch self {
    case .open(let file, let service, let day, let names):
      FindingText(
        "pam: \(file): up to the end of \(day) (UTC) the password is enough for whoever never registered here; "
          + Self.english(names), do: Self.remedy(service, names)?.english)
    case .over(let file, let service, let day):
      FindingText(
        "pam: \(file): nouserok=\(day) is over, and whoever is not registered is refused: the argument can be removed",
        do: "uafctl pam enable \(service), or take it out by hand")
    }
  }

  var korean: FindingText {
    switch self {
    case .open(let file, let service, let day, let names):
      FindingText(
        "pam: \(file): \(day)(UTC)이 끝날 때까지, 이 컴퓨터에 등록한 적이 없는 사람은 비밀번호로 들어옵니다. " + Self.korean(names),
        do: Self.remedy(service, names)?.korean)
    case .over(let file, let service, let day):
      FindingText(
        "pam: \(file): nouserok=\(day)의 날짜가 지나 등록하지 않은 사람은 거부됩니다. 이제 이 인수를 지워도 됩니다",
        do: "uafctl pam enable \(service), 또는 직접 지우십시오")
    }
  }

  private static func english(_ names: [String]?) -> String {
    guard let names else { return "whoever has not registered by then is refused" }
    guard !names.isEmpty else { return "everybody who uses it has registered" }
    return "not registered yet: \(ShownText.names(names) { "and \($0) more" })"
  }

  private static func korean(_ names: [String]?) -> String {
    guard let names else { return "그때까지 등록하지 않은 사람은 거부됩니다" }
    guard !names.isEmpty else { return "이 서비스를 쓰는 사람은 모두 등록했습니다" }
    return "아직 등록하지 않은 계정: \(ShownText.names(names) { "외 \($0)개" })"
  }

  private static func remedy(_ service: String, _ names: [String]?) -> (english: String, korean: String)? {
    guard let names else { return nil }
    guard !names.isEmpty else { return ("uafctl pam enable \(service)", "uafctl pam enable \(service)") }
    return (
      "have each of them run 'uafctl register'; 'uafctl pam enable \(service) --until' with a later day gives them longer",
      "각자 'uafctl register'를 실행하게 하십시오. 'uafctl pam enable \(service) --until'에 더 늦은 날을 주면 기한이 늘어납니다"
    )
  }
}
