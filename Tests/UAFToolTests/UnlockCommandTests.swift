import Foundation
import HostSystem
import Testing
import ToolTestSupport
import UAFWire

@testable import UAFTool

/// `uafctl unlock` with a signed unlock or an unlock code from the helpdesk.
@Suite final class UnlockCommandTests {
  private let file = FileManager.default.temporaryDirectory.path + "/uafctl-unlock.\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: file) }

  private func write(_ text: String) throws {
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
  }

  /// The begin message with a signed unlock.
  private func begin(_ payload: String) -> Begin {
    var begin = Begin(.unlock)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(payload.utf8)
    return begin
  }

  @Test func `a person sends a signed unlock from a file, for their own account`() throws {
    try write(" a.b.c\n")
    let bench = Bench(["unlock", "--payload", file], core: [Bench.success])
    #expect(bench.exit == .success && bench.notes == "uafctl: unlocked\n")
    #expect(bench.sent == [Bench.packet(begin("a.b.c"))])
  }

  @Test func `an unlock code is read from standard input, and never from an argument`() {
    let typed = "s760 0303 000g 40r4-0m30-e209"
    let bench = Bench(["unlock", "--code"], core: [Bench.success], input: typed + "\nrest\n")
    #expect(bench.exit == .success)
    #expect(bench.sent == [Bench.packet(begin("s7600303000g40r4-0m30-e209"))])
    let argument = Bench(["unlock", "--code=S760-0303-000G-40R4-0M30-E209"], core: [Bench.success])
    #expect(argument.exit == .usage && argument.startedOwn.isEmpty)
  }

  @Test(arguments: ["% alice", "alice: %", "> %"])
  func `the account's name is removed if it was pasted with the unlock code`(_ form: String) {
    let code = "S760-0303-000G-40R4-0M30-E209"
    let input = form.replacing("%", with: code.replacing("-", with: " ")) + "\n"
    let bench = Bench(["unlock", "--code", "alice"], as: 0, core: [Bench.success], input: input)
    var asked = begin(code.replacing("-", with: ""))
    asked.uid = FakeAccounts().account(named: "alice")?.userID
    asked.account = Array("alice".utf8)
    asked.arguments = [Array("tries=3".utf8)]
    #expect(bench.sent == [Bench.packet(asked)])
  }

  @Test func `root unlocks another person's account`() {
    let bench = Bench(["unlock", "--code", "alice"], as: 0, core: [Bench.success], input: "S760\n")
    var asked = begin("S760")
    asked.uid = FakeAccounts().account(named: "alice")?.userID
    asked.account = Array("alice".utf8)
    asked.arguments = [Array("tries=3".utf8)]
    #expect(bench.sent == [Bench.packet(asked)])
  }

  @Test(arguments: [
    ["unlock", "--code", "bob"], ["unlock", "--payload", "/nowhere", "--code"], ["unlock", "--code"],
  ])
  func `before it starts the core, unlock refuses another account, a code next to a payload, and an empty code`(
    arguments: [String]
  ) {
    let input = arguments.count > 2 ? "S760\n" : ""
    let bench = Bench(arguments, core: [Bench.success], input: input)
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty && bench.sent.isEmpty)
  }

  @Test(arguments: [
    (
      "",
      "there is no unlock code on standard input: its first line is empty or missing\nhint: give the 24 characters there"
    ),
    (
      " \n",
      "there is no unlock code on standard input: its first line is empty or missing\nhint: give the 24 characters there"
    ),
    (
      "S760\u{1}\n",
      "that is not an unlock code: it has characters that no code has\nhint: enter the 24 characters from the"
    ),
    ("S760\u{0}\n", "that is not a code: it has NUL bytes\nhint: save it as plain text in UTF-8, or give its file"),
  ])
  func `if standard input has no unlock, the text says what it has, and what is expected`(input: String, note: String) {
    let bench = Bench(["unlock", "--code"], core: [Bench.success], input: input)
    #expect(bench.notes.hasPrefix("uafctl: " + note) && bench.sent.isEmpty, "\(bench.notes)")
  }

  @Test func `an empty file instead of an unlock is reported as empty, with its name`() throws {
    try write("")
    let bench = Bench(["unlock", "--payload", file], core: [Bench.success])
    #expect(bench.notes.hasPrefix("uafctl: there is no code in \(file): it is empty\nhint: save the code there"))
  }

  @Test(arguments: [["unlock", "--code"], ["unlock"]])
  func `a code in place of the account is reported as a code, and not repeated`(arguments: [String]) {
    let code = "S760-0303-000G-40R4-0M30-E209"
    for user in [uid_t(0), 1000] {
      let bench = Bench(arguments + [code], as: user, core: [Bench.success])
      #expect(bench.exit == .usage && bench.sent.isEmpty && !bench.notes.contains(code))
      #expect(
        bench.notes.hasPrefix(
          "uafctl: an unlock code has no place on the command line, which other people see\nhint: give --code alone"))
    }
  }

  @Test func `a person without root is told to ask the helpdesk for an unlock`() {
    let bench = Bench(["unlock", "alice"], core: [Bench.success])
    #expect(bench.exit == .usage && !bench.notes.contains("as root"))
    #expect(
      bench.notes.contains("only root may unlock an account without the helpdesk\nhint: ask the helpdesk: "))
  }

  @Test func `a refused unlock is reported in the core's words`() {
    let bench = Bench(
      ["unlock", "--code"], core: [Bench.failure(7, 1100, "This unlock is older than the lock.\nAsk for a new one.")],
      input: "S760\n")
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("This unlock is older than the lock. [1100]"))
  }
}
