import Glibc
import Testing
import UAFWire

@testable import UAFTool

@Suite struct PeopleCheckTests {
  private let machine = Machine()

  private func state(_ state: Int, of name: String) -> Finished {
    Machine.finished(Machine.document(Machine.authenticator(state: state), name: name))
  }

  private func lines() -> [String] { Machine.lines(machine.doctor(), about: "accounts") }

  @Test func `asks the core about each account that has a file, and no other`() {
    machine.register(1000, state(3006, of: "alice"))
    machine.register(1001, state(3006, of: "bob"))
    _ = machine.folder.file("state/accounts/1000.db-journal", [], mode: 0o600)
    _ = machine.folder.file("state/accounts/.1001.new", [], mode: 0o600)
    let bench = machine.doctor()
    #expect(Machine.lines(bench, about: "accounts") == ["ok   accounts: 2 registered, none locked or damaged"])
    // The first is about the caller.
    #expect(bench.startedOwn.count == 3)
  }

  @Test func `tells root how many are locked, and who`() {
    machine.register(1000, state(3006, of: "alice"))
    machine.register(1001, state(3008, of: "bob"))
    #expect(lines().first?.hasPrefix("warn accounts: 1 of 2 locked: bob (passcode) : ") == true)
    #expect(machine.doctor().exit == .success)
    machine.others[0] = [.finished(state(3008, of: "alice"))]
    #expect(lines().first?.hasPrefix("FAIL accounts: 2 of 2 locked: alice (passcode), bob (passcode) : ") == true)
  }

  @Test func `what is left of a deregistered account is not counted`() {
    machine.register(1000, state(3007, of: "alice"))
    #expect(lines() == ["ok   accounts: 0 registered, none locked or damaged"])
  }

  @Test func `says in the core's own words whose state cannot be used`() {
    var end = Finished(pamCode: 11, result: 3014)
    end.text = "state damaged or edited: the account is locked"
    machine.register(1001, end)
    #expect(lines().first?.hasPrefix("FAIL accounts: bob: state damaged or edited: the account is locked : ") == true)
    #expect(lines().first?.contains("uafctl forget bob") == true)
  }

  @Test func `a core that can answer nobody is no fault of an account, and nobody is told to forget one`() {
    var end = Finished(pamCode: 4, result: 1007)
    end.text = "FIDO cannot be used on this machine."
    machine.register(1001, end)
    #expect(lines().first?.hasPrefix("skip accounts: the core cannot be asked: the core cannot work: ") == true)
    #expect(!machine.doctor().output.contains("forget"))
  }

  @Test func `tells nobody but root`() {
    machine.register(1001, state(3008, of: "bob"))
    let bench = machine.doctor(as: 1000)
    #expect(
      Machine.lines(bench, about: "accounts") == ["skip accounts: everybody's locks and files : run it as root"])
    #expect(!bench.output.contains("bob"))
  }

  @Test func `a core that does not answer is told once, and accounts are not guessed`() {
    machine.register(1001, state(3008, of: "bob"))
    machine.others = [[]]
    #expect(lines().first?.hasPrefix("skip accounts: the core cannot be asked: ") == true)
  }
}
