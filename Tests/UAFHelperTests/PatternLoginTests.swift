import Testing
import UAFWire

@testable import UAFHelper

@Suite struct PatternLoginTests {
  /// A bench whose account has only the pattern 12369.
  private func bench(_ more: String = "") throws -> HelperBench {
    let bench = try HelperBench()
    bench.configuration = "authenticators = [\"pattern\"]\n" + bench.configuration + "\n" + more
    bench.server.accepted = [["5541#0002"]]
    _ = try bench.run(bench.begin(.initialise))
    #expect(try bench.run(bench.registration("pattern"), ["12369", "12369"]).result == 0, "\(bench.log.lines)")
    return bench
  }

  @Test(arguments: ["12369", "1369", "139", "1239"])
  func `a pattern is correct with or without the nodes that it passes over`(_ entry: String) throws {
    let bench = try bench()
    let transcript = try bench.run(bench.begin(), [entry])
    #expect(transcript.pamCode == 0 && transcript.prompts.map(\.check) == ["pattern"])
    #expect(transcript.prompts[0].text == "1 2 3\n4 5 6\n7 8 9\nPattern for mina (login): ")
    #expect(!transcript.prompts[0].echo)
  }

  @Test(arguments: ["96321", "12368", "1236", "123698"])
  func `a wrong pattern is counted, and answered with the tries that are left`(_ entry: String) throws {
    let bench = try bench()
    let transcript = try bench.run(bench.begin(), [entry])
    #expect(transcript.result == 3012 && transcript.pamCode == 7)
    #expect(transcript.errors == ["Wrong pattern: 2 tries left."])
    #expect(try bench.triesLeft() == 2)
  }

  @Test(arguments: ["", "123", "12321", "12360", "correct", "1 2 3 6 9"])
  func `an entry that is not a pattern is refused as wrong, but not counted`(_ entry: String) throws {
    let bench = try bench()
    #expect(try bench.run(bench.begin(), [entry]).result == 3012)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `one wrong pattern, entered in two ways in one call, is counted once`() throws {
    let bench = try bench()
    let transcript = try bench.run(bench.begin(.authenticate, "tries=3"), ["12357", "1357", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.remainingAttempts) == [3, 2, 2])
  }

  @Test func `a new pattern needs at least min_nodes nodes, including those that it passes over`() throws {
    let bench = try HelperBench()
    bench.configuration = "authenticators = [\"pattern\"]\n" + bench.configuration + "\n[pattern]\nmin_nodes = 6"
    bench.server.accepted = [["5541#0002"]]
    _ = try bench.run(bench.begin(.initialise))
    let transcript = try bench.run(bench.registration("pattern"), ["12369", "correct", "1397", "1397"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts[1].errorMessage == "Use at least 6 nodes.")
    #expect(transcript.prompts[2].errorMessage == "Use only the digits 1 to 9.")
  }

  @Test func `a screen reader gets words instead of the grid`() throws {
    let bench = try bench("[prompt]\naccessible = true")
    let text = try bench.run(bench.begin(), ["12369"]).prompts[0].text
    #expect(text.hasPrefix("The nodes of the pattern as digits: 1 top left, row by row, 9 bottom right.\n"))
  }

  @Test func `a pattern has its own lock`() throws {
    let bench = try HelperBench.registeredTwice()
    for entry in ["96321", "96325", "96324"] {
      try bench.run(bench.begin(.authenticate, "authenticator=pattern"), [entry])
    }
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern")).result == 3013)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=5541#0002")).result == 3013)
  }
}
