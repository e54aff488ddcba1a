import Testing

@testable import UAFHelper

@Suite struct MemoryNoticeTests {
  @Test func `memory that could not be locked is told to the log, in one line that says what to do`() throws {
    let log = RecordedLog()
    log.write(.memory, HelperProgram.memoryNotice, .warning)
    let line = try #require(log.lines.first)
    #expect(line.hasPrefix("event=memory detail=\"") && line.contains("RLIMIT_MEMLOCK") && log.lines.count == 1)
  }
}
