import CPAM
import Glibc
import Testing
import ToolTestSupport

@testable import HostSystem
@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

@Suite struct StackTrialTests {
  private let stacks = Stacks()

  /// The output of an enable whose trial must fail, and which must install nothing.
  private func refusal(_ arguments: String...) -> String {
    let before = stacks.read("sudo")
    let bench = Bench(
      ["pam", "enable", "sudo"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0, core: FakeCore([]),
      installation: stacks.machine.installation)
    #expect(bench.exit == .refused)
    #expect(stacks.read("sudo") == before)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
    return stacks.text(bench)
  }

  // MARK: Results of libpam

  @Test func `the trial runs the module alone, then the stack, then the service`() {
    _ = stacks.run("enable", "sudo")
    #expect(
      stacks.tester.asked == [
        "auth required pam_uaf.so\n", "@include uaf-sudo\n",
        Stacks.sudo.replacing("@include common-auth", with: "@include uaf-sudo"),
      ])
    #expect(stacks.tester.people == ["nobody", "nobody", "nobody"])
    #expect(stacks.tester.accounts == ["alice", "alice", "nobody", "nobody", "alice", "alice"])
  }

  @Test(arguments: [
    (PAM_SUCCESS, "pam_uaf.so lets somebody in who enters nothing"), (PAM_SYSTEM_ERR, "the core did not answer"),
    (PAM_SERVICE_ERR, "cannot use its configuration"), (PAM_MODULE_UNKNOWN, "that it cannot use (28)"),
    (PAM_ABORT, "libpam cannot read the stack of sudo"), (PAM_PERM_DENIED, "that it cannot use (6)"),
  ])
  func `the trial refuses a module that does not reach the core`(code: CInt, text: String) {
    stacks.tester.codes = [("auth required pam_uaf.so", code)]
    #expect(refusal().contains("uafctl: the new stack was tried, and was not installed: "))
    #expect(refusal().contains(text))
  }

  @Test(arguments: [PAM_SUCCESS, PAM_MODULE_UNKNOWN, PAM_ABORT, PAM_OPEN_ERR, PAM_SYMBOL_ERR])
  func `the trial refuses a stack that lets somebody in without an entry, or that libpam cannot use`(code: CInt) {
    stacks.tester.codes = [("pam_uaf.so", PAM_AUTH_ERR), ("@include uaf-sudo\n", code)]
    #expect(refusal().contains("and was not installed: "))
  }

  @Test(arguments: [
    PAM_CONV_ERR, PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_AUTHINFO_UNAVAIL, PAM_AUTH_ERR, PAM_CRED_UNAVAIL,
  ])
  func `the trial accepts a stack that refuses with any other code`(code: CInt) {
    stacks.tester.otherwise = code
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `the trial accepts a stack that refuses with the code that libpam also has for an unusable line`() {
    // pam_faillock returns PAM_IGNORE after counting, which libpam turns into this code.
    stacks.tester.codes = [("auth required pam_uaf.so", PAM_AUTH_ERR), ("", PAM_PERM_DENIED)]
    #expect(stacks.run("enable", "sudo").output.contains("tried uaf-sudo as nobody, entering nothing: refused (6)\n"))
  }

  @Test func `a service's line that libpam cannot use is found without a trial, and named`() {
    stacks.write("common-auth", "auth required pam_unix.so\nauth maybe pam_permit.so\n")
    stacks.write("login", "auth required pam_unix.so\naccount required pam_unix.so\n")
    stacks.passwords.states["root"] = .usable
    #expect(refusal().contains("common-auth:2 is not a line libpam understands"))
  }

  @Test func `the trial accepts a service that lets root in without an entry, if it did so before`() {
    stacks.write("su", "auth sufficient pam_rootok.so\n@include common-auth\n")
    stacks.tester.codes = [("pam_rootok.so", PAM_SUCCESS)]
    let bench = stacks.run("enable", "su")
    #expect(bench.exit == .success)
    #expect(bench.output.contains("tried su as nobody, entering nothing: as before (0)\n"))
  }

  @Test(arguments: ["sshd", "login", "lightdm"])
  func `the trial refuses a service that lets everybody in without an entry, even if it did so before`(service: String)
  {
    stacks.write(service, Stacks.sudo)
    stacks.tester.codes = [("session required pam_limits.so", PAM_SUCCESS)]
    let bench = stacks.run("enable", service)
    #expect(bench.exit == .refused && bench.notes.contains("\(service) lets somebody in who enters nothing"))
    #expect(stacks.read(service) == Stacks.sudo)
    stacks.write(service, "auth sufficient pam_rootok.so\n" + Stacks.sudo)
    for shape in ["instead", "second-factor"] {
      #expect(
        stacks.run("enable", service, "--shape", shape).notes.contains("/\(service):1: this line can let somebody in"))
    }
  }

  @Test func `the trial refuses a su that lets anybody but root in without an entry`() {
    stacks.write("su", "auth sufficient pam_rootok.so\n@include common-auth\n")
    stacks.tester.codes = [("sufficient", PAM_SUCCESS)]
    #expect(stacks.run("enable", "su").notes.contains("su lets somebody in who enters nothing"))
  }

  @Test(arguments: ["sudo", "su", "sshd"])
  func `the trial names a line of a shared file that lets in whoever runs the program as root`(service: String) {
    stacks.template("second-factor/\(service)", "@include common-auth\nauth requisite pam_uaf.so\n")
    stacks.passwords.states["root"] = .usable
    stacks.write(service, Stacks.sudo)
    stacks.write("common-auth", "# ours\nauth sufficient pam_rootok.so\nauth required pam_unix.so\n")
    let bench = stacks.run("enable", service, "--shape", "second-factor")
    #expect(bench.exit == .refused && bench.notes.contains("/common-auth:2: this line can let somebody in"))
    // Behind pam_uaf this line is dangerous too: in a program that runs as root for everybody, pam_rootok lets the rescue group
    // in without a password.
    let behind = stacks.run("enable", service, "--shape", "instead", "--anyway")
    #expect(behind.exit == (service == "sshd" ? .refused : .success), "\(behind.notes)")
  }

  @Test func `the trial refuses a service that lets somebody in without an entry only with the new stack`() {
    stacks.tester.codes = [("session required pam_limits.so\n\n@include uaf-sudo", PAM_SUCCESS)]
    #expect(refusal().contains("sudo lets somebody in who enters nothing"))
  }

  @Test func `in a trial a pam_uaf that returns PAM_IGNORE is an error, unless the stack has nouserok`() {
    stacks.tester.codes = [("auth required pam_uaf.so nouserok\n", PAM_PERM_DENIED)]
    stacks.template("fallback/sudo", Stacks.stack.replacing("pam_uaf.so", with: "pam_uaf.so nouserok"))
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `the trial refuses a stack with a missing file or module, or one that never asks pam_uaf`() {
    stacks.template("fallback/sudo", Stacks.stack + "auth optional pam_missing.so\n")
    #expect(refusal().contains("uaf-sudo names pam_missing.so, which is not where PAM looks for it"))
    stacks.template("fallback/sudo", "auth [success=1 default=ignore] pam_succeed_if.so user ingroup uaf-rescue\n")
    stacks.passwords.states["root"] = .usable
    #expect(refusal().contains("none of its lines asks pam_uaf"))
    stacks.template("fallback/sudo", Stacks.stack + "-auth optional pam_missing.so\n")
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test(arguments: [
    "auth requird pam_env.so", "auth", "auth required", "auth [success=1 pam_env.so", "@include",
    "auht required pam_env.so",
    "auth required pam_env.so \\", "auth [] pam_env.so",
  ])
  func `the trial refuses a stack with an invalid line`(line: String) {
    // libpam treats some invalid lines as refusals, and so reports no error.
    stacks.template("fallback/sudo", Stacks.stack + line + "\n")
    #expect(refusal().contains("not a line libpam understands"))
  }

  @Test func `with --try, refuses if the person at the terminal is not let in`() {
    stacks.tester.end = .failure(StackRefusal.code(PAM_AUTH_ERR, text: "Authentication failure"))
    #expect(refusal("--try", "alice").contains("it did not let you in: Authentication failure"))
    #expect(stacks.tester.people == ["alice", "alice", "alice"])
    stacks.tester.end = .success(())
    #expect(stacks.run("enable", "sudo", "--try", "alice").exit == .success)
  }

  @Test(arguments: [(Int32(0), Int32(6)), (6, 0), (0, 12), (12, 13), (6, 7)])
  func `the trial refuses if the account lines give another result for a person who did not use pam_uaf`(
    before: CInt, after: CInt
  ) {
    stacks.tester.accountCodes = [("@include uaf-sudo", after), ("@include common-auth", before)]
    let said = "the account lines of sudo said \(before) to nobody before, and would say \(after)"
    #expect(refusal().contains("without pam_uaf, " + said))
  }

  @Test(arguments: [(Int32(0), true), (12, true), (6, false), (28, false)])
  func `with --try, the account lines are tried only if they let the person in before`(code: CInt, isAsked: Bool) {
    stacks.tester.accountCodesOfPeople = ["bob": code]
    #expect(stacks.run("enable", "sudo", "--try", "bob").exit == .success)
    #expect(stacks.tester.asksAccount == [isAsked])
    #expect(stacks.tester.accounts == ["alice", "alice", "bob", "bob", "alice", "alice"])
  }

  @Test func `the trial of a stack for passwd uses no account lines`() {
    stacks.write("common-password", "password required pam_unix.so\n")
    stacks.write("passwd", "@include common-password\n")
    #expect(stacks.run("enable", "passwd").exit == .success)
    #expect(stacks.tester.accounts == [])
  }

  @Test func `--try needs a terminal`() {
    stacks.machine.installation.tester = HalfFake(fake: stacks.tester)
    #expect(refusal("--try", "alice").contains("it did not let you in: standard input is not a terminal"))
  }

  /// Uses libpam only for the trial with a person's entries.
  private struct HalfFake: StackTester {
    let fake: FakeTester
    func cancelled(_ service: String, in folder: String, as user: String) -> CInt {
      fake.cancelled(service, in: folder, as: user)
    }
    func account(_ service: String, in folder: String, as user: String) -> CInt {
      fake.account(service, in: folder, as: user)
    }
    func answered(
      _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
    ) -> Result<Void, StackRefusal> {
      LibPAM(tty: nil).answered(service, in: folder, as: user, account: account, by: answerer)
    }
    func session(
      of name: String, shell: String, opening service: String?, in folder: String, needsSudo: Bool
    ) -> SessionFlaw? {
      fake.session(of: name, shell: shell, opening: service, in: folder, needsSudo: needsSudo)
    }
  }

  // MARK: Trials with libpam itself

  @Test func `libpam itself accepts a stack that refuses`() throws {
    try stacks.useLibpam("auth required pam_uaf.so auth=user_unknown\n")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(bench.output.contains("tried uaf-sudo as nobody, entering nothing: refused (10)\n"))
    #expect(stacks.read("sudo")?.contains("@include uaf-sudo\n") == true)
  }

  @Test(arguments: [
    ("auth required pam_uaf.so auth=success\n", "lets somebody in who enters nothing"),
    (
      "auth sufficient pam_uaf.so auth=auth_err\nauth required pam_permit.so\n",
      "sudo: somebody could get in although pam_uaf has refused"
    ),
    ("auth required pam_uaf.so auth=system_err\n", "the core did not answer"),
    ("auth required pam_uaf.so auth=service_err\n", "cannot use its configuration"),
    (
      "auth required pam_uaf.so auth=auth_err\n@include nothing\n",
      "uaf-sudo:7 includes nothing, which libpam cannot read"
    ),
  ])
  func `libpam itself finds faults in a stack`(stack: String, text: String) throws {
    try stacks.useLibpam(stack)
    #expect(refusal().contains(text))
  }

  @Test(arguments: ["@include inner", "auth include inner", "auth include \\\n  inner", "@include FOLDER/inner"])
  func `in a trial libpam finds the files that a service includes in the folder of the trial`(line: String) throws {
    try stacks.useLibpam("auth required pam_uaf.so auth=auth_err\n")
    stacks.write("inner", "auth sufficient pam_rootok.so\n")
    stacks.write("sudo", line.replacing("FOLDER", with: stacks.machine.pam) + "\n@include common-auth\n")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success, "\(bench.notes)")
    let isRoot = geteuid() == 0
    #expect(
      bench.output.contains("tried sudo as nobody, entering nothing: \(isRoot ? "as before (0)" : "refused (7)")\n"))
  }

  /// A stack in which pam_uaf has no result for the account of a person who came in without it.
  private static let silent = """
    auth required pam_uaf.so auth=auth_err
    account [success=ok ignore=ignore default=die] pam_uaf.so acct=ignore

    """

  @Test func `libpam itself finds account lines that are lost with the replaced line`() throws {
    try stacks.useLibpam(Self.silent)
    stacks.write("common-auth", "auth required pam_unix.so\naccount required pam_permit.so\n")
    stacks.write("sudo", "@include common-auth\naccount required pam_debug.so acct=ignore\n")
    #expect(refusal().contains("the account lines of sudo said 0 to nobody before, and would say 6"))
    stacks.write("sudo", "@include common-auth\naccount required pam_permit.so\n")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(bench.output.contains("tried the account lines of sudo as nobody: as before (0)\n"))
  }

  @Test func `libpam itself uses the account lines of 'other' if the service has none and gets none`() throws {
    try stacks.useLibpam("auth required pam_uaf.so auth=auth_err\n")
    stacks.write("other", "account required pam_permit.so\n")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.output.contains("tried the account lines of sudo as nobody: as before (0)\n"), "\(bench.notes)")
  }

  @Test func `libpam itself finds that a console with the account lines of a refusing 'other' lets nobody in`()
    throws
  {
    try stacks.useLibpam("auth required pam_uaf.so auth=auth_err\n")
    stacks.write("sudo", "@include common-auth\naccount required pam_permit.so\n")
    stacks.write("login", "@include common-auth\n")
    stacks.write("other", "auth required pam_deny.so\naccount required pam_deny.so\n")
    let bench = stacks.run("enable", "sudo")
    #expect(
      bench.exit == .refused && bench.notes.contains("root is refused by the account lines of login ("),
      "\(bench.notes)")
    stacks.write(
      "other", "auth required pam_deny.so\naccount required pam_permit.so\nsession required pam_permit.so\n")
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `libpam itself reports a file that is not a PAM module`() throws {
    try stacks.useLibpam("auth required pam_broken.so\nauth required pam_uaf.so auth=auth_err\n")
    _ = stacks.folder.file("libexec/pam_broken.so", Array("no library".utf8), mode: 0o644)
    stacks.template(
      "fallback/sudo",
      "auth requisite \(stacks.folder.path)/libexec/pam_broken.so\n"
        + "auth required \(stacks.folder.path)/libexec/pam_uaf.so auth=auth_err\n")
    #expect(refusal().contains("that it cannot use (\(PAM_MODULE_UNKNOWN))"))
  }

  @Test func `a module that crashes does not crash uafctl`() throws {
    try stacks.useLibpam("auth required pam_uaf.so auth=auth_err\nauth required CRASHES/libexec/pam_crash.so\n")
    // A library that is cut off after its headers can be mapped, but using it fails.
    let whole = stacks.folder.bytes("libexec/pam_uaf.so")
    _ = stacks.folder.file("libexec/pam_crash.so", Array(whole.prefix(1000)), mode: 0o644)
    let stack = stacks.folder.content("templates/fallback/sudo")
    stacks.template("fallback/sudo", stack.replacing("CRASHES", with: stacks.folder.path))
    #expect(refusal().contains("a module of sudo crashed (signal \(SIGBUS))"))
  }

  @Test func `if the folder for a trial cannot be made, the error names the parent folder`() throws {
    let parent = stacks.folder.path + "/none"
    let problem = TrialProblem.folder(ENOENT, parent: parent)
    #expect(throws: problem) { try TrialFolder(copying: stacks.machine.pam, vendors: [], in: parent) }
    for text in [problem.english, problem.korean] { #expect(text.remedy?.contains(parent) == true, "\(text)") }
  }

  @Test func `a trial leaves no files behind`() throws {
    let folder: String
    do {
      let trial = try TrialFolder(copying: stacks.machine.pam, vendors: ["/nonexistent"], in: "/tmp")
      folder = trial.path
      #expect(PAMDirectory(path: folder).services() == ["common-account", "common-auth", "login", "sudo"])
      #expect((try? FileState.of(folder).get())?.mode == 0o700)
    }
    #expect(PAMDirectory(path: folder).services() == nil)
  }
}
