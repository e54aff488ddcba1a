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
  func `a configuration error is SERVICE_ERR before anyone is asked`(_ text: String) throws {
    let bench = try HelperBench()
    bench.configuration = text
    let transcript = try bench.run(bench.begin())
    #expect(transcript.result == 1001 && transcript.pamCode == 3 && transcript.prompts.isEmpty)
    #expect(bench.log.lines.contains { $0.contains("/conf:") }, "the log names the file")
  }

  @Test(arguments: ["unknown", "tries=0", "conf=relative", "timeout=", "nouserok=yes"])
  func `an unknown or bad module argument is an error and never ignored`(_ argument: String) throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(.authenticate, argument), ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `a configuration without a server refuses every login, and says so`() throws {
    let bench = try HelperBench()
    bench.configuration = ""
    let transcript = try bench.run(bench.begin())
    #expect(transcript.result == 1001 && transcript.pamCode == 3)
  }

  @Test func `a configuration that others may write is refused`() throws {
    let bench = try HelperBench.registered()
    let other = bench.folder + "/writable"
    try bench.configuration.write(toFile: other, atomically: false, encoding: .utf8)
    _ = unsafe chmod(other, 0o666)
    var begin = bench.begin()
    begin.arguments = [Array("conf=\(other)".utf8)]
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `a configuration that others can make unreadable is not reported as root's mistake`() {
    for number in [EMFILE, ENFILE, ENOMEM, EIO, EINTR, EACCES] {
      let problem = ConfigurationFileProblem.system(number)
      #expect(!problem.isRoots && !ConfigurationError.file(path: "/conf", problem).isRoots)
    }
    // Where the kernel lets them, anybody can give root's file a second name.
    #expect(!ConfigurationFileProblem.hardLinks.isRoots && ConfigurationFileProblem.writable.isRoots)
    let ending = Ending.configuration("log", isRoots: false)
    #expect(ending.result == .cannotUse && ending.incident == .configuration)
    #expect(ending.result.pamCode(PAMContext(isRootsFault: ending.circumstance == .rootsFault)) == .systemError)
  }
}
