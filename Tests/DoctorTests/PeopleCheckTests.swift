import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor

@Suite struct PeopleCheckTests {
  private let machine = Machine()

  private func state(_ state: Int, of name: String) -> Finished {
    Machine.finished(Machine.document(Machine.authenticator(state: state), name: name))
  }

  private func lines() -> [String] { machine.doctor().lines(about: "accounts") }

  @Test func `doctor asks the core about each account that has a file, and about no other`() {
    machine.register(1000, state(3006, of: "alice"))
    machine.register(1001, state(3006, of: "bob"))
    _ = machine.folder.file("state/accounts/1000.db-journal", [], mode: 0o600)
    _ = machine.folder.file("state/accounts/.1001.new", [], mode: 0o600)
    let examined = machine.doctor()
    #expect(examined.lines(about: "accounts") == ["ok   accounts: 2 registered, none locked or damaged"])
    #expect(examined.asked == ["alice", "bob"])
  }

  @Test func `doctor tells root how many accounts are locked, and which`() {
    machine.register(1000, state(3006, of: "alice"))
    machine.register(1001, state(3008, of: "bob"))
    #expect(lines().first?.hasPrefix("warn accounts: 1 of 2 locked: bob (passcode) : ") == true)
    #expect(!machine.doctor().hasFailed)
    machine.others[0] = [.finished(state(3008, of: "alice"))]
    #expect(lines().first?.hasPrefix("FAIL accounts: 2 of 2 locked: alice (passcode), bob (passcode) : ") == true)
  }

  @Test func `doctor does not count a deregistered account`() {
    machine.register(1000, state(3007, of: "alice"))
    #expect(lines() == ["ok   accounts: 0 registered, none locked or damaged"])
  }

  @Test func `doctor reports an unusable account in the core's own words`() {
    var end = Finished(pamCode: 11, result: 3014)
    end.text = "state damaged or edited: the account is locked"
    machine.register(1001, end)
    #expect(lines().first?.hasPrefix("FAIL accounts: bob: state damaged or edited: the account is locked : ") == true)
    #expect(lines().first?.contains("uafctl forget bob") == true)
  }

  @Test func `doctor names accounts whose wrong entries the chip could count but does not`() {
    let counted = Machine.authenticator(state: 3006, more: #","countedBy":"tpm""#)
    let uncounted = Machine.authenticator(state: 3006, more: #","countedBy":"machine""#)
    machine.register(1000, Machine.finished(Machine.document(counted, name: "alice")))
    #expect(lines() == ["ok   accounts: 1 registered, none locked or damaged"])
    machine.register(1001, Machine.finished(Machine.document(uncounted, name: "bob")))
    #expect(lines().first?.hasPrefix("warn accounts: the chip holds the machine's key") == true)
    #expect(lines().first?.contains("wrong entries of bob :") == true)
    #expect(machine.has(.chipCount) && !machine.doctor().hasFailed)
  }

  @Test
  func `doctor names accounts for which the server has seen more signatures than this machine made, and the remedy`() {
    let behind = Machine.authenticator(state: 3007, more: #","atServer":"ahead""#)
    let unknown = Machine.authenticator(state: 3007, more: #","atServer":"unknown""#)
    machine.register(1000, Machine.finished(Machine.document(unknown, name: "alice")))
    #expect(!machine.has(.keyBehind))
    machine.register(1001, Machine.finished(Machine.document(behind, name: "bob")))
    #expect(lines().first?.contains("with the keys of bob: an older copy was put back") == true)
    #expect(lines().first?.contains(" : each of them runs 'uafctl repair --code FILE'") == true)
    #expect(machine.has(.keyBehind) && !machine.doctor().hasFailed)
  }

  private func document(of name: String, at server: String) -> Finished {
    Machine.finished(
      Machine.document(Machine.passcode, name: name)
        .replacing("\"name\"", with: "\"serverUserName\":\"\(server)\",\"name\""))
  }

  @Test func `doctor names two accounts that have one user name at the server, and the remedy`() {
    machine.register(1000, document(of: "alice", at: "alice"))
    machine.register(1001, document(of: "bob", at: "bob"))
    #expect(!machine.has(.accountShared))
    machine.others[1] = [.finished(document(of: "bob", at: "alice"))]
    let line = lines().first
    #expect(
      line?.hasPrefix("warn accounts: alice, bob share the account alice at the server : uafctl forget USER") == true)
    #expect(machine.has(.accountShared) && !machine.doctor().hasFailed)
  }

  private func secret(_ isThere: Bool, of name: String, state: Int = 3006) -> Finished {
    let document = Machine.document(Machine.authenticator(state: state), name: name)
    return Machine.finished(
      document.replacing("\"authenticators\"", with: "\"hasMachineSecret\":\(isThere),\"authenticators\""))
  }

  private static let checking = "account required pam_uaf.so account_check\naccount required pam_unix.so"

  @Test func `if a stack uses account_check, doctor names accounts for which it cannot ask the server`() {
    machine.register(1000, secret(true, of: "alice"))
    machine.register(1001, secret(false, of: "bob"))
    #expect(lines() == ["ok   accounts: 2 registered, none locked or damaged"])
    machine.service("cron", Self.checking)
    #expect(
      lines().first?.hasPrefix(
        "warn accounts: account_check cannot ask the server about bob: it has given this machine no secret for them : ")
        == true)
    #expect(machine.has(.accountSecret) && !machine.doctor().hasFailed)
  }

  @Test func `doctor finds account_check in an included file, and not in a line of another type`() {
    machine.register(1001, secret(false, of: "bob"))
    machine.service("cron", "auth required pam_uaf.so account_check\naccount required pam_unix.so")
    #expect(!machine.has(.accountSecret))
    machine.service("common-account", Self.checking.replacing("account_check", with: "account_check=required"))
    machine.service("cron", "@include common-account")
    #expect(machine.has(.accountSecret))
  }

  @Test func `doctor names neither deregistered accounts nor accounts about which an older core reveals nothing`() {
    machine.service("cron", Self.checking)
    machine.register(1000, state(3006, of: "alice"))
    machine.register(1001, secret(false, of: "bob", state: 3007))
    #expect(!machine.has(.accountSecret))
  }

  @Test func `doctor reports other people's locks and files only to root`() {
    machine.register(1001, state(3008, of: "bob"))
    let examined = machine.doctor(as: 1000)
    #expect(
      examined.lines(about: "accounts") == ["skip accounts: everybody's locks and files : run it as root"])
    #expect(!examined.output.contains("bob"))
  }

  @Test func `doctor reports once that the core does not answer, and guesses nothing about accounts`() {
    machine.register(1001, state(3008, of: "bob"))
    machine.others = [[]]
    #expect(lines().first?.hasPrefix("skip accounts: the core cannot be asked: ") == true)
  }
}
