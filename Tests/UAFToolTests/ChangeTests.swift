import Testing
import UAFWire

@testable import UAFTool

@Suite struct ChangeTests {
  private func begin(_ operation: UAFWire.Operation, _ type: String? = nil) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = type.map { Array($0.utf8) }
    return begin
  }

  private static func prompt(_ step: PromptStep, _ text: String) -> CoreMessage {
    .prompt(Prompt(echo: false, check: "passcode", step: step, text: text))
  }

  @Test func `uafctl change asks for the old secret, and twice for the new one, in one call`() {
    let bench = Bench(
      ["change", "passcode"],
      core: [
        Self.prompt(.current, "Old: "), Self.prompt(.new, "New: "), Self.prompt(.newAgain, "Again: "),
        Bench.failure(0, 7110),
      ], input: "old\nnew\nnew\n")
    #expect(bench.exit == .success)
    #expect(bench.notes == "Old: \nNew: \nAgain: \nuafctl: changed\n" && bench.output == "")
    #expect(
      bench.sent == [
        Bench.packet(begin(.change, "passcode")), Bench.answer("old"), Bench.answer("new"), Bench.answer("new"),
      ])
  }

  @Test func `root may name an account for uafctl change`() {
    var begin = begin(.change)
    begin.uid = 1000
    begin.account = Array("alice".utf8)
    begin.arguments = [Array("tries=3".utf8)]
    #expect(
      Bench(["change", "alice"], as: 0, core: [Bench.failure(0, 7110)]).sent == [Bench.packet(begin)])
  }

  @Test(arguments: [
    (UInt8(20), UInt32(3010), "The change failed."), (20, 7111, "The value was not changed."),
    (20, 7112, "The change was cancelled."), (20, 7113, "This authenticator's value cannot be changed here."),
    (7, 3012, "Wrong."), (11, 3013, "Locked."),
  ])
  func `a refused change of a secret is not reported as a change`(pamCode: UInt8, result: UInt32, text: String) {
    let bench = Bench(["change"], core: [Bench.question, Bench.failure(pamCode, result, text)], input: "x\n")
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("uafctl: \(text) [\(result)]\n") && !bench.notes.contains("changed\n"))
  }

  @Test func `uafctl change reports an account without a secret as such, and that nothing was changed`() {
    let bench = Bench(["change"], core: [Bench.failure(25, 1009)])
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("[1009]") && !bench.notes.contains("changed\n"))
  }

  @Test(arguments: [(UInt8(0), UInt32(0)), (0, 7100), (7, 7110), (20, 7110), (20, 0), (25, 7110), (25, 3012)])
  func `an end of a change counts as a success only if its code and result belong to a change`(
    pamCode: UInt8, result: UInt32
  ) {
    let bench = Bench(["change"], core: [Bench.failure(pamCode, result)])
    #expect(bench.exit == .unreachable)
    #expect(!bench.notes.contains("changed\n"))
  }

  @Test func `PAM_IGNORE after a prompt is a protocol error`() {
    let bench = Bench(["change"], core: [Bench.question, Bench.failure(25, 1009)], input: "x\n")
    #expect(bench.exit == .unreachable)
  }

  @Test(arguments: [(UInt8(0), UInt32(7110)), (0, 7100)])
  func `the success of a change or of a reset does not count as a login`(pamCode: UInt8, result: UInt32) {
    #expect(Bench(["authenticate"], core: [Bench.failure(pamCode, result)]).exit == .unreachable)
  }
}
