import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

/// What happens if a result cannot be written to standard output, for example because the disk is full.
@Suite struct UnwrittenTests {
  private let machine = Machine()
  private let full: CInt

  init() {
    // SAFETY: a literal path.
    full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
  }

  private func check(_ arguments: [String], core script: [CoreMessage] = [], input: String = "") {
    defer { close(full) }
    let run = Tool.run(
      arguments, results: full, core: FakeCore(script), input: input, installation: machine.installation)
    #expect(run.exit == .unwritten, "\(arguments)")
    #expect(run.notes.contains("uafctl: the output could not be written: No space left on device\nhint: "))
  }

  @Test(arguments: [
    ["--help"], ["help"], ["help", "pam", "enable"], ["--version"], ["register", "--help"], ["status", "--help"],
    ["pam"],
    ["--generate-completion-script", "bash"], ["--generate-completion-script", "zsh"],
    ["--generate-completion-script", "fish"],
    ["---completion", "pam", "enable", "--", "positional@0", "3", "0", "uafctl"],
    ["facet"], ["doctor"],
  ])
  func `every command fails if its result cannot be written`(arguments: [String]) { check(arguments) }

  @Test func `status fails if its answer about a type cannot be written`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = Machine.document(Machine.passcode)
    check(["status", "--available", "passcode"], core: [.finished(finished)])
  }

  @Test(arguments: [["status"], ["status", "--json"]])
  func `status fails if its document cannot be written`(arguments: [String]) {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = Machine.document(Machine.passcode)
    check(arguments, core: [.finished(finished)])
  }

  @Test(arguments: [["authenticate", "--token"], ["authenticate", "--json-conversation"], ["register", "--token"]])
  func `authenticate fails if its token cannot be written, although the login was accepted`(arguments: [String]) {
    var finished = Finished(pamCode: 0, result: 0)
    finished.token = "token"
    check(arguments, core: [.finished(finished)])
  }

  @Test func `policy check fails with an error, and not with a refusal, if its output cannot be written`() {
    check(["policy", "check"], input: "1\n")
  }

  @Test func `pam status fails if its list cannot be written`() {
    machine.service("sudo", "auth required pam_uaf.so")
    check(["pam", "status", "--pam-directory", machine.pam])
  }

  @Test func `an unusable standard output is not reported if nothing was to be written`() {
    defer { close(full) }
    let run = Tool.run(["unlock", "alice"], results: full, core: FakeCore([Bench.success]))
    #expect(run.exit == .success && run.notes == "uafctl: unlocked\n")
  }
}
