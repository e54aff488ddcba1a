import Authenticator
import Foundation
import Testing
import UAFWire

@testable import UAFHelper

/// Logins with `nouserok=` and a day; the bench's clock shows a moment of 2027-01-15.
@Suite struct `With nouserok and a day` {
  private static let today = "nouserok=2027-01-15"
  private static let secondsToTheEnd: Int64 = 57_600

  private func initialised() throws -> HelperBench {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    return bench
  }

  /// The PAM code of a login of an account that never registered; 25 passes it on, and 10 refuses it.
  private func code(_ bench: HelperBench, _ argument: String) throws -> UInt8 {
    let transcript = try bench.run(bench.begin(.authenticate, argument))
    #expect(transcript.result == 1009 && transcript.prompts.isEmpty)
    return transcript.pamCode
  }

  @Test func `before the day and up to its last second an account that never registered is passed on`() throws {
    let bench = try initialised()
    #expect(try code(bench, "nouserok=2027-01-16") == 25)
    #expect(try code(bench, Self.today) == 25)
    bench.now.wallSeconds += Self.secondsToTheEnd - 1
    #expect(try code(bench, Self.today) == 25)
  }

  @Test func `refuses an account that never registered once the day is over, and the log names the day`() throws {
    let bench = try initialised()
    bench.now.wallSeconds += Self.secondsToTheEnd
    #expect(try code(bench, Self.today) == 10)
    #expect(bench.log.lines.contains { $0.contains("2027-01-15, the last day of nouserok, is over") })
  }

  @Test func `a clock that is set back does not open the day again`() throws {
    let bench = try initialised()
    bench.now.wallSeconds += Self.secondsToTheEnd
    #expect(try code(bench, Self.today) == 10)
    for back: Int64 in [1, 3_600, 86_400, 1_800_000_000] {
      bench.now.wallSeconds = 1_800_000_000 + Self.secondsToTheEnd - back
      #expect(try code(bench, Self.today) == 10)
      #expect(try code(bench, "nouserok=2027-01-14") == 10, "nor an earlier day")
    }
  }

  @Test func `a login of a registered account notes that the day is over, so that a clock set back opens nothing`()
    throws
  {
    let bench = try HelperBench.registered()
    let other = try otherPerson(bench)
    #expect(try bench.run(other).pamCode == 25)
    bench.now.wallSeconds += Self.secondsToTheEnd
    #expect(try bench.run(bench.begin(.authenticate, Self.today), ["correct"]).pamCode == 0)
    bench.now.wallSeconds -= Self.secondsToTheEnd
    #expect(try bench.run(other).pamCode == 10)
  }

  @Test func `a later day of root's is open although an earlier one is over, even after a clock that ran ahead`() throws
  {
    let bench = try initialised()
    bench.now.wallSeconds = 4_000_000_000
    #expect(try code(bench, Self.today) == 10)
    bench.now.wallSeconds = 1_800_000_000
    #expect(try code(bench, Self.today) == 10)
    #expect(try code(bench, "nouserok=2027-01-16") == 25)
    #expect(try code(bench, "nouserok") == 25)
  }

  @Test func `a registered account is asked before and after the day, and a wrong passcode is refused`() throws {
    let bench = try HelperBench.registered()
    for _ in 0..<2 {
      let wrong = try bench.run(bench.begin(.authenticate, Self.today), ["wrong1"])
      #expect(wrong.pamCode == 7 && wrong.prompts.count == 1)
      #expect(try bench.run(bench.begin(.authenticate, Self.today), ["correct"]).pamCode == 0)
      bench.now.wallSeconds += Self.secondsToTheEnd
    }
  }

  @Test func `refuses an account that has deregistered, before the day as well`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(bench.begin(.deregister), ["correct"]).result == 0)
    #expect(try code(bench, Self.today) == 10)
  }

  @Test func `refuses if the record of days that are over was damaged, or anybody could write it`() throws {
    let bench = try initialised()
    let path = bench.folder + "/state/nouserok.ended"
    try Data([9, 9]).write(to: URL(fileURLWithPath: path))
    _ = unsafe chmod(path, 0o600)
    #expect(try code(bench, Self.today) == 10)
    #expect(bench.log.lines.contains { $0.contains("whether 2027-01-15, the last day of nouserok, is over") })
    try FileManager.default.removeItem(atPath: path)
    bench.now.wallSeconds += Self.secondsToTheEnd
    #expect(try code(bench, Self.today) == 10)
    bench.now.wallSeconds -= Self.secondsToTheEnd
    _ = unsafe chmod(path, 0o666)
    #expect(try code(bench, "nouserok=2027-01-16") == 10)
  }

  @Test func `a host without root notes no day, because it may have made up its line`() throws {
    let bench = try initialised()
    var begin = Begin(.authenticate)
    begin.service = Array("swaylock".utf8)
    begin.arguments = [Array(Self.today.utf8)]
    #expect(try bench.run(begin, peer: 4242).pamCode == 25)
    bench.now.wallSeconds += Self.secondsToTheEnd
    #expect(try bench.run(begin, peer: 4242).pamCode == 10)
    #expect(!FileManager.default.fileExists(atPath: bench.folder + "/state/nouserok.ended"))
  }

  @Test(arguments: ["nouserok=2027-02-30", "nouserok=", "nouserok=soon", "nouserok=2027-01-16 "])
  func `refuses everybody if the day cannot be read, before anybody is asked`(_ argument: String) throws {
    for bench in [try HelperBench.registered(), try initialised()] {
      let transcript = try bench.run(bench.begin(.authenticate, argument))
      #expect(transcript.pamCode == 3 && transcript.result == 1001 && transcript.prompts.isEmpty)
    }
  }

  @Test func `with hidden registrations a day passes nobody on`() throws {
    let bench = try initialised()
    bench.configuration += "\n[general]\nhide_state = true\n"
    let transcript = try bench.run(bench.begin(.authenticate, Self.today), ["correct"])
    #expect(transcript.pamCode == 7 && transcript.prompts.count == 1)
  }

  /// A login of somebody else, who never registered.
  private func otherPerson(_ bench: HelperBench) throws -> Begin {
    var begin = bench.begin(.authenticate, Self.today)
    (begin.uid, begin.account, begin.typedName) = (4343, Array("nora".utf8), Array("nora".utf8))
    return begin
  }
}
