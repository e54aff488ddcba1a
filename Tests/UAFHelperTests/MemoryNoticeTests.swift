import Testing

@testable import UAFHelper

@Suite struct MemoryNoticeTests {
  @Test func `memory that could not be locked is told to the log, in one line that says what to do`() throws {
    let notice = try #require(HelperProgram.memoryNotice(isLocked: false))
    #expect(notice.hasPrefix("event=memory detail=\"") && notice.contains("RLIMIT_MEMLOCK"))
    #expect(HelperProgram.memoryNotice(isLocked: true) == nil)
  }
}
