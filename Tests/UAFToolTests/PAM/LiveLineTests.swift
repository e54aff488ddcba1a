import Testing
import ToolTestSupport

@testable import PAMStacks
@testable import UAFTool

/// PAM lines that have an effect in libpam although they look as if they had none.
@Suite struct LiveLineTests {
  private let stacks = Stacks()

  @Test(arguments: ["# console\r\n", "# see wiki \\\n", "# \0\n", "#\(String(repeating: "x", count: 1022))"])
  func `root's password is no way in at a console that asks pam_uaf after all`(before: String) {
    stacks.passwords.groups = [:]
    stacks.passwords.states["root"] = .usable
    stacks.write("login", "\(before)auth required pam_uaf.so\n@include common-auth\n")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("the console (login) asks pam_uaf as well"))
  }

  @Test func `root's password is no way in at a console that libpam cannot use`() {
    stacks.passwords.groups = [:]
    stacks.passwords.states["root"] = .usable
    for text in ["auth required\n@include common-auth\n", "@include nothing\n@include common-auth\n"] {
      stacks.write("login", text)
      #expect(stacks.run("enable", "sudo").exit == .refused)
    }
  }

  @Test(arguments: ["# see wiki \\\n", "# ops\r\n", "\\\n"])
  func `a service that still asks pam_uaf is listed, and makes disable --all fail`(before: String) {
    stacks.write("doas", "\(before)auth required pam_uaf.so\n")
    #expect(
      stacks.text(stacks.run("status")) == "doas: by hand\nservices that do not ask for the passcode: login, sudo\n")
    let bench = stacks.run("disable", "--all")
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("/doas still asks pam_uaf"))
  }

  @Test(arguments: [
    "# ops\r\n@include uaf-sudo\n", "# ops \\\n@include uaf-sudo\n", "@Include \\\n uaf-sudo\n",
    "-@include uaf-sudo x\n",
    "@include FOLDER/uaf-sudo\n", "@include FOLDER//./uaf-sudo\n", "auth [include] uaf-sudo\n",
  ])
  func `disable keeps a stack that another service includes`(text: String) {
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.write("doas", text.replacing("FOLDER", with: stacks.machine.pam))
    #expect(stacks.text(stacks.run("status")).contains("doas: by hand\n"))
    #expect(stacks.run("disable", "--all").exit == .refused)
    #expect(stacks.names.contains("uaf-sudo"))
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `disable replaces a line that continues over several rows as a whole`() {
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.write("sudo", Stacks.sudo.replacing("@include common-auth", with: "@include \\\n  uaf-sudo"))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test(arguments: ["bak", "orig", "old", "dpkg-new", "dpkg-old", "ucf-dist"])
  func `a copy of a service's file prevents nothing, unless a service includes it`(ending: String) {
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.write("sudo." + ending, stacks.read("sudo") ?? "")
    stacks.write("sudo~", stacks.read("sudo") ?? "")
    #expect(stacks.run("disable", "--all").exit == .success)
    stacks.write("sudo." + ending, "auth required pam_uaf.so\n")
    #expect(stacks.run("disable", "--all").exit == .success)
    stacks.write("doas", "@include sudo.\(ending)\n")
    #expect(stacks.run("disable", "--all").exit == .refused)
  }

  @Test func `finds an include as deep as libpam follows it`() {
    for depth in 0..<15 { stacks.write("d\(depth)", "auth include d\(depth + 1)\n") }
    stacks.write("d15", "auth required pam_uaf.so\n")
    let reader = PAMDirectory(path: stacks.machine.pam)
    #expect(reader.authentication(of: "d0").contains { $0.asksOwnModule })
    #expect(reader.authentication(of: "d15").count == 1)
  }
}
