import Testing
import UAFWire

@testable import UAFHelper

/// What a person hears of a new value that cannot be one.
@Suite struct NewValueWordsTests {
  @Test(arguments: [
    ("", "Nothing was entered."), (String(repeating: "x", count: 300), "This is too long."),
    (String(repeating: "x", count: 1024), "This is too long."),
    ("a\u{7}bcdefgh", "This has characters that cannot be used."),
  ])
  func `says why an entry cannot be a passcode`(_ entry: String, _ words: String) throws {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    let transcript = try bench.run(bench.registration(), [entry, "correct", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.compactMap(\.errorMessage) == [words])
  }

  @Test(arguments: [
    ("correct", "Use the digits 1 to 9 only."), ("1232569", "Use each node once."),
    ("11", "Use each node once. Use at least 5 nodes."), ("1236", "Use at least 5 nodes."),
    ("", "Nothing was entered."),
    ("0123", "Use the digits 1 to 9 only."), ("132456", "Use each node once."),
  ])
  func `says why an entry cannot be a pattern, and nothing else`(_ entry: String, _ words: String)
    throws
  {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    bench.configuration += "\n[pattern]\nmin_nodes = 5"
    let transcript = try bench.run(bench.registration("pattern"), [entry, "12369", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.compactMap(\.errorMessage) == [words])
  }
}
