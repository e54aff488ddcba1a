import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import UAFTool

@Suite struct PayloadTests {
  private static let code = "eyJ2IjoxLCJvcCI6IlJlZyJ9"

  private func begin(_ payload: String) -> Begin {
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(payload.utf8)
    return begin
  }

  @Test func `comes from a file, without the end of its line`() {
    let folder = Folder()
    let path = folder.file("payload", Array((Self.code + "\n").utf8), mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: registered\n")
    #expect(bench.sent == [Bench.packet(begin(Self.code))])
  }

  @Test(arguments: ["\u{FEFF}%\r\n", "> %\n", "\u{FEFF}> %\n>\n", "mina\n%\n"])
  func `comes from a file that a mail program has quoted, or an editor has marked`(_ form: String) {
    let folder = Folder()
    let path = folder.file("payload", Array(form.replacing("%", with: Self.code).utf8), mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .success && bench.sent == [Bench.packet(begin(Self.code))])
  }

  @Test func `comes from the first line of standard input, and the answers from the next ones`() {
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success], input: Self.code + "\nsecret\n")
    #expect(bench.sent == [Bench.packet(begin(Self.code)), Bench.answer("secret")])
  }

  @Test func `warns where others may read the file, and goes on`() {
    let folder = Folder()
    let path = folder.file("payload", Array(Self.code.utf8), mode: 0o644)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .success)
    #expect(
      bench.notes == """
        uafctl: warning: others may read \(path), and its code works for whoever has it
        hint: chmod 600 \(path), and remove it after use
        uafctl: registered

        """)
  }

  @Test(arguments: [code, "{\"v\":1}"])
  func `is refused on the command line, and not repeated`(argument: String) {
    let bench = Bench(["register", "--code", argument], core: [Bench.success])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: a code's place is a file, not the command line\nhint: "))
    #expect(!bench.notes.contains(argument))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test func `refuses a file that is missing, a folder, and an empty name`() {
    let folder = Folder()
    let missing = Bench(["register", "--code", folder.path + "/none"])
    #expect(missing.exit == .usage)
    #expect(missing.notes == "uafctl: cannot read the code from \(folder.path)/none: No such file or directory\n")
    let directory = Bench(["register", "--code", folder.path])
    #expect(directory.notes == "uafctl: cannot read the code from \(folder.path): Is a directory\n")
    #expect(Bench(["register", "--code", ""]).exit == .usage)
  }

  @Test func `does not wait at a FIFO that nobody writes to`() {
    let folder = Folder()
    #expect(Bench(["register", "--code", folder.fifo("fifo")]).notes.hasPrefix("uafctl: no code was given\n"))
  }

  @Test(arguments: ["", "\n", " \n\n"])
  func `refuses nothing at all`(content: String) {
    let folder = Folder()
    let path = folder.file("payload", Array(content.utf8), mode: 0o600)
    #expect(Bench(["register", "--code", path]).notes.hasPrefix("uafctl: no code was given\n"))
    #expect(Bench(["register", "--code", "-"], input: content).exit == .usage)
  }

  @Test(arguments: [
    Array("two\nlines\n".utf8), Array("a b".utf8), [0x61, 0], [0xC3, 0xA4], [0x1B],
    [UInt8](repeating: 0x61, count: 16_385), [UInt8](repeating: 0x61, count: 1 << 20),
  ])
  func `refuses what is no line of at most 16384 printable bytes`(content: [UInt8]) {
    let folder = Folder()
    let path = folder.file("payload", content, mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: that is no code: it must be one line of 1 to 16384 bytes\nhint: "))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test func `takes the longest there is`() {
    let folder = Folder()
    let longest = String(repeating: "a", count: 16_384)
    let path = folder.file("payload", Array((longest + "\n").utf8), mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.sent == [Bench.packet(begin(longest))])
    let piped = Bench(["register", "--code", "-"], core: [Bench.success], input: longest + "\n")
    #expect(piped.sent == [Bench.packet(begin(longest))])
    #expect(Bench(["register", "--code", "-"], input: longest + "a\n").exit == .usage)
  }

  @Test func `trusting a server takes one, and root`() {
    let folder = Folder()
    let path = folder.file("payload", Array(Self.code.utf8), mode: 0o600)
    let bench = Bench(["trust", "--code", path], as: 0, core: [Bench.success])
    #expect(bench.notes == "uafctl: trusted\n")
    var begin = Begin(.trust)
    begin.service = Array("uafctl".utf8)
    begin.uid = 0
    begin.account = Array("root".utf8)
    begin.arguments = [Array("tries=3".utf8)]
    begin.payload = Array(Self.code.utf8)
    #expect(bench.sent == [Bench.packet(begin)])
    #expect(Bench(["trust", "--code", path], core: [Bench.success]).notes.hasPrefix("uafctl: only root may "))
    #expect(Bench(["trust"], as: 0).exit == .usage)
  }
}
