import Testing

@testable import UAFHelper

@Suite struct MemoryNoticeTests {
  @Test func `if memory could not be locked, one log line says so, and what to do`() throws {
    let log = RecordedLog()
    log.write(.memory, HelperProgram.memoryNotice, .warning)
    let line = try #require(log.lines.first)
    #expect(line.hasPrefix("event=memory detail=\"") && line.contains("RLIMIT_MEMLOCK") && log.lines.count == 1)
  }
}
