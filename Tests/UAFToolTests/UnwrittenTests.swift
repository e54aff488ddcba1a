import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

/// Results that cannot be written, as on a full disk.
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
  func `a result that cannot be written is an error, whatever the command`(arguments: [String]) { check(arguments) }

  @Test func `an unwritten answer to a question about the status is an error, too`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = Machine.document(Machine.passcode)
    check(["status", "--available", "passcode"], core: [.finished(finished)])
  }

  @Test(arguments: [["status"], ["status", "--json"]])
  func `an unwritten status is an error, too`(arguments: [String]) {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = Machine.document(Machine.passcode)
    check(arguments, core: [.finished(finished)])
  }

  @Test(arguments: [["authenticate", "--token"], ["authenticate", "--json-conversation"], ["register", "--token"]])
  func `an unwritten token is an error, too, although the login was accepted`(arguments: [String]) {
    var finished = Finished(pamCode: 0, result: 0)
    finished.token = "token"
    check(arguments, core: [.finished(finished)])
  }

  @Test func `an unwritten refusal of a value is an error, too, and the exit status is the error's`() {
    check(["policy", "check"], input: "1\n")
  }

  @Test func `an unwritten list of services is an error, too`() {
    machine.service("sudo", "auth required pam_uaf.so")
    check(["pam", "status", "--pam-directory", machine.pam])
  }

  @Test func `an output to which nothing was written is not reported`() {
    defer { close(full) }
    let run = Tool.run(["unlock", "alice"], results: full, core: FakeCore([Bench.success]))
    #expect(run.exit == .success && run.notes == "uafctl: unlocked\n")
  }
}
