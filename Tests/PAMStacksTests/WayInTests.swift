import Glibc
import HostSystem
import Testing
import ToolTestSupport

@testable import PAMStacks
@testable import Wording

@Suite struct WayInTests {
  private let passwords = FakePasswords()
  private let tester = FakeTester()

  private func find(rescue: Bool = true, console: Bool = false, login: Bool = true, sudo: Bool = true) -> String {
    do throws(WayIn.Objection) {
      var services = WayIn.Services(
        leadsRescuePast: rescue, consoleIsFree: console, consoleIsOpen: login, sudoIsOpen: sudo)
      services.session = session
      return try WayIn(accounts: FakeAccounts(), passwords: passwords).find(services).english
    } catch {
      return "refused: \(StackError.noWayIn(error).english.what)"
    }
  }

  private func session(of name: String, _ shell: String, _ needsSudo: Bool) -> SessionFlaw? {
    tester.session(of: name, shell: shell, opening: nil, in: "", needsSudo: needsSudo)
  }

  @Test func `an administrator in the rescue group with a password can log in`() {
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

  @Test func `refuses a rescue group that only a directory has, and does not advise groupadd, which would fail`() {
    passwords.directoryGroups = ["uaf-rescue"]
    #expect(find().contains("the group uaf-rescue is not in /etc/group"))
    passwords.directoryGroups = []
    #expect(find() == "alice, by the password at the console, as one of uaf-rescue")
  }

  @Test(arguments: [PasswordState.locked, .empty, .expired, .accountExpired, .unknown])
  func `refuses an administrator whose password cannot log in`(state: PasswordState) {
    passwords.states["alice"] = state
    #expect(find(console: true).hasPrefix("refused: "))
  }

  @Test func `the rescue group is no way in if the stack does not use it`() {
    #expect(find(rescue: false).contains("the stack leads no member of uaf-rescue past pam_uaf"))
  }

  @Test func `the group sudo is no way in if sudo is missing or refuses the rescue group`() {
    #expect(find(sudo: false).contains("alice of uaf-rescue cannot become root by a password"))
    passwords.groups = ["uaf-rescue": ["root"]]
    passwords.states["root"] = .usable
    #expect(find(sudo: false) == "root, by the password at the console, as one of uaf-rescue")
  }

  @Test func `a person who can become root is no way in if the console refuses the group uaf-rescue`() {
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
  func `a person can become root if a rule of sudoers certainly lets the person run everything as root`(rules: String) {
    #expect(rescuer(rules) == "alice, by the password at the console, as one of uaf-rescue")
  }

  @Test(arguments: [
    "", "bob ALL=ALL", "alice ALL=/bin/ls", "alice ALL=(bob) ALL", "alice elsewhere=ALL", "alice 192.0.2.1=ALL",
    "alice ALL=ALL\n%sudo ALL=!ALL", "+ops ALL=ALL", "alice ALL=ALL\nALL,!+ops ALL=(ALL) !ALL",
    "Defaults runas_default=bob\nalice ALL=ALL", "alice ALL=(ALL,!root) ALL", "alice ALL=() ALL",
    "alice ALL=ALL\nalice ALL=(ALL) !ALL",
  ])
  func `a member of the group sudo cannot become root unless a rule certainly allows it`(rules: String) {
    #expect(rescuer(rules).contains("alice of uaf-rescue cannot become root: no rule of sudoers"))
  }

  @Test(arguments: [
    "Defaults rootpw", "Defaults targetpw", "Defaults runaspw", "Defaults:alice rootpw", "Defaults>root rootpw",
    "Defaults!/bin/su targetpw", "Defaults:%sudo !rootpw, targetpw",
  ])
  func `if sudo asks for root's password, root has to be in the rescue group and have a password`(line: String) {
    passwords.states["root"] = .usable
    #expect(
      rescuer(line, "alice ALL=(ALL) ALL").contains("sudo asks for the password of root, who is not in uaf-rescue"))
    passwords.groups["uaf-rescue"] = ["alice", "root"]
    #expect(rescuer(line, "alice ALL=(ALL) ALL").hasPrefix("alice, "))
    passwords.states["root"] = .locked
    #expect(rescuer(line, "alice ALL=(ALL) ALL").contains("sudo asks for the password of root, which is locked"))
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
    "alice ALL=ALL, !/bin/sh", "alice ALL=ALL, !/usr/bin/bash", "alice ALL=ALL, !/bin/su, !/opt/zsh -c",
    "Cmnd_Alias SHELLS=/bin/dash, /usr/local/bin/rootsh\nalice ALL=ALL, !SHELLS", "alice ALL=(ALL) INTERCEPT: ALL",
    "alice ALL=(ALL) ROLE=staff_r ALL", "alice ALL=(ALL) APPARMOR_PROFILE=small ALL",
    "Defaults intercept\nalice ALL=ALL",
    "Defaults log_servers=logs.example.com, !ignore_logfile_errors\nalice ALL=ALL",
    "Defaults log_servers=logs.example.com, log_output\nalice ALL=ALL",
    "Defaults log_servers+=logs.example.com\nalice ALL=LOG_INPUT: ALL",
    "Defaults rlimit_nproc=0\nalice ALL=ALL", "Defaults role=staff_r\nalice ALL=ALL",
    "Defaults !ignore_audit_errors\nalice ALL=ALL", "Defaults of_tomorrow\nalice ALL=ALL",
    "Defaults logfile=/full, !ignore_logfile_errors\nalice ALL=ALL",
    "Defaults log_output, iolog_dir=/full\nalice ALL=ALL",
    "Defaults log_input, iolog_dir=/full/%{user}\nalice ALL=ALL", "Defaults iolog_dir=/full\nalice ALL=LOG_OUTPUT: ALL",
    "Defaults log_output, iolog_dir=/full/a%{user}\nalice ALL=NOPASSWD: ALL",
    "Defaults>root log_servers=logs, !ignore_logfile_errors\nalice ALL=ALL", "Defaults closefrom=1\nalice ALL=ALL",
    "Defaults command_timeout=1\nalice ALL=ALL", "Defaults command_timeout=0d59s\nalice ALL=ALL",
    "alice ALL=(ALL) TIMEOUT=5 ALL", "Defaults env_file=/run/pipe\nalice ALL=ALL",
    "Defaults restricted_env_file=/etc/environment\nalice ALL=ALL", "Defaults passwd_timeout=0.1\nalice ALL=ALL",
    "Defaults fdexec=always\nalice ALL=ALL", "Defaults log_output, iolog_file=full/%{seq}\nalice ALL=ALL",
    // Only where a name begins does a backslash hide what the mark means.
    "alice ALL=ALL\nal\\x69ce ALL=!ALL", "alice ALL=ALL\na\\lice ALL=!ALL", "\\%sudo ALL=ALL", "\\ALL ALL=ALL",
    "alice ALL=ALL\n%su\\x64o ALL=!ALL", "al\\x6ace ALL=ALL",
  ])
  func `a person whom an option of sudoers might keep from a root shell is not named as a way in`(rules: String) {
    passwords.unwritable = ["/full", "/var/log/sudo-io/full"]
    passwords.shells["root"] = "/usr/local/bin/rootsh"
    let said = rescuer(rules)
    #expect(
      said.contains("alice of uaf-rescue cannot become root")
        || said.contains("alice of uaf-rescue cannot be sure to become root: sudo may refuse by "), "\(said)")
  }

  @Test(arguments: [
    "alice ALL=(ALL) TIMEOUT=1h30m ALL", "Defaults command_timeout=5m\nalice ALL=ALL", "al\\x69ce ALL=ALL",
    "Defaults passwd_tries=-1\nalice ALL=ALL", "Defaults noexec\nalice ALL=ALL", "alice ALL=NOEXEC: ALL",
    "%su\\x64o ALL=ALL", "Defaults closefrom=3, !env_file, passwd_timeout=1, command_timeout=0\nalice ALL=ALL",
    "Defaults passwd_timeout=0\nalice ALL=ALL", "Defaults fdexec=never\nalice ALL=ALL",
    "Defaults log_output, iolog_dir=/var/log/sudo-io/%{user}, iolog_file=%{seq}\nalice ALL=ALL",
    "alice ALL=(ALL) CWD=* ALL", "alice ALL=ALL, !/bin/su, !/usr/bin/passwd root",
    "alice ALL=!/bin/*, ALL", "Defaults secure_path=/usr/sbin:/usr/bin:/sbin:/bin\nalice ALL=ALL", "%SUDO ALL=ALL",
    "Defaults passwd_tries=1\nalice ALL=ALL", "alice ALL=(ALL) CHROOT=/srv /bin/ls, CHROOT=* ALL",
    "Defaults runcwd=*\nalice ALL=ALL", "alice ALL=!/bin/sh, ALL", "alice ALL=ALL, !/usr/bin/passwd, !/usr/sbin/visudo",
    "Defaults logfile=/full\nalice ALL=ALL", "Defaults iolog_dir=/full\nalice ALL=ALL",
    "Defaults log_output, iolog_dir=/full, ignore_iolog_errors\nalice ALL=ALL", "Defaults log_output\nalice ALL=ALL",
    "Defaults !intercept, rlimit_nofile=default, env_reset, use_pty, mail_badpass\nalice ALL=ALL",
    "Defaults:bob log_servers=logs, !ignore_logfile_errors\nalice ALL=ALL",
    // Each was tried with sudo 1.9.13, which warns at most.
    "Defaults log_output, iolog_user=ghost\nalice ALL=ALL", "Defaults log_output, iolog_group=ghost\nalice ALL=ALL",
    "Defaults log_servers=logs.example.com\nalice ALL=ALL", "Defaults log_servers+=logs.example.com\nalice ALL=ALL",
    "Defaults log_servers=logs.example.com, log_output, ignore_iolog_errors\nalice ALL=ALL",
    "Defaults group_plugin=\"nosuch.so /etc/group\"\nalice ALL=ALL", "Defaults sudoers_uid=1\nalice ALL=ALL",
    "Defaults logfile=/var/log/sudo.log, !ignore_logfile_errors\nalice ALL=ALL",
    "Defaults runas_check_shell\nalice ALL=ALL",
  ])
  func `a person whom no option of sudoers keeps from a root shell is named as a way in`(rules: String) {
    passwords.unwritable = ["/full"]
    #expect(rescuer(rules).hasPrefix("alice, "), "\(rescuer(rules))")
  }

  @Test(arguments: [
    ("Defaults secure_path=/nonexistent", "secure_path"), ("Defaults runchroot=/srv", "runchroot"),
    ("Defaults runcwd=/nonexistent", "runcwd"), ("Defaults passwd_tries=0", "passwd_tries"),
    ("Defaults log_output, iolog_dir=/full", "iolog_dir"),
    ("Defaults logfile=/full, !ignore_logfile_errors", "logfile"), ("Defaults of_tomorrow", "of_tomorrow"),
    ("Defaults rlimit_as=1", "rlimit_as"), ("Defaults command_timeout=1", "command_timeout"),
    ("Defaults:alice intercept", "intercept"),
  ])
  func `an option of sudoers that keeps a person from root is named, with a remedy`(line: String, option: String) {
    passwords.unwritable = ["/full"]
    var text = SudoersText()
    text.add(Array("\(line)\nalice ALL=ALL".utf8)) { remark, _ in Issue.record("\(remark)") }
    do throws(WayIn.Objection) {
      _ = try WayIn(accounts: FakeAccounts(), passwords: passwords, sudo: SudoSettings(text, hosts: ["here"])).find(
        WayIn.Services(leadsRescuePast: true, consoleIsFree: false, consoleIsOpen: true, sudoIsOpen: true))
      Issue.record("alice gets in")
    } catch {
      let told = StackError.noWayIn(error)
      #expect(told.english.what.contains("sudo may refuse by \(option) of sudoers"), "\(told.english.what)")
      #expect(told.english.remedy?.hasPrefix("visudo") == true, "\(told.english.remedy ?? "")")
      #expect(told.korean.remedy?.hasPrefix("visudo") == true, "\(told.korean.remedy ?? "")")
      #expect([told.english, told.korean].allSatisfy { $0.remedy?.contains(option) == true })
    }
  }

  @Test func `if the rescue group exists and its members lack something, no hint says to create the group`() {
    passwords.states["alice"] = .locked
    let told = remedies()
    #expect(told.allSatisfy { $0.hasPrefix("passwd alice") }, "\(told)")
    passwords.states["alice"] = .usable
    passwords.groups["sudo"] = []
    #expect(remedies().allSatisfy { $0.hasPrefix("usermod --append --groups sudo alice") })
    passwords.groups["uaf-rescue"] = []
    #expect(remedies().allSatisfy { $0.hasPrefix("groupadd ") })
  }

  /// What to do, in each language, if nobody gets in.
  private func remedies() -> [String] {
    do throws(WayIn.Objection) {
      var services = WayIn.Services(
        leadsRescuePast: true, consoleIsFree: false, consoleIsOpen: true, sudoIsOpen: true)
      services.session = session
      _ = try WayIn(accounts: FakeAccounts(), passwords: passwords).find(services)
      return []
    } catch { return [StackError.noWayIn(error).english, StackError.noWayIn(error).korean].compactMap(\.remedy) }
  }

  @Test func `rules of sudoers count only if they allow both names of the host`() {
    #expect(rescuer(hosts: ["vm", "localhost"], "alice vm=(ALL) ALL").contains("cannot become root"))
    #expect(rescuer(hosts: ["vm", "localhost"], "alice localhost=(ALL) ALL").contains("cannot become root"))
    #expect(rescuer(hosts: ["vm", "localhost"], "alice vm, localhost=(ALL) ALL").hasPrefix("alice, "))
    #expect(rescuer(hosts: ["vm", "vm.example.org"], "alice vm=(ALL) ALL").hasPrefix("alice, "))
    #expect(rescuer(hosts: ["vm", "vm.example.org"], "alice vm.example.org=(ALL) ALL").contains("cannot become root"))
  }

  @Test func `a person is a member of the primary group even if the group does not list the person`() {
    let folder = Folder()
    let text =
      "root:x:0:0::/root:/bin/sh\nanna:x:1000:0::/:/bin/sh\nno account\nbert:x:1001:1001::/:/bin/sh\nroot:x:0:0:::\n"
    let path = folder.file("passwd", Array(text.utf8), mode: 0o644)
    let members = SystemPasswords(accountsPath: path).members(ofGroup: "root") ?? []
    #expect(members.contains("anna") && members.contains("root") && !members.contains("bert"))
    #expect(SystemPasswords(accountsPath: "/nonexistent").members(ofGroup: "root")?.contains("anna") == false)
    #expect(SystemPasswords(accountsPath: path).members(ofGroup: "no such group") == nil)
  }

  @Test func `a password that the file of accounts has itself counts, and not the one of shadow`() {
    let folder = Folder()
    let hash = "$y$j9T$abc$" + String(repeating: "a", count: 43)
    let text =
      "empty::1::/:/bin/sh\nown:\(hash):2:2::/:/bin/sh\nnone:*:3:3::/:/bin/sh\nroot::0:0::/:/bin/sh\nother:x:4:4::/:\n"
    let passwords = SystemPasswords(accountsPath: folder.file("passwd", Array(text.utf8), mode: 0o644))
    #expect(passwords.password(of: "own") == .usable && passwords.password(of: "none") == .locked)
    #expect(passwords.password(of: "root") == .empty)
    #expect(passwords.password(of: "other") == .unknown && passwords.password(of: "nobody else") == .unknown)
    #expect(passwords.password(of: "empty") == .unknown, "a line without a gid is no entry")
  }

  @Test func `counts the wrong passwords that pam_faillock has recorded and not reset`() {
    let folder = Folder()
    let record = { (status: UInt8) in [UInt8](repeating: 1, count: 54) + [status] + [UInt8](repeating: 0, count: 9) }
    _ = folder.file("anna", record(1) + record(0) + record(3) + [1, 1, 1], mode: 0o600)
    _ = folder.file("bert", [], mode: 0o600)
    let counted = ["anna", "bert", "carl", "../anna"].map { SystemPasswords().wrongPasswords(of: $0, in: folder.path) }
    #expect(counted == [2, 0, 0, 0])
  }

  @Test func `reads the entries of limits.conf without their comments`() {
    let folder = Folder()
    let path = folder.file(
      "limits.conf", Array("# a\nanna\thard maxlogins 0 # b\n\n@ops - nproc 3\n".utf8), mode: 0o644)
    let limits = SystemPasswords().limits(in: [path])
    #expect(limits == [["anna", "hard", "maxlogins", "0"], ["@ops", "-", "nproc", "3"]])
    for missing in ["/nonexistent/limits.conf", folder.path + "/loose"] {
      folder.link("loose", to: "/nonexistent")
      #expect(SystemPasswords().limits(in: [path, missing]) == nil, "pam_limits refuses without it")
    }
  }

  @Test func `a program that ends every session or cannot be run is no shell, even if a link names it`() {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    folder.link("bash", to: "/bin/false")
    passwords.shells["alice"] = folder.path + "/bash"
    #expect(find().contains("for a shell, which ends every session"))
    let program = PAMDirectory(path: "/bin").bytes(of: "true") ?? []
    passwords.shells["alice"] = folder.file("zsh", program, mode: 0o755)
    passwords.listed.insert(folder.path + "/zsh")
    #expect(find().hasPrefix("alice, "))
    for mode: mode_t in [0o700, 0o754] {
      folder.setMode(mode, of: "zsh")
      #expect(find().contains("for a shell, which they have no right to run"), "\(String(mode, radix: 8))")
    }
    folder.setMode(0o755, of: "zsh")
    folder.setMode(0o700, of: ".")
    #expect(find().contains("for a shell, which they have no right to run"))
    #expect(LoginShell(path: folder.path + "/zsh", of: 0) == .usable)
    #expect(LoginShell(path: folder.path + "/zsh", of: geteuid()) == .usable)
    folder.setMode(0o755, of: ".")
    folder.setMode(0o750, of: "zsh")
    #expect(LoginShell(path: folder.path + "/zsh", of: 1000) { _ in true } == .usable)
  }

  @Test func `a shell whose interpreter is missing or not executable gives no session`() {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    let inner = folder.file("inner", Array("#!/bin/sh\n".utf8), mode: 0o755)
    for (line, isWhole) in [
      ("#!/nonexistent/sh\n", false), ("#! /nonexistent/sh -e\n", false), ("#!/bin/sh\n", true),
      ("#!\t/bin/sh -e\n", true),
      ("#!/bin/sh\r\n", false), ("#!\n", false), ("#!\(inner)\n", true),
    ] {
      folder.delete("shell")
      passwords.shells["alice"] = folder.file("shell", Array(line.utf8), mode: 0o755)
      #expect(find().contains("for a shell, which needs ") != isWhole, "\(line)")
    }
    folder.delete("shell")
    passwords.shells["alice"] = folder.file("shell", Array("#!\(inner)\n".utf8), mode: 0o755)
    folder.setMode(0o700, of: "inner")
    #expect(find().contains("which needs \(inner): that is not there, or they have no right to run it"))
  }

  @Test func `a person whose shell is not in /etc/shells is not named as a way in, whatever program it is`() {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    for program in ["/usr/bin/passwd", "/bin/cat", "/usr/bin/env"] {
      passwords.shells["alice"] = program
      #expect(find().contains("alice of uaf-rescue has \(program) for a shell, which /etc/shells does not list"))
    }
    Folder.install("/bin/false", as: folder.path + "/zsh")
    passwords.shells["alice"] = folder.path + "/zsh"
    #expect(find().contains("for a shell, which /etc/shells does not list"))
    passwords.shells["alice"] = ""
    #expect(find().hasPrefix("alice, "))
    passwords.groups = [:]
    passwords.states["root"] = .usable
    passwords.shells["root"] = "/bin/cat"
    #expect(find(console: true).contains("root has /bin/cat for a shell, which /etc/shells does not list"))
  }

  @Test(arguments: ["/bin/false", "/nonexistent/sh", "/usr/bin/env", "/bin/cat"])
  func `if login starts another program in place of every shell, nobody is named as a way in`(program: String) {
    passwords.fakeShell = program
    passwords.listed.insert(program)
    #expect(find().contains("cannot log in: instead of any shell, login starts a program that "), "\(find())")
    #expect(find().contains(program) && remedies().allSatisfy { $0.contains("FAKE_SHELL") })
    passwords.fakeShell = "/bin/sh"
    #expect(find().hasPrefix("alice, "))
  }

  @Test(arguments: ["/usr/bin/env", "/bin/cat", "/usr/bin/tmux"])
  func `a program in /etc/shells counts as a shell only if it has the name of one`(program: String) {
    passwords.shells["alice"] = program
    passwords.listed.insert(program)
    guard ResolvedPath.of(program) != nil else { return }
    #expect(find().contains("alice of uaf-rescue has \(program) for a shell, but uafctl does not know it"), "\(find())")
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    // The name of a link is not enough.
    folder.link("bash", to: program)
    passwords.shells["alice"] = folder.path + "/bash"
    passwords.listed.insert(folder.path + "/bash")
    #expect(find().contains("but uafctl does not know it"), "\(find())")
  }

  @Test(arguments: ["/bin//sh", "/usr//bin/sh", "/bin/./sh", "/usr/bin/../bin/sh"])
  func `a shell is found in /etc/shells however its path is written`(path: String) {
    passwords.shells["alice"] = path
    passwords.listed = ["/bin/sh", "/usr/bin/sh"]
    #expect(find().hasPrefix("alice, "), "\(find())")
  }

  @Test func `a person whose shell was started and ended is not named as a way in`() {
    tester.sessions["alice"] = .ended(last: "no access")
    #expect(find().contains("alice of uaf-rescue gets no session: their shell was started, and ended"), "\(find())")
    #expect(find().contains("the last line there: 'no access'"), "\(find())")
    #expect(remedies().allSatisfy { $0.contains("~/.profile") && $0.contains("alice") }, "\(remedies())")
    tester.sessions["alice"] = .notTried(ENXIO)
    #expect(remedies().allSatisfy { $0.contains("/dev/pts") }, "\(remedies())")
  }

  @Test func `the shell of somebody who does not get in anyway is not started`() {
    tester.sessions["alice"] = .ended(last: "")
    passwords.states["alice"] = .locked
    #expect(find().contains("alice of uaf-rescue has a password that is locked"), "\(find())")
    #expect(tester.started.isEmpty)
  }

  @Test func `only somebody who is not root needs sudo, and everybody gets the shell of FAKE_SHELL`() {
    passwords.groups = ["uaf-rescue": ["root", "alice"], "sudo": ["alice"]]
    passwords.states["root"] = .usable
    tester.sessions["root"] = .silent(seconds: 20, last: "")
    #expect(find().hasPrefix("alice, "), "\(find())")
    #expect(tester.started.map(\.name) == ["root", "alice"])
    #expect(tester.started.map(\.needsSudo) == [false, true])
    passwords.fakeShell = "/bin/sh"
    _ = find()
    #expect(tester.started.last?.shell == "/bin/sh")
  }

  @Test(arguments: ["#!/bin/sh\nexit 1\n", "#!/usr/bin/env nosuchshell\n"])
  func `a person whose shell is a script is not named as a way in, because the script may end immediately`(text: String)
  {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    let shell = folder.file("shell", Array(text.utf8), mode: 0o755)
    passwords.shells["alice"] = shell
    passwords.listed.insert(shell)
    #expect(find().contains("alice of uaf-rescue has \(shell) for a shell, a script, which may end"))
  }

  @Test func `a shell whose loader is missing gives no session`() throws {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    var bytes = try #require(PAMDirectory(path: "/bin").bytes(of: "true"))
    let start = try #require(bytes.firstRange(of: Array("/lib".utf8))?.lowerBound)
    bytes[start + 1] = UInt8(ascii: "x")
    #expect(LoginShell(path: folder.file("shell", bytes, mode: 0o755)) != .usable)
    bytes[start + 1] = UInt8(ascii: "l")
    #expect(LoginShell(path: folder.file("other", bytes, mode: 0o755)) == .usable)
  }

  @Test func `a shell with a missing library gives no session`() throws {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    var bytes = try #require(PAMDirectory(path: "/bin").bytes(of: "true"))
    let start = try #require(bytes.firstRange(of: Array("libc.so.6".utf8))?.lowerBound)
    bytes[start + 3] = UInt8(ascii: "q")
    let path = folder.file("zsh", bytes, mode: 0o755)
    passwords.shells["alice"] = path
    passwords.listed.insert(path)
    #expect(find().contains("for a shell, which needs libq.so.6: that is not there"), "\(find())")
    #expect(ProgramFlaw.of("login", at: [path], isSetUserID: false)?.english.what.contains("library") == true)
    bytes[start + 3] = UInt8(ascii: "c")
    folder.delete("zsh")
    _ = folder.file("zsh", bytes, mode: 0o755)
    #expect(find().hasPrefix("alice, "), "\(find())")
  }

  /// Four kinds of files that are no program of this machine.
  private func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
    var other = bytes
    other[18] = 40
    return [[], Array("no program\n".utf8), Array(bytes.dropLast(bytes.count / 2)), Array(bytes.prefix(64)), other]
  }

  @Test func `a damaged shell, loader, library or program of root's lets nobody in`() throws {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    let program = try #require(PAMDirectory(path: "/bin").bytes(of: "true"))
    for bytes in damaged(program) {
      folder.delete("zsh")
      let path = folder.file("zsh", bytes, mode: 0o755)
      passwords.shells["alice"] = path
      passwords.listed.insert(path)
      #expect(find().contains("alice of uaf-rescue has \(path) for a shell, which is no program"), "\(find())")
      #expect(
        remedies().allSatisfy { $0.contains(path) && $0.contains("usermod --shell /bin/bash alice") }, "\(remedies())")
      guard geteuid() == 0 else { continue }
      #expect(ProgramFlaw.of("login", at: [path], isSetUserID: false) == .broken(path: path))
      #expect(ProgramFlaw.of("login", at: [path, "/bin/ls"], isSetUserID: false) == nil)
    }
  }

  @Test func `a module counts only if libpam can load it and finds in it what the group needs`() throws {
    let folder = Folder()
    let line = try #require(PAMFile.firstLine(of: "auth required pam_corp.so"))
    let groups = ["auth", "account", "password", "session"]
    func isLoadable() -> [Bool] { groups.map { line.moduleIsLoadable(in: ["/nonexistent", folder.path], for: $0) } }
    #expect(isLoadable() == [false, false, false, false])
    for bytes in damaged(Folder.module) {
      folder.delete("pam_corp.so")
      _ = folder.file("pam_corp.so", bytes, mode: 0o644)
      #expect(isLoadable() == [false, false, false, false] && line.moduleIsThere(in: [folder.path]))
    }
    folder.delete("pam_corp.so")
    _ = folder.module("pam_corp.so")
    #expect(isLoadable() == [true, true, true, true])
    folder.delete("pam_corp.so")
    _ = folder.library("pam_corp.so", having: ["pam_sm_auth", "pam_sm_open"])
    #expect(isLoadable() == [false, true, true, false])
    folder.delete("pam_corp.so")
    let bytes = Folder.module
    let start = try #require(bytes.firstRange(of: Array("libc.so.6".utf8))?.lowerBound)
    _ = folder.file("pam_corp.so", bytes[..<(start + 3)] + [UInt8(ascii: "q")] + bytes[(start + 4)...], mode: 0o644)
    #expect(isLoadable() == [false, false, false, false])
  }

  @Test func `every module of this machine can be loaded`() {
    for folder in ["/lib/x86_64-linux-gnu/security", "/lib/aarch64-linux-gnu/security"] {
      for name in PAMDirectory(path: folder).names() ?? [] where name.hasSuffix(".so") {
        #expect(SharedLibraries.isLoadable(folder + "/" + name, with: []), "\(name)")
      }
    }
  }

  @Test func `a program with many names is a shell only by the name of a shell that it has`() throws {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    let program = try #require(PAMDirectory(path: "/bin").bytes(of: "true"))
    for name in ["busybox", "toybox"] { _ = folder.file(name, program, mode: 0o755) }
    for (name, target, isShell) in [
      ("busybox", "busybox", false), ("toybox", "toybox", false), ("ash", "busybox", true), ("sh", "busybox", true),
      ("zsh", "busybox", false), ("bash", "busybox", false), ("dash", "toybox", false),
    ] {
      if name != target { folder.link(name, to: folder.path + "/" + target) }
      passwords.shells["alice"] = folder.path + "/" + name
      passwords.listed.insert(folder.path + "/" + name)
      #expect(find().hasPrefix("alice, ") == isShell, "\(name): \(find())")
    }
  }

  @Test func `a person whom sudo takes for another account, or for nobody, is not named`() {
    for (other, text) in [
      ("first", "has the uid 1000 of first"), (nil, "has the uid 1000, for which no name is found"),
    ] {
      let way = WayIn(accounts: SharedIDs(first: other), passwords: passwords)
      let services = WayIn.Services(leadsRescuePast: true, consoleIsFree: false, consoleIsOpen: true, sudoIsOpen: true)
      let lack = way.members(services).first?.lack
      #expect(lack?.english.hasPrefix(text) == true, "\(lack?.english ?? "")")
    }
  }

  /// alice, whose uid belongs to another name, or to none.
  private struct SharedIDs: AccountDirectory {
    let first: String?

    func account(named name: String) -> Account? { FakeAccounts().account(named: name) }
    func account(withID userID: uid_t) -> Account? {
      guard userID == 1000 else { return FakeAccounts().account(withID: userID) }
      return first.map { Account(userID: userID, name: Array($0.utf8)) }
    }
  }

  @Test func `a person who does not have the group of sudoers after a login is not named`() {
    passwords.withheld = ["sudo"]
    #expect(find().contains("alice of uaf-rescue does not have the group sudo after a login"))
    #expect(remedies().allSatisfy { $0.contains("initgroups") && $0.contains("/etc/nsswitch.conf") })
    #expect(rescuer("%sudo ALL=ALL").contains("does not have the group sudo after a login"))
    #expect(rescuer("alice ALL=ALL").hasPrefix("alice, "))
  }

  @Test func `accounts and groups that the C library does not look for are not called missing`() {
    passwords.unseen = ["uaf-rescue"]
    #expect(find().contains("the group uaf-rescue is in /etc/group, where programs do not look"))
    #expect(remedies().allSatisfy { $0.contains("/etc/nsswitch.conf") && !$0.contains("groupadd") })
    passwords.unseen = []
    passwords.groups["uaf-rescue"] = ["carl"]
    passwords.local.append("carl")
    #expect(find().contains("carl of uaf-rescue is in /etc/passwd, where programs do not look"))
    #expect(remedies().allSatisfy { $0.contains("/etc/nsswitch.conf") && !$0.contains("gpasswd") })
  }

  @Test func `nobody is named if login ends before a password is typed`() {
    passwords.limitLines = ["LOGIN_TIMEOUT 60", "LOGIN_TIMEOUT 1"]
    #expect(
      find().contains("alice of uaf-rescue cannot type a password at login in time (LOGIN_TIMEOUT 1 of "), "\(find())")
    #expect(remedies().allSatisfy { $0.contains("LOGIN_TIMEOUT 60") })
    for line in ["LOGIN_TIMEOUT 0", "LOGIN_TIMEOUT 30", "LOGIN_TIMEOUT x", "LOGIN_TIMEOUT"] {
      passwords.limitLines = [line]
      #expect(find().hasPrefix("alice, "))
    }
  }

  @Test func `the hints about shells, passwords and rules help`() {
    passwords.states["alice"] = .unknown
    #expect(remedies().allSatisfy { $0.hasPrefix("passwd alice") && $0.contains("/etc/nsswitch.conf") })
    passwords.states["alice"] = .usable
    passwords.shells["alice"] = "/usr/bin/env"
    #expect(
      remedies().allSatisfy { $0.contains("/etc/shells") && $0.contains("usermod --shell") && !$0.contains("chsh") })
    passwords.shells["alice"] = "/bin/false"
    #expect(remedies().allSatisfy { $0.hasPrefix("usermod --shell /bin/bash alice") })
    passwords.shells["alice"] = "/nonexistent/bash"
    #expect(remedies().allSatisfy { $0.hasPrefix("usermod --shell /bin/sh alice") }, "\(remedies())")
    let rule = WayIn.Member.noRule.remedy("alice")
    #expect(
      rule.english.contains("last line") && [rule.english, rule.korean].allSatisfy { $0.contains("@includedir") })
  }

  @Test func `if login is missing, or lets nobody in without a home directory, nobody is named as a way in`() {
    passwords.closedHomes["alice"] = "/home/alice"
    #expect(find().contains("alice of uaf-rescue has /home/alice for a home, which is closed to them"))
    #expect(remedies().allSatisfy { $0.contains("namei -l /home/alice") && !$0.contains("mkhomedir") }, "\(remedies())")
    passwords.homeless = ["alice"]
    #expect(find().contains("alice of uaf-rescue has /home/alice for a home, which is not there"))
    #expect(remedies().allSatisfy { $0.hasPrefix("mkhomedir_helper alice") })
    passwords.closedHomes = ["root": "/root"]
    passwords.missingPrograms = ["/bin/login"]
    #expect(find().hasPrefix("alice, "))
    passwords.missingPrograms = ["/bin/login", "/usr/bin/login"]
    #expect(find().contains("alice of uaf-rescue cannot log in by a password: there is no program 'login'"))
  }

  @Test func `says what is wrong with a shell, and what to do about it`() {
    let folder = Folder()
    folder.setMode(0o755, of: ".")
    func told(_ path: String, _ isSetUserID: Bool = false) -> FindingText? {
      ProgramFlaw.of("login", at: ["/nonexistent/login", path], isSetUserID: isSetUserID)?.english
    }
    #expect(
      told("/nonexistent") == FindingText("there is no program 'login'", do: "reinstall the package that has login")
    )
    #expect(told(folder.path)?.what == "\(folder.path) is not a file")
    #expect(told("/bin/ls") == nil)
    #expect(told("/bin/ls", true)?.what == "/bin/ls is not set-user-ID, and runs as whoever calls it")
    guard geteuid() == 0 else { return }
    let path = folder.file("login", Array("#!/bin/sh\n".utf8), mode: 0o755)
    #expect(told(path)?.what == "\(path) is a script, is damaged, or needs a program or a library that is not there")
    folder.setMode(0o644, of: "login")
    #expect(told(path) == FindingText("\(path) may not be executed", do: "chmod 755 \(path)"))
    // SAFETY: the path lives for the call.
    #expect(unsafe chown(path, 1000, 0) == 0)
    #expect(told(path) == FindingText("\(path) belongs to user 1000", do: "chown root \(path) && chmod 755 \(path)"))
  }

  @Test func `a home directory matters only if login requires one and the person cannot enter it`() {
    let folder = Folder()
    let closed = { (text: String, name: String) in
      folder.delete("login.defs")
      return SystemPasswords(loginPath: folder.file("login.defs", Array(text.utf8), mode: 0o644)).closedHome(of: name)
    }
    #expect(closed("DEFAULT_HOME no\n", "nobody") == "/nonexistent")
    #expect(closed("# DEFAULT_HOME yes\n", "nobody") == "/nonexistent")
    #expect(closed("DEFAULT_HOME yes\nDEFAULT_HOME\tno\n", "nobody") == "/nonexistent")
    #expect(closed("DEFAULT_HOME\tYES # as Debian has it\n", "nobody") == nil)
    #expect(closed("DEFAULT_HOME no\n", "root") == nil && closed("", "no such account") == nil)
    #expect(SystemPasswords(loginPath: "/nonexistent").closedHome(of: "nobody") == "/nonexistent")
  }

  @Test func `says which files root itself can write`() {
    let folder = Folder()
    let file = folder.file("log", [], mode: 0o600)
    let system = SystemPasswords()
    #expect(system.isWritable(file, makesFolders: false) && !system.isWritable(file, makesFolders: true))
    #expect(system.isWritable(folder.path + "/new", makesFolders: false))
    #expect(!system.isWritable(folder.path + "/a/new", makesFolders: false))
    #expect(system.isWritable(folder.path + "/a/new", makesFolders: true))
    #expect(
      !system.isWritable(file + "/new", makesFolders: false) && !system.isWritable(file + "/a/b", makesFolders: true))
    #expect(!system.isWritable(folder.path, makesFolders: false))
    #expect(!system.isWritable("", makesFolders: true) && !system.isWritable("relative", makesFolders: false))
    for place in ["/proc/io", "/proc", "/sys/io", "/sys/kernel/a/b", "/dev/pts/io", "/proc/self/fd/io"] {
      #expect(!system.isWritable(place, makesFolders: true), "\(place)")
    }
    #expect(!system.isWritable("/proc/version", makesFolders: false))
    #expect(system.isWritable("/dev/null", makesFolders: false) && !system.isWritable("/dev/null", makesFolders: true))
    let records = folder.folder("io", mode: 0o700)
    _ = folder.file("io/seq", [], mode: 0o600)
    _ = folder.folder("io/00", mode: 0o700)
    #expect(system.isWritable(records, makesFolders: true))
    _ = folder.file("io/01", [], mode: 0o600)
    #expect(!system.isWritable(records, makesFolders: true))
    // sudo cannot write the first, and would wait at the second.
    #expect(!system.isWritable("/dev/full", makesFolders: false))
    #expect(!system.isWritable(folder.fifo("pipe"), makesFolders: false))
  }

  @Test func `a person whose account has expired is not told to set a password`() {
    passwords.states["alice"] = .accountExpired
    do throws(WayIn.Objection) {
      _ = try WayIn(accounts: FakeAccounts(), passwords: passwords).find(
        WayIn.Services(leadsRescuePast: true, consoleIsFree: false, consoleIsOpen: true, sudoIsOpen: true))
      Issue.record("alice gets in")
    } catch {
      let text = StackError.noWayIn(error)
      #expect(text.english.what.contains("alice of uaf-rescue has an account that has expired"))
      #expect(text.english.remedy?.hasPrefix("chage -E -1 alice") == true)
      #expect(text.korean.what.contains("alice: 계정의 기한이 지났습니다"))
      #expect(text.korean.remedy?.hasPrefix("chage -E -1 alice") == true)
    }
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
    (.init(hash: hash, end: 20_000), .accountExpired), (.init(hash: hash, end: 1), .accountExpired),
    (.init(hash: hash, end: 0), .accountExpired),
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
