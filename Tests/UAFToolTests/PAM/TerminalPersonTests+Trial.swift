import Testing
import ToolTestSupport

@testable import UAFTool

/// A person at the terminal tries a new stack with libpam itself.
extension TerminalPersonTests {
  /// Enables sudo with a module that accepts only "right" from a terminal, and account lines with this result.
  private func enable(
    _ stacks: Stacks, typing text: String, account: String = "account required pam_permit.so\n"
  ) throws -> (bench: Bench, shown: String) {
    let script = stacks.folder.program("check", "#!/bin/sh\n[ \"$(tr -d '\\000')\" = right ]\n")
    try stacks.useLibpam("auth required pam_uaf.so expose_authtok quiet \(script)\n", standIn: "pam_exec.so")
    stacks.write("sudo", "@include common-auth\n" + account)
    let terminal = Terminal()
    let shown = Box("")
    let typist = Typist {
      shown.value = terminal.expect("Password: ")
      terminal.type(Array(text.utf8))
    }
    let bench = Bench(
      ["pam", "enable", "sudo", "--try", "root", "--pam-directory", stacks.machine.pam], as: 0, core: FakeCore([]),
      terminal: terminal.program, installation: stacks.machine.installation)
    typist.join()
    return (bench, shown.value + terminal.rest())
  }

  @Test func `a right entry at the terminal installs the new stack, and is not shown`() throws {
    let stacks = Stacks()
    let (bench, shown) = try enable(stacks, typing: "right\r")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(stacks.read("sudo")?.contains("@include uaf-sudo\n") == true)
    #expect(shown.contains("Password: ") && !shown.contains("right") && !bench.output.contains("right"))
  }

  @Test(arguments: ["acct=perm_denied", "acct=new_authtok_reqd", "acct=success"])
  func `a trial succeeds although the account lines refused the person before, or demand a new passcode`(
    argument: String
  ) throws {
    let stacks = Stacks()
    let (bench, _) = try enable(stacks, typing: "right\r", account: "account required pam_debug.so \(argument)\n")
    #expect(bench.exit == .success, "\(bench.notes)")
  }

  @Test(arguments: ["wrong\r", "\r", "\u{3}", "\u{4}"])
  func `a wrong entry at the terminal, or none, changes nothing`(text: String) throws {
    let stacks = Stacks()
    let (bench, _) = try enable(stacks, typing: text)
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("it did not let you in: "))
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }
}
