import SecretMemory
import Testing
import ToolTestSupport

@testable import HostSystem
@testable import TerminalPrompts
@testable import TerminalPrompts

@Suite struct LineInputTests {
  /// The bytes of each line of `input`; nil for a line that is refused.
  private func lines(_ input: [UInt8], capacity: Int = 16) throws -> [[UInt8]?] {
    let pipe = Pipe()
    #expect(DescriptorWriter.write(input, to: pipe.writing))
    pipe.closeWriting()
    var lines: [[UInt8]?] = []
    while true {
      switch try LineInput(descriptor: pipe.reading).next(capacity: capacity) {
      case .bytes(let value): lines.append(value.withBytes { bytes in bytes.indices.map { bytes[$0] } })
      case .unusable: lines.append(nil)
      case .end: return lines
      }
    }
  }

  @Test func `reads one line of input at a time, including empty lines and bytes that are not text`() throws {
    #expect(try lines([0x61, 0x0A, 0x0A, 0xFF, 0x0D, 0x0A]) == [[0x61], [], [0xFF, 0x0D]])
  }

  @Test func `reads a last line without a line end, but no empty one`() throws {
    #expect(try lines([0x61]) == [[0x61]])
    #expect(try lines([0x61, 0x0A]) == [[0x61]])
    #expect(try lines([]) == [])
  }

  @Test func `drops the rest of a line that is longer than the capacity`() throws {
    #expect(try lines([0x61, 0x62, 0x63, 0x64, 0x0A, 0x65, 0x0A], capacity: 2) == [[0x61, 0x62], [0x65]])
    #expect(try lines([0x61, 0x62, 0x0A], capacity: 2) == [[0x61, 0x62]])
  }

  @Test func `refuses a line with a NUL, even if the NUL is beyond the capacity`() throws {
    #expect(try lines([0x61, 0, 0x0A, 0x62, 0x0A]) == [nil, [0x62]])
    #expect(try lines([0x61, 0x62, 0x63, 0, 0x0A], capacity: 1) == [nil])
    #expect(try lines([0]) == [nil])
  }
}
