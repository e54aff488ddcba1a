import Testing

@testable import UAFTool

/// Arguments that are not names of commands.
@Suite struct UnknownCommandTests {
  @Test(arguments: [
    (["statsu"], "uafctl: no such command: statsu\nhint: did you mean 'uafctl status'?\n"),
    (["enable", "sudo"], "uafctl: no such command: enable\nhint: did you mean 'uafctl pam enable'?\n"),
    (["pam", "disabel", "sudo"], "uafctl: no such command: pam disabel\nhint: did you mean 'uafctl pam disable'?\n"),
    (["nosuch"], "uafctl: no such command: nosuch\nhint: 'uafctl help' lists the commands\n"),
    (["help", "nosuch"], "uafctl: no such command: nosuch\nhint: 'uafctl help' lists the commands\n"),
    (["help", "pam", "nosuch"], "uafctl: no such command: pam nosuch\nhint: 'uafctl help pam' lists the commands\n"),
    (["--conf", "x", "help", "unlok"], "uafctl: no such command: unlok\nhint: did you mean 'uafctl unlock'?\n"),
  ])
  func `refuses a command that does not exist, and suggests a similar one`(arguments: [String], told: String) {
    let bench = Bench(arguments)
    #expect(bench.exit == .usage)
    #expect(bench.output == "" && bench.notes == told)
  }

  @Test func `pam disable refuses a service that does not exist`() {
    let stacks = Stacks()
    let bench = stacks.run("disable", "nosuch")
    #expect(bench.exit == .usage)
    #expect(stacks.text(bench).hasPrefix("uafctl: there is no service nosuch in "))
  }

  @Test func `pam disable has nothing to do for a service that does not ask pam_uaf`() {
    let bench = Stacks().run("disable", "sudo")
    #expect(bench.exit == .success && bench.notes == "" && bench.output == "")
  }
}
