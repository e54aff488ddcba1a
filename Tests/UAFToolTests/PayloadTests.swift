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

  @Test func `a payload is read from a file, without the final line end`() {
    let folder = Folder()
    let path = folder.file("payload", Array((Self.code + "\n").utf8), mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: registered\n")
    #expect(bench.sent == [Bench.packet(begin(Self.code))])
  }

  @Test(arguments: ["\u{FEFF}%\r\n", "> %\n", "\u{FEFF}> %\n>\n", "mina\n%\n"])
  func `a payload is read from a file that a mail program has quoted, or that begins with a byte order mark`(
    _ form: String
  ) {
    let folder = Folder()
    let path = folder.file("payload", Array(form.replacing("%", with: Self.code).utf8), mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .success && bench.sent == [Bench.packet(begin(Self.code))])
  }

  @Test func `a payload is the first line of standard input, and the answers are the next lines`() {
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success], input: Self.code + "\nsecret\n")
    #expect(bench.sent == [Bench.packet(begin(Self.code)), Bench.answer("secret")])
  }

  @Test func `warns if others can read the file with the payload, and continues`() {
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

  @Test(arguments: ["root:x:0:0:root:/root:/bin/bash\nbob:x:1000:1000::/home/bob:/bin/sh\n", ""])
  func `if a file contains no code, says so and gives no advice about the file's mode`(text: String) {
    let folder = Folder()
    let path = folder.file("passwd", Array(text.utf8), mode: 0o644)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .usage && bench.sent == [])
    #expect(bench.notes.contains("code") && !bench.notes.contains("chmod") && !bench.notes.contains("others may read"))
  }

  @Test func `gives no advice about the file's mode if the file with the code belongs to somebody else`() {
    let warning = CodeFileWarning(path: "/srv/code", isOwn: false)
    #expect(warning.english.remedy == "have whoever it belongs to remove it after use")
    #expect(warning.korean.remedy?.contains("chmod") == false)
  }

  @Test(arguments: [code, "{\"v\":1}", "00000-00000-00000-00000", "0000000000 0000000000", "B9D5-MPJT-B9D5-MPJQ"])
  func `refuses a payload as an argument, and does not repeat it`(argument: String) {
    for (arguments, place) in Self.places {
      let bench = Bench(arguments + [argument], as: 0, core: [Bench.success])
      #expect(bench.exit == .usage)
      #expect(bench.notes.hasPrefix("uafctl: a code's place is a file, not the command line\nhint: "))
      #expect(bench.notes.contains(" (\(place)), or give - ") && bench.notes.contains("other people see command lines"))
      #expect(!bench.notes.contains(argument))
      #expect(bench.startedOwn.isEmpty)
    }
  }

  /// Commands whose last argument is a code, with the part of the message that says where a code may be.
  private static let places = [
    (["register", "--code"], "--code FILE"), (["deregister", "--code"], "--code FILE"),
    (["reset", "--deregister", "--code"], "--code FILE"), (["repair", "--code"], "--code FILE"), (["oob"], "FILE"),
    (["unlock", "--payload"], "--payload FILE"), (["join", "--payload"], "--payload FILE"),
  ]

  @Test(arguments: [
    "7AV5K-00000-00000-0000", "7AV5K-00000-00000-00001", "7av5k-00000-00000-00001x", "00000000000000000001",
    "S760-0303-000G-40R4-0M30-E209", "7AV5K-00000-00000", "B9D5-MPJT-B9D5-MPJR", "B9D5MPJTB9D5MPJQ",
    "b9d5mpjtb9d5mpj",
  ])
  func `if an argument is a wrong code and not the name of a file, it is not repeated`(argument: String) {
    for (arguments, place) in Self.places {
      let bench = Bench(arguments + [argument], as: 0, core: [Bench.success])
      #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
      #expect(bench.notes.contains("(\(place))") && bench.notes.contains("other people see"))
      #expect(!bench.notes.contains(argument), "\(bench.notes)")
    }
  }

  @Test func `says where to give the code if standard input has none`() {
    for (arguments, place) in Self.places {
      let bench = Bench(arguments + ["-"], as: 0, core: [Bench.success])
      #expect(
        bench.notes
          == "uafctl: there is no code on standard input: its first line is empty or missing\nhint: give the code "
          + "there as a line, or a file with it (\(place))\n")
    }
  }

  @Test func `refuses a missing file, a folder and an empty name as the file of a code`() {
    let folder = Folder()
    let missing = Bench(["register", "--code", folder.path + "/none"])
    #expect(missing.exit == .usage)
    #expect(missing.notes == "uafctl: cannot read the code from \(folder.path)/none: No such file or directory\n")
    let directory = Bench(["register", "--code", folder.path])
    #expect(directory.notes == "uafctl: cannot read the code from \(folder.path): Is a directory\n")
    #expect(Bench(["register", "--code", ""]).exit == .usage)
  }

  @Test func `refuses a FIFO as the file of a code without waiting for its writer`() {
    let folder = Folder()
    #expect(Bench(["register", "--code", folder.fifo("fifo")]).notes.contains("fifo: it is empty\n"))
  }

  @Test(arguments: ["", "\n", " \n\n"])
  func `refuses empty input instead of a code`(content: String) {
    let folder = Folder()
    let path = folder.file("payload", Array(content.utf8), mode: 0o600)
    #expect(
      Bench(["register", "--code", path]).notes.hasPrefix(
        "uafctl: there is no code in \(path): it is empty\nhint: save "))
    let bench = Bench(["register", "--code", "-"], input: content)
    #expect(bench.exit == .usage && bench.notes.hasPrefix("uafctl: there is no code on standard input"))
  }

  @Test(arguments: [
    (Array("two\nlines\n".utf8), "there is no code in it, or only a part of one"),
    (Array("a b".utf8), "there is no code in it, or only a part of one"),
    ([0x61, 0], "that is not a code: it has NUL bytes"), ([0xFF, 0x61], "that is not a code: it is not text in UTF-8"),
    ([0xFF, 0xFE, 0x61], "that is not a code: it is not text in UTF-8"),
    ([0xFE, 0xFF, 0xD8, 0x00], "that is not a code: it is not text in UTF-8"),
    ([0xC3, 0xA4], "that is not a code: it has characters that no code has"),
    ([0x1B], "that is not a code: it has characters that no code has"),
    ([UInt8](repeating: 0x61, count: 16_385), "that is not a code: no code is longer than 16384 bytes"),
    ([UInt8](repeating: 0x61, count: 1 << 20), "that is not a code: no code is longer than 16384 bytes"),
    (Array("\(code)\n\(code.dropLast(4))MX0\n".utf8), "more than one code could be meant"),
  ])
  func `refuses input that is not a code, and says what it is instead`(content: [UInt8], told: String) {
    let folder = Folder()
    let path = folder.file("payload", content, mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: \(told)\n"), "\(bench.notes)")
    #expect(bench.startedOwn.isEmpty)
  }

  @Test(arguments: [true, false], ["%", "mina %\r\n", "%\r\n"])
  func `accepts a code in a UTF-16 file with a byte order mark`(isBigEndian: Bool, form: String) {
    let text = form.replacing("%", with: Self.code)
    let bytes: [UInt8] = ([0xFEFF] + Array(text.utf16)).flatMap { unit in
      isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
    let folder = Folder()
    let bench = Bench(["register", "--code", folder.file("payload", bytes, mode: 0o600)], core: [Bench.success])
    #expect(bench.sent == [Bench.packet(begin(Self.code))], "\(bench.notes)")
  }

  @Test func `accepts a code of the maximum length, and refuses a longer one`() {
    let folder = Folder()
    let longest = String(repeating: "a", count: 16_384)
    let path = folder.file("payload", Array((longest + "\n").utf8), mode: 0o600)
    let bench = Bench(["register", "--code", path], core: [Bench.success])
    #expect(bench.sent == [Bench.packet(begin(longest))])
    let piped = Bench(["register", "--code", "-"], core: [Bench.success], input: longest + "\n")
    #expect(piped.sent == [Bench.packet(begin(longest))])
    #expect(Bench(["register", "--code", "-"], input: longest + "a\n").exit == .usage)
  }

  @Test func `uafctl trust needs a payload, and root`() {
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
