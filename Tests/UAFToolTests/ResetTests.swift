import Testing
import UAFWire

@testable import UAFTool

@Suite struct ResetTests {
  private static let code = "eyJ2IjoxLCJvcCI6IlJlZyJ9"

  private func begin(_ operation: UAFWire.Operation, root: Bool, payload: String? = nil) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    if root {
      begin.uid = 1000
      begin.account = Array("alice".utf8)
      begin.arguments = [Array("tries=3".utf8)]
    }
    begin.payload = payload.map { Array($0.utf8) }
    return begin
  }

  @Test func `a person resets with a new enrolment code, and hears what the server still knows`() {
    let bench = Bench(
      ["reset", "--payload", "-"], core: [Bench.failure(0, 7100, "The server still knows the keys.")],
      input: Self.code + "\n")
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: reset\nuafctl: The server still knows the keys.\n")
    #expect(bench.sent == [Bench.packet(begin(.reset, root: false, payload: Self.code))])
  }

  @Test func `a person does not reset without one`() {
    let bench = Bench(["reset"], core: [Bench.failure(0, 7100)])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: no payload was given\nhint: "))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test func `root resets without a code, and only whom he names`() {
    let bench = Bench(["reset", "--user", "alice"], as: 0, core: [Bench.failure(0, 7100)])
    #expect(bench.exit == .success && bench.notes == "uafctl: reset\n")
    #expect(bench.sent == [Bench.packet(begin(.reset, root: true))])
    #expect(Bench(["reset", "--user", "bob", "--payload", "-"], core: [], input: Self.code).exit == .usage)
  }

  @Test func `root's code goes to the server's deregistration or nowhere`() {
    let bench = Bench(["reset", "--payload", "-"], as: 0, core: [Bench.failure(0, 7100)], input: Self.code)
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
  }

  @Test(arguments: [
    (UInt8(20), UInt32(3011)), (20, 7101), (20, 7102), (20, 7103), (7, 9999),
  ])
  func `a reset that was refused is none`(pamCode: UInt8, result: UInt32) {
    let bench = Bench(["reset"], as: 0, core: [Bench.failure(pamCode, result)])
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains(" [\(result)]\n") && !bench.notes.contains("reset\n"))
  }

  @Test(arguments: [(UInt8(0), UInt32(0)), (0, 7110), (7, 7100), (25, 1009), (20, 0)])
  func `a success whose code and result do not belong to a reset is none`(pamCode: UInt8, result: UInt32) {
    #expect(Bench(["reset"], as: 0, core: [Bench.failure(pamCode, result)]).exit == .unreachable)
  }

  @Test func `deregistering first is root's alone`() {
    let bench = Bench(["reset", "--deregister", "--payload", "-"], core: [], input: Self.code)
    #expect(bench.exit == .usage && bench.notes.hasPrefix("uafctl: only root may deregister and reset in one\n"))
  }

  @Test func `has the server forget first, proved by the code, and then resets`() {
    let core = FakeCore([Bench.success], [Bench.failure(0, 7100)])
    let bench = Bench(
      ["reset", "--user", "alice", "--deregister", "--payload", "-"], as: 0, core: core, input: Array(Self.code.utf8))
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: deregistered\nuafctl: reset\n")
    #expect(core.earlier == [[Bench.packet(begin(.deregister, root: true, payload: Self.code))]])
    #expect(bench.sent == [Bench.packet(begin(.reset, root: true))])
  }

  @Test func `nothing is left to reset when the last key was deregistered`() {
    let core = FakeCore([Bench.success], [Bench.failure(20, 7102)])
    let bench = Bench(["reset", "--deregister"], as: 0, core: core)
    #expect(bench.exit == .success && bench.notes == "uafctl: deregistered\n")
  }

  @Test func `resets nothing when the server refuses to forget`() {
    let core = FakeCore([Bench.failure(7, 15007)], [Bench.failure(0, 7100)])
    let bench = Bench(["reset", "--deregister"], as: 0, core: core)
    #expect(bench.exit == .refused && bench.startedOwn.count == 1)
  }
}
