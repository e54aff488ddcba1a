import Testing
import ToolTestSupport

@testable import PAMStacks

@Suite struct ServicePeopleTests {
  private let passwords = FakePasswords()

  init() {
    passwords.local = ["root", "daemon", "alice", "bob", "nobody"]
    passwords.states = ["root": .usable, "alice": .usable, "bob": .usable]
  }

  private func names(_ template: String, _ sudo: SudoSettings = SudoSettings()) -> [String] {
    ServicePeople(accounts: FakeAccounts(), passwords: passwords, sudo: sudo).names(of: template)
  }

  private func sudoers(_ allowed: SudoSettings.Person..., but refused: [SudoSettings.Person] = []) -> SudoSettings {
    SudoSettings(people: SudoSettings.People(allowed: allowed, refused: refused))
  }

  @Test func `su and the console ask root too, other programs everybody else with a password`() {
    for template in ["fallback/login", "second-factor/su"] { #expect(names(template) == ["root", "bob"]) }
    for template in ["instead/sshd", "fallback/display-manager", "instead/sddm", "fallback/locker"] {
      #expect(names(template) == ["bob"], "\(template)")
    }
    #expect(names("passwd") == [])
  }

  @Test func `whom the stack leads past the question loses nothing`() {
    #expect(!names("fallback/login").contains("alice"))
    passwords.groups["uaf-rescue"] = []
    #expect(names("fallback/login") == ["root", "alice", "bob"])
  }

  @Test(arguments: [PasswordState.locked, .expired, .unknown])
  func `a local account whose password lets nobody in is not named`(state: PasswordState) {
    passwords.states["bob"] = state
    #expect(names("instead/sshd") == [])
    #expect(names("fallback/sudo", sudoers(.account("bob"))) == [])
  }

  @Test func `an account of a directory may have a password that nobody here knows`() {
    passwords.local = ["root"]
    passwords.states["bob"] = nil
    #expect(names("fallback/sudo", sudoers(.account("bob"))) == ["bob"])
    #expect(names("instead/sshd") == [])
  }

  @Test func `sudo asks those whom sudoers names, by any of their names, and not root`() {
    passwords.groups["ops"] = ["bob", "root"]
    for person in [SudoSettings.Person.account("bob"), .number(1001), .group("ops"), .everybody] {
      #expect(names("fallback/sudo", sudoers(.account("root"), person, person)) == ["bob"], "\(person)")
    }
    #expect(names("fallback/sudo", sudoers(.account("nemo"), .number(77), .group("none"))) == [])
    #expect(names("fallback/sudo", sudoers(.everybody, but: [.account("bob")])) == [])
  }

  @Test func `without sudoers the usual groups count, as they do for polkit`() {
    passwords.groups["wheel"] = ["bob", "root"]
    #expect(names("fallback/sudo") == ["bob"])
    #expect(names("second-factor/polkit-1") == ["bob"])
    // Nobody but root is in sudoers.
    #expect(names("fallback/sudo", sudoers(.account("root"))) == [])
  }

  @Test func `root is asked where sudo asks for another account's passcode`() {
    let people = SudoSettings.People(allowed: [.account("bob")], refused: [])
    #expect(names("fallback/sudo", SudoSettings(asked: [.root], people: people)) == ["bob", "root"])
  }
}
