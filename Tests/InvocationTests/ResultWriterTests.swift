import Glibc
import Testing

@testable import Invocation

@Suite struct ResultWriterTests {
  @Test func `once a line could not be written, the writer reports the error until the end`() {
    // SAFETY: a literal path.
    let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let writer = ResultWriter(full)
    #expect(writer.failure == nil)
    writer.write(line: "one")
    #expect(writer.failure == ENOSPC)
    writer.write(line: "two")
    #expect(writer.failure == ENOSPC)
  }

  @Test func `reports no error if all lines were written`() {
    // SAFETY: a literal path.
    let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(nowhere) }
    let writer = ResultWriter(nowhere)
    writer.write(line: "one")
    #expect(writer.failure == nil)
  }

  @Test func `each exit status has the number that the manual pages list`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 78])
  }
}
