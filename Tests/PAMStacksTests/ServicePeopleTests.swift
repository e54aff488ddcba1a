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

  private func sudoers(_ lines: String..., gaps: [SudoersGap] = []) -> SudoSettings {
    var text = SudoersText()
    text.add(Array(lines.joined(separator: "\n").utf8)) { remark, _ in Issue.record("\(remark)") }
    return SudoSettings(text, hosts: ["here"], gaps: gaps)
  }

  private func asked(_ lines: String...) -> [String] {
    names("fallback/sudo", sudoers(lines.joined(separator: "\n")))
  }

  @Test func `su and the console ask root too, and other services ask everybody else who has a password`() {
    for template in ["fallback/login", "second-factor/su"] { #expect(names(template) == ["root", "bob"]) }
    for template in ["instead/sshd", "fallback/display-manager", "instead/sddm", "fallback/locker"] {
      #expect(names(template) == ["bob"], "\(template)")
    }
    #expect(names("passwd") == [])
  }

  @Test func `people whom the stack leads past pam_uaf do not lose the service`() {
    #expect(!names("fallback/login").contains("alice"))
    passwords.groups["uaf-rescue"] = []
    #expect(names("fallback/login") == ["root", "alice", "bob"])
  }

  @Test(arguments: [PasswordState.locked, .expired, .unknown])
  func `a local account whose password cannot log in does not lose the service`(state: PasswordState) {
    passwords.states["bob"] = state
    #expect(names("instead/sshd") == [])
    #expect(names("fallback/sudo", sudoers("bob ALL=ALL")) == [])
  }

  @Test func `an account of a directory may have a password that this machine does not know`() {
    passwords.local = ["root"]
    passwords.states["bob"] = nil
    #expect(names("fallback/sudo", sudoers("bob ALL=ALL")) == ["bob"])
    #expect(names("instead/sshd") == [])
  }

  @Test func `sudo asks the people whom sudoers names, by any of their names, but not root`() {
    passwords.groups["ops"] = ["bob", "root"]
    passwords.numbers = [4242: "ops"]
    for person in ["bob", "BOB", "#1001", "%ops", "\"%ops\"", "%#4242", "ALL", "%none, bob", "TEAM"] {
      let rule = "User_Alias TEAM = EVERYBODY : EVERYBODY = ALL, !alice\nroot,\(person) ALL = ALL\n\(person) ALL = ALL"
      #expect(asked(rule) == ["bob"], "\(person)")
    }
    #expect(asked("nemo, #77, %none, %#9, +bob ALL=ALL") == [])
    #expect(asked("ALL,!bob ALL=ALL") == [])
    #expect(asked("ALL,!TEAM ALL=ALL", "User_Alias TEAM = %ops") == [])
  }

  @Test func `an exception in a rule of sudoers applies only in that rule`() {
    #expect(asked("ALL,!bob ALL=/bin/ls", "bob ALL=/bin/cat") == ["bob"])
    #expect(asked("bob ALL=/bin/cat", "ALL,!bob ALL=/bin/ls") == ["bob"])
    // Nobody knows whom a netgroup excepts.
    #expect(asked("ALL,!+ops ALL=ALL") == ["bob"])
    #expect(asked("bob ALL=ALL", "ALL,!+ops ALL=NOPASSWD: ALL") == ["bob"])
  }

  @Test(arguments: [
    "bob ALL=NOPASSWD: ALL", "bob ALL=ALL\nbob ALL=(ALL) NOPASSWD: ALL\nbob ALL=(ALL) !ALL",
    "bob ALL=(ALL) ALL\nALL ALL=(ALL) NOPASSWD: ALL", "bob ALL=ALL\nbob ALL=!ALL", "bob elsewhere=ALL",
    "bob ALL,!here=ALL", "Host_Alias H = a, b\nbob H=ALL", "Defaults !authenticate\nbob ALL=ALL",
    "Defaults:bob !authenticate\nbob ALL=ALL", "Defaults:%ops !authenticate\nbob ALL=ALL",
    "Defaults@here !authenticate\nbob ALL=ALL", "Defaults exempt_group=ops\nbob ALL=ALL",
    "Cmnd_Alias C = /bin/ls, /bin/cat\nbob ALL=C\nbob ALL=NOPASSWD: /bin/cat, /bin/ls", "bob ALL=/bin/ls, !/bin/ls",
    "bob ALL=NOPASSWD: /bin/ls, /bin/cat, CWD=/x NOSETENV: /bin/rm a\\,b",
  ])
  func `people whom sudo asks for no password lose nothing`(rules: String) {
    passwords.groups["ops"] = ["bob"]
    #expect(asked(rules) == [])
  }

  @Test(arguments: [
    "bob ALL=NOPASSWD: ALL\nbob ALL=/bin/ls", "bob ALL=NOPASSWD: /bin/ls, PASSWD: /bin/cat", "bob here=ALL",
    "bob ALL=(ALL) ALL\nbob ALL=(root) NOPASSWD: ALL", "bob 192.0.2.0/24=ALL", "bob h*=ALL", "bob here.example.com=ALL",
    "bob ALL=ALL\nbob 192.0.2.7=NOPASSWD: ALL", "bob ALL=ALL\nbob elsewhere=NOPASSWD: ALL",
    "Defaults !authenticate\nbob ALL=PASSWD: ALL", "Defaults !authenticate, authenticate\nbob ALL=ALL",
    "Defaults@elsewhere !authenticate\nbob ALL=ALL", "Defaults!/bin/ls !authenticate\nbob ALL=ALL",
    "Defaults:alice !authenticate\nbob ALL=ALL", "Defaults exempt_group=ops, !exempt_group\nbob ALL=ALL",
    "Defaults authenticate=false\nbob ALL=ALL", "Defaults exempt_group=none\nbob ALL=ALL",
    "bob elsewhere=NOPASSWD: ALL : here=ALL", "bob ALL=\\\n  (ALL) ALL # !ALL", "bob fe80::1=ALL",
    "Host_Alias H = fe80::1, here : O = there\nbob H=ALL",
  ])
  func `people whom sudo might ask for a password are named`(rules: String) {
    passwords.groups["ops"] = ["bob"]
    #expect(asked(rules) == ["bob"])
  }

  private func asked(hosts: [String], _ line: String) -> [String] {
    var text = SudoersText()
    text.add(Array(line.utf8)) { remark, _ in Issue.record("\(remark)") }
    return names("fallback/sudo", SudoSettings(text, hosts: hosts))
  }

  @Test func `a rule of sudoers for either host name applies, but NOPASSWD has an effect only if both names have it`() {
    for host in ["vm", "localhost", "vm.big.org"] {
      #expect(asked(hosts: ["vm", "localhost"], "bob \(host)=ALL") == ["bob"], "\(host)")
    }
    #expect(asked(hosts: ["vm", "localhost"], "bob elsewhere=ALL") == [])
    #expect(asked(hosts: ["vm", "localhost"], "bob ALL=ALL\nbob vm=NOPASSWD: ALL") == ["bob"])
    #expect(asked(hosts: ["vm", "localhost"], "bob ALL=ALL\nbob localhost=NOPASSWD: ALL") == ["bob"])
    #expect(asked(hosts: ["vm", "localhost"], "bob ALL=ALL\nbob vm,localhost=NOPASSWD: ALL") == [])
    #expect(asked(hosts: ["vm", "vm.example.org"], "bob ALL=ALL\nbob vm=NOPASSWD: ALL") == [])
    #expect(asked(hosts: ["vm", "vm.example.org"], "bob vm.example.org=ALL") == ["bob"])
  }

  @Test func `sudo compares group names in lower case`() {
    passwords.groups["ops"] = ["bob"]
    #expect(asked("%OPS ALL=ALL") == ["bob"] && asked("%Ops ALL=ALL") == ["bob"])
    #expect(asked("%OPS ALL=ALL\n%OPS ALL=NOPASSWD: ALL") == [])
    #expect(asked("Defaults !case_insensitive_group\nbob ALL=ALL\n%OPS ALL=NOPASSWD: ALL") == ["bob"])
    #expect(asked("Defaults !case_insensitive_user\nbob ALL=ALL\nBOB ALL=NOPASSWD: ALL") == ["bob"])
    #expect(asked("Defaults exempt_group=OPS\nbob ALL=ALL") == [])
  }

  @Test func `a rule of sudoers that is not in force exempts nobody`() {
    #expect(asked("bob ALL=ALL\nbob ALL=(ALL) NOTAFTER=20200101000000Z NOPASSWD: ALL") == ["bob"])
    #expect(asked("bob ALL=ALL\nbob ALL=(ALL) NOTBEFORE=20990101000000Z NOPASSWD: ALL") == ["bob"])
    #expect(asked("bob ALL=(ALL) NOTAFTER=20200101000000Z ALL") == ["bob"])
  }

  @Test func `the first definition of an alias decides whom sudo asks`() {
    var text = SudoersText()
    text.add(Array("User_Alias A=bob\nUser_Alias A=alice\nA ALL=ALL".utf8)) { _, _ in }
    #expect(names("fallback/sudo", SudoSettings(text, hosts: ["here"])) == ["bob"])
  }

  @Test func `if sudoers is missing or was read only in part, the usual groups apply, as for polkit`() {
    passwords.groups["wheel"] = ["bob", "root"]
    #expect(names("fallback/sudo") == ["bob"])
    #expect(names("second-factor/polkit-1") == ["bob"])
    // Nobody but root is in sudoers.
    #expect(names("fallback/sudo", sudoers("root ALL=ALL")) == [])
    let gap = SudoersGap.line(path: "/etc/sudoers", 1, mayNameService: false)
    #expect(names("fallback/sudo", sudoers("root ALL=ALL", gaps: [gap])) == ["bob"])
  }

  @Test func `if sudo asks for another person's password, that person loses the service, and not the caller`() {
    #expect(asked("Defaults rootpw", "bob ALL=ALL") == ["root"])
    #expect(asked("Defaults rootpw", "Defaults !rootpw", "bob ALL=ALL") == ["bob"])
    #expect(asked("Defaults:alice rootpw", "bob ALL=ALL") == ["bob"])
    #expect(asked("Defaults!/bin/ls rootpw", "bob ALL=ALL") == ["root", "bob"])
    #expect(asked("Defaults runaspw", "bob ALL=ALL") == ["root"])
    #expect(asked("Defaults runaspw, runas_default=bob", "nobody ALL=ALL") == ["bob"])
    #expect(asked("Defaults targetpw", "nobody ALL=ALL") == ["root"])
    #expect(asked("Defaults targetpw", "nobody ALL=(bob) ALL") == ["bob"])
    #expect(asked("Defaults targetpw", "nobody ALL=(ALL:ALL) ALL") == ["root", "bob"])
    #expect(asked("Defaults targetpw", "Runas_Alias OP = bob, root", "nobody ALL=(OP) ALL") == ["root", "bob"])
    #expect(asked("Defaults rootpw") == [])
  }
}
