import FidoResults
import Foundation
import Testing
import UAFConfiguration
import UAFWire

@testable import UAFHelper

@Suite struct ConfigurationErrorTests {
  @Test(arguments: [
    "[server]\nrequest_ur1 = \"x\"", "[lock]\nretry_count_to_lock = 0", "[passcode.regex]\n'(' = \"x\"", "= broken",
  ])
  func `a mistake in the configuration gives PAM_SERVICE_ERR before anybody is asked`(_ text: String) throws {
    let bench = try HelperBench()
    bench.configuration = text
    let transcript = try bench.run(bench.begin())
    #expect(transcript.result == 1001 && transcript.pamCode == 3 && transcript.prompts.isEmpty)
    #expect(bench.log.lines.contains { $0.contains("/conf:") }, "the log names the file")
  }

  @Test(
    arguments: ["unknown", "tries=0", "conf=relative", "timeout=", "timeout=601", "nouserok=yes", "NOUSEROK", ""],
    [UInt32(0), 4242])
  func `an unknown or wrong module argument is an error, and is never ignored`(_ argument: String, _ peer: UInt32)
    throws
  {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(begin(peer: peer, argument), ["correct"], peer: peer)
    #expect(transcript.result == 1001 && transcript.pamCode == 3 && transcript.prompts.isEmpty)
    #expect(bench.log.lines.contains { $0.contains("module argument") }, "\(bench.log.lines)")
  }

  @Test func `a host without root can choose how it prompts, but not which configuration applies`() throws {
    let bench = try HelperBench.registered("[passcode]\nkeypad = \"plain\"")
    let other = bench.folder + "/other"
    try "= broken".write(toFile: other, atomically: false, encoding: .utf8)
    for argument in ["conf=\(other)", "tries=3", "quiet", "debug", "timeout=600", "divided", "use_first_pass"] {
      #expect(try bench.run(begin(peer: 4242, argument), ["correct"], peer: 4242).result == 0, "\(argument)")
    }
    let none = try bench.run(begin(peer: 4242, "authenticator=pattern"), peer: 4242)
    #expect(none.result != 0 && none.prompts.isEmpty)
    // Only one try, whatever its argument says, because nothing shows that the argument comes from root.
    #expect(try bench.run(begin(peer: 4242, "tries=3"), ["wrong", "correct"], peer: 4242).result == 3012)
  }

  @Test func `refuses module arguments that contradict the configuration, even from a host without root`() throws {
    let bench = try HelperBench()
    bench.configuration += "\n[passcode]\nui_type = \"pin6\"\nkeypad = \"shuffled\""
    for peer: UInt32 in [0, 4242] {
      let transcript = try bench.run(begin(peer: peer, "use_first_pass"), peer: peer)
      #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
    }
  }

  /// What a host that runs as `peer` sends for its own account.
  private func begin(peer: UInt32, _ argument: String) -> Begin {
    var begin = Begin(.authenticate)
    begin.service = Array("swaylock".utf8)
    begin.arguments = [Array(argument.utf8)]
    guard peer == 0 else { return begin }
    (begin.uid, begin.account, begin.typedName) = (4242, Array("mina".utf8), Array("mina".utf8))
    return begin
  }

  @Test func `without a server in the configuration every login is refused, and a text says why`() throws {
    let bench = try HelperBench()
    bench.configuration = ""
    let transcript = try bench.run(bench.begin())
    #expect(transcript.result == 1001 && transcript.pamCode == 3)
  }

  @Test func `a configuration file that others can write is refused`() throws {
    let bench = try HelperBench.registered()
    let other = bench.folder + "/writable"
    try bench.configuration.write(toFile: other, atomically: false, encoding: .utf8)
    _ = unsafe chmod(other, 0o666)
    var begin = bench.begin()
    begin.arguments = [Array("conf=\(other)".utf8)]
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `a configuration file that others can make unreadable is not reported as root's mistake`() {
    for number in [EMFILE, ENFILE, ENOMEM, EIO, EINTR, EACCES] {
      let problem = ConfigurationFileProblem.system(number)
      #expect(!problem.isRoots && !ConfigurationError.file(path: "/conf", problem).isRoots)
    }
    // On some kernels anybody can make a hard link to root's file.
    #expect(!ConfigurationFileProblem.hardLinks.isRoots && ConfigurationFileProblem.writable.isRoots)
    let ending = Ending.configuration("log", isRoots: false)
    #expect(ending.result == .cannotUse && ending.incident == .configuration)
    #expect(ending.result.pamCode(PAMContext(isRootsFault: ending.circumstance == .rootsFault)) == .systemError)
  }
}
