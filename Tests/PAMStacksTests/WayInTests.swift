import Glibc
import Testing
import ToolTestSupport

@testable import PAMStacks
@testable import Wording

@Suite struct WayInTests {
  private let passwords = FakePasswords()

  private func find(rescue: Bool = true, console: Bool = false, login: Bool = true, sudo: Bool = true) -> String {
    do throws(WayIn.Objection) {
      return try WayIn(accounts: FakeAccounts(), passwords: passwords).find(
        WayIn.Services(leadsRescuePast: rescue, consoleIsFree: console, consoleIsOpen: login, sudoIsOpen: sudo)
      ).english
    } catch {
      return "refused: \(StackError.noWayIn(error).english.what)"
    }
  }

  @Test func `an administrator of the rescue group with a password can log in`() {
    #expect(find() == "alice, by the password at the console, as one of uaf-rescue")
    passwords.groups = ["uaf-rescue": ["bob", "alice"], "wheel": ["alice"]]
    #expect(find() == "alice, by the password at the console, as one of uaf-rescue")
    passwords.groups = ["uaf-rescue": ["root"]]
    passwords.states["root"] = .usable
    #expect(find() == "root, by the password at the console, as one of uaf-rescue")
  }

  @Test func `root can log in at a console that asks only for the password`() {
    passwords.groups = [:]
    passwords.states["root"] = .usable
    #expect(find(console: true) == "root, by the password at the console, where pam_uaf is not asked")
    #expect(find().hasPrefix("refused: "))
  }

  @Test(arguments: [
    (["x": [String]()], "there is no group uaf-rescue"), (["uaf-rescue": []], "the group uaf-rescue is empty"),
    (["uaf-rescue": ["ghost"]], "ghost of uaf-rescue is not an account"),
    (["uaf-rescue": ["alice"]], "alice of uaf-rescue is in none of the groups sudo, wheel, admin"),
    (["uaf-rescue": ["bob"], "sudo": ["bob"]], "bob of uaf-rescue has a password that is not set"),
  ])
  func `refuses a rescue group without an administrator`(groups: [String: [String]], reason: String) {
    passwords.groups = groups
    #expect(find().contains(reason))
  }

  @Test(arguments: [PasswordState.locked, .empty, .expired, .unknown])
  func `refuses an administrator whose password lets nobody in`(state: PasswordState) {
    passwords.states["alice"] = state
    #expect(find(console: true).hasPrefix("refused: "))
  }

  @Test func `the rescue group does not count if the stack does not use it`() {
    #expect(find(rescue: false).contains("the stack leads nobody of uaf-rescue past pam_uaf"))
  }

  @Test func `the group sudo does not count if sudo is missing or refuses the rescue group`() {
    #expect(find(sudo: false).contains("alice of uaf-rescue cannot become root by a password"))
    passwords.groups = ["uaf-rescue": ["root"]]
    passwords.states["root"] = .usable
    #expect(find(sudo: false) == "root, by the password at the console, as one of uaf-rescue")
  }

  @Test func `a person who may become root does not count if the console refuses the group`() {
    #expect(find(login: false).contains("alice of uaf-rescue cannot log in by a password"))
    passwords.groups = ["uaf-rescue": ["root"]]
    passwords.states["root"] = .usable
    #expect(find(login: false).contains("root of uaf-rescue cannot log in by a password"))
  }

  private func rescuer(hosts: [String] = ["here"], _ sudoers: String...) -> String {
    var text = SudoersText()
    text.add(Array(sudoers.joined(separator: "\n").utf8)) { remark, _ in Issue.record("\(remark)") }
    do throws(WayIn.Objection) {
      return try WayIn(accounts: FakeAccounts(), passwords: passwords, sudo: SudoSettings(text, hosts: hosts)).find(
        WayIn.Services(leadsRescuePast: true, consoleIsFree: false, consoleIsOpen: true, sudoIsOpen: true)
      ).english
    } catch { return "refused: \(StackError.noWayIn(error).english.what)" }
  }

  @Test(arguments: [
    "alice ALL=(ALL:ALL) ALL", "%sudo ALL=ALL", "alice ALL=(root) NOPASSWD: ALL", "alice here=ALL, !/bin/su",
    "alice ALL=(ALL) ALL\nbob ALL=!ALL", "Defaults:bob rootpw\nalice ALL=ALL", "Defaults rootpw,!rootpw\nalice ALL=ALL",
    "Defaults targetpw\nalice ALL=NOPASSWD: ALL", "Defaults>bob rootpw\nalice ALL=(ALL) ALL",
  ])
  func `whom sudoers lets run everything as root can become root`(rules: String) {
    #expect(rescuer(rules) == "alice, by the password at the console, as one of uaf-rescue")
  }

  @Test(arguments: [
    "", "bob ALL=ALL", "alice ALL=/bin/ls", "alice ALL=(bob) ALL", "alice elsewhere=ALL", "alice 192.0.2.1=ALL",
    "alice ALL=ALL\n%sudo ALL=!ALL", "+ops ALL=ALL", "alice ALL=ALL\nALL,!+ops ALL=(ALL) !ALL",
    "Defaults runas_default=bob\nalice ALL=ALL", "alice ALL=(ALL,!root) ALL", "alice ALL=() ALL",
    "alice ALL=ALL\nalice ALL=(ALL) !ALL",
  ])
  func `whom no rule is certain to let run everything as root cannot, though of the group sudo`(rules: String) {
    #expect(rescuer(rules).contains("alice of uaf-rescue cannot become root: no rule of sudoers"))
  }

  @Test(arguments: [
    "Defaults rootpw", "Defaults targetpw", "Defaults runaspw", "Defaults:alice rootpw", "Defaults>root rootpw",
    "Defaults!/bin/su targetpw", "Defaults:%sudo !rootpw, targetpw",
  ])
  func `where sudo asks for root's password, root has to be of the rescue group and have one`(line: String) {
    passwords.states["root"] = .usable
    #expect(rescuer(line, "alice ALL=(ALL) ALL").contains("sudo asks for that of root, who is not of uaf-rescue"))
    passwords.groups["uaf-rescue"] = ["alice", "root"]
    #expect(rescuer(line, "alice ALL=(ALL) ALL").hasPrefix("alice, "))
    passwords.states["root"] = .locked
    #expect(rescuer(line, "alice ALL=(ALL) ALL").contains("sudo asks for that of root, which is locked"))
  }

  @Test(arguments: [
    "alice ALL=(ALL) NOTAFTER=20200101000000Z ALL", "alice ALL=(ALL) NOTBEFORE=20990101000000Z ALL",
    "alice ALL=(ALL) NOTAFTER=20990101000000Z ALL", "alice ALL=(ALL) CWD=/nonexistent ALL",
    "alice ALL=(ALL) CHROOT=/srv ALL", "alice ALL=(ALL) /bin/ls, NOTAFTER=20200101000000Z ALL",
    "Defaults runchroot=/srv\nalice ALL=ALL", "Defaults runcwd=/nonexistent\nalice ALL=ALL",
    "Defaults:alice passwd_tries=0\nalice ALL=ALL", "Defaults passwd_tries=0\nalice ALL=ALL",
    "Defaults secure_path=/nonexistent\nalice ALL=ALL",
    "Defaults !case_insensitive_user\nALICE ALL=ALL", "Defaults !case_insensitive_group\n%SUDO ALL=ALL",
    "alice ALL=ALL, !/usr/bin/*, !/bin/*", "alice ALL=ALL, !/usr/bin/", "alice ALL=ALL, !^/.*$",
    "alice ALL=ALL\nalice ALL=(ALL) !/usr/bin/*", "Cmnd_Alias C=/usr/*\nalice ALL=ALL, !C",
  ])
  func `whom an option may keep from a shell of root is not named`(rules: String) {
    #expect(rescuer(rules).contains("alice of uaf-rescue cannot become root"), "\(rescuer(rules))")
  }

  @Test(arguments: [
    "alice ALL=(ALL) TIMEOUT=30 ALL", "alice ALL=(ALL) CWD=* ALL", "alice ALL=ALL, !/bin/su, !/usr/bin/passwd root",
    "alice ALL=!/bin/*, ALL", "Defaults secure_path=/usr/sbin:/usr/bin:/sbin:/bin\nalice ALL=ALL", "%SUDO ALL=ALL",
    "Defaults passwd_tries=1\nalice ALL=ALL", "alice ALL=(ALL) CHROOT=/srv /bin/ls, CHROOT=* ALL",
    "Defaults runcwd=*\nalice ALL=ALL",
  ])
  func `whom none keeps from it is named`(rules: String) {
    #expect(rescuer(rules).hasPrefix("alice, "), "\(rescuer(rules))")
  }

  @Test func `both names of the host have to let them`() {
    #expect(rescuer(hosts: ["vm", "localhost"], "alice vm=(ALL) ALL").contains("cannot become root"))
    #expect(rescuer(hosts: ["vm", "localhost"], "alice localhost=(ALL) ALL").contains("cannot become root"))
    #expect(rescuer(hosts: ["vm", "localhost"], "alice vm, localhost=(ALL) ALL").hasPrefix("alice, "))
    #expect(rescuer(hosts: ["vm", "vm.example.org"], "alice vm=(ALL) ALL").hasPrefix("alice, "))
    #expect(rescuer(hosts: ["vm", "vm.example.org"], "alice vm.example.org=(ALL) ALL").contains("cannot become root"))
  }

  @Test func `a person whose primary group it is belongs to it, though it is not listed`() {
    let folder = Folder()
    let text =
      "root:x:0:0::/root:/bin/sh\nanna:x:1000:0::/:/bin/sh\nno account\nbert:x:1001:1001::/:/bin/sh\nroot:x:0:0:::\n"
    let path = folder.file("passwd", Array(text.utf8), mode: 0o644)
    let members = SystemPasswords(accountsPath: path).members(ofGroup: "root") ?? []
    #expect(members.contains("anna") && members.contains("root") && !members.contains("bert"))
    #expect(SystemPasswords(accountsPath: "/nonexistent").members(ofGroup: "root")?.contains("anna") == false)
    #expect(SystemPasswords(accountsPath: path).members(ofGroup: "no such group") == nil)
  }

  @Test func `counts the wrong passwords that pam_faillock has written down and not forgiven`() {
    let folder = Folder()
    let record = { (status: UInt8) in [UInt8](repeating: 1, count: 54) + [status] + [UInt8](repeating: 0, count: 9) }
    _ = folder.file("anna", record(1) + record(0) + record(3) + [1, 1, 1], mode: 0o600)
    _ = folder.file("bert", [], mode: 0o600)
    let counted = ["anna", "bert", "carl", "../anna"].map { SystemPasswords().wrongPasswords(of: $0, in: folder.path) }
    #expect(counted == [2, 0, 0, 0])
  }

  @Test func `reads the words of limits without their comments`() {
    let folder = Folder()
    let path = folder.file(
      "limits.conf", Array("# a\nanna\thard maxlogins 0 # b\n\n@ops - nproc 3\n".utf8), mode: 0o644)
    let limits = SystemPasswords().limits(in: [path, "/nonexistent/limits.conf"])
    #expect(limits == [["anna", "hard", "maxlogins", "0"], ["@ops", "-", "nproc", "3"]])
  }

  @Test func `a link to a program that ends every session is not a shell, and neither is one that they may not run`() {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    folder.link("bash", to: "/bin/false")
    passwords.shells["alice"] = folder.path + "/bash"
    #expect(find().contains("for a shell, which ends every session"))
    passwords.shells["alice"] = folder.file("zsh", [1], mode: 0o755)
    #expect(find().hasPrefix("alice, "))
    for mode: mode_t in [0o700, 0o754] {
      folder.setMode(mode, of: "zsh")
      #expect(find().contains("for a shell, which they may not run"), "\(String(mode, radix: 8))")
    }
    folder.setMode(0o755, of: "zsh")
    folder.setMode(0o700, of: ".")
    #expect(find().contains("for a shell, which they may not run"))
    #expect(LoginShell(path: folder.path + "/zsh", of: 0) == .usable)
    #expect(LoginShell(path: folder.path + "/zsh", of: geteuid()) == .usable)
    folder.setMode(0o755, of: ".")
    folder.setMode(0o750, of: "zsh")
    #expect(LoginShell(path: folder.path + "/zsh", of: 1000) { _ in true } == .usable)
  }

  // MARK: The state of a password

  private static let hash = "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7"

  @Test(arguments: [
    (PasswordState.Entry(hash: hash), PasswordState.usable), (.init(hash: "ab01FAX.bQRSU"), .usable),
    (.init(hash: ""), .empty), (.init(hash: "!"), .locked), (.init(hash: "*"), .locked), (.init(hash: "x"), .locked),
    (.init(hash: "!" + hash), .locked), (.init(hash: "!!"), .locked),
    (.init(hash: "$9$abcdefgh$ijklmnopqrstuv"), .locked), (.init(hash: "NOLOGIN-NOLOGIN"), .locked),
    (.init(hash: "$6$saltsalt$tooshort"), .locked), (.init(hash: "LOCKED:abcdefg"), .locked),
    (.init(hash: "$6$s$" + String(repeating: "a", count: 86)), .usable),
    (.init(hash: "$1$s$aaaaaaaaaaaaaaaaaaaaaa"), .usable),
    (.init(hash: "$5$rounds=5000$s$" + String(repeating: "a", count: 43)), .usable),
    (.init(hash: "$2b$12$" + String(repeating: "a", count: 53)), .usable),
    (.init(hash: hash, end: 20_000), .expired), (.init(hash: hash, end: 19_999), .expired),
    (.init(hash: hash, end: 20_001), .usable), (.init(hash: hash, lastChange: 19_000, maximum: 99_999), .usable),
    (.init(hash: hash, lastChange: 19_000, maximum: 900, inactive: 99), .expired),
    (.init(hash: hash, lastChange: 19_000, maximum: 900, inactive: 100), .usable),
    // It has to be changed, and can be.
    (.init(hash: hash, lastChange: 0), .usable), (.init(hash: hash, lastChange: 19_000, maximum: 1), .usable),
    (.init(hash: hash, lastChange: .max, maximum: .max, inactive: .max), .usable),
  ])
  func `distinguishes a password that can log in from one that cannot`(entry: PasswordState.Entry, state: PasswordState)
  {
    #expect(PasswordState(entry, today: 20_000) == state)
  }
}
