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

  @Test func `a person resets with a new enrolment code, and is told what the server still knows`() {
    let bench = Bench(
      ["reset", "--code", "-"], core: [Bench.failure(0, 7100, "The server still knows the keys.")],
      input: Self.code + "\n")
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: The server still knows the keys.\n")
    #expect(bench.sent == [Bench.packet(begin(.reset, root: false, payload: Self.code))])
  }

  @Test func `a person cannot reset without an enrolment code`() {
    let bench = Bench(["reset"], core: [Bench.failure(0, 7100)])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: no code was given\nhint: "))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test func `root resets without a code, and must name the account`() {
    let bench = Bench(["reset", "alice"], as: 0, core: [Bench.failure(0, 7100)])
    #expect(bench.exit == .success && bench.notes == "uafctl: reset\n")
    #expect(bench.sent == [Bench.packet(begin(.reset, root: true))])
    #expect(Bench(["reset", "bob", "--code", "-"], core: [], input: Self.code).exit == .usage)
  }

  @Test func `refuses a code of root for a reset unless root wants to notify the server`() {
    let bench = Bench(["reset", "--code", "-"], as: 0, core: [Bench.failure(0, 7100)], input: Self.code)
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
  }

  @Test(arguments: [
    (UInt8(20), UInt32(3011)), (20, 7101), (20, 7102), (20, 7103), (7, 9999),
  ])
  func `a refused reset is not reported as a reset`(pamCode: UInt8, result: UInt32) {
    let bench = Bench(["reset"], as: 0, core: [Bench.failure(pamCode, result)])
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains(" [\(result)]\n") && !bench.notes.contains("reset\n"))
  }

  @Test(arguments: [(UInt8(0), UInt32(0)), (0, 7110), (7, 7100), (25, 1009), (20, 0)])
  func `an end of a reset counts as a success only if its code and result belong to a reset`(
    pamCode: UInt8, result: UInt32
  ) {
    #expect(Bench(["reset"], as: 0, core: [Bench.failure(pamCode, result)]).exit == .unreachable)
  }

  @Test func `root notifies the server of a reset with a code, and never without one`() {
    let arguments = ["reset", "alice", "passcode", "--deregister"]
    var begin = begin(.reset, root: true, payload: Self.code)
    begin.authenticator = Array("passcode".utf8)
    let bench = Bench(arguments + ["--code", "-"], as: 0, core: [Bench.failure(0, 7100)], input: Self.code)
    #expect(bench.exit == .success && bench.sent == [Bench.packet(begin)])
    let without = Bench(arguments, as: 0, core: [Bench.failure(0, 7100)])
    #expect(without.exit == .usage && without.notes.hasPrefix("uafctl: no code was given\n"))
  }

  @Test func `only root can notify the server of a reset`() {
    let bench = Bench(["reset", "--deregister", "--code", "-"], core: [], input: Self.code)
    #expect(bench.exit == .usage && bench.notes.hasPrefix("uafctl: only root may "))
  }

  @Test(
    arguments: ["--json", "--json-conversation"],
    [
      (UInt8(0), UInt32(7100), "Authenticator_Reset_Success"), (20, 7101, "Authenticator_Reset_Fail"),
      (20, 7102, "Authenticator_Reset_None"), (20, 7103, "Authenticator_Reset_Invalid_Type"),
    ])
  func `a reset ends with one JSON object that matches its result`(option: String, end: (UInt8, UInt32, String)) {
    let (code, result, name) = end
    let bench = Bench(["reset", option, "alice"], as: 0, core: [Bench.failure(code, result, "So.")])
    #expect(bench.exit == (code == 0 ? .success : .refused))
    let type = code == 0 ? "success" : "failure"
    let object = #"{"type":"\#(type)","result":\#(result),"name":"\#(name)","pamCode":\#(code),"text":"So."}"#
    #expect(bench.output == object + "\n")
    #expect(bench.sent == [Bench.packet(begin(.reset, root: true))])
  }

  @Test func `a reset without the code that it needs gives 7101 in JSON`() {
    let bench = Bench(["reset", "--json"], core: [Bench.failure(0, 7100)])
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(bench.output.contains(#""result":7101,"name":"Authenticator_Reset_Fail","text":"no code was given""#))
  }
}
