import Authenticator
import Testing
import UAFWire

@testable import UAFHelper

/// A secret stays the same however the keyboard encodes its letters, and a lock stays the same whichever call reads it.
@Suite struct OneFormTests {
  private let composed = "caf\u{e9} 한글"
  private let decomposed = "cafe\u{301} \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"

  private func bench(_ entries: [String], _ more: String = "") throws -> HelperBench {
    let bench = try HelperBench()
    bench.configuration += "\n" + more
    _ = try bench.run(bench.begin(.initialise))
    #expect(try bench.run(bench.registration(), entries).result == 0, "\(bench.log.lines)")
    return bench
  }

  @Test func `a secret set in one Unicode form is correct when it is typed in the other`() throws {
    for (set, entered) in [(composed, decomposed), (decomposed, composed)] {
      let bench = try bench([set, set])
      #expect(try bench.run(bench.begin(), [entered]).result == 0)
      #expect(try bench.run(bench.begin(), ["cafe 한글"]).result == 3012)
    }
  }

  @Test func `a new secret can be repeated in the other Unicode form of its letters`() throws {
    let bench = try bench([composed, decomposed])
    #expect(try bench.run(bench.begin(), [decomposed]).result == 0)
  }

  @Test func `one wrong secret, typed in both Unicode forms in one call, is counted once`() throws {
    let bench = try bench([composed, composed])
    let transcript = try bench.run(bench.begin(.authenticate, "tries=3"), ["\u{e9}1", "e\u{301}1", composed])
    #expect(transcript.prompts.map(\.remainingAttempts) == [3, 2, 2])
  }

  @Test(arguments: ["\u{378}abcde", "\u{e000}abcde", "abc\u{fffe}de"])
  func `an entry with forbidden code points is refused as wrong, but not counted`(_ entry: String) throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(), [entry]).result == 3012)
    #expect(try bench.triesLeft() == 3)
    let other = try HelperBench()
    _ = try other.run(other.begin(.initialise))
    let transcript = try other.run(other.registration(), [entry, "correct", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.count == 3)
  }

  @Test func `an ignored text is found in a secret in either Unicode form`() throws {
    let bench = try HelperBench()
    bench.configuration += "\n[passcode.ignore]\n\"caf\\u00e9\" = \"No drinks.\""
    _ = try bench.run(bench.begin(.initialise))
    let transcript = try bench.run(bench.registration(), ["my cafe\u{301}", "correct", "correct"])
    #expect(transcript.prompts[1].errorMessage == "No drinks.")
  }

  @Test func `after a reboot a lock runs its full length again, and then ends`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    bench.now = BootTime(bootID: [2], nanoseconds: 20_000_000_000, wallSeconds: 1_800_001_000)
    let refused = try bench.run(bench.begin())
    #expect(refused.result == 3013 && refused.errors == ["Locked after wrong entries: try again in 40 seconds."])
    bench.now.nanoseconds = 60_000_000_000
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a reboot does not restart a lock whose end a status call has noticed`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    bench.now.nanoseconds = 60_000_000_000
    #expect(try bench.triesLeft() == 3)
    bench.now = BootTime(bootID: [2], nanoseconds: 0, wallSeconds: 1_800_001_000)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }
}
