import SecretMemory
import Testing

@testable import TerminalPrompts
@testable import TerminalPrompts

@Suite struct LineEditorTests {
  /// The entry after these keys, and the result of the last key.
  private func type(_ keys: [UInt8], capacity: Int = 64) throws -> (value: [UInt8], last: LineEditor.Action) {
    var editor = try LineEditor(keys: EditingKeys(), capacity: capacity)
    var last = LineEditor.Action.none
    for key in keys { last = editor.received(key) }
    let value = editor.finish()
    return (value.withBytes { bytes in bytes.indices.map { bytes[$0] } }, last)
  }

  @Test func `collects typed bytes until the line ends`() throws {
    let typed = try type(Array("pass wörd\r".utf8))
    #expect(typed.value == Array("pass wörd".utf8))
    #expect(typed.last == .done)
    #expect(try type([0x0A]) == ([], .done))
  }

  @Test(arguments: [
    ("ab", "a", 1), ("aß", "a", 1), ("a한", "a", 2), ("a😀", "a", 2), ("한글", "한", 2), ("x", "", 1),
    ("e\u{301}", "e", 0), ("日", "", 2), ("Ａ", "", 2),
  ])
  func `one erase key removes a whole character, however many bytes and cells it has`(
    before: String, after: String, columns: Int
  ) throws {
    let typed = try type(Array(before.utf8) + [0x7F])
    #expect(typed.value == Array(after.utf8))
    #expect(typed.last == .erased(characters: 1, columns: columns))
    #expect(try type(Array(before.utf8) + [0x08]).value == Array(after.utf8))
  }

  @Test func `erases bytes that are not text, but not beyond the start of the entry`() throws {
    let typed = try type([0x80, 0x80, 0x7F])
    #expect(typed.value == [] && typed.last == .erased(characters: 1, columns: 1))
  }

  @Test func `the kill key erases the whole entry`() throws {
    let typed = try type(Array("ab한".utf8) + [0x15])
    #expect(typed.value == [] && typed.last == .erased(characters: 3, columns: 4))
  }

  @Test(arguments: [UInt8(0x7F), 0x15])
  func `an erase key in an empty entry is refused`(key: UInt8) throws {
    #expect(try type([key]) == ([], .refused))
  }

  @Test(arguments: [UInt8(0x03), 0x04, 0x1C])
  func `the keys for interrupt, end of file and quit cancel an entry, whatever was typed`(key: UInt8) throws {
    #expect(try type([0x61, key]).last == .cancelled)
  }

  @Test func `the suspend key suspends the program`() throws {
    #expect(try type([0x1A]).last == .suspended)
  }

  @Test(arguments: [UInt8(0x00), 0x01, 0x1B, 0x09])
  func `an entry refuses control bytes`(key: UInt8) throws {
    #expect(try type([0x61, key]) == ([0x61], .refused))
  }

  @Test func `an entry refuses bytes beyond its capacity, and keeps the others`() throws {
    #expect(try type([0x61, 0x62, 0x63], capacity: 2) == ([0x61, 0x62], .refused))
    #expect(try type([0x61, 0x62, 0x63, 0x7F, 0x64], capacity: 2).value == [0x61, 0x64])
  }

  /// The numbers of typed bytes after which the entry is full.
  private func full(_ text: String, length: Int?) throws -> [Int] {
    var editor = try LineEditor(keys: EditingKeys(), capacity: 64, length: length)
    var positions: [Int] = []
    for (index, byte) in text.utf8.enumerated() {
      _ = editor.received(byte)
      if editor.isFull { positions.append(index + 1) }
    }
    return positions
  }

  @Test func `an entry of fixed length is full once its last character is complete`() throws {
    #expect(try full("123456", length: 4) == [4])
    #expect(try full("12\u{7F}234", length: 4) == [6])
    #expect(try full("a한글b", length: 3) == [7])
    #expect(try full("😀", length: 1) == [4])
  }

  @Test func `an entry without a fixed length is never full`() throws {
    #expect(try full("123456", length: nil) == [])
  }
}
