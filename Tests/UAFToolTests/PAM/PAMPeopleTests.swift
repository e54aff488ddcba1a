import Testing
import ToolTestSupport
import Wording

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

/// `uafctl pam enable` for a service whose users are not all registered.
@Suite struct PAMPeopleTests {
  private let stacks = Stacks()

  init() {
    stacks.passwords.local = ["root", "alice", "bob"]
    stacks.passwords.states["bob"] = .usable
    sudoers("bob ALL=ALL")
  }

  private func sudoers(_ rule: String) { stacks.machine.sudoers(rule + "\nalice ALL=(ALL) ALL\n") }

  private func enable(_ arguments: String..., core: FakeCore = FakeCore([])) -> Bench {
    Bench(
      ["pam", "enable"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0, core: core,
      installation: stacks.machine.installation)
  }

  private var isUntouched: Bool { stacks.read("sudo") == Stacks.sudo && stacks.read("uaf-sudo") == nil }

  @Test(arguments: [[], ["--dry-run"], ["--shape", "second-factor"]])
  func `refuses while a user of the service is not registered, names the user, and changes nothing`(
    options: [String]
  ) {
    let bench = Bench(
      ["pam", "enable", "sudo"] + options + ["--pam-directory", stacks.machine.pam], as: 0, core: FakeCore([]),
      installation: stacks.machine.installation)
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("not registered on this machine, and refused from then on: bob\n"))
    #expect(bench.notes.contains("uafctl register") && bench.notes.contains("--anyway"))
    // Nobody had to log in before.
    #expect(isUntouched && stacks.tester.asksAccount.isEmpty)
  }

  @Test func `--anyway enables the service, and still names the users who are not registered`() {
    let bench = enable("sudo", "--anyway")
    #expect(bench.exit == .success && !isUntouched)
    #expect(bench.output.contains("not registered on this machine, and refused until they are: bob\n"))
  }

  /// bob is registered, and has an empty password.
  private func enableWithEmptyPassword(_ arguments: String...) -> Bench {
    stacks.passwords.states["bob"] = .empty
    stacks.machine.register(1001, Machine.finished(""))
    let document = Machine.document(Machine.authenticator(state: 3006), name: "bob")
    return Bench(
      ["pam", "enable", "sudo"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0,
      core: FakeCore([.finished(Machine.finished(document))]), installation: stacks.machine.installation)
  }

  private static let nullok =
    "auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\nauth required pam_permit.so\n"

  @Test
  func `refuses a second factor while a user's empty password is accepted, and goes on with --anyway`() {
    stacks.write("common-auth", Self.nullok)
    let bench = enableWithEmptyPassword("--shape", "second-factor")
    #expect(bench.exit == .refused && isUntouched, "\(bench.notes)")
    #expect(bench.notes.contains("so that it adds nothing: bob\n") && bench.notes.contains("passwd NAME"))
    #expect(enableWithEmptyPassword("--shape", "instead").exit == .success)
    let done = enableWithEmptyPassword("--shape", "second-factor", "--anyway")
    #expect(done.exit == .success && done.output.contains("which adds nothing to the passcode: bob\n"))
    #expect(stacks.findings().contains { $0.id == .pamEmptyPassword && $0.level == .warning })
    stacks.passwords.states["bob"] = .locked
    #expect(!stacks.findings().contains { $0.id == .pamEmptyPassword })
  }

  @Test func `a second factor is not refused because of an empty password that no line accepts`() {
    stacks.write("common-auth", "auth required pam_unix.so\n")
    let bench = enableWithEmptyPassword("--shape", "second-factor")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(!stacks.findings().contains { $0.id == .pamEmptyPassword })
  }

  @Test func `a second factor is not refused because of an empty password of somebody whom sudo does not ask`() {
    stacks.write("common-auth", Self.nullok)
    sudoers("bob ALL=NOPASSWD: ALL")
    let bench = enableWithEmptyPassword("--shape", "second-factor")
    #expect(bench.exit == .success, "\(bench.notes)")
  }

  @Test func `changing the shape of an installed stack is allowed although users are not registered`() {
    #expect(enable("sudo", "--anyway").exit == .success)
    let bench = enable("sudo", "--shape", "instead")
    #expect(bench.exit == .success && !(bench.output + bench.notes).contains("bob"))
  }

  @Test func `users with keys are not named, even if they are locked, and deregistered users are`() {
    for (state, isNamed) in [(3006, false), (3008, false), (3007, true), (3005, true)] {
      let own = PAMPeopleTests()
      own.stacks.machine.register(1001, Machine.finished(""))
      let document = Machine.document(Machine.authenticator(state: state), name: "bob")
      let bench = own.enable("sudo", core: FakeCore([.finished(Machine.finished(document))]))
      #expect(bench.notes.contains(": bob\n") == isNamed && own.isUntouched == isNamed, "\(state): \(bench.notes)")
    }
  }

  @Test(arguments: [
    (#","atServer":"revoked""#, 3007, "", true), (#","atServer":"unknown""#, 3007, "", true),
    ("", 3006, #","serverState":{"state":"disabled","asked":1}"#, true),
    ("", 3006, #","serverState":{"state":"locked","asked":1,"until":2}"#, false),
    ("", 3006, #","serverState":{"state":"active","asked":1}"#, false),
  ])
  func `a user whom the server is known to refuse counts as not registered`(
    key: String, state: Int, account: String, isNamed: Bool
  ) {
    stacks.machine.register(1001, Machine.finished(""))
    let document =
      Machine.document(Machine.authenticator(state: state, more: key), name: "bob").dropLast() + account + "}"
    let bench = enable("sudo", core: FakeCore([.finished(Machine.finished(String(document)))]))
    #expect(bench.notes.contains(": bob\n") == isNamed && isUntouched == isNamed, "\(bench.notes)")
  }

  @Test func `a user about whom the core cannot say anything counts as not registered`() {
    stacks.machine.register(1001, Machine.finished(""))
    #expect(enable("sudo", core: FakeCore([Bench.failure(9, 3003, "damaged")])).exit == .refused)
    #expect(enable("sudo", core: FakeCore(refusing: .core(.absent(2)))).exit == .refused)
    #expect(isUntouched)
  }

  @Test func `on a machine without a usable configuration nobody counts as registered`() {
    stacks.machine.register(1001, Machine.finished(""))
    stacks.machine.configure("[server]", "[sever]")
    let document = Machine.document(Machine.passcode, name: "bob")
    #expect(enable("sudo", core: FakeCore([.finished(Machine.finished(document))])).exit == .refused)
  }

  @Test(arguments: ["state-readonly", "state-missing", "state-open", "program-missing"])
  func `enable refuses on a machine where every login would fail, and shows the reason`(broken: String) {
    let machine = stacks.machine
    switch broken {
    case "state-readonly": machine.installation.isReadOnly = { _ in true }
    case "state-missing": machine.folder.delete("state/device.key")
    case "state-open": machine.folder.setMode(0o755, of: "state/accounts")
    default: machine.folder.delete("libexec/uaf-fetch")
    }
    machine.register(1001, Machine.finished(""))
    let document = Machine.finished(Machine.document(Machine.passcode, name: "bob"))
    let bench = enable("sudo", core: FakeCore([.finished(document)]))
    #expect(bench.exit == .refused && isUntouched, "\(bench.notes)")
    #expect(bench.notes.contains("FAIL ") && bench.notes.contains("pam_uaf could let in nobody on this machine"))
    let done = enable("sudo", "--anyway", core: FakeCore([.finished(document)]))
    #expect(done.exit == .success && done.notes.contains("FAIL ") && !isUntouched)
  }

  @Test func `a user who runs commands with sudo without a password need not be registered`() {
    sudoers("bob ALL=NOPASSWD: ALL")
    #expect(enable("sudo").exit == .success)
  }

  @Test func `of thousands of unregistered users, the first are named and the others counted`() {
    let names = (1...20).map { "person\($0)" }
    #expect(
      ShownText.names(names) { "and \($0) more" }
        == "person1, person2, person3, person4, person5, person6, person7, person8, and 12 more")
    #expect(ShownText.names(["a\u{1b}[2J\nb"]) { "\($0)" }.unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }
}
