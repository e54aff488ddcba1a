import Testing

@testable import UAFService

struct ConsoleSessionTests {
  private func session(lastUsed: Int64 = 1000) -> ConsoleSession {
    ConsoleSession(tokenHash: [1], username: "alice", role: "auditor", startedAt: 1000, lastUsedAt: lastUsed)
  }

  @Test(arguments: [(1000, true), (1899, true), (1900, false), (100, true), (99, false)])
  func `a console session is valid for 15 minutes after its last use, and for a clock up to 15 minutes behind it`(
    now: Int64, isGood: Bool
  ) {
    #expect(session().isGood(role: "auditor", isBlocked: false, now: now) == isGood)
  }

  @Test func `a console session ends after 8 hours, however often it is used`() {
    let end = 1000 + ConsoleSession.lifetime
    #expect(session(lastUsed: end - 1).isGood(role: "auditor", isBlocked: false, now: end - 1))
    #expect(!session(lastUsed: end - 1).isGood(role: "auditor", isBlocked: false, now: end))
  }

  @Test(arguments: [nil, "administrator"]) func `a console session is refused after the role has changed`(role: String?)
  {
    #expect(!session().isGood(role: role, isBlocked: false, now: 1000))
  }

  @Test func `a console session is refused while its account is blocked`() {
    #expect(!session().isGood(role: "auditor", isBlocked: true, now: 1000))
  }
}
