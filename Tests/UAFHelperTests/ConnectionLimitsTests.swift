import Testing

@testable import UAFHelper

/// How many connections to the core's socket are accepted, refused or dropped.
@Suite struct ConnectionLimitsTests {
  private typealias Answer = ConnectionLimits.Answer

  /// What happens to this many connections of one user id, if each core ends immediately.
  private func answers(
    _ count: Int, _ uid: UInt32, at now: Int64 = 0, of limits: inout ConnectionLimits
  ) -> [Answer] {
    (0..<count).map { _ in
      let answer = limits.answer(uid, at: now)
      if answer == .start { limits.noteEnd(uid) }
      return answer
    }
  }

  @Test func `starts eight cores at the same time for one user id, and refuses the ninth`() {
    var limits = ConnectionLimits()
    for _ in 0..<8 { #expect(limits.answer(1000, at: 0) == .start) }
    #expect(limits.answer(1000, at: 0) == .refuse(isNews: true))
    #expect(limits.answer(1001, at: 0) == .start, "another has places of its own")
    limits.noteEnd(1000)
    #expect(limits.answer(1000, at: 0) == .start)
  }

  @Test func `for one user id starts a burst of 50 cores and then ten a second, however soon they end`() {
    var limits = ConnectionLimits()
    #expect(answers(1000, 1000, of: &limits).count { $0 == .start } == 50)
    #expect(answers(1000, 1000, at: 1000, of: &limits).count { $0 == .start } == 10)
    #expect(answers(1000, 1000, at: 60_000, of: &limits).count { $0 == .start } == 50)
    #expect(answers(10, 1001, of: &limits) == Array(repeating: .start, count: 10), "another is not slowed down")
  }

  @Test func `logs refused connections of one user id once a minute`() {
    var limits = ConnectionLimits()
    let news = { (answers: [Answer]) in answers.count { $0 == .refuse(isNews: true) } }
    #expect(news(answers(1000, 1000, of: &limits)) == 1)
    #expect(news(answers(1000, 1000, at: 59_999, of: &limits)) == 0)
    #expect(news(answers(1000, 1000, at: 60_000, of: &limits)) == 1)
  }

  @Test func `drops root's connections beyond 192, and those of other users do not count towards them`() {
    var limits = ConnectionLimits()
    for uid in 0..<200 { _ = limits.answer(UInt32(1000 + uid), at: 0) }
    for _ in 0..<192 { #expect(limits.answer(0, at: 0) == .start) }
    #expect(limits.answer(0, at: 0) == .drop)
    limits.noteEnd(0)
    #expect(limits.answer(0, at: 0) == .start)
  }

  @Test func `limits the connections of all users together, so that many user ids of one person do not help`() {
    var limits = ConnectionLimits()
    let started = (0..<100_000).count { limits.answer(UInt32(100_000 + $0), at: 0) == .start }
    #expect(started == 128)
    for number in 0..<100_000 { limits.noteEnd(UInt32(100_000 + number)) }
    #expect(limits.answer(1000, at: 3_600_000) == .start, "those who have rested are forgotten")
  }

  @Test func `ignores the end of a core that it did not start`() {
    var limits = ConnectionLimits()
    limits.noteEnd(1000)
    for _ in 0..<8 { #expect(limits.answer(1000, at: 0) == .start) }
    #expect(limits.answer(1000, at: 0) != .start)
  }
}
