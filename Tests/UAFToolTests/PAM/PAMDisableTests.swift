import Glibc
import Testing
import ToolTestSupport

@testable import Doctor
@testable import UAFTool

@Suite struct PAMDisableTests {
  private let stacks = Stacks()

  private func enabled(_ services: String...) {
    for service in services {
      if service != "sudo" { stacks.write(service, Stacks.sudo) }
      #expect(stacks.run("enable", service).exit == .success)
    }
  }

  @Test func `restores the line, and leaves nothing behind`() {
    enabled("sudo")
    let bench = stacks.run("disable", "sudo")
    #expect(bench.exit == .success)
    #expect(stacks.text(bench) == "sudo: '@include common-auth' again\nuaf-sudo: removed\n")
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `a second run has nothing to do`() {
    enabled("sudo")
    for arguments in [["disable", "sudo"], ["disable", "sudo"], ["disable", "--all"]] {
      let bench = Bench(
        ["pam"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0, core: FakeCore([]),
        installation: stacks.machine.installation)
      #expect(bench.exit == .success)
      #expect(bench.notes == "")
    }
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(Bench(["pam", "disable", "--all", "--pam-directory", "/nonexistent"], as: 0).exit == .success)
  }

  @Test func `edits that were made to the service since it was enabled stay`() {
    enabled("sudo")
    stacks.write("sudo", "auth optional pam_echo.so\n" + (stacks.read("sudo") ?? "") + "# mine\n")
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == "auth optional pam_echo.so\n" + Stacks.sudo + "# mine\n")
  }

  @Test func `a removed stack that was edited is kept under a hidden name`() {
    enabled("sudo")
    let edited = (stacks.read("uaf-sudo") ?? "") + "# mine\n"
    stacks.write("uaf-sudo", edited)
    let bench = stacks.run("disable", "sudo")
    #expect(bench.exit == .success)
    #expect(stacks.text(bench).hasSuffix("uaf-sudo: was edited, and is kept as .uaf-sudo.saved\n"))
    #expect(stacks.names == [".uaf-sudo.saved", "common-auth", "login", "sudo"])
    #expect(stacks.read(".uaf-sudo.saved") == edited)
  }

  @Test(arguments: ["", "# nothing\n", "auth required pam_uaf.so\n", "# pam-uaf: service sudo\n# pam-uaf: x\n"])
  func `if the head of the stack is gone, the backup says what was in the service`(stack: String) {
    enabled("sudo")
    stacks.write("uaf-sudo", stack)
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.read(".uaf-sudo.saved") == stack)
  }

  @Test func `if the stack itself is gone, the backup says what was in the service, too`() {
    enabled("sudo")
    stacks.folder.delete("pam.d/uaf-sudo")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `an interrupted run is completed if the line was already restored`() {
    enabled("sudo", "sshd")
    stacks.write("sudo", Stacks.sudo)
    stacks.write("sshd", Stacks.sudo)
    #expect(stacks.run("disable", "sudo").exit == .success)
    stacks.folder.delete("pam.d/uaf-sshd")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sshd", "sudo"])
  }

  @Test func `an interruption before the line was changed leaves a service as it was`() {
    enabled("sudo")
    stacks.write("sudo", Stacks.sudo)
    stacks.folder.delete("pam.d/.sudo.before-uaf")
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `--all disables every service`() {
    enabled("sudo", "sudo-i", "sshd", "login", "swaylock")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sshd", "sudo", "sudo-i", "swaylock"])
    for name in ["sudo", "sudo-i", "sshd", "login", "swaylock"] { #expect(stacks.read(name) == Stacks.sudo) }
  }

  @Test func `--all handles a removed service, and one whose package restored its file`() {
    enabled("sudo", "swaylock")
    stacks.folder.delete("pam.d/swaylock")
    stacks.write("sudo", Stacks.sudo)
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(!stacks.names.contains { $0.hasPrefix("uaf-") })
  }

  @Test func `a failure in the middle leaves every service with a complete stack`() {
    // A folder occupies the place of the backup: the stack exists by then, and is removed again.
    _ = stacks.folder.folder("pam.d/.sudo.before-uaf", mode: 0o755)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains(".sudo.before-uaf: Is a directory"), "\(bench.notes)")
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.read("uaf-sudo") == nil)
    #expect(!stacks.names.contains { $0.hasSuffix(".uaf-new") })
    stacks.folder.delete("pam.d/.sudo.before-uaf")
    // The same at the place where an edited stack would be kept: by then the service no longer includes it.
    enabled("sudo")
    stacks.write("uaf-sudo", (stacks.read("uaf-sudo") ?? "") + "# mine\n")
    _ = stacks.folder.folder("pam.d/.uaf-sudo.saved", mode: 0o755)
    #expect(stacks.run("disable", "sudo").exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
    stacks.folder.delete("pam.d/.uaf-sudo.saved")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == [".uaf-sudo.saved", "common-auth", "login", "sudo"])
  }

  // MARK: What is refused

  @Test func `hand-written lines stay, are named, and make the command fail`() {
    enabled("sshd")
    stacks.write("uaf-sudo", "auth required pam_uaf.so\n")
    stacks.write("sudo", "@include uaf-sudo\n")
    stacks.write("other", "auth required pam_uaf.so\n")
    stacks.write("common-auth", "auth sufficient /lib/security/pam_uaf.so\n")
    let bench = stacks.run("disable", "--all")
    #expect(bench.exit == .refused)
    for name in ["sudo", "uaf-sudo", "other", "common-auth"] {
      #expect(bench.notes.contains("uafctl: \(stacks.machine.pam)/\(name) still asks pam_uaf\n"))
    }
    #expect(bench.notes.contains("hint: pam-auth-update takes it out\n"))
    #expect(stacks.read("sudo") == "@include uaf-sudo\n")
    #expect(stacks.read("sshd") == Stacks.sudo)
  }

  @Test func `a stack that somebody else includes by hand stays, and makes the command fail`() {
    enabled("sudo")
    stacks.write("mine", "@include uaf-sudo\n")
    let bench = stacks.run("disable", "--all")
    #expect(bench.exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.text(bench).contains("uaf-sudo: stays, because mine includes it by hand\n"))
    #expect(bench.notes.contains("/mine still asks pam_uaf\n"))
    #expect(stacks.read("uaf-sudo") != nil)
  }

  @Test func `each service is judged without regard to the other services`() {
    enabled("sudo", "sshd")
    #expect(stacks.run("disable", "sudo").exit == .success)
    stacks.write("sudo", "auth required pam_uaf.so\n")
    #expect(stacks.run("disable", "sudo").exit == .refused)
  }

  @Test func `refuses to guess what was there before`() {
    stacks.write("sudo", "@include uaf-sudo\n")
    let bench = stacks.run("disable", "sudo")
    #expect(bench.exit == .refused)
    #expect(stacks.text(bench).hasPrefix("uafctl: sudo: what stood there before is written nowhere\n"))
    #expect(stacks.read("sudo") == "@include uaf-sudo\n")
  }

  @Test(arguments: ["@include uaf-sudo", "auth required pam_permit.so", "@include /etc/shadow"])
  func `a head that would restore anything but a password's stack is ignored`(line: String) {
    enabled("sudo")
    let stack = stacks.read("uaf-sudo") ?? ""
    stacks.write("uaf-sudo", stack.replacing("replaces @include common-auth", with: "replaces " + line))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `the head of a different service's stack is ignored`() {
    enabled("sudo")
    stacks.write("uaf-sshd", stacks.read("uaf-sudo") ?? "")
    stacks.write("sshd", "@include uaf-sshd\n")
    let bench = stacks.run("disable", "sshd")
    #expect(bench.exit == .refused)
    #expect(stacks.read("sshd") == "@include uaf-sshd\n")
  }

  @Test func `a service that fails does not keep the other services from being disabled`() {
    enabled("sudo", "sshd")
    stacks.folder.setMode(0o666, of: "pam.d/sshd")
    #expect(stacks.run("disable", "--all").exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `foreign files do not get in the way, whatever they are`() {
    enabled("sudo")
    stacks.folder.link("pam.d/linked", to: "login")
    stacks.folder.link("pam.d/dangling", to: "/nonexistent/x")
    _ = stacks.folder.folder("pam.d/folder", mode: 0o755)
    stacks.write("open", "auth required pam_unix.so\n", mode: 0o666)
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `refuses to run without a service, or with both a service and --all`() {
    for arguments in [["pam", "disable"], ["pam", "disable", "sudo", "--all"], ["pam", "enable"]] {
      #expect(Bench(arguments, as: 0).exit == .usage)
    }
  }

  // MARK: The list

  @Test func `the list shows which services ask, and who configured that`() {
    enabled("sudo", "sshd", "login")
    stacks.write("uaf-sshd", (stacks.read("uaf-sshd") ?? "") + "# mine\n")
    stacks.write("login", "@include common-auth\n")
    stacks.write("mine", "auth required pam_uaf.so\n")
    stacks.write("common-auth", "auth required pam_uaf.so\n")
    let bench = stacks.run("status", as: 1000)
    #expect(bench.exit == .success)
    #expect(
      bench.output == """
        common-auth: by pam-auth-update, in every service
        mine: by hand
        sshd: instead/sshd, edited
        sudo: fallback/sudo
        uaf-login: not included by its service

        """)
  }

  @Test func `for scripts the list is one object, the same in Korean`() throws {
    enabled("sudo", "sshd", "login")
    stacks.write("uaf-sshd", (stacks.read("uaf-sshd") ?? "") + "# mine\n")
    stacks.write("login", "@include common-auth\n")
    stacks.write("mine", "auth required pam_uaf.so\n")
    stacks.write("sudo-i", Stacks.sudo)
    stacks.write("su", Stacks.sudo)
    let bench = stacks.run("status", "--json", as: 1000)
    #expect(bench.exit == .success && bench.notes == "")
    #expect(
      bench.output == """
        {"version":"\(ToolVersion.number)","services":[{"name":"mine","origin":"byHand"},\
        {"name":"sshd","origin":"enabled","template":"instead/sshd","edited":true},\
        {"name":"sudo","origin":"enabled","template":"fallback/sudo","edited":false},\
        {"name":"uaf-login","origin":"unused"}],"otherNames":[{"name":"sudo-i","asking":"sudo"}],"others":["login","su"]}

        """)
  }

  @Test func `for scripts an empty list names no service`() {
    let bench = stacks.run("status", "--json")
    #expect(bench.exit == .success && bench.notes == "")
    #expect(
      bench.output == "{\"version\":\"\(ToolVersion.number)\",\"services\":[],\"otherNames\":[],\"others\":[]}\n")
    let missing = Bench(["pam", "status", "--json", "--pam-directory", "/nonexistent"])
    #expect(missing.exit == .refused && missing.notes == "")
    #expect(missing.output.hasPrefix(#"{"type":"failure","result":1001,"#) && missing.output.contains("/nonexistent"))
  }

  @Test func `without an enabled service the list is empty`() {
    let bench = stacks.run("status")
    #expect(bench.exit == .success && bench.output == "" && bench.notes.contains("no service in "))
    #expect(Bench(["pam", "status", "--pam-directory", "/nonexistent"]).exit == .refused)
  }
}
