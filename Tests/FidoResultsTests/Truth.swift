/// What is true of the end of a call, as far as advice depends on it.
struct Truth: OptionSet, CustomStringConvertible {
  let rawValue: Int

  /// Only an administrator or root can change the situation.
  static let administrator = Truth(rawValue: 1)
  /// Trying the same immediately once more can well succeed.
  static let againNow = Truth(rawValue: 2)
  /// Trying the same after some time can succeed.
  static let againLater = Truth(rawValue: 4)
  /// The person needs a new enrolment code or unlock.
  static let newCode = Truth(rawValue: 8)

  var description: String {
    let names = ["administrator", "again now", "again later", "new code"]
    return names.indices.filter { rawValue & 1 << $0 != 0 }.map { names[$0] }.joined(separator: ", ")
  }

  /// What a text claims, recognised by phrases of its language.
  init(claimedBy text: String, korean: Bool) {
    self = korean ? Self.korean(text) : Self.english(text.lowercased())
  }

  init(rawValue: Int) { self.rawValue = rawValue }

  private static func english(_ text: String) -> Truth {
    var truth: Truth = []
    if ["administrator", "have root"].contains(where: text.contains) { truth.insert(.administrator) }
    if text.contains("try again") {
      let waits = ["later", "wait", "try again in", "end one of them"].contains(where: text.contains)
      truth.insert(waits ? .againLater : .againNow)
    }
    if text.contains("again later") { truth.insert(.againLater) }
    if ["for a new one", "administrator for one", "new enrolment code"].contains(where: text.contains) {
      truth.insert(.newCode)
    }
    return truth
  }

  private static func korean(_ text: String) -> Truth {
    var truth: Truth = []
    if text.contains("관리자") { truth.insert(.administrator) }
    if text.contains("다시 시도") {
      let waits = ["나중에", "기다", "뒤에 다시", "끝낸 뒤"].contains(where: text.contains)
      truth.insert(waits ? .againLater : .againNow)
    }
    if ["코드를 요청", "새 코드", "새 등록 코드", "새 파일을 요청"].contains(where: text.contains) { truth.insert(.newCode) }
    return truth
  }
}
