import Testing
import ToolTestSupport
import UAFWire

@testable import UAFTool

@Suite struct ConversationEndTests {
  @Test func `the end of a call shows the core's text first, and its hint on a separate line`() {
    let bench = Bench(["authenticate"], core: [Bench.failure(11, 3013, "Locked for 42 seconds.\nWait, please.")])
    #expect(bench.exit == .refused)
    #expect(bench.notes == "uafctl: Locked for 42 seconds. [3013]\nhint: Wait, please.\n")
  }

  @Test func `the end of a call shows what the result means if the core has sent no text`() {
    let bench = Bench(["authenticate"], core: [Bench.failure(10, 1009)])
    #expect(
      bench.notes
        == "uafctl: This account is not registered on this machine. [1009]\nhint: Register with 'uafctl register --code FILE'.\n"
    )
  }

  @Test func `the end of a call shows what the result means in the person's language`() {
    let core = FakeCore([Bench.failure(10, 1009)])
    let bench = Bench(["authenticate"], core: core, locale: "ko_KR.UTF-8")
    #expect(bench.notes.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) })
  }

  @Test(arguments: [
    (UInt32(3012), "Locked permanently after too many wrong entries: ask the administrator to unlock."),
    (1100, "The enrolment code has expired."), (13_006, "The server has nothing to confirm for this code."),
    (1001, "Only root may do that."), (4001, "No answer. Check the network, then try again."),
  ])
  func `the end of a call adds nothing to the core's own text`(_ result: UInt32, _ text: String) {
    let bench = Bench(["authenticate"], core: [Bench.failure(7, result, text)])
    #expect(bench.notes == "uafctl: \(text) [\(result)]\n")
    let front = Bench(["authenticate", "--json-conversation"], core: [Bench.failure(7, result, text)])
    #expect(front.output.contains("\"text\":\"\(text)\"") && !front.output.contains("nextStep"))
  }

  @Test(arguments: [
    (UInt8(7), UInt32(3012), ToolExit.refused), (11, 3014, .refused), (9, 4001, .refused), (7, 13006, .refused),
    (19, 999, .refused), (4, 1007, .refused), (3, 1001, .usage), (3, 1012, .usage), (7, 1001, .refused),
    (4, 1006, .unreachable),
  ])
  func `the exit status distinguishes a refusal, a mistake in the configuration and an incompatible core`(
    code: UInt8, result: UInt32, exit: ToolExit
  ) {
    let bench = Bench(["authenticate"], core: [Bench.failure(code, result)])
    #expect(bench.exit == exit)
    #expect(bench.notes.contains("[\(result)]"))
  }
}
