/// What a finding says in one language.
package struct FindingText: Equatable {
  /// What was looked at, and what it is like.
  package let what: String
  /// What to do about it; nil where nothing is wrong.
  package let remedy: String?

  /// - Parameter remedy: what to do, as an order without a full stop.
  package init(_ what: String, do remedy: String? = nil) {
    self.what = what
    self.remedy = remedy
  }

  /// What was not looked at, because only root may.
  package static func asRoot(_ what: String) -> FindingText { FindingText(what, do: "run it as root") }
  /// The same in Korean.
  package static func asRootKorean(_ what: String) -> FindingText { FindingText(what, do: "root로 실행하십시오") }
}
