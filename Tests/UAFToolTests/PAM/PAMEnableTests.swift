import Foundation
import Glibc
import Testing
import ToolTestSupport

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

@Suite struct PAMEnableTests {
  private let stacks = Stacks()
  private static let changed = Stacks.sudo.replacing("@include common-auth", with: "@include uaf-sudo")

  // MARK: What enable changes

  @Test func `enable copies the stack, changes one line of the service, and keeps the old line`() {
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success)
    #expect(stacks.read("sudo") == Self.changed)
    #expect(stacks.read(".sudo.before-uaf") == Stacks.sudo)
    #expect(stacks.read("uaf-sudo")?.hasSuffix("# fallback\n" + Stacks.stack) == true)
    #expect(stacks.names == [".sudo.before-uaf", "common-auth", "login", "sudo", "uaf-sudo"])
    #expect(
      stacks.text(bench) == """
        can log in without pam_uaf: alice, by the password at the console, as one of uaf-rescue (their shell was started, and ran commands; the password was not tried)
        tried pam_uaf.so as nobody, entering nothing: the core was reached, nobody let in (7)
        tried uaf-sudo as nobody, entering nothing: refused (7)
        tried sudo as nobody, entering nothing: refused (7)
        tried the account lines of sudo as nobody: as before (0)
        tried the account lines of sudo as alice: as before (0)
        sudo: asks for the passcode, by uaf-sudo (fallback/sudo)
        services that do not ask for the passcode: login

        """)
  }

  @Test func `a shell is started once for all names of a program, and none in a dry run or with --no-sessions`() {
    stacks.write("sudo-i", Stacks.sudo)
    let dry = stacks.run("enable", "sudo", "--dry-run")
    #expect(dry.progress.isEmpty && dry.output.contains("(judged from files; no shell was started)"))
    #expect(stacks.tester.started.isEmpty)
    let bench = stacks.run("enable", "sudo")
    #expect(stacks.tester.started.map(\.name) == ["alice"])
    #expect(bench.progress.contains("starting the shell of alice, as that person"))
    _ = stacks.run("disable", "sudo")
    #expect(stacks.run("enable", "sudo", "--no-sessions").output.contains("no shell was started"))
    #expect(stacks.tester.started.count == 1)
  }

  @Test func `somebody whose shell was started and ended is no way in`() {
    stacks.tester.sessions["alice"] = .ended(last: "closed")
    let notes = stacks.run("enable", "sudo").notes
    #expect(notes.contains("alice of uaf-rescue gets no session") && notes.contains("--no-sessions"), "\(notes)")
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test(arguments: [
    ("sshd", nil, "instead/sshd"), ("login", nil, "fallback/login"), ("sudo-i", nil, "fallback/sudo"),
    ("su-l", nil, "fallback/su"), ("polkit-1", "second-factor", "second-factor/polkit-1"),
    ("swaylock", "instead", "instead/locker"), ("xscreensaver", nil, "fallback/locker"),
    ("sshd", "fallback", "fallback/sshd"), ("gdm-password", nil, "fallback/display-manager"),
    ("lightdm", "second-factor", "second-factor/display-manager"), ("sddm", nil, "instead/sddm"),
  ])
  func `enable gives each service its own stack and shape`(service: String, shape: String?, template: String) {
    stacks.write(service, Stacks.sudo)
    let bench =
      shape.map { stacks.run("enable", service, "--shape", $0) } ?? stacks.run("enable", service)
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(stacks.read("uaf-" + service)?.contains("# pam-uaf: template \(template)\n") == true)
  }

  @Test(
    arguments: ["second-factor", "fallback", "instead"],
    [
      "auth sufficient pam_unix.so", "auth sufficient pam_unix.so try_first_pass", "auth required pam_unix.so",
      "auth optional pam_unix.so", "auth [success=done default=ignore] pam_sss.so",
    ])
  func `a line after the include lets in nobody whom the stack has refused, and is no reason to refuse`(
    shape: String, line: String
  ) {
    stacks.write("sudo", Stacks.sudo.replacing("@include common-auth\n", with: "@include common-auth\n\(line)\n"))
    _ = stacks.folder.module("libexec/pam_sss.so")
    #expect(stacks.run("enable", "sudo", "--shape", shape).exit == .success)
    #expect(stacks.read("sudo")?.contains("@include uaf-sudo\n\(line)\n") == true)
    #expect(!stacks.findings().contains { $0.level == .failure })
    let reader = PAMDirectory(path: stacks.machine.pam)
    let endings = StackOutcomes(reader.entries(of: "sudo", in: "auth")).endings { one in
      one.asksOwnModule ? ["auth_err"] : one.moduleName == "pam_succeed_if.so" ? ["auth_err"] : ["success"]
    }
    #expect(!endings.contains { $0.isSuccess }, "the right password gets in after a refusal")
  }

  @Test(arguments: ["second-factor"], ["@include common-auth", "auth include common-auth"])
  func `refuses a directory module that lets people in by itself, with its file and line`(shape: String, line: String) {
    stacks.template("second-factor/sudo", "\(line)\nauth requisite pam_uaf.so\n")
    stacks.passwords.states["root"] = .usable
    let whole = "auth [success=2 default=ignore] pam_unix.so nullok\nauth sufficient pam_sss.so use_first_pass\n"
    let rest = "auth requisite pam_deny.so\nauth required pam_permit.so\n"
    stacks.write("common-auth", whole + rest)
    _ = stacks.folder.module("libexec/pam_sss.so")
    let bench = stacks.run("enable", "sudo", "--shape", shape)
    #expect(bench.exit == .refused)
    #expect(
      bench.notes.contains("\(stacks.machine.pam)/common-auth:2: this line can let somebody in before pam_uaf is asked")
    )
    #expect(stacks.read("sudo") == Stacks.sudo && stacks.read("uaf-sudo") == nil)
    // The other name of the program has the same line, so --only would change nothing.
    stacks.write("sudo-i", Stacks.sudo)
    #expect(stacks.run("enable", "sudo", "--shape", shape).notes == bench.notes)
    stacks.folder.delete("pam.d/sudo-i")
    stacks.write("common-auth", whole.replacing("sufficient", with: "[success=1 default=ignore]") + rest)
    #expect(stacks.run("enable", "sudo", "--shape", shape).exit == .success)
    stacks.write("common-auth", whole + rest)
    // The stack was installed before the directory module was added.
    #expect(stacks.run("enable", "sudo", "--shape", shape).exit == .refused)
    #expect(
      stacks.text(stacks.run("status")).contains("sudo: common-auth:2 can let somebody in before pam_uaf is asked\n"))
    #expect(stacks.run("status", "--json").output.contains(#""passedOver":{"file":"#))
    #expect(stacks.findings().contains { $0.id == .pamPassedOver })
  }

  @Test(arguments: [
    ("# Nothing.\n", "sudo:", "uaf-sudo:"),
    (
      "auth [success=1 default=ignore] pam_localuser.so\nauth required pam_unix.so nullok\n", "common-auth:1",
      "common-auth:1"
    ),
  ])
  func `refuses a second factor without a password before it, and status reports one that lost its password later`(
    common: String, before: String, after: String
  ) {
    let debian = stacks.read("common-auth") ?? ""
    stacks.write("login", "auth required pam_unix.so\n" + Self.account)
    stacks.write("common-auth", common)
    let said = stacks.run("enable", "sudo", "--shape", "second-factor").notes
    let told = "this line leads to the passcode without a password before it"
    #expect(said.contains("/\(before)") && said.contains(told) && said.contains("--shape instead"), "\(said)")
    #expect(stacks.read("sudo") == Stacks.sudo && stacks.read("uaf-sudo") == nil)
    stacks.write("common-auth", debian)
    #expect(stacks.run("enable", "sudo", "--shape", "second-factor").exit == .success)
    stacks.write("common-auth", common)
    #expect(stacks.text(stacks.run("status")).contains("sudo: \(after)"))
    #expect(stacks.findings().contains { $0.id == .pamWrongPassword && $0.level == .failure })
  }

  @Test(arguments: [
    ("auth optional pam_unix.so\n", 1), ("auth [success=ok default=ignore] pam_unix.so\n", 1),
    ("auth required pam_permit.so\nauth optional pam_unix.so\n", 2),
    ("auth [success=1 default=ignore] pam_unix.so nullok\nauth required pam_permit.so\n", 1),
  ])
  func `refuses a second factor after a line that a wrong password gets past, with file and line`(
    common: String, line: Int
  ) {
    let debian = stacks.read("common-auth") ?? ""
    stacks.write("login", "auth required pam_unix.so\n" + Self.account)
    stacks.write("common-auth", common)
    let told = "common-auth:\(line): a wrong password gets past this line, and can let somebody in"
    let said = stacks.text(stacks.run("enable", "sudo", "--shape", "second-factor"))
    #expect(said.contains(told) && said.contains("hint: have it refuse ('required')"), "\(said)")
    #expect(stacks.read("sudo") == Stacks.sudo && stacks.read("uaf-sudo") == nil)
    stacks.write("common-auth", debian)
    #expect(stacks.run("enable", "sudo", "--shape", "second-factor").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamWrongPassword })
    #expect(!stacks.run("status", "--json").output.contains("wrongPassword"))
    // The stack was installed before this line was changed.
    stacks.write("common-auth", common)
    #expect(stacks.run("enable", "sudo", "--shape", "second-factor").exit == .refused)
    #expect(stacks.text(stacks.run("status")).contains("sudo: \(told)\n"))
    #expect(stacks.run("status", "--json").output.contains(#""wrongPassword":{"file":"#))
    #expect(stacks.findings().contains { $0.id == .pamWrongPassword && $0.level == .failure })
  }

  @Test(arguments: ["instead", "fallback", "second-factor"])
  func `refuses a service that lets the rescue group in without a password, with file and line`(shape: String) {
    let line = "auth sufficient pam_succeed_if.so quiet user ingroup uaf-rescue\n"
    let common = stacks.read("common-auth") ?? ""
    stacks.passwords.states["root"] = .usable
    stacks.write("sudo", line + Stacks.sudo)
    let told = "this line can let somebody in before pam_uaf is asked"
    #expect(stacks.text(stacks.run("enable", "sudo", "--shape", shape)).contains("sudo:1: \(told)"))
    stacks.write("sudo", Stacks.sudo)
    for text in [line, line.replacing("sufficient", with: "[success=2 default=ignore]")] {
      stacks.write("common-auth", text + common)
      #expect(stacks.text(stacks.run("enable", "sudo", "--shape", shape)).contains("common-auth:1: \(told)"))
      #expect(stacks.read("sudo") == Stacks.sudo)
    }
  }

  @Test(arguments: [
    "auth required pam_unix.so\nauth sufficient pam_uaf.so\n",
    "auth sufficient pam_uaf.so\nauth required pam_u2f.so nouserok\nauth required pam_permit.so\n",
  ])
  func `status names a service that lets people in although pam_uaf refuses them`(text: String) {
    stacks.write("sudo", text)
    #expect(
      stacks.text(stacks.run("status")).hasPrefix(
        "sudo: by hand\nsudo: somebody whom pam_uaf has refused can still get in\n"))
    #expect(stacks.run("status", "--json").output.contains(#""refusalLetsIn":true"#))
    stacks.write("sudo", "auth sufficient pam_uaf.so\nauth required pam_unix.so\n")
    #expect(!stacks.run("status").output.contains("has refused"))
    #expect(!stacks.run("status", "--json").output.contains("refusalLetsIn"))
  }

  @Test func `status names a stack whose edit takes the effect from pam_uaf's refusal`() {
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(!stacks.run("status").output.contains("has refused"))
    stacks.write(
      "uaf-sudo", (stacks.read("uaf-sudo") ?? "").replacing("[success=done default=die]", with: "sufficient"))
    #expect(
      stacks.run("status").output.contains(
        "edited\nsudo: somebody whom pam_uaf has refused can still get in\n"))
  }

  @Test func `status names a stack that was edited so that nobody is asked for the passcode`() {
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(!stacks.run("status").output.contains("no longer asks"))
    let lines = (stacks.read("uaf-sudo") ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    stacks.write(
      "uaf-sudo",
      lines.map { $0.hasPrefix("auth") && $0.contains("pam_uaf.so") ? "#" + $0 : $0 }.joined(separator: "\n"))
    #expect(
      stacks.run("status").output.contains("edited\nsudo: uaf-sudo was edited, and no longer asks for the passcode\n"))
    #expect(stacks.run("status", "--json").output.contains(#""asksNoMore":true"#))
    stacks.write("uaf-sudo", "")
    #expect(stacks.run("status").output.contains("sudo: uaf-sudo was edited, and no longer asks for the passcode\n"))
  }

  private static let denied = "auth requisite pam_listfile.so item=user sense=deny file=/etc/denied onerr=succeed\n"

  @Test(arguments: ["instead", "fallback"])
  func `enable refuses if a line would be lost that can refuse somebody, and names the line`(shape: String) {
    let text = "auth include system-auth\naccount required pam_unix.so\n"
    stacks.write("system-auth", "auth required pam_env.so\n\(Self.denied)auth required pam_unix.so\n")
    stacks.write("sudo", text)
    for module in ["pam_env", "pam_listfile"] { _ = stacks.folder.module("libexec/\(module).so") }
    let bench = stacks.run("enable", "sudo", "--shape", shape)
    #expect(bench.exit == .refused && stacks.read("sudo") == text)
    #expect(
      stacks.text(bench).contains("system-auth:2: this line can refuse people whom the new stack would let in"),
      "\(bench.notes)")
    // Such a line stays in force if it is in the service's own file.
    stacks.write("sudo", Self.denied + text)
    stacks.write("login", "auth required pam_unix.so\n")
    stacks.passwords.states["root"] = .usable
    let again = stacks.run("enable", "sudo", "--shape", shape)
    #expect(again.exit == .success, "\(again.notes)")
  }

  @Test func `a refusing line of common-auth stays in force if the shape keeps the lines of common-auth`() {
    stacks.template("second-factor/sudo", "@include common-auth\nauth requisite pam_uaf.so\n")
    stacks.passwords.states["root"] = .usable
    stacks.write("login", "auth required pam_unix.so\n")
    stacks.write("common-auth", Self.denied + (stacks.read("common-auth") ?? ""))
    _ = stacks.folder.module("libexec/pam_listfile.so")
    #expect(stacks.run("enable", "sudo", "--shape", "second-factor").exit == .success)
    #expect(
      stacks.text(stacks.run("enable", "sudo", "--shape", "instead")).contains("common-auth:1: this line can refuse"))
  }

  @Test(arguments: [
    // None of these lines refuses a person with the right password.
    "auth [default=1 success=ok] pam_localuser.so\nauth sufficient pam_unix.so\nauth sufficient pam_sss.so\n"
      + "auth required pam_deny.so\n",
    "auth sufficient pam_unix.so\nauth requisite pam_succeed_if.so uid >= 1000 quiet_success\nauth required pam_deny.so\n",
    "auth optional pam_listfile.so item=user sense=deny file=/etc/denied\nauth required pam_unix.so\n",
  ])
  func `enable may drop a line that by itself refuses nobody`(text: String) {
    for module in ["pam_listfile", "pam_localuser", "pam_sss"] {
      _ = stacks.folder.module("libexec/\(module).so")
    }
    stacks.passwords.states["root"] = .usable
    stacks.write("login", "auth required pam_unix.so\n")
    stacks.write("system-auth", text)
    stacks.write("sudo", "auth include system-auth\naccount required pam_unix.so\n")
    let bench = stacks.run("enable", "sudo", "--shape", "instead")
    #expect(bench.exit == .success, "\(bench.notes)")
  }

  @Test func `the right password is no way in if another line refuses it`() {
    stacks.write(
      "common-auth",
      "auth [success=1 default=ignore] pam_unix.so\nauth [default=die] pam_faillock.so authfail\n"
        + "auth requisite pam_deny.so\nauth required pam_permit.so\n")
    _ = stacks.folder.module("libexec/pam_faillock.so")
    let bench = stacks.run("enable", "sudo")
    #expect(
      bench.exit == .refused && bench.notes.contains("\(stacks.machine.pam)/common-auth:3 refuses the right password"))
    // The group exists and has a stack that serves it, so no text says that either is missing.
    #expect(!bench.notes.contains("groupadd") && !bench.notes.contains("leads nobody"))
  }

  @Test func `enable refuses a service with a missing module, unless the module is optional`() {
    stacks.write("sudo", "auth required pam_gone.so\n" + Stacks.sudo)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("/sudo:1 names pam_gone.so, which is not where PAM looks"))
    stacks.write("sudo", "auth optional pam_gone.so\n" + Stacks.sudo)
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `after sshd was enabled, a text says what sshd_config still needs, if anything`() {
    stacks.write("sshd", Stacks.sudo)
    let program = stacks.folder.file("sshd", [1], mode: 0o755)
    stacks.machine.installation.sshPaths = (program, stacks.folder.file("sshd_config", [], mode: 0o644))
    stacks.machine.outputs[program] = "usepam yes\nkbdinteractiveauthentication no\npasswordauthentication no\n"
    let told =
      "warn ssh: KbdInteractiveAuthentication is no, and no password is taken: nobody is asked for the passcode"
    #expect(stacks.run("enable", "sshd").output.contains(told))
    #expect(stacks.run("disable", "sshd").exit == .success)
    stacks.machine.outputs[program] = "usepam yes\nkbdinteractiveauthentication yes\npasswordauthentication no\n"
    #expect(!stacks.run("enable", "sshd").output.contains("ssh: "))
  }

  @Test func `enable refuses a stack that cannot work with sshd's settings, and --anyway enables it and says FAIL`() {
    stacks.write("sshd", Stacks.sudo)
    let program = stacks.folder.file("sshd", [1], mode: 0o755)
    stacks.machine.installation.sshPaths = (program, stacks.folder.file("sshd_config", [], mode: 0o644))
    let oneAnswer = "one string answers the password and the passcode: nobody gets in"
    for (settings, shape, text) in [
      ("usepam yes\nkbdinteractiveauthentication no\npasswordauthentication yes\n", "second-factor", oneAnswer),
      ("usepam no\nkbdinteractiveauthentication yes\n", "instead", "UsePAM is no"),
    ] {
      stacks.machine.outputs[program] = settings
      let refused = stacks.run("enable", "sshd", "--shape", shape)
      #expect(refused.exit == .refused && stacks.read("sshd") == Stacks.sudo, "\(refused.notes)")
      #expect(refused.notes.contains("sshd") && refused.notes.contains(text) && refused.notes.contains("--anyway"))
      let forced = stacks.run("enable", "sshd", "--shape", shape, "--anyway")
      #expect(forced.exit == .success && forced.output.contains("FAIL ssh: "), "\(forced.output)")
      #expect(stacks.run("disable", "sshd").exit == .success)
    }
    // The password alone or the passcode alone is one string.
    stacks.machine.outputs[program] = "usepam yes\nkbdinteractiveauthentication no\npasswordauthentication yes\n"
    #expect(stacks.run("enable", "sshd", "--shape", "instead").exit == .success)
  }

  @Test func `if sshd uses another service, enable says to enable that one instead`() {
    stacks.write("sshd", Stacks.sudo)
    stacks.write("corp", Stacks.sudo)
    stacks.write("guests", Stacks.sudo)
    let good = "UsePAM yes\nKbdInteractiveAuthentication yes\nPasswordAuthentication no\nPAMServiceName corp\n"
    stacks.machine.installation.sshPaths = (
      stacks.folder.file("sshd", [1], mode: 0o755), stacks.folder.file("sshd_config", Array(good.utf8), mode: 0o644)
    )
    let bench = stacks.run("enable", "sshd")
    #expect(bench.exit == .refused && stacks.read("sshd") == Stacks.sudo)
    #expect(
      bench.notes.contains("sshd uses the PAM service corp and not sshd, because of PAMServiceName in sshd_config"))
    #expect(bench.notes.contains("uafctl pam enable corp --template sshd"))
    #expect(stacks.run("enable", "corp").exit == .success)
    #expect(stacks.read("uaf-corp")?.contains("# pam-uaf: template instead/sshd\n") == true)
    #expect(stacks.run("disable", "corp").exit == .success)
    // A Match block can make sshd use a further service.
    stacks.folder.delete("sshd_config")
    let more = Array((good + "Match User bob\nPAMServiceName guests\n").utf8)
    _ = stacks.folder.file("sshd_config", more, mode: 0o644)
    #expect(
      stacks.run("enable", "corp").notes.contains("sshd uses the PAM service guests as well, because of a Match block"))
    #expect(stacks.run("enable", "corp", "--only").exit == .success)
    #expect(
      stacks.run("status").output.contains("guests: does not ask for the passcode, and is the same program as corp"))
    #expect(stacks.run("enable", "guests").exit == .success)
    #expect(!stacks.run("status").output.contains("the same program as corp"))
  }

  @Test func `status names an unreadable file that could make sshd use another service`() {
    stacks.write("sshd", Stacks.sudo)
    stacks.folder.link("missing.conf", to: "/nonexistent/ssh.conf")
    let text = Array("Include missing.conf\n".utf8)
    stacks.machine.installation.sshPaths = (
      stacks.folder.file("sshd", [1], mode: 0o755), stacks.folder.file("sshd_config", text, mode: 0o644)
    )
    let path = stacks.folder.path + "/missing.conf"
    #expect(!stacks.run("status").output.contains(path))
    #expect(
      stacks.run("enable", "sshd").output.contains("\(path) cannot be read: whether sshd asks for another service"))
    #expect(stacks.run("status").output.contains("\(path) cannot be read: whether sshd asks for another service"))
    #expect(stacks.run("status", "--json").output.contains(#""sshUnread":"#))
  }

  @Test func `status names the service that sshd uses instead of the enabled one`() {
    stacks.write("sshd", Stacks.sudo)
    stacks.write("corp", Stacks.sudo)
    #expect(stacks.run("enable", "sshd").exit == .success)
    let text = Array("PAMServiceName corp\n".utf8)
    stacks.machine.installation.sshPaths = (
      stacks.folder.file("sshd", [1], mode: 0o755), stacks.folder.file("sshd_config", text, mode: 0o644)
    )
    let told =
      "sshd uses the PAM service corp, because of sshd_config, and that service lets people in without the passcode"
    #expect(stacks.run("status").output.contains(told))
    #expect(stacks.run("status", "--json").output.contains(#""sshService":"corp""#))
  }

  @Test func `enable uses the template that it is given for an unknown service`() {
    stacks.write("lxdm", "auth requisite pam_nologin.so\n@include common-auth\n")
    #expect(stacks.run("enable", "lxdm").exit == .usage)
    #expect(stacks.run("enable", "lxdm", "--template", "display-manager").exit == .success)
    #expect(stacks.read("lxdm") == "auth requisite pam_nologin.so\n@include uaf-lxdm\n")
  }

  @Test(arguments: ["auth include login", "auth substack system-auth", "-auth\tinclude\tcommon-auth # as Debian"])
  func `a screen locker that includes another service's lines gets a stack of its own`(line: String) {
    stacks.write("swaylock", "# a locker\n\(line)\n")
    #expect(stacks.run("enable", "swaylock").exit == .success)
    #expect(stacks.read("swaylock") == "# a locker\n@include uaf-swaylock\n")
    #expect(stacks.run("disable", "swaylock").exit == .success)
    #expect(stacks.read("swaylock") == "# a locker\n\(line)\n")
  }

  @Test func `the shape of an enabled service can be changed any number of times`() {
    _ = stacks.run("enable", "sudo")
    for shape in ["instead", "second-factor", "fallback"] {
      #expect(stacks.run("enable", "sudo", "--shape", shape).exit == .success)
      #expect(stacks.read("uaf-sudo")?.contains("# pam-uaf: template \(shape)/sudo\n") == true)
    }
    #expect(stacks.read("sudo") == Self.changed)
    #expect(stacks.read(".sudo.before-uaf") == Stacks.sudo)
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `enabling a service a second time has nothing to do, and tries no stack`() {
    _ = stacks.run("enable", "sudo")
    let asked = stacks.tester.asked.count
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success)
    #expect(
      bench.output
        == "sudo asks for the passcode already: fallback/sudo\nservices that do not ask for the passcode: login\n")
    #expect(stacks.tester.asked.count == asked)
  }

  @Test func `enable keeps an edited stack next to the new one`() {
    _ = stacks.run("enable", "sudo")
    let edited = (stacks.read("uaf-sudo") ?? "") + "# mine\n"
    stacks.write("uaf-sudo", edited)
    let bench = stacks.run("enable", "sudo", "--shape", "instead")
    #expect(bench.exit == .success)
    #expect(stacks.text(bench).contains("the edited stack is kept as .uaf-sudo.saved\n"))
    #expect(stacks.read(".uaf-sudo.saved") == edited)
    #expect(stacks.read("uaf-sudo")?.hasSuffix("# instead\n" + Stacks.stack) == true)
  }

  @Test func `enable copies a service that only the vendor's folder has, and disable removes the copy`() {
    _ = stacks.folder.file("vendor/polkit-1", Array(Stacks.sudo.utf8), mode: 0o644)
    #expect(stacks.run("enable", "polkit-1").exit == .success)
    #expect(stacks.read("polkit-1") == Stacks.sudo.replacing("@include common-auth", with: "@include uaf-polkit-1"))
    let bench = stacks.run("disable", "polkit-1")
    #expect(bench.exit == .success)
    #expect(stacks.read("polkit-1") == nil)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `disable keeps an edited copy of a vendor's service, without the line of pam-uaf`() {
    _ = stacks.folder.file("vendor/polkit-1", Array(Stacks.sudo.utf8), mode: 0o644)
    _ = stacks.run("enable", "polkit-1")
    stacks.write("polkit-1", (stacks.read("polkit-1") ?? "") + "session optional pam_umask.so\n")
    #expect(stacks.run("disable", "polkit-1").exit == .success)
    #expect(stacks.read("polkit-1") == Stacks.sudo + "session optional pam_umask.so\n")
  }

  @Test func `enable installs a stack for passwd without checking who can get in`() {
    stacks.passwords.groups = [:]
    stacks.write("common-password", "password required pam_unix.so\n")
    stacks.write("passwd", "@include common-password\n")
    #expect(stacks.run("enable", "passwd").exit == .success)
    #expect(stacks.read("passwd") == "@include uaf-passwd\n")
    #expect(stacks.run("enable", "passwd", "--shape", "instead").exit == .usage)
  }

  @Test func `enable and disable keep the mode and attributes of the service's file`() throws {
    stacks.write("sudo", Stacks.sudo, mode: 0o640)
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.folder.mode("pam.d/sudo") == 0o640)
    #expect(stacks.folder.mode("pam.d/.sudo.before-uaf") == 0o640)
    #expect(stacks.folder.mode("pam.d/uaf-sudo") == 0o644)
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.folder.mode("pam.d/sudo") == 0o640)
  }

  @Test func `enable and disable keep bytes in a service that are not text`() {
    let bytes = Array("# caf\u{E9} ".utf8.dropLast(3)) + [0xE9, 0x0A] + Array("@include common-auth".utf8)
    stacks.folder.delete("pam.d/sudo")
    _ = stacks.folder.file("pam.d/sudo", bytes, mode: 0o644)
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.folder.bytes("pam.d/sudo").starts(with: bytes.prefix { $0 != 0x40 }))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.folder.bytes("pam.d/sudo") == bytes)
  }

  @Test func `a dry run of enable shows the difference and changes nothing`() {
    let bench = stacks.run("enable", "sudo", "--dry-run")
    #expect(bench.exit == .success)
    #expect(
      stacks.text(bench).hasPrefix(
        """
        --- sudo
        +++ sudo
        @@ -5 +5 @@
        -@include common-auth
        +@include uaf-sudo
        --- /dev/null
        +++ uaf-sudo
        @@ -0,0 +1,
        """))
    #expect(bench.output.contains("+auth [success=done default=die] pam_uaf.so\n"))
    #expect(bench.output.hasSuffix("tried the account lines of sudo as alice: as before (0)\n"))
    #expect(stacks.names == ["common-auth", "login", "sudo"])
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `files that an interrupted run left do not prevent the next enable`() {
    for name in [".sudo.uaf-new", ".uaf-sudo.uaf-new", ".sudo.before-uaf"] {
      stacks.write(name, "half a l", mode: 0o600)
    }
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Self.changed)
    #expect(stacks.read(".sudo.before-uaf") == Stacks.sudo)
    #expect(!stacks.names.contains { $0.hasSuffix(".uaf-new") })
  }

  // MARK: Refusals of enable

  /// The output of an enable that must not have changed anything.
  private func refusal(_ arguments: String..., exit: ToolExit = .refused) -> String {
    let names = stacks.names
    let before = stacks.read("sudo")
    let bench = Bench(
      ["pam", "enable"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0, core: FakeCore([]),
      installation: stacks.machine.installation)
    #expect(bench.exit == exit)
    #expect(stacks.names == names)
    #expect(stacks.read("sudo") == before)
    return stacks.text(bench)
  }

  @Test func `enable refuses anybody but root`() {
    for arguments in [["enable", "sudo"], ["disable", "sudo"], ["disable", "--all"]] {
      let bench = Bench(
        ["pam"] + arguments + ["--pam-directory", stacks.machine.pam], core: FakeCore([]),
        installation: stacks.machine.installation)
      #expect(bench.exit == .usage)
      #expect(bench.notes.hasPrefix("uafctl: only root may change how services ask\n"))
    }
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test(arguments: ["", ".", "..", "../sudo", "/etc/pam.d/sudo", "sudo~", "sudo.dpkg-old", "a b", "-x", "s\u{fc}do"])
  func `enable refuses a name that no service can have`(name: String) {
    let bench = Bench(
      ["pam", "enable", "--pam-directory", stacks.machine.pam, "--", name], as: 0, core: FakeCore([]),
      installation: stacks.machine.installation)
    #expect(bench.exit == .usage)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(bench.notes.contains("is not a name of a service"), "\(bench.notes)")
  }

  @Test func `enable refuses files that services share, and the stacks of pam-uaf`() {
    #expect(refusal("common-auth", exit: .usage).contains("pam-auth-update"))
    #expect(refusal("other", exit: .usage).contains("is shared by services"))
    #expect(refusal("uaf-sudo", exit: .usage).contains("is a stack of pam-uaf's"))
  }

  @Test func `enable refuses a service or a template that does not exist`() {
    #expect(refusal("su", exit: .usage).contains("there is no service su in "))
    let noTemplate = refusal("sudo", "--template", "bogus", exit: .usage)
    #expect(noTemplate.contains("the ready stack "))
    #expect(noTemplate.contains("hint: choose another --shape or --template: "), "\(noTemplate)")
    #expect(StackError.noTemplate(path: "x").korean.remedy?.contains("다른 --shape나 --template을 고르십시오") == true)
    #expect(refusal("sudo", "--shape", "instead", "--template", "bogus", exit: .usage).contains("the ready stack "))
    #expect(refusal("sudo", "--template", "../sudo", exit: .usage).contains("no ready stack"))
    #expect(refusal("sudo", "--shape", "bogus", exit: .usage).contains("--shape"))
  }

  @Test(arguments: [
    "gdm-autologin", "gdm-launch-environment", "lightdm-autologin", "lightdm-greeter", "sddm-autologin", "sddm-greeter",
  ])
  func `enable refuses a display manager's services that ask nobody, whatever they contain`(service: String) {
    stacks.write(service, Stacks.sudo)
    for template in [[], ["--template", "display-manager"]] {
      let bench = Bench(
        ["pam", "enable", service, "--pam-directory", stacks.machine.pam] + template, as: 0, core: FakeCore([]),
        installation: stacks.machine.installation)
      #expect(bench.exit == .usage)
      #expect(
        bench.notes == """
          uafctl: \(service) asks nobody: it starts a greeter, or logs somebody in without a prompt
          hint: name the service that asks people, such as gdm-password, lightdm or sddm

          """)
    }
    #expect(stacks.read(service) == Stacks.sudo && stacks.names == ["common-auth", "login", "sudo", service].sorted())
  }

  @Test func `refuses shapes in which SDDM would have to prompt twice`() {
    stacks.write("sddm", Stacks.sudo)
    for shape in ["fallback", "second-factor"] {
      #expect(
        refusal("sddm", "--shape", shape, exit: .usage).contains(
          "the ready stack \(stacks.machine.installation.templateFolder)/\(shape)/sddm is not"))
    }
  }

  @Test func `refuses a template that others can write`() {
    stacks.folder.setMode(0o666, of: "templates/fallback/sudo")
    #expect(refusal("sudo").contains("templates/fallback/sudo: may be written by others\n"))
    stacks.machine.installation.templateFolder = "/nonexistent"
    #expect(refusal("sudo", exit: .usage).contains("the ready stack /nonexistent/fallback/sudo is not there\n"))
  }

  @Test(arguments: [
    "auth required pam_unix.so\n", "# @include common-auth\n", "account include login\n",
    "@include common-auth\n@include common-auth\n", "@include common-auth\nauth include login\n",
    "@include \\\ncommon-auth\n", "auth required \\\n@include common-auth\n", "@include common-auth \\\n\n",
    "auth [success=1 default=ignore] pam_x.so\n@include common-auth\n",
    "auth include gdm\n", "@include common-account\n", "",
  ])
  func `refuses a service that does not have exactly one line to replace`(text: String) {
    stacks.write("sudo", text)
    #expect(refusal("sudo").contains("sudo"))
  }

  @Test func `if enable cannot change a service, it says what to write by hand`() {
    stacks.write("sudo", "auth required pam_unix.so\n")
    #expect(
      refusal("sudo")
        == """
        uafctl: sudo has no line that includes the password's stack
        hint: write '@include uaf-sudo' in place of the lines that ask for the password, by hand; the ready stacks are in \
        pam.d/

        """)
  }

  @Test(arguments: [
    "account required \\\n\n pam_x.so", "#" + String(repeating: "x", count: 1100), "session optional a.so \\\n#",
  ])
  func `refuses a service that libpam 1.5 reads differently from later versions`(line: String) {
    stacks.write("sudo", Stacks.sudo + line + "\n")
    #expect(refusal("sudo").contains(": libpam 1.5 reads this line differently from libpam 1.6 and newer\nhint: "))
    stacks.write("sudo", Stacks.sudo)
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.write("sudo", (stacks.read("sudo") ?? "") + line + "\n")
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo + line + "\n")
  }

  @Test func `refuses a service whose lines end with carriage returns, and names the first one with an effect`() {
    let text = "# by hand\r\n \r\n" + Stacks.sudo.replacing("\n", with: "\r\n")
    stacks.write("sudo", text)
    let said = refusal("sudo")
    #expect(said.contains("sudo:5: the line ends with a carriage return (CRLF)") && said.contains("hint: "))
    #expect(stacks.read("sudo") == text)
    stacks.write("sudo", "# by hand\r\n" + Stacks.sudo)
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `names a line in an included file that has a carriage return or is read differently by some libpam`() {
    for (ending, told) in [
      ("\r\n", "the line ends with a carriage return (CRLF)"), (" \\\n#\n", "libpam 1.5 reads this line"),
    ] {
      stacks.write("deep", "# fine\nauth optional pam_permit.so\(ending)")
      stacks.write("inner", "auth include deep\n")
      stacks.write("sudo", "@include inner\n" + Stacks.sudo)
      #expect(refusal("sudo").contains("deep:2: \(told)"))
      stacks.write("sudo", Stacks.sudo + "@include deep\n")
      #expect(refusal("sudo").contains("deep:2: \(told)"))
    }
  }

  @Test(arguments: ["@include gone", "auth include gone", "account include gone", "session substack gone"])
  func `names a line that includes a file which libpam cannot read`(line: String) {
    stacks.write("sudo", Stacks.sudo + line + "\n")
    #expect(refusal("sudo").contains("sudo:7 includes gone, which libpam cannot read\nhint: put the file"))
    stacks.write("sudo", Stacks.sudo)
    guard line != "session substack gone", line != "account include gone" else { return }
    stacks.write("login", line + "\n")
    #expect(refusal("sudo").contains("login:1 includes gone, which libpam cannot read\nhint: put the file"))
  }

  @Test func `does not look for included files in the vendors' folders, as libpam does not`() {
    _ = stacks.folder.file("vendor/vendor-auth", Array("auth required pam_unix.so\n".utf8), mode: 0o644)
    stacks.write("sudo", "@include vendor-auth\n" + Stacks.sudo)
    #expect(refusal("sudo").contains("sudo:1 includes vendor-auth, which libpam cannot read"))
    stacks.write("sudo", Stacks.sudo)
    stacks.write("login", "@include vendor-auth\n@include common-account\n")
    #expect(refusal("sudo").contains("login:1 includes vendor-auth, which libpam cannot read"))
    stacks.write("vendor-auth", "auth required pam_unix.so\n")
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test(arguments: [StackError.file(path: "/etc/pam.d/sudo", .system(EPERM))])
  func `names the file attribute that keeps even root from changing a file`(error: StackError) {
    #expect(error.english.remedy?.contains("chattr -i") == true && error.korean.remedy?.contains("chattr -i") == true)
  }

  @Test(arguments: [
    "@include FOLDER/common-auth", "auth include FOLDER/common-auth", "auth substack FOLDER//common-auth",
  ])
  func `finds an include of the password stack by its full path too, and restores it`(line: String) {
    let own = line.replacing("FOLDER", with: stacks.machine.pam)
    let text = Stacks.sudo.replacing("@include common-auth", with: own)
    stacks.write("sudo", text)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(stacks.read("sudo") == Self.changed)
    #expect(stacks.run("status").output.hasPrefix("sudo: fallback/sudo\n"))
    #expect(stacks.run("disable", "sudo").exit == .success && stacks.read("sudo") == text)
    // A file of this name in another folder is not the password stack.
    stacks.write("sudo", text.replacing(stacks.machine.pam, with: "/nonexistent"))
    #expect(refusal("sudo").contains("sudo has no line that includes the password's stack"))
  }

  @Test(arguments: ["auth include corp-auth", "auth substack corp-auth", "@include corp-auth"])
  func `a file that only includes the password stack counts as that stack`(line: String) {
    let text = Stacks.sudo.replacing("@include common-auth", with: line)
    stacks.write("corp-auth", "# Ours.\n\nauth include common-auth\n")
    stacks.write("sudo", text)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(stacks.read("sudo") == Self.changed)
    #expect(stacks.run("status").output.hasPrefix("sudo: fallback/sudo\n"))
    #expect(stacks.run("disable", "sudo").exit == .success && stacks.read("sudo") == text)
  }

  @Test func `names an included file that contains more than the password stack, and how to fix it`() {
    stacks.write("corp-auth", "auth required pam_env.so\n@include common-auth\n")
    stacks.write("sudo", Stacks.sudo.replacing("@include common-auth", with: "auth include corp-auth"))
    let told = refusal("sudo")
    #expect(told.contains("sudo:5 includes the password's stack by way of corp-auth, which has other lines as well"))
    #expect(told.contains("hint: write the lines of corp-auth in place of this line, then run it again"))
    // A file that includes itself causes no endless loop.
    stacks.write("corp-auth", "auth include corp-auth\n")
    #expect(refusal("sudo").contains("sudo has no line that includes the password's stack"))
  }

  @Test func `if a file that a shipped stack includes is missing, the error says so, and how to get one`() {
    stacks.folder.delete("pam.d/common-auth")
    stacks.write("system-auth", "auth required pam_unix.so\n")
    stacks.write("login", "auth include system-auth\n")
    stacks.write("sudo", "auth include system-auth\naccount required pam_unix.so\n")
    let told = refusal("sudo")
    #expect(told.contains("the ready stack includes common-auth, and there is no common-auth here"))
    #expect(told.contains("hint: write 'auth include system-auth' into a file of that name, then run it again"))
    stacks.write("sudo", Stacks.sudo)
    #expect(refusal("sudo").contains("hint: pam-auth-update --force makes it on Debian"))
    #expect(stacks.read("uaf-sudo") == nil && stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `a link between two names of a program stays a link, and is named`() {
    stacks.folder.link("pam.d/sudo-i", to: "sudo")
    #expect(refusal("sudo-i") == "uafctl: sudo-i takes its lines from sudo\nhint: uafctl pam enable sudo\n")
    for options in [[], ["--only"]] {
      let bench = Bench(
        ["pam", "enable", "sudo", "--pam-directory", stacks.machine.pam] + options, as: 0, core: FakeCore([]),
        installation: stacks.machine.installation)
      #expect(bench.exit == .success && stacks.text(bench).contains("sudo-i: takes its lines from sudo\n"))
      #expect(stacks.read("sudo-i") == Self.changed && stacks.read("uaf-sudo-i") == nil)
      #expect(stacks.run("disable", "sudo").exit == .success && stacks.read("sudo-i") == Stacks.sudo)
    }
    // This is true for any other service too, and for a link to the full path.
    stacks.folder.link("pam.d/backdoor", to: stacks.machine.pam + "/sudo-i")
    #expect(stacks.text(stacks.run("enable", "sudo")).contains("backdoor: takes its lines from sudo\n"))
  }

  @Test func `a file that is a mount point is named before anything is written`() {
    stacks.machine.installation.isMountPoint = { $0.hasSuffix("/sudo") }
    let told = refusal("sudo")
    #expect(told.contains("sudo: is a mount point of its own, so that no other file can take its place"))
    #expect(told.contains("hint: umount"))
    #expect(stacks.names == ["common-auth", "login", "sudo"])
    stacks.machine.installation.isMountPoint = { _ in false }
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.machine.installation.isMountPoint = { $0.hasSuffix("/sudo") }
    let bench = stacks.run("disable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("is a mount point of its own"))
    #expect(stacks.read("sudo") == Self.changed)
  }

  @Test(arguments: [StackError.file(path: "/etc/pam.d/sudo", .system(EBUSY))])
  func `if the kernel does not let a file be replaced, the error names a mount as the cause`(error: StackError) {
    #expect(error.english.remedy?.contains("findmnt") == true && error.korean.remedy?.contains("findmnt") == true)
  }

  @Test func `enabling su enables su-l too, and the output says so`() {
    stacks.write("su-l", "auth include su\n")
    #expect(refusal("su-l") == "uafctl: su-l takes its lines from su\nhint: uafctl pam enable su\n")
  }

  @Test func `greetd as on Debian takes all lines of login, so login is what one enables`() {
    stacks.write("login", "auth requisite pam_nologin.so\n@include common-auth\n")
    stacks.write("greetd", "#%PAM-1.0\n@include login\n-auth optional pam_gnome_keyring.so\n")
    #expect(refusal("greetd") == "uafctl: greetd takes its lines from login\nhint: uafctl pam enable login\n")
    #expect(stacks.read("uaf-greetd") == nil)
  }

  @Test func `a service that includes a file of no service is not said to follow one`() {
    stacks.write("house-lines", "auth required pam_deny.so\n")
    stacks.write("greetd", "@include house-lines\n")
    #expect(refusal("greetd").contains("has no line that includes the password's stack"))
  }

  @Test func `enable refuses if pam-auth-update has a profile with pam_uaf for every service`() {
    stacks.write("common-auth", "auth [success=2 default=ignore] pam_uaf.so\n")
    #expect(refusal("sudo").hasPrefix("uafctl: common-auth asks pam_uaf itself: "))
  }

  @Test(arguments: [
    "auth required pam_uaf.so\n@include common-auth\n", "@include common-auth\nauth include uaf-mine\n",
    "@include uaf-sudo\n", "@include common-auth\naccount required pam_uaf.so\n",
  ])
  func `enable refuses a service that contains a hand-written line with pam_uaf`(text: String) {
    stacks.write("uaf-mine", "auth required pam_uaf.so\n")
    stacks.write("sudo", text)
    #expect(refusal("sudo").hasPrefix("uafctl: sudo asks pam_uaf already, by lines that uafctl did not write\n"))
  }

  @Test func `enable refuses to overwrite a stack that it has not made`() {
    stacks.write("uaf-sudo", "auth required pam_uaf.so\n")
    #expect(refusal("sudo").hasPrefix("uafctl: uaf-sudo asks pam_uaf already"))
  }

  @Test
  func `enable refuses files that others can write, that belong to somebody else, or that are not regular files`() {
    stacks.folder.setMode(0o666, of: "pam.d/sudo")
    #expect(refusal("sudo").hasPrefix("uafctl: sudo: may be written by others\nhint: chown root:root"))
    stacks.folder.delete("pam.d/sudo")
    stacks.folder.link("pam.d/sudo", to: "common-auth")
    #expect(refusal("sudo").hasPrefix("uafctl: sudo: is a symbolic link\n"))
    stacks.folder.delete("pam.d/sudo")
    _ = stacks.folder.fifo("pam.d/sudo")
    #expect(refusal("sudo").hasPrefix("uafctl: sudo: is not a file\n"))
    stacks.folder.delete("pam.d/sudo")
    _ = stacks.folder.folder("pam.d/sudo", mode: 0o755)
    #expect(refusal("sudo").hasPrefix("uafctl: sudo: is not a file\n"))
  }

  @Test func `enable refuses a file with two names, one that is too large, and a stack that is a link`() {
    // SAFETY: both paths live for the call.
    let linked = unsafe link(stacks.machine.pam + "/sudo", stacks.machine.pam + "/copy")
    #expect(linked == 0)
    #expect(refusal("sudo").hasPrefix("uafctl: sudo: has more than one name\n"))
    stacks.write("sudo", Stacks.sudo + String(repeating: "#", count: StackFileProblem.largest))
    #expect(refusal("sudo").hasPrefix("uafctl: sudo: is larger than 65536 bytes\n"))
    stacks.write("sudo", Stacks.sudo)
    stacks.folder.link("pam.d/uaf-sudo", to: "common-auth")
    #expect(refusal("sudo").hasPrefix("uafctl: uaf-sudo: is a symbolic link\n"))
  }

  @Test func `enable refuses a folder of services that does not exist, or that others can change`() {
    let bench = Bench(["pam", "enable", "sudo", "--pam-directory", "/nonexistent"], as: 0)
    #expect(bench.exit == .refused && bench.notes.hasPrefix("uafctl: /nonexistent: No such file or directory\n"))
    stacks.folder.setMode(0o777, of: "pam.d")
    #expect(refusal("sudo").contains("/pam.d: may be written by others\n"))
    stacks.folder.setMode(0o755, of: "pam.d")
    stacks.machine.installation.owner = geteuid() + 1
    #expect(refusal("sudo").contains("/pam.d: belongs to uid "))
  }

  @Test func `enable refuses while another uafctl is working`() throws {
    let other = try PAMFolder(stacks.machine.pam, owner: geteuid())
    try other.lock(in: stacks.machine.installation.trialParent)
    #expect(refusal("sudo").hasPrefix("uafctl: another uafctl is changing how services ask, and holds "))
    #expect(stacks.run("disable", "--all").exit == .refused)
    _ = consume other
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `enable refuses if administrators would have no other way in, and says what to do`() {
    stacks.passwords.groups = [:]
    #expect(
      refusal("sudo") == """
        uafctl: administrators would have no other way in: there is no group uaf-rescue; root's password is locked
        hint: groupadd --system uaf-rescue; usermod --append --groups uaf-rescue ADMINISTRATOR, who has a password and may \
        use sudo

        """)
  }

  @Test func `a stack without a branch for uaf-rescue needs a console where root can log in`() {
    stacks.template("fallback/sudo", "auth required pam_uaf.so\n")
    #expect(refusal("sudo").contains("the stack leads no member of uaf-rescue past pam_uaf; root's password is locked"))
    #expect(
      refusal("sudo").contains(
        "hint: choose a stack that leads uaf-rescue past pam_uaf (pam.d/README.md), or passwd root"))
    stacks.passwords.states["root"] = .usable
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `sudo must let a member of the rescue group become root with the password`() {
    stacks.write("sudo", "auth required pam_uaf.so\n@include common-auth\n")
    stacks.write("su", Stacks.sudo)
    #expect(stacks.run("enable", "su").notes.contains("alice of uaf-rescue cannot become root by a password"))
    stacks.write("sudo", Stacks.stack)
    #expect(stacks.run("enable", "su").exit == .success)
  }

  @Test func `a member of the rescue group also needs a console that does not ask pam_uaf for the group`() {
    stacks.write("login", "auth required pam_uaf.so\n@include common-auth\n")
    let reason = "cannot log in by a password: the console (login) is not there, or leads nobody past pam_uaf"
    #expect(refusal("sudo").contains("alice of uaf-rescue " + reason))
    stacks.folder.delete("pam.d/login")
    #expect(refusal("sudo").contains("alice of uaf-rescue cannot log in by a password"))
    for way in [Stacks.stack, "@include common-auth\n"] {
      let account = "account required pam_uaf.so\n"
      stacks.write("login", way + account)
      #expect(refusal("sudo").contains("alice of uaf-rescue cannot log in by a password"))
      stacks.write("login", way + account + "account required pam_unix.so\n")
      #expect(stacks.run("enable", "sudo", "--dry-run").exit == .success)
    }
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test(arguments: PAMShape.allCases, ["sudo", "su", "login", "sshd", "polkit-1", "display-manager", "sddm", "locker"])
  func `each shipped stack can be installed`(shape: PAMShape, name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "pam.d/\(shape.rawValue)/\(name)")
    guard let stack = try? String(contentsOf: file, encoding: .utf8) else {
      #expect(
        shape == .secondFactor && name == "locker" || shape != .instead && name == "sddm", "there is none on purpose")
      return
    }
    stacks.template("\(shape.rawValue)/\(name)", stack)
    stacks.machine.installation.moduleFolders += Installation.ofThisMachine(tty: nil).moduleFolders
    stacks.write("common-account", "account required pam_unix.so\n")
    stacks.write("common-password", "password required pam_unix.so\n")
    let service = ["locker": "swaylock", "display-manager": "gdm-password"][name] ?? name
    let text = Stacks.sudo + (["login", "sshd"].contains(name) ? "@include common-password\n" : "")
    stacks.write(service, text)
    let bench = stacks.run("enable", service, "--shape", shape.rawValue)
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(bench.output.hasPrefix("can log in without pam_uaf: alice, by the password at the console, "))
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read(service) == text)
  }

  @Test(arguments: [
    "auth optional pam_corp.so\n", "", "auth [success=1 default=ignore] pam_localuser.so\nauth required pam_unix.so\n",
    "auth optional pam_unix.so\n", "auth required pam_corp.so\nauth [default=reset] pam_permit.so\n",
  ])
  func `a copied second factor is judged like one that enable has made`(common: String) throws {
    withConditions()
    #expect(stacks.run("enable", "sudo", "--shape", "second-factor").exit == .success)
    stacks.write("common-auth", common)
    let path = stacks.machine.pam + "/"
    func told() -> [String] {
      stacks.findings().filter { [.pamWrongPassword, .pamPassedOver].contains($0.id) }
        .map { $0.text.replacing(path, with: "").replacing("my-sudo", with: "uaf-sudo") }
    }
    let made = told()
    #expect(made.count == 1)
    // The copy is in an included file, with our file name and with another, and in the service itself.
    let copy = try #require(stacks.read("uaf-sudo")).replacing("# pam-uaf:", with: "#")
    let service = try #require(stacks.read("sudo"))
    stacks.write("uaf-sudo", copy)
    #expect(told() == made, "\(told())")
    stacks.folder.delete("pam.d/uaf-sudo")
    stacks.write("my-sudo", copy)
    stacks.write("sudo", service.replacing("uaf-sudo", with: "my-sudo"))
    #expect(told() == made, "\(told())")
    stacks.folder.delete("pam.d/my-sudo")
    stacks.write("sudo", copy + "session required pam_permit.so\n")
    #expect(told().count == 1, "\(told())")
    let key = made.first?.contains("pam_uaf is asked") == true ? "passedOver" : "wrongPassword"
    #expect(stacks.run("status", "--json").output.contains("\"\(key)\":"))
  }

  @Test(arguments: [
    "auth required pam_uaf.so\n", "auth optional pam_corp.so\n" + Stacks.stack,
    "auth sufficient pam_unix.so\nauth required pam_uaf.so\n", "auth optional pam_env.so\nauth required pam_uaf.so\n",
    "auth required pam_uaf.so\nauth required pam_unix.so\n",
  ])
  func `a hand-written stack that need not ask for two factors is not judged as a second factor`(text: String) {
    withConditions()
    stacks.write("sudo", text + "session required pam_permit.so\n")
    #expect(!stacks.findings().contains { $0.id == .pamWrongPassword })
  }

  // MARK: People who are refused although their password is right

  /// Adds modules that the other tests' folder does not have.
  private func withConditions() {
    for module in [
      "access", "listfile", "securetty", "shells", "time", "localuser", "usertype", "sss", "selinux", "exec", "rhosts",
      "userdb",
      "timestamp", "issue", "ftp", "debug", "loginuid", "tty_audit", "corp", "u2f", "env", "motd", "mkhomedir",
      "systemd", "warn",
      "group", "faildelay", "keyinit", "mail", "umask", "cap", "wheel", "namespace",
    ] {
      _ = stacks.folder.module("libexec/pam_\(module).so")
    }
  }

  private static let account = "@include common-account\n"

  @Test(
    arguments: [
      ("auth requisite pam_succeed_if.so uid < 1000\n@include common-auth\n", "is refused by login:1"),
      ("auth required pam_succeed_if.so quiet user notingroup sudo\n@include common-auth\n", "is refused by login:1"),
      ("auth required pam_succeed_if.so user != alice\n@include common-auth\n", "is refused by login:1"),
      ("auth required pam_usertype.so issystem\n@include common-auth\n", "is refused by login:1"),
      ("@include common-auth\nauth required pam_access.so\n", "may be refused by login:2"),
      (
        "auth required pam_listfile.so item=user sense=allow file=/etc/x\n@include common-auth\n",
        "may be refused by login:1"
      ),
      ("auth requisite pam_succeed_if.so tty = tty1\n@include common-auth\n", "may be refused by login:1"),
      (
        "auth required pam_access.so\nauth required pam_succeed_if.so uid = x\n@include common-auth\n",
        "may be refused by login:1"
      ),
      ("@include common-auth\nsession required pam_deny.so\n", "is refused by login:2"),
      (
        "@include common-auth\nsession requisite pam_deny.so\nsession required pam_permit.so\n", "is refused by login:2"
      ),
      ("@include common-auth\nsession required pam_listfile.so\n", "may be refused by login:2"),
      ("auth required pam_exec.so /bin/check\n@include common-auth\n", "may be refused by login:1"),
      ("auth required pam_exec.so expose_authtok /bin/check\n@include common-auth\n", "may be refused by login:1"),
      ("@include common-auth\nsession required pam_exec.so /bin/check\n", "may be refused by login:2"),
      ("auth required pam_rhosts.so\n@include common-auth\n", "may be refused by login:1"),
      ("auth requisite pam_userdb.so db=/etc/users\n@include common-auth\n", "may be refused by login:1"),
      ("auth required pam_timestamp.so\n@include common-auth\n", "may be refused by login:1"),
      ("auth required pam_issue.so\n@include common-auth\n", "may be refused by login:1"),
      ("auth required pam_ftp.so\n@include common-auth\n", "may be refused by login:1"),
      ("auth [success=ok default=die] pam_corp.so\n@include common-auth\n", "may be refused by login:1"),
      ("@include common-auth\nauth required pam_u2f.so\n", "may be refused by login:2"),
      // These lines have no effect for this stage.
      ("auth required pam_motd.so\n@include common-auth\n", "may be refused by login:1"),
      ("@include common-auth\nsession required pam_shells.so\n", "may be refused by login:2"),
      ("auth required pam_unix.so use_first_pass\n", "is refused by login:1"),
      ("@include common-auth\nsession required pam_debug.so open_session=session_err\n", "may be refused by login:2"),
      ("@include common-auth\nsession required pam_loginuid.so require_auditd\n", "may be refused by login:2"),
      ("@include common-auth\nsession required pam_tty_audit.so enable=*\n", "may be refused by login:2"),
      ("@include common-auth\nsession required pam_systemd.so\n", "may be refused by login:2"),
      ("@include common-auth\nsession [success=ok default=bad] pam_corp.so\n", "may be refused by login:2"),
    ])
  func `a member of uaf-rescue whom the console refuses, or might refuse, is not named as a way in`(
    login: String, told: String
  ) {
    withConditions()
    stacks.write("login", login + Self.account)
    let said = refusal("sudo")
    #expect(said.contains("alice of uaf-rescue \(told)") && said.contains("hint: put another administrator"))
  }

  @Test(
    arguments: [
      "auth requisite pam_succeed_if.so uid >= 1000\n@include common-auth\n",
      "auth required pam_succeed_if.so user in bob:alice quiet\n@include common-auth\n",
      "auth [success=ok user_unknown=ignore default=die] pam_securetty.so\n@include common-auth\n",
      "auth required pam_shells.so\n@include common-auth\n", "auth optional pam_access.so\n@include common-auth\n",
      "auth [success=1 default=ignore] pam_localuser.so\nauth [success=2 default=die] pam_sss.so\n@include common-auth\n",
      "auth [default=1 success=ok] pam_usertype.so isregular\nauth optional pam_access.so\n@include common-auth\n",
      "@include common-auth\nsession optional pam_deny.so\nsession required pam_permit.so\n",
      "@include common-auth\nsession [success=ok module_unknown=ignore default=bad] pam_selinux.so close\n",
      "@include common-auth\nsession [default=1] pam_permit.so\nsession requisite pam_deny.so\nsession required pam_permit.so\n",
      "auth optional pam_exec.so /bin/check\n@include common-auth\nsession optional pam_exec.so /bin/check\n"
        + "session required pam_permit.so\n",
      "auth sufficient pam_u2f.so\n@include common-auth\nauth optional pam_cap.so\n",
      "auth required pam_unix.so\nauth required pam_unix.so use_first_pass\n",
      // The lines of the login service in Debian.
      "auth optional pam_faildelay.so delay=3000000\nauth requisite pam_nologin.so\n@include common-auth\nauth optional pam_group.so\n"
        + "session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close\nsession required pam_loginuid.so\n"
        + "session optional pam_motd.so noupdate\nsession required pam_env.so readenv=1\nsession required pam_limits.so\n"
        + "session optional pam_lastlog.so\nsession optional pam_mail.so standard\nsession optional pam_keyinit.so force revoke\n"
        + "session required pam_unix.so\nsession optional pam_systemd.so\n",
      "auth required pam_env.so\nauth required pam_faildelay.so\nauth sufficient pam_unix.so\nauth required pam_deny.so\n"
        + "session required pam_umask.so\nsession optional pam_tty_audit.so\n",
    ])
  func `a member of uaf-rescue whom the console lets in is named as a way in`(login: String) {
    withConditions()
    stacks.write("login", login + Self.account)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.output.hasPrefix("can log in without pam_uaf: alice, "), "\(bench.notes)")
  }

  @Test(arguments: [
    ("auth required pam_faillock.so preauth\n", 3, nil, "may be refused by login:1"),
    ("auth required pam_faillock.so preauth\n", 2, "deny = 2", "may be refused by login:1"),
    ("auth required pam_faillock.so preauth deny=5\n", 5, nil, "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice hard maxlogins 0", "is refused by login:1"),
    ("session required pam_limits.so\n", 0, "@sudo - maxlogins 0", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "* hard maxsyslogins 0", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice HARD MAXLOGINS 0", "is refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice hard maxlogins 00", "is refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice hard maxlogins +0x and more", "is refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice soft maxLogins -0", "is refused by login:1"),
    ("session required pam_limits.so\n", 0, "1000:1000 - maxlogins 0", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "* hard nofile 0", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice hard nofile unlimited", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice hard nproc 1", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "alice - nonewprivs 1", "may be refused by login:1"),
    ("session required pam_limits.so\n", 0, "@sudo - CHROOT /srv", "may be refused by login:1"),
  ])
  func `a member of uaf-rescue whom pam_faillock or pam_limits could refuse is not named as a way in`(
    line: String, wrong: Int, limit: String?, told: String
  ) {
    _ = stacks.folder.module("libexec/pam_faillock.so")
    stacks.write("login", line + "@include common-auth\n" + Self.account)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.passwords.wrong = ["alice": wrong]
    stacks.passwords.limitLines = [limit].compactMap(\.self)
    let said = refusal("sudo")
    #expect(said.contains("alice of uaf-rescue \(told)"), "\(said)")
  }

  @Test(arguments: [
    ("auth required pam_faillock.so preauth deny=5\n", 4, "bob hard maxlogins 0"),
    ("auth required pam_faillock.so preauth\n", 2, "@other - maxlogins 0"),
    ("auth required pam_faillock.so preauth\n", 4, "deny=5"),
    ("session required pam_limits.so\n", 0, "alice hard maxlogins 4"),
    ("session required pam_limits.so\n", 0, "* hard nofile 1048576"),
    ("session required pam_limits.so\n", 0, "ALICE hard maxlogins 0"),
    ("session required pam_limits.so\n", 0, "alice hard maxlogins none"),
    ("session required pam_limits.so\n", 0, "alice hard maxlogins -1"),
    ("session required pam_limits.so\n", 0, "* hard core 0"),
    ("session required pam_limits.so\n", 0, "alice - nonewprivs 0"),
    ("session optional pam_limits.so\nsession required pam_permit.so\n", 0, "alice hard maxlogins 0"),
    // With deny = 0 it counts failures, but never locks.
    ("auth required pam_faillock.so preauth\n", 9, "deny = 0"),
    ("auth required pam_faillock.so preauth deny=0\n", 9, "x"),
  ])
  func `a member of uaf-rescue whom neither pam_faillock nor pam_limits refuses is named as a way in`(
    line: String, wrong: Int, limit: String
  ) {
    _ = stacks.folder.module("libexec/pam_faillock.so")
    stacks.write("login", line + "@include common-auth\n" + Self.account)
    stacks.passwords.wrong = ["alice": wrong]
    stacks.passwords.limitLines = [limit]
    #expect(stacks.run("enable", "sudo").output.hasPrefix("can log in without pam_uaf: alice, "))
  }

  @Test
  func `without limits.conf pam_limits refuses even root, and a person's line without limits exempts that person`() {
    stacks.write("login", "session required pam_limits.so\n@include common-auth\n" + Self.account)
    stacks.passwords.limitLines = ["* - maxlogins 0", "alice -"]
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.passwords.hasLimits = false
    #expect(refusal("sudo").contains("alice of uaf-rescue is refused by login:1"))
    stacks.passwords.groups = ["uaf-rescue": ["root"]]
    stacks.passwords.states["root"] = .usable
    #expect(refusal("sudo").contains("root of uaf-rescue is refused by login:1"))
  }

  @Test(arguments: ["root hard maxlogins 0", "* hard maxlogins 0", "root - maxsyslogins 0", "* hard nofile 0"])
  func `pam_limits never limits the number of root's sessions`(limit: String) {
    stacks.passwords.groups = ["uaf-rescue": ["root"]]
    stacks.passwords.states["root"] = .usable
    stacks.write("login", "session required pam_limits.so\n@include common-auth\n" + Self.account)
    stacks.passwords.limitLines = [limit]
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: root, "))
    stacks.passwords.limitLines = ["root hard nofile 0"]
    #expect(refusal("sudo").contains("root of uaf-rescue may be refused by login:1"))
  }

  @Test(arguments: [
    (["* - nproc 0", "@sudo -"], true), (["* hard nproc 0", "alice - nproc 4096"], true),
    (["alice - nproc 4096", "* - nproc 0"], true), (["* hard nproc 0", "@sudo hard nproc 4096"], true),
    (["alice hard nproc 0", "alice hard nproc 4096"], true), (["* hard nproc 0", "* - nproc 4096"], true),
    (["* - nproc 0", "%sudo -"], true), (["* hard nproc 0", "alice -"], true),
    (["* - nproc 0", "@other -"], false), (["* -", "* - nproc 0"], false),
    (["alice hard nproc 0", "@sudo - nproc 4096"], false),
    (["alice hard nproc 4096", "alice hard nproc 0"], false), (["* hard nproc 0", "alice soft nproc 4096"], false),
    (["* hard nproc 0", "@other - nproc 4096"], false), (["@sudo hard nproc 0", "* - nproc 4096"], false),
    (["* hard nproc 0", "alice - nofile 4096"], false), (["* hard nproc 0", "alice - nproc x"], false),
  ])
  func `of several limits, the one that pam_limits uses decides`(limits: [String], isIn: Bool) {
    stacks.write("login", "session required pam_limits.so\n@include common-auth\n" + Self.account)
    stacks.passwords.limitLines = limits
    let run = stacks.run("enable", "sudo", "--dry-run")
    #expect(run.output.contains("can log in without pam_uaf: alice, ") == isIn, "\(limits): \(run.notes)")
  }

  @Test(arguments: [
    ("session required pam_gone.so\n", "pam_gone.so"), ("session required pam_half.so\n", "pam_half.so"),
    ("auth required pam_half.so\n", "pam_half.so"),
    ("auth [success=1 default=ignore] pam_half.so\nauth requisite pam_deny.so\n", "pam_half.so"),
    ("session [success=1 default=ignore] pam_half.so\nsession requisite pam_deny.so\n", "pam_half.so"),
  ])
  func `a module that libpam cannot load is named, with its line and a hint`(line: String, module: String) {
    let half = Array(Folder.module.dropLast(Folder.module.count / 2))
    _ = stacks.folder.file("libexec/pam_half.so", half, mode: 0o644)
    stacks.write("login", line + "@include common-auth\nsession required pam_permit.so\n" + Self.account)
    let said = refusal("sudo")
    #expect(
      said.contains("login:1") && said.contains("libpam cannot load") || said.contains("which libpam cannot load"),
      "\(said)")
    #expect(said.contains(module) && said.contains("hint: reinstall the package that has \(module)"), "\(said)")
  }

  @Test func `a member of uaf-rescue is not named if pam_env cannot read its file, and the line is`() {
    withConditions()
    stacks.write("login", "@include common-auth\nsession required pam_env.so readenv=1\n" + Self.account + Self.session)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.passwords.texts["/etc/security/pam_env.conf"] = "# mine\nA DEFAULT=${HOME\n"
    let said = refusal("sudo")
    #expect(
      said.contains("alice of uaf-rescue is refused by login:2, which cannot read /etc/security/pam_env.conf:2"),
      "\(said)")
    #expect(said.contains("hint: correct /etc/security/pam_env.conf:2"))
    stacks.write("login", "@include common-auth\nsession optional pam_env.so\n" + Self.account + Self.session)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    let own = "session required pam_env.so conffile=/etc/own user_readenv=1\n"
    stacks.write("login", "@include common-auth\n" + own + Self.account + Self.session)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.passwords.texts["/home/alice/.pam_environment"] = "A DEFAULT=@{X\n"
    #expect(refusal("sudo").contains("cannot read /home/alice/.pam_environment:1"))
  }

  private static let session = "session required pam_permit.so\n"

  @Test(arguments: [
    "account required pam_succeed_if.so tty = tty1\n", "account requisite pam_succeed_if.so ruser = root\n",
    "account required pam_succeed_if.so rhost = x\n", "account required pam_succeed_if.so quiet service != login\n",
    "account required pam_succeed_if.so use_uid uid = 0\n",
    "account [success=1 default=ignore] pam_succeed_if.so tty = tty1\naccount requisite pam_deny.so\n",
  ])
  func `account lines about the call are not certain to let anybody in`(lines: String) {
    stacks.write("login", "@include common-auth\n" + lines + Self.account + Self.session)
    let said = refusal("sudo")
    #expect(said.contains("alice of uaf-rescue may be refused by login:2"), "\(said)")
  }

  @Test(arguments: [
    "account required pam_succeed_if.so uid >= 1000\n", "account optional pam_succeed_if.so tty = tty1\n",
    "account [default=ignore] pam_succeed_if.so ruser = root\n",
    "account [success=1 default=ignore] pam_succeed_if.so uid >= 1000\naccount requisite pam_deny.so\n",
  ])
  func `account lines about the person, or without effect, keep nobody out`(lines: String) {
    stacks.write("login", "@include common-auth\n" + lines + Self.account + Self.session)
    #expect(stacks.run("enable", "sudo").output.contains("can log in without pam_uaf: alice, "))
  }

  @Test func `a person who must change the password is not named if it cannot be stored`() {
    stacks.write("login", "@include common-auth\n# console\npassword required pam_unix.so\n" + Self.account)
    stacks.tester.accountCodes = [("# console", 12)]
    for path in ["/etc/nshadow", "/etc/shadow"] {
      stacks.passwords.unwritable = [path]
      let said = refusal("sudo")
      #expect(
        said.contains("alice of uaf-rescue has to change the password at a login, and /etc/shadow cannot be written"))
      #expect(said.contains("hint: mount -o remount,rw"), "\(said)")
    }
    // A directory stores it.
    stacks.passwords.local = ["root"]
    #expect(stacks.run("enable", "sudo").output.contains("can log in without pam_uaf: alice, "))
  }

  @Test func `sudo opens a session of root, and not of the caller`() {
    stacks.passwords.limitLines = ["alice hard maxlogins 0"]
    let lines = "session required pam_succeed_if.so user != alice\nsession required pam_limits.so\n"
    stacks.write("sudo", lines + Stacks.sudo)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.write("sudo", "session required pam_succeed_if.so user != root\n" + Stacks.sudo)
    #expect(refusal("sudo").contains("alice of uaf-rescue is refused by sudo:1"))
  }

  @Test(arguments: ["login", "sudo"])
  func `a service without session lines is refused if 'other' has none either, and the hint says what to write`(
    service: String
  ) {
    stacks.folder.delete("vendor/other")
    for name in ["login", "sudo"] {
      let session = name == service ? "" : "session required pam_permit.so\n"
      stacks.write(name, "@include common-auth\n@include common-account\n" + session)
    }
    let told = "alice of uaf-rescue is refused by \(service): neither it nor 'other' has session lines"
    let said = refusal("sudo")
    #expect(
      said.contains(told) && said.contains("hint: write '@include common-session', or other session lines, into "),
      "\(said)")
    stacks.write("other", "auth required pam_deny.so\nsession required pam_deny.so\n")
    if service == "login" { #expect(refusal("sudo").contains("alice of uaf-rescue is refused by other:2")) }
    stacks.write("other", "session required pam_permit.so\n")
    #expect(stacks.run("enable", "sudo").output.hasPrefix("can log in without pam_uaf: alice, "))
  }

  @Test
  func
    `a service is refused if both it and 'other' lack account lines, or lack password lines when the password has expired`()
  {
    stacks.folder.delete("vendor/other")
    stacks.tester.accountCodesOfPeople = ["alice": 6]
    #expect(
      refusal("sudo").contains("alice of uaf-rescue is refused by login: neither it nor 'other' has account lines"))
    stacks.tester.accountCodesOfPeople = ["alice": 12]
    #expect(
      refusal("sudo").contains("alice of uaf-rescue is refused by login: neither it nor 'other' has password lines"))
  }

  @Test(arguments: [
    "session required pam_deny.so\n", "session requisite pam_deny.so\nsession required pam_permit.so\n",
    "session required pam_permit.so\nsession required pam_deny.so\n",
  ])
  func `sudo continues if its session lines return session_err, and login does not`(lines: String) {
    stacks.write("sudo", "@include common-auth\n@include common-account\n" + lines)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.write("login", "@include common-auth\n@include common-account\n" + lines)
    #expect(refusal("sudo").contains("alice of uaf-rescue is refused by login:"))
  }

  @Test(arguments: [
    ("session [success=ok default=ignore] pam_deny.so\n", "is refused by sudo:3"),
    ("session [default=5] pam_deny.so\n", "is refused by sudo:3"),
    ("session required pam_gone.so\nsession required pam_deny.so\n", "is refused by sudo:3"),
    ("session required pam_exec.so /bin/check\n", "may be refused by sudo:3"),
  ])
  func `sudo refuses if its session lines return any other error`(lines: String, told: String) {
    withConditions()
    stacks.write("sudo", "@include common-auth\n@include common-account\n" + lines)
    #expect(refusal("sudo").contains("alice of uaf-rescue \(told)"))
  }

  @Test func `pam_mkhomedir lets in everybody whose home directory exists`() {
    withConditions()
    stacks.write("login", "@include common-auth\nsession required pam_mkhomedir.so umask=0077\n" + Self.account)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.passwords.homeless = ["alice"]
    #expect(refusal("sudo").contains("alice of uaf-rescue may be refused by login:2"))
    stacks.passwords.homeless = ["root"]
    stacks.write("sudo", "@include common-auth\n@include common-account\nsession required pam_mkhomedir.so\n")
    #expect(refusal("sudo").contains("alice of uaf-rescue may be refused by sudo:3"))
  }

  @Test func `pam_namespace lets everybody in if nothing is configured for it`() {
    withConditions()
    stacks.write("login", "@include common-auth\nsession required pam_namespace.so\n" + Self.account)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: alice, "))
    stacks.passwords.limitLines = ["/tmp /tmp-inst/ level root,adm"]
    #expect(refusal("sudo").contains("alice of uaf-rescue may be refused by login:2"))
    stacks.passwords.hasLimits = false
    #expect(refusal("sudo").contains("alice of uaf-rescue may be refused by login:2"), "it refuses without its file")
  }

  @Test(arguments: ["login", "sudo"])
  func `if nologin keeps people out, the hint is to remove its file`(service: String) {
    for group in ["auth", "account"] {
      let line = "\(group) required pam_nologin.so\n"
      stacks.write("login", "@include common-auth\n" + (service == "login" ? line : "") + Self.account)
      stacks.write("sudo", (service == "sudo" ? line : "") + Stacks.sudo)
      stacks.passwords.files = ["/etc/nologin"]
      stacks.tester.accountCodes = group == "account" ? [(text: line, code: CInt(7))] : []
      let said = refusal("sudo")
      #expect(said.contains("alice of uaf-rescue is kept out by /etc/nologin, which \(service):"), "\(said)")
      #expect(said.contains("hint: rm /etc/nologin"), "\(said)")
    }
  }

  @Test func `a person with an expired password is named as a way in if the console has lines to change it`() {
    stacks.write("login", "@include common-auth\n# console\npassword required pam_deny.so\n" + Self.account)
    stacks.tester.accountCodes = [("# console", 12)]
    #expect(refusal("sudo").contains("alice of uaf-rescue is refused by login:3"))
    stacks.write("login", "@include common-auth\n# console\npassword required pam_corp.so\n" + Self.account)
    withConditions()
    #expect(refusal("sudo").contains("alice of uaf-rescue may be refused by login:3"))
    stacks.write("login", "@include common-auth\n# console\npassword required pam_unix.so\n" + Self.account)
    #expect(stacks.run("enable", "sudo").output.hasPrefix("can log in without pam_uaf: alice, "))
  }

  @Test func `pam_faillock locks root only if its configuration says so`() {
    _ = stacks.folder.module("libexec/pam_faillock.so")
    stacks.passwords.groups = ["uaf-rescue": ["root"]]
    stacks.passwords.states["root"] = .usable
    stacks.passwords.wrong = ["root": 9]
    stacks.write("login", "auth required pam_faillock.so preauth\n@include common-auth\n" + Self.account)
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: root, "))
    stacks.passwords.limitLines = ["even_deny_root"]
    #expect(refusal("sudo").contains("root of uaf-rescue may be refused by login:1"))
  }

  @Test(arguments: ["pam_access.so", "pam_time.so", "pam_listfile.so item=tty sense=allow file=/etc/ttys"])
  func `a member of uaf-rescue is named as a way in although account lines depend on the terminal or the hour`(
    line: String
  ) {
    stacks.write("login", "@include common-auth\naccount required \(line)\n" + Self.account)
    let output = stacks.text(stacks.run("enable", "sudo"))
    #expect(output.hasPrefix("can log in without pam_uaf: alice, "))
    #expect(output.contains("; not tried: what login:2 returns for another terminal or hour (their shell"), "\(output)")
  }

  @Test func `if sudo refuses one member of uaf-rescue and not another, the other is named as a way in`() {
    stacks.write("sudo", "auth required pam_succeed_if.so user != alice\n" + Stacks.sudo)
    #expect(refusal("sudo").contains("alice of uaf-rescue is refused by sudo:1"))
    stacks.passwords.groups = ["uaf-rescue": ["alice", "bob"], "sudo": ["alice", "bob"]]
    stacks.passwords.states["bob"] = .usable
    #expect(stacks.run("enable", "sudo").output.hasPrefix("can log in without pam_uaf: bob, "))
  }

  @Test(arguments: ["login", "sudo"])
  func `a member of uaf-rescue whom account lines refuse is not named as a way in`(service: String) {
    stacks.write("login", "@include common-auth\n# console\n" + Self.account)
    let mark = service == "login" ? "# console" : "pam_limits.so"
    stacks.tester.accountCodes = [(mark, 6)]
    #expect(refusal("sudo").contains("alice of uaf-rescue is refused by the account lines of \(service) (6)"))
    stacks.write("login", "@include common-auth\n# console\naccount required pam_access.so\n" + Self.account)
    if service == "login" { #expect(refusal("sudo").contains("alice of uaf-rescue is refused by login:3")) }
    stacks.tester.accountCodes = [(mark, 12)]
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test(arguments: [
    ("auth requisite pam_nologin.so\n", "/etc/nologin"), ("auth requisite pam_nologin.so\n", "/var/run/nologin"),
    ("auth required pam_nologin.so file=/srv/closed\n", "/srv/closed"),
  ])
  func `if nologin keeps everybody but root from the console, only root is named as a way in`(
    line: String, file: String
  ) {
    stacks.write("login", line + "@include common-auth\n" + Self.account)
    stacks.passwords.files = [file]
    #expect(refusal("sudo").contains("alice of uaf-rescue is kept out by \(file), which login:1 looks at"))
    stacks.passwords.groups["uaf-rescue"] = ["alice", "root"]
    stacks.passwords.states["root"] = .usable
    #expect(stacks.run("enable", "sudo", "--dry-run").output.contains("can log in without pam_uaf: root, "))
    stacks.passwords.files = ["/nologin"]
    #expect(stacks.run("enable", "sudo").output.hasPrefix("can log in without pam_uaf: alice, "))
  }

  @Test(arguments: ["/usr/sbin/nologin", "/bin/false", "/nonexistent/bash", "/etc/passwd", "/tmp"])
  func `a member of uaf-rescue whose shell gives no session is not named as a way in`(shell: String) {
    stacks.passwords.shells = ["alice": shell, "root": shell]
    stacks.passwords.states["root"] = .usable
    let said = refusal("sudo")
    #expect(
      said.contains("alice of uaf-rescue has \(shell) for a shell") && said.contains("; root has \(shell) for a shell"))
  }

  @Test(
    arguments: [
      ("auth requisite pam_succeed_if.so uid >= 1000\n@include common-auth\n", "root is refused by login:1"),
      (
        "auth required pam_succeed_if.so user != root quiet_success\n@include common-auth\n",
        "root is refused by login:1"
      ),
      (
        "auth [success=ok user_unknown=ignore default=die] pam_securetty.so\n@include common-auth\n",
        "root may be refused by login:1"
      ),
      ("@include common-auth\nsession required pam_deny.so\n", "root is refused by login:2"),
    ])
  func `root is not named as a way in if the console refuses root`(login: String, told: String) {
    withConditions()
    stacks.passwords.groups = [:]
    stacks.passwords.states["root"] = .usable
    stacks.write("login", login + Self.account)
    #expect(refusal("sudo").contains(told))
  }

  @Test func `root's console is no way in if the console itself asks pam_uaf`() {
    stacks.passwords.groups = [:]
    stacks.passwords.states["root"] = .usable
    #expect(refusal("login").contains("the console (login) asks pam_uaf as well"))
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.folder.delete("pam.d/login")
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(refusal("sudo").contains("the console (login) asks pam_uaf as well, or is not there"))
  }
}
