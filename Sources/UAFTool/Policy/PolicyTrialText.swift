import Doctor
import Wording

/// What a trial of a value says of the server's policy.
enum PolicyTrialText: FindingCatalogue {
  /// It could not be tried, and may refuse what the file accepts.
  case untried(StatusFailure)
  /// The core names this version as in force, and does not tell its rules.
  case notTold(version: Int64)

  var english: FindingText {
    switch self {
    case .untried(let failure):
      FindingText(
        "the server's policy was not tried, and may refuse it: \(failure.english.what)", do: failure.english.remedy)
    case .notTold(let version):
      FindingText(
        "the core does not tell the rules of policy \(version)",
        do: "run the core and uafctl of one release (uafctl doctor)")
    }
  }

  var korean: FindingText {
    switch self {
    case .untried(let failure):
      FindingText(
        "서버의 정책으로는 시험하지 못했습니다. 그 정책이 이 값을 거절할 수 있습니다: \(failure.korean.what)", do: failure.korean.remedy)
    case .notTold(let version):
      FindingText(
        "코어가 정책 \(version)의 규칙을 알려 주지 않습니다", do: "코어와 uafctl을 같은 릴리스로 맞추십시오(uafctl doctor)")
    }
  }
}
