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

  @Test func `disable restores the service's line, and leaves nothing behind`() {
    enabled("sudo")
    let bench = stacks.run("disable", "sudo")
    #expect(bench.exit == .success)
    #expect(stacks.text(bench) == "sudo: '@include common-auth' again\nuaf-sudo: removed\n")
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `disabling a service a second time has nothing to do`() {
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

  @Test func `disable keeps edits that were made to the service since it was enabled`() {
    enabled("sudo")
    stacks.write("sudo", "auth optional pam_echo.so\n" + (stacks.read("sudo") ?? "") + "# mine\n")
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == "auth optional pam_echo.so\n" + Stacks.sudo + "# mine\n")
  }

  @Test func `disable keeps an edited stack under a hidden name`() {
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
  func `if the head of the stack is missing, disable restores the line from the backup`(stack: String) {
    enabled("sudo")
    stacks.write("uaf-sudo", stack)
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.read(".uaf-sudo.saved") == stack)
  }

  @Test func `if the stack is missing, disable restores the line from the backup too`() {
    enabled("sudo")
    stacks.folder.delete("pam.d/uaf-sudo")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `disable completes an interrupted run that had already restored the line`() {
    enabled("sudo", "sshd")
    stacks.write("sudo", Stacks.sudo)
    stacks.write("sshd", Stacks.sudo)
    #expect(stacks.run("disable", "sudo").exit == .success)
    stacks.folder.delete("pam.d/uaf-sshd")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sshd", "sudo"])
  }

  @Test func `a run of disable that was interrupted before it changed the line leaves the service as it was`() {
    enabled("sudo")
    stacks.write("sudo", Stacks.sudo)
    stacks.folder.delete("pam.d/.sudo.before-uaf")
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `disable --all disables every service`() {
    enabled("sudo", "sudo-i", "sshd", "login", "swaylock")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sshd", "sudo", "sudo-i", "swaylock"])
    for name in ["sudo", "sudo-i", "sshd", "login", "swaylock"] { #expect(stacks.read(name) == Stacks.sudo) }
  }

  @Test func `disable --all handles a removed service, and one whose package has restored its file`() {
    enabled("sudo", "swaylock")
    stacks.folder.delete("pam.d/swaylock")
    stacks.write("sudo", Stacks.sudo)
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(!stacks.names.contains { $0.hasPrefix("uaf-") })
  }

  @Test func `if enable or disable fails in the middle, the service has a complete stack or its old line`() {
    // A folder in place of the backup makes the run fail after the stack was written, which is then removed again.
    _ = stacks.folder.folder("pam.d/.sudo.before-uaf", mode: 0o755)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains(".sudo.before-uaf: Is a directory"), "\(bench.notes)")
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.read("uaf-sudo") == nil)
    #expect(!stacks.names.contains { $0.hasSuffix(".uaf-new") })
    stacks.folder.delete("pam.d/.sudo.before-uaf")
    // A folder in place of the kept copy of an edited stack makes the run fail after the service no longer includes the stack.
    enabled("sudo")
    stacks.write("uaf-sudo", (stacks.read("uaf-sudo") ?? "") + "# mine\n")
    _ = stacks.folder.folder("pam.d/.uaf-sudo.saved", mode: 0o755)
    #expect(stacks.run("disable", "sudo").exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
    stacks.folder.delete("pam.d/.uaf-sudo.saved")
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == [".uaf-sudo.saved", "common-auth", "login", "sudo"])
  }

  // MARK: Refusals of disable

  @Test func `hand-written pam_uaf lines stay, are named, and make disable fail`() {
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

  @Test func `a stack that a hand-written line includes stays, and makes disable fail`() {
    enabled("sudo")
    stacks.write("mine", "@include uaf-sudo\n")
    let bench = stacks.run("disable", "--all")
    #expect(bench.exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.text(bench).contains("uaf-sudo: stays, because mine includes it by hand\n"))
    #expect(bench.notes.contains("/mine still asks pam_uaf\n"))
    #expect(stacks.read("uaf-sudo") != nil)
  }

  @Test func `disable --all decides about each service by itself`() {
    enabled("sudo", "sshd")
    #expect(stacks.run("disable", "sudo").exit == .success)
    stacks.write("sudo", "auth required pam_uaf.so\n")
    #expect(stacks.run("disable", "sudo").exit == .refused)
  }

  @Test func `disable refuses to guess which line a stack has replaced`() {
    stacks.write("sudo", "@include uaf-sudo\n")
    let bench = stacks.run("disable", "sudo")
    #expect(bench.exit == .refused)
    #expect(stacks.text(bench).hasPrefix("uafctl: sudo: there is no record of the line that was there before\n"))
    #expect(stacks.read("sudo") == "@include uaf-sudo\n")
  }

  @Test(arguments: ["@include uaf-sudo", "auth required pam_permit.so", "@include /etc/shadow"])
  func `disable ignores a stack's head that would restore anything but the line of a password stack`(line: String) {
    enabled("sudo")
    let stack = stacks.read("uaf-sudo") ?? ""
    stacks.write("uaf-sudo", stack.replacing("replaces @include common-auth", with: "replaces " + line))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `disable ignores the head of another service's stack`() {
    enabled("sudo")
    stacks.write("uaf-sshd", stacks.read("uaf-sudo") ?? "")
    stacks.write("sshd", "@include uaf-sshd\n")
    let bench = stacks.run("disable", "sshd")
    #expect(bench.exit == .refused)
    #expect(stacks.read("sshd") == "@include uaf-sshd\n")
  }

  @Test func `if disable --all fails for one service, it still disables the others`() {
    enabled("sudo", "sshd")
    stacks.folder.setMode(0o666, of: "pam.d/sshd")
    #expect(stacks.run("disable", "--all").exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `files that pam-uaf did not write do not disturb disable, whatever they are`() {
    enabled("sudo")
    stacks.folder.link("pam.d/linked", to: "login")
    stacks.folder.link("pam.d/dangling", to: "/nonexistent/x")
    _ = stacks.folder.folder("pam.d/folder", mode: 0o755)
    stacks.write("open", "auth required pam_unix.so\n", mode: 0o666)
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `refuses to disable without a service, or with a service and --all`() {
    for arguments in [["pam", "disable"], ["pam", "disable", "sudo", "--all"], ["pam", "enable"]] {
      #expect(Bench(arguments, as: 0).exit == .usage)
    }
  }

  // MARK: uafctl pam status

  @Test func `pam status lists the services that ask pam_uaf, and who configured that`() {
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

  @Test func `pam status prints one JSON object for scripts, the same in Korean`() throws {
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

  @Test func `pam status prints a JSON object with an empty list if no service is enabled`() {
    let bench = stacks.run("status", "--json")
    #expect(bench.exit == .success && bench.notes == "")
    #expect(
      bench.output == "{\"version\":\"\(ToolVersion.number)\",\"services\":[],\"otherNames\":[],\"others\":[]}\n")
    let missing = Bench(["pam", "status", "--json", "--pam-directory", "/nonexistent"])
    #expect(missing.exit == .refused && missing.notes == "")
    #expect(missing.output.hasPrefix(#"{"type":"failure","result":1001,"#) && missing.output.contains("/nonexistent"))
  }

  @Test func `pam status says so if no service is enabled`() {
    let bench = stacks.run("status")
    #expect(bench.exit == .success && bench.output == "" && bench.notes.contains("no service in "))
    #expect(Bench(["pam", "status", "--pam-directory", "/nonexistent"]).exit == .refused)
  }
}
