import Glibc
import Testing
import ToolTestSupport

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

/// Programs with several PAM services, such as sudo with sudo-i, and su with su-l.
@Suite struct PAMFamilyTests {
  private let stacks = Stacks()

  private func asks(_ service: String) -> Bool { stacks.read(service)?.contains("@include uaf-\(service)") == true }

  private func withBoth() { stacks.write("sudo-i", Stacks.sudo) }

  // MARK: The service that sudoers names

  /// Writes a sudoers file by which alice, a member of the rescue group, can do everything.
  private func sudoers(_ lines: String...) {
    stacks.machine.sudoers((lines + ["%sudo ALL=(ALL:ALL) ALL"]).joined(separator: "\n") + "\n")
  }

  @Test func `enable refuses sudo if sudoers makes it use another service, and names that service`() {
    sudoers("Defaults pam_service=early", "Defaults !insults, pam_service = \"corp\"")
    stacks.write("corp", Stacks.sudo)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudo uses the PAM service corp and not sudo"))
    #expect(bench.notes.contains("hint: uafctl pam enable corp --template sudo\n"))
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(stacks.run("enable", "corp", "--template", "sudo").exit == .success && asks("corp"))
    // The password still logs in under sudo's name for login shells.
    withBoth()
    #expect(stacks.run("status", as: 0).output.contains("sudo-i: does not ask for the passcode"))
  }

  @Test func `enable refuses sudo while another service that some people use would stay open`() {
    sudoers("Defaults:alice pam_login_service=shells")
    stacks.write("shells", Stacks.sudo)
    #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service shells as well"))
    #expect(!asks("sudo"))
    #expect(stacks.run("enable", "sudo", "--only").exit == .success && asks("sudo"))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.run("enable", "shells", "--template", "sudo").exit == .success)
    #expect(stacks.run("enable", "sudo").exit == .success)
  }

  @Test func `if sudoers was changed after enable, doctor fails and status reports it`() {
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamSudoService })
    stacks.write("corp", Stacks.sudo)
    sudoers("Defaults pam_service=corp")
    #expect(stacks.findings().first { $0.id == .pamSudoService }?.level == .failure)
    #expect(
      stacks.run("status").output.contains(
        "sudo uses the PAM service corp, because of sudoers, and that service lets people in without the passcode\n"))
    withBoth()
    #expect(!stacks.run("status").output.contains("corp: does not ask"))
    #expect(stacks.run("status", "--json").output.contains(#""sudoService":"corp""#))
  }

  @Test(arguments: [("targetpw", "the account that the command will run as"), ("rootpw", "root")])
  func `enable says whose passcode sudo will ask for`(option: String, person: String) {
    sudoers("Defaults \(option)", "Defaults insults")
    stacks.passwords.groups["uaf-rescue"] = ["alice", "root"]
    stacks.passwords.states["root"] = .usable
    let told = "sudo asks for the passcode of \(person), and not for the caller's (Defaults \(option) of sudoers)\n"
    #expect(stacks.run("enable", "sudo").output.contains(told))
    #expect(stacks.run("status", "--json").output.contains("\"sudoAsks\":[\"\(option)\"]"))
    sudoers("Defaults \(option)", "Defaults !\(option)")
    #expect(!stacks.run("status").output.contains("the passcode of"))
    sudoers("Defaults:bob \(option)")
    #expect(
      stacks.run("status").output.contains("sudo asks some people, or for some commands, for the passcode of \(person)")
    )
    sudoers("Defaults@elsewhere \(option)")
    #expect(!stacks.run("status").output.contains("the passcode of"))
  }

  @Test func `enable refuses sudo if a service for sudo -A does not ask for the passcode`() {
    sudoers("Defaults pam_askpass_service=corp")
    stacks.write("corp", Stacks.sudo)
    #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service corp as well"))
    #expect(!asks("sudo"))
  }

  // cvtsudoers of Debian 12 prints broken JSON for the first two, and nothing for a line that sudo skips.
  @Test(arguments: [
    "carla ALL=(ALL) CWD=/srv ALL", "carla ALL=(ALL) ROLE=r TYPE=t ALL", "NOBODYS ALL=ALL", "alice ALL=",
    "Defaults @", "User_Alias small = alice", "no sense",
  ])
  func `finds the service that sudo uses, whatever other lines sudoers has`(line: String) {
    sudoers(line, "Defaults pam_service=su", line)
    stacks.write("su", Stacks.sudo)
    let bench = stacks.run("enable", "sudo")
    #expect(
      bench.exit == .refused && bench.notes.contains("sudo uses the PAM service su and not sudo"), "\(bench.notes)")
    #expect(!asks("sudo"))
  }

  @Test func `enable and doctor report a line of sudoers that sudo skips`() {
    sudoers("Defaults env_reset", "no sense")
    let bench = stacks.run("enable", "sudo")
    #expect(
      bench.exit == .success && bench.output.contains("sudoers:2: sudo cannot read this line, and leaves it out\n"))
    #expect(stacks.run("status").output.contains("sudoers:2: sudo cannot read this line"))
    #expect(stacks.findings().first { $0.id == .pamSudoers }?.level == .warning)
    sudoers("Defaults env_reset")
    #expect(!stacks.findings().contains { $0.id == .pamSudoers })
  }

  @Test(arguments: [
    "Defaults pam_service corp", "Defaults pam_askpass_service=\"corp", "x Defaults pam_login_service=y",
  ])
  func `refuses sudo if a line of sudoers that cannot be read might name a service`(line: String) {
    sudoers(line)
    for options in [["sudo"], ["sudo", "--only"], ["corp", "--template", "sudo"]] {
      let bench = Bench(
        ["pam", "enable"] + options + ["--pam-directory", stacks.machine.pam], as: 0, core: FakeCore([]),
        installation: stacks.machine.installation)
      #expect(bench.exit == .refused && bench.notes.contains("sudoers:1: sudo cannot read this line"), "\(bench.notes)")
      #expect(bench.notes.contains("hint: visudo -c"))
    }
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test func `if sudoers cannot be read, enable refuses sudo, and doctor fails if sudo is enabled`() {
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.machine.installation.sudoFiles.sudoers = stacks.machine.folder.folder("sudoers.is.a.folder", mode: 0o755)
    #expect(stacks.findings().first { $0.id == .pamSudoers }?.level == .failure)
    #expect(stacks.run("status", "--json").output.contains("\"sudoersGaps\":[\""))
    #expect(stacks.run("disable", "sudo").exit == .success)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudoers.is.a.folder cannot be read"), "\(bench.notes)")
    // It is also unknown who can become root with sudo.
    #expect(stacks.run("enable", "login").notes.contains("no rule of sudoers"))
  }

  @Test(arguments: ["sudoers_policy", "sudoers_audit"])
  func `uses the sudoers file that sudo.conf names`(symbol: String) {
    sudoers("Defaults pam_service=sudo")
    let other = stacks.machine.folder.file("sudoers.alt", Array("Defaults pam_service=corp\n".utf8), mode: 0o440)
    stacks.machine.installation.sudoFiles.configuration = stacks.machine.folder.file(
      "sudo.conf", Array("# Plugin x\nPlugin \(symbol) \\\n sudoers.so sudoers_uid=0 sudoers_file=\(other)\n".utf8),
      mode: 0o644)
    #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service corp and not sudo"))
  }

  @Test func `reads the files that sudoers includes, in their order`() {
    let folder = stacks.machine.folder
    _ = folder.folder("sudoers.d", mode: 0o755)
    _ = folder.file("sudoers.d/10-corp", Array("Defaults pam_service=corp\n".utf8), mode: 0o440)
    for name in ["20.bak", "30~"] {
      _ = folder.file("sudoers.d/" + name, Array("Defaults pam_service=no\n".utf8), mode: 0o440)
    }
    _ = folder.file("sudoers.here", Array("Defaults pam_service=early\n".utf8), mode: 0o440)
    for include in ["@includedir sudoers.d", "#includedir \(folder.path)/sudoers.d", "@include sudoers.d/10-corp"] {
      sudoers("@include sudoers.%h", include, "@includedir /nonexistent")
      #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service corp and not sudo"), "\(include)")
    }
    sudoers("@includedir sudoers.d", "@include sudoers.here")
    #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service early and not sudo"))
    // A file that includes itself causes no endless loop.
    sudoers("@include sudoers")
    #expect(stacks.run("enable", "sudo").notes.contains("is too large to be read"))
    sudoers("@include missing")
    #expect(stacks.run("enable", "sudo").output.contains("/missing cannot be read"))
  }

  // MARK: Files that sudo ignores

  /// Writes a sudoers file that sets the service corp, and an included file that would set another.
  private func withdrawn(
    by options: [String] = ["Defaults pam_service=sudo"], include: String = "@includedir sudoers.d"
  ) {
    let folder = stacks.machine.folder
    _ = folder.folder("sudoers.d", mode: 0o755)
    folder.delete("sudoers.d/90-back")
    _ = folder.file("sudoers.d/90-back", Array((options.joined(separator: "\n") + "\n").utf8), mode: 0o440)
    sudoers("Defaults pam_service=corp", include)
  }

  private var asksCorp: Bool {
    let bench = stacks.run("enable", "sudo", "--dry-run")
    return bench.exit == .refused && bench.notes.contains("sudo uses the PAM service corp and not sudo")
  }

  /// Changes the owner or the group of a file, which only root can do.
  private func give(_ name: String, owner: uid_t, group: gid_t) {
    // SAFETY: the path lives for the call.
    #expect(unsafe chown(stacks.machine.folder.path + "/" + name, owner, group) == 0)
  }

  @Test(arguments: ["@includedir sudoers.d", "@include sudoers.d/90-back"])
  func `an included file that everybody can write sets nothing, because sudo ignores it`(include: String) {
    withdrawn(include: include)
    #expect(!asksCorp)
    for mode: mode_t in [0o640, 0o755, 0o400, 0o000] {
      stacks.machine.folder.setMode(mode, of: "sudoers.d/90-back")
      #expect(!asksCorp, "\(String(mode, radix: 8))")
    }
    for mode: mode_t in [0o666, 0o442] {
      stacks.machine.folder.setMode(mode, of: "sudoers.d/90-back")
      #expect(asksCorp, "\(String(mode, radix: 8))")
    }
    stacks.write("corp", Stacks.sudo)
    #expect(stacks.run("enable", "corp", "--template", "sudo").exit == .success)
    #expect(
      stacks.run("status").output.contains("sudoers.d/90-back can be written by everybody: sudo does not read it"))
    #expect(stacks.findings().first { $0.id == .pamSudoers }?.level == .warning)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `an included file of another owner, or that another group can write, sets nothing either`() {
    withdrawn()
    stacks.machine.folder.setMode(0o664, of: "sudoers.d/90-back")
    give("sudoers.d/90-back", owner: 0, group: 0)
    #expect(!asksCorp)
    give("sudoers.d/90-back", owner: 0, group: 1000)
    #expect(asksCorp)
    stacks.machine.folder.setMode(0o640, of: "sudoers.d/90-back")
    #expect(!asksCorp)
    give("sudoers.d/90-back", owner: 1000, group: 0)
    #expect(asksCorp)
  }

  @Test func `files in a folder that everybody can write, and a FIFO, set nothing`() {
    withdrawn()
    for mode: mode_t in [0o700, 0o755] {
      stacks.machine.folder.setMode(mode, of: "sudoers.d")
      #expect(!asksCorp)
    }
    stacks.machine.folder.setMode(0o777, of: "sudoers.d")
    #expect(asksCorp)
    stacks.machine.folder.setMode(0o755, of: "sudoers.d")
    stacks.machine.folder.delete("sudoers.d/90-back")
    _ = stacks.machine.folder.fifo("sudoers.d/90-back")
    #expect(asksCorp)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `files in a folder of another owner, or that another group can write, set nothing`() {
    withdrawn()
    stacks.machine.folder.setMode(0o775, of: "sudoers.d")
    #expect(!asksCorp)
    give("sudoers.d", owner: 0, group: 1000)
    #expect(asksCorp)
    stacks.machine.folder.setMode(0o755, of: "sudoers.d")
    #expect(!asksCorp)
    give("sudoers.d", owner: 1000, group: 0)
    #expect(asksCorp)
  }

  @Test func `if everybody can write sudoers itself, sudo lets nobody in`() {
    sudoers("Defaults env_reset")
    stacks.machine.folder.setMode(0o666, of: "sudoers")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudoers can be written by everybody"), "\(bench.notes)")
    #expect(stacks.run("enable", "login").notes.contains("no rule of sudoers"))
  }

  private func configuration(_ text: String, mode: mode_t = 0o644) {
    stacks.machine.folder.delete("sudo.conf")
    stacks.machine.installation.sudoFiles.configuration = stacks.machine.folder.file(
      "sudo.conf", Array((text + "\n").utf8), mode: mode)
  }

  @Test func `reads the arguments of sudo's policy plugin from sudo.conf`() {
    sudoers("Defaults pam_service=sudo")
    let other = stacks.machine.folder.file("sudoers.alt", Array("Defaults pam_service=corp\n".utf8), mode: 0o440)
    let named = "sudoers.so sudoers_file=\(other)"
    for text in [
      "Plugin sudoers_policy \(named)", "plugin sudoers_policy /usr/libexec/sudo/\(named)",
      "Plugin sudoers_audit \(named)\nPlugin sudoers_policy sudoers.so",
      "Plugin sudoers_policy \(named)\nPlugin sudoers_policy sudoers.so",
    ] {
      configuration(text)
      #expect(asksCorp, "\(text)")
    }
    for text in [
      "Plugin sudoers_io \(named)", "Plugin sudoers_policy sudoers.so\nPlugin sudoers_io \(named)",
      "Plugin sudoers_policy \(named)\nPlugin sudoers_audit sudoers.so",
      "Plugin sudoers_policy \(named) sudoers_file=\(stacks.machine.folder.path)/sudoers",
    ] {
      configuration(text)
      #expect(!asksCorp && stacks.run("enable", "sudo", "--dry-run").exit == .success, "\(text)")
    }
    for mode: mode_t in [0o666, 0o664] {
      configuration("Plugin sudoers_policy \(named)", mode: mode)
      let bench = stacks.run("enable", "sudo", "--dry-run")
      #expect(bench.exit == .success && bench.output.contains("sudo.conf can be written by"), "\(bench.notes)")
    }
    configuration("Plugin sudoers_policy elsewhere.so")
    #expect(stacks.run("enable", "sudo").notes.contains("elsewhere.so decides in place of sudoers"))
  }

  @Test func `sudoers counts for nothing if nsswitch.conf does not name it`() {
    sudoers("Defaults pam_service=corp")
    stacks.machine.installation.sudoFiles.switches = stacks.machine.folder.file(
      "nsswitch.conf", Array("sudoers: sss\n".utf8), mode: 0o644)
    #expect(!asksCorp)
    #expect(stacks.run("enable", "login").notes.contains("no rule of sudoers"))
  }

  @Test(arguments: [
    "Defaults !pam_service=sudo", "Defaults pam_service+=sudo", "Defaults pam_service-=sudo",
    "Defaults !insults, !pam_service=sudo, env_reset", "Defaults pam_service=\"\"", "Defaults !pam_service",
  ])
  func `an option that sudo cannot read sets nothing, and enable refuses sudo`(line: String) {
    sudoers("Defaults pam_service=corp", line)
    #expect(stacks.run("enable", "sudo").notes.contains("sudoers:2: sudo cannot read this line"))
    stacks.write("corp", Stacks.sudo)
    sudoers(line)
    #expect(stacks.run("enable", "corp", "--template", "sudo").notes.contains("sudoers:1: sudo cannot read this line"))
  }

  @Test func `the first definition of an alias in sudoers applies`() {
    sudoers("User_Alias A=alice", "User_Alias A=bob", "Defaults:A pam_service=corp")
    stacks.write("corp", Stacks.sudo)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.notes.contains("sudo uses the PAM service corp as well"), "\(bench.notes)")
  }

  /// A program that this machine can start.
  private static let program = PAMDirectory(path: "/bin").bytes(of: "true") ?? []

  @Test func `a sudo that is missing, or that runs as the caller, makes nobody root`() {
    sudoers()
    for mode: mode_t? in [nil, 0o755] {
      let path = mode.map { stacks.machine.folder.file("sudo", Self.program, mode: $0) } ?? "/nonexistent/sudo"
      stacks.machine.installation.sudoFiles.programs = [path]
      #expect(stacks.run("enable", "login").notes.contains("cannot become root: "))
    }
    if geteuid() == 0 {
      stacks.machine.folder.setMode(0o755, of: ".")
      stacks.machine.folder.setMode(0o4755, of: "sudo")
      #expect(stacks.run("enable", "login", "--dry-run").exit == .success)
      stacks.machine.folder.delete("sudoers")
      #expect(stacks.run("enable", "login").notes.contains("no rule of sudoers"))
    }
  }

  // MARK: What sudo and login need

  @Test func `if sudo or login does not work, enable says why and what to do`() {
    sudoers()
    let folder = stacks.machine.folder
    folder.setMode(0o755, of: ".")
    let path = folder.file("sudo", Self.program, mode: 0o755)
    stacks.machine.installation.sudoFiles.programs = [path, "/nonexistent/sudo"]
    func said() -> String { stacks.run("enable", "login").notes }
    #expect(said().contains("alice of uaf-rescue cannot become root: \(path) is not set-user-ID"), "\(said())")
    #expect(said().contains("hint: chmod 4755 \(path)\n"))
    stacks.machine.installation.sudoFiles.programs = ["/nonexistent/sudo"]
    #expect(said().contains("alice of uaf-rescue cannot become root: there is no program 'sudo'"))
    guard geteuid() == 0 else { return }
    stacks.machine.installation.sudoFiles.programs = [path]
    for mode: mode_t in [0o4700, 0o4644] {
      folder.setMode(mode, of: "sudo")
      #expect(said().contains("alice of uaf-rescue cannot become root: \(path) may not be executed"), "\(said())")
      #expect(said().contains("hint: chmod 4755 \(path)\n"))
    }
    folder.setMode(0o4755, of: "sudo")
    #expect(stacks.run("enable", "login", "--dry-run").exit == .success)
    give("sudo", owner: 1000, group: 0)
    folder.setMode(0o4755, of: "sudo")
    #expect(said().contains("alice of uaf-rescue cannot become root: \(path) belongs to user 1000"), "\(said())")
    #expect(said().contains("hint: chown root \(path) && chmod 4755 \(path)\n"))
  }

  @Test func `a sudo that cannot load a plugin, or that has a further one, makes nobody root`() {
    sudoers()
    let folder = stacks.machine.folder
    let plugins = folder.folder("plugins", mode: 0o755)
    stacks.machine.installation.sudoFiles.pluginFolders = [plugins]
    func said(_ text: String) -> String {
      configuration(text)
      return stacks.run("enable", "login", "--dry-run").notes
    }
    let missing = "cannot become root: sudo cannot load \(plugins)/sudoers.so, and lets nobody in"
    #expect(said("# nothing").contains(missing), "\(said("# nothing"))")
    _ = folder.library("plugins/sudoers.so", having: ["sudoers_policy", "sudoers_audit", "sudoers_io"])
    for text in [
      "# nothing", "Plugin sudoers_policy sudoers.so", "Path plugin_dir \(plugins)/", "Plugin sudoers_io sudoers.so",
      "Plugin sudoers_policy", "Path sesh /nonexistent", "Path plugin_dir /nonexistent/\nPath plugin_dir \(plugins)/",
      "Plugin sudoers_policy \(plugins)/sudoers.so", "Path noexec", "Set probe_interfaces false", "Nonsense x y",
    ] { #expect(said(text).isEmpty, "\(text): \(said(text))") }
    _ = folder.file("plugins/text.so", Array("sudoers_policy\0".utf8), mode: 0o644)
    let whole = folder.library("plugins/other.so", having: ["sudoers_policy"])
    let half = (PAMDirectory(path: plugins).bytes(of: "other.so") ?? []).dropLast(7000)
    _ = folder.file("plugins/half.so", Array(half), mode: 0o644)
    #expect(said("Plugin sudoers_policy \(whole)").isEmpty == false, "it decides in place of sudoers")
    for text in [
      "Plugin sudoers_policy nosuch.so", "Plugin sudoers_policy sudoers.so\nPlugin sudoers_io nosuch.so",
      "Plugin sudoers_policy sudoers.so\nPlugin sudoers_audit nosuch.so", "Plugin sudoers_policy /nosuch/sudoers.so",
      "Path plugin_dir /nosuch/", "path Plugin_dir /nosuch", "Path plugin_dir", "Path plugin_dir \(plugins)",
      "Plugin nosuch_symbol sudoers.so", "Plugin approval_x nosuch.so", "Plugin sudoers_policy text.so",
      "Plugin sudoers_policy half.so",
    ] {
      let said = said(text)
      #expect(said.contains("alice of uaf-rescue cannot become root: sudo cannot load "), "\(text): \(said)")
      #expect(said.contains("hint: correct \(stacks.machine.folder.path)/sudo.conf"), "\(text): \(said)")
    }
    _ = folder.library("plugins/hours.so", having: ["approval"])
    let hours = said("Plugin approval hours.so")
    #expect(hours.contains("alice of uaf-rescue cannot become root: "), "\(hours)")
    #expect(hours.contains("may refuse anybody: \(plugins)/hours.so"), "\(hours)")
    // This plugin belongs to sudo's package, and tests have shown that it lets everybody in if it can write its log.
    _ = folder.library("plugins/audit_json.so", having: ["audit_json"])
    let log = "Plugin audit_json audit_json.so logfile=\(folder.path)"
    #expect(said(log + "/audit.json").isEmpty, "\(said(log + "/audit.json"))")
    #expect(said(log + "/nosuch/audit.json").contains("cannot become root"), "\(said(log + "/nosuch/audit.json"))")
    // sudo warns that the file is missing, and continues without it.
    folder.delete("sudo.conf")
    _ = folder.folder("sudo.conf", mode: 0o755)
    #expect(stacks.run("enable", "login", "--dry-run").exit == .success)
    folder.delete("sudo.conf")
    // sudo ignores a sudo.conf that everybody can write.
    configuration("Plugin sudoers_policy nosuch.so", mode: 0o666)
    #expect(stacks.run("enable", "login", "--dry-run").exit == .success)
    configuration("Plugin sudoers_policy nosuch.so")
    stacks.write("sudo", Stacks.stack + "session required pam_permit.so\n")
    let finding = stacks.findings().first { $0.id == .pamSudoers }
    #expect(finding?.level == .failure && finding?.text.contains("sudo cannot load") == true)
  }

  @Test(arguments: ["Corp", "CORP", "/x/corp", "/etc/pam.d/Corp"])
  func `reads a service's name as libpam does: in lower case, and only after the last slash`(name: String) {
    sudoers("Defaults pam_service=\(name)")
    stacks.write("corp", Stacks.sudo)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudo uses the PAM service corp and not sudo"))
    #expect(bench.notes.contains("hint: uafctl pam enable corp --template sudo\n"))
    #expect(stacks.run("enable", "corp", "--template", "sudo").exit == .success)
  }

  @Test func `enable refuses a service in capitals, because libpam does not look for it`() {
    stacks.write("Corp", Stacks.sudo)
    let bench = stacks.run("enable", "Corp", "--template", "sudo")
    #expect(bench.exit == .usage && bench.notes.contains("libpam reads names of services in small letters"))
    #expect(bench.notes.contains("hint: uafctl pam enable corp"))
    #expect(stacks.read("Corp") == Stacks.sudo)
  }

  @Test(arguments: ["\"a b\"", "/", "corp/", "-x", "\"a/\u{1b}[2Jb\""])
  func `no suggested command contains a name that no service can have`(name: String) {
    sudoers("Defaults pam_service=\(name)")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("not sudo, because of sudoers"), "\(bench.notes)")
    #expect(bench.notes.contains("hint: visudo, and give pam_service") && !bench.notes.contains("uafctl pam enable"))
  }

  @Test(arguments: [
    ["Defaults pam_service=corp", "Defaults:nobody pam_service=sudo"],
    ["Defaults pam_service=corp, pam_login_service=sudo"], ["Defaults pam_service=corp, pam_askpass_service=sudo"],
    ["Defaults pam_service=corp", "Defaults>bob pam_service=sudo"],
    ["Defaults pam_service=corp", "Defaults!/bin/ls pam_service=sudo"],
  ])
  func `refuses sudo while the service that most people use would stay open`(lines: [String]) {
    stacks.machine.sudoers((lines + ["%sudo ALL=(ALL:ALL) ALL"]).joined(separator: "\n") + "\n")
    stacks.write("corp", Stacks.sudo)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudo uses the PAM service corp as well"), "\(bench.notes)")
    #expect(!asks("sudo"))
    // Enables that service first, and then sudo.
    #expect(stacks.run("enable", "corp", "--template", "sudo").exit == .success)
    #expect(stacks.run("enable", "sudo").exit == .success && asks("sudo"))
  }

  @Test(arguments: [
    ("Defaults !authenticate", "sudo asks nobody for anything: Defaults !authenticate of sudoers"),
    (
      "Defaults!/bin/ls !authenticate",
      "sudo asks some people, or for some commands, for nothing: Defaults !authenticate of"
    ),
    ("Defaults:bob !authenticate", "for nothing: Defaults !authenticate of sudoers"),
    ("Defaults@here !authenticate", "sudo asks nobody for anything: Defaults !authenticate of sudoers"),
    ("Defaults exempt_group=ops", "sudo asks the members of ops for nothing: Defaults exempt_group of sudoers"),
    ("bob, %ops ALL=(ALL) NOPASSWD: ALL", "sudo asks bob, %ops for nothing: NOPASSWD of sudoers"),
    ("User_Alias T=bob : U=T\nU ALL=NOPASSWD: ALL", "sudo asks U for nothing: NOPASSWD of sudoers"),
    ("Cmnd_Alias C=/bin/ls, ALL\nbob ALL=NOPASSWD: C", "sudo asks bob for nothing: NOPASSWD of sudoers"),
  ])
  func `enable names the people whom sudo does not ask at all`(line: String, told: String) {
    sudoers(line)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success && bench.output.contains(told), "\(bench.output)\(bench.notes)")
    #expect(stacks.run("status").output.contains(told))
    #expect(stacks.run("status", "--json").output.contains("\"sudoAsksNot\":[\"sudo asks"))
    #expect(stacks.findings().contains { "\($0)".contains("for nothing") || "\($0)".contains("for anything") })
  }

  @Test(arguments: [
    "Defaults !authenticate, authenticate", "Defaults@elsewhere !authenticate", "Defaults authenticate=false",
    "Defaults exempt_group=ops, !exempt_group", "bob elsewhere=NOPASSWD: ALL", "root ALL=NOPASSWD: ALL",
    "bob ALL=NOPASSWD: /bin/ls", "bob ALL=NOPASSWD: ALL\nbob ALL=(ALL) ALL",
  ])
  func `enable names nobody if sudo asks everybody`(line: String) {
    sudoers(line)
    let output = stacks.run("enable", "sudo", "--anyway").output
    #expect(output.contains("asks for the passcode, by uaf-sudo"))
    #expect(!output.contains("for nothing") && !output.contains("for anything"), "\(output)")
  }

  @Test(arguments: ["localhost", "vm", "localhost.localdomain"])
  func `finds a service that sudoers sets for this host by its short or its full name`(word: String) {
    stacks.machine.installation.hostName = "vm"
    stacks.machine.installation.canonicalHostName = { "localhost.localdomain" }
    sudoers("Defaults@\(word) pam_service=corp")
    stacks.write("corp", Stacks.sudo)
    #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service corp as well"))
  }

  @Test func `refuses sudo if it has a policy other than sudoers`() {
    sudoers()
    stacks.machine.installation.sudoFiles.configuration = stacks.machine.folder.file(
      "sudo.conf", Array("Plugin python_policy python_plugin.so ModulePath=/x\n".utf8), mode: 0o644)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudo.conf: python_policy decides in place of sudoers"))
    // Nobody knows whom such a policy makes root.
    #expect(stacks.run("enable", "login").notes.contains("alice of uaf-rescue cannot become root: "))
    #expect(stacks.run("enable", "login").notes.contains("sudo.conf: python_policy decides in place of sudoers"))
  }

  @Test func `enable says that it knows neither sudo rules of a directory service nor netgroups`() {
    sudoers("+ops ALL=ALL", "%:AD\\\\admins ALL=ALL")
    stacks.machine.installation.sudoFiles.switches = stacks.machine.folder.file(
      "nsswitch.conf", Array("passwd: files\nsudoers: files sss # more\n".utf8), mode: 0o644)
    let bench = stacks.run("enable", "sudo")
    #expect(
      bench.output.contains("netgroup, not looked up: +ops, %:AD\\admins, which sudoers names\n"), "\(bench.output)")
    #expect(bench.output.contains("the sudo rules of a directory service were not read"))
    #expect(!stacks.findings().contains { $0.id == .pamSudoers })
  }

  // MARK: Enabling both names of a program

  @Test(arguments: ["sudo", "sudo-i"])
  func `enabling either name enables both, and the stack for login shells has the same shape`(named: String) {
    withBoth()
    let bench = stacks.run("enable", named, "--shape", "instead")
    #expect(bench.exit == .success, "\(bench.notes)")
    for name in ["sudo", "sudo-i"] {
      #expect(asks(name))
      #expect(stacks.read("uaf-" + name)?.contains("# pam-uaf: template instead/sudo\n") == true)
      #expect(stacks.text(bench).contains("\(name): asks for the passcode, by uaf-\(name) (instead/sudo)\n"))
      #expect(stacks.tester.asked.contains { $0.contains("@include uaf-\(name)\n") }, "each is tried")
    }
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo && stacks.read("sudo-i") == Stacks.sudo)
  }

  @Test func `with --only the other name stays open, and status and doctor say so`() {
    withBoth()
    let told = "sudo-i: does not ask for the passcode, and is the same program as sudo\n"
    #expect(stacks.text(stacks.run("enable", "sudo", "--only")).contains(told))
    #expect(asks("sudo") && stacks.read("sudo-i") == Stacks.sudo)
    #expect(stacks.run("status", as: 1000).output.contains(told))
    let finding = stacks.findings().first { $0.id == .pamOtherName }
    #expect(finding?.text.hasSuffix("/sudo-i: does not ask for the passcode, and is the same program as sudo") == true)
    #expect(stacks.run("enable", "sudo-i").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamOtherName })
    #expect(!stacks.run("status", as: 1000).output.contains("the same program"))
  }

  @Test func `a name that was added later gets the shape of the enabled one`() {
    #expect(stacks.run("enable", "sudo", "--shape", "instead").exit == .success)
    withBoth()
    let bench = stacks.run("enable", "sudo-i")
    #expect(bench.exit == .success && bench.output.hasPrefix("sudo asks for the passcode already: instead/sudo\n"))
    #expect(stacks.read("uaf-sudo-i")?.contains("# pam-uaf: template instead/sudo\n") == true)
  }

  @Test func `a name that includes the main name's lines needs no stack of its own, and is not reported as open`() {
    stacks.write("su", Stacks.sudo)
    stacks.write("su-l", "auth include su\naccount include su\n")
    let bench = stacks.run("enable", "su")
    #expect(bench.exit == .success)
    #expect(stacks.text(bench).contains("su-l: takes its lines from su\n"))
    #expect(stacks.read("su-l") == "auth include su\naccount include su\n")
    #expect(!stacks.run("status").output.contains("the same program"))
  }

  @Test func `a name whose hand-written lines ask pam_uaf needs no stack either`() {
    stacks.write("sudo-i", "auth required pam_uaf.so\naccount required pam_unix.so\n")
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .success)
    #expect(stacks.text(bench).contains("sudo-i: asks for the passcode already, by lines that uafctl did not write\n"))
  }

  @Test func `enable also copies the vendor's file of the other name`() {
    _ = stacks.folder.file("vendor/sudo-i", Array(Stacks.sudo.utf8), mode: 0o644)
    #expect(stacks.run("enable", "sudo", "--only").output.contains("sudo-i: does not ask for the passcode"))
    #expect(stacks.run("enable", "sudo-i").exit == .success)
    #expect(asks("sudo-i"))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  /// Puts a GDM of a version on the machine.
  private func installGDM(_ version: String) {
    let program = stacks.folder.file("gdm3", [1], mode: 0o755)
    stacks.machine.installation.gdmPrograms = ["/nonexistent/gdm", program]
    stacks.machine.outputs[program] = "GDM \(version)\n"
    stacks.write("gdm-password", Stacks.sudo)
    stacks.write("other", "@include common-auth\n")
  }

  @Test(arguments: ["43.0", "49.2", ""])
  func `a GDM before 50 asks gdm-password alone, and no file of its later name is missed`(version: String) {
    installGDM(version)
    #expect(stacks.run("enable", "gdm-password").exit == .success)
    #expect(asks("gdm-password") && !stacks.names.contains("gdm-switchable-auth"))
    #expect(!stacks.findings().contains { $0.id == .pamOtherName })
    #expect(!stacks.run("status").output.contains("gdm-switchable-auth"))
  }

  @Test(arguments: ["50.0", "50.alpha", "51.1"])
  func `enable refuses gdm-password if GDM also asks a name that falls to 'other', and says how to make its file`(
    version: String
  ) {
    installGDM(version)
    let refused = stacks.run("enable", "gdm-password")
    #expect(refused.exit == .refused && stacks.read("gdm-password") == Stacks.sudo)
    #expect(
      refused.notes.contains(
        "gdm-switchable-auth, then uafctl pam enable gdm-switchable-auth --template display-manager"),
      "\(refused.notes)")
    #expect(stacks.run("enable", "gdm-password", "--only").exit == .success)
    #expect(stacks.findings().contains { $0.id == .pamOtherName && $0.level == .failure })
  }

  @Test func `enable and disable change both names of GDM`() {
    installGDM("50.0")
    stacks.write("gdm-switchable-auth", Stacks.sudo)
    #expect(stacks.run("enable", "gdm-password").exit == .success)
    #expect(asks("gdm-password") && asks("gdm-switchable-auth"))
    #expect(stacks.run("disable", "gdm-password").exit == .success)
    #expect(stacks.read("gdm-switchable-auth") == Stacks.sudo && stacks.read("gdm-password") == Stacks.sudo)
  }

  @Test func `a file for GDM's later name that lets the password in is told, whatever the version`() {
    installGDM("43.0")
    stacks.write("gdm-switchable-auth", Stacks.sudo)
    #expect(stacks.run("enable", "gdm-password", "--only").exit == .success)
    #expect(stacks.findings().contains { $0.id == .pamOtherName && $0.level == .warning })
  }

  @Test(arguments: [
    ("greetd", "fallback/display-manager"), ("cosmic-greeter", "fallback/display-manager"),
    ("plasmalogin", "instead/sddm"), ("ly", "instead/sddm"),
  ])
  func `a greeter's service has the stack that suits how the greeter asks`(service: String, template: String) {
    stacks.write(service, Stacks.sudo)
    #expect(stacks.run("enable", service).exit == .success)
    #expect(stacks.run("status").output.contains("\(service): \(template)\n"))
  }

  @Test(arguments: ["plasmalogin-greeter", "plasmalogin-autologin", "lightdm-greeter"])
  func `enable refuses the service of a greeter's own session`(service: String) {
    stacks.write(service, Stacks.sudo)
    #expect(stacks.run("enable", service, "--template", "display-manager").exit == .usage)
    #expect(stacks.read(service) == Stacks.sudo)
  }

  @Test func `enable names the services that a desktop starts beside its login`() {
    let names = ["gdm-authd", "gdm-fingerprint", "kde-fingerprint", "kde-smartcard", "sddm-fingerprint"]
    for name in names { stacks.write(name, Stacks.sudo) }
    stacks.write("sudo-i", "auth include sudo\n")
    let told = stacks.run("enable", "sudo").output
    for name in names { #expect(told.contains(", \(name)") || told.contains(": \(name)"), "\(told)") }
  }

  @Test func `enable names further services that ask only for the password, except root's own`() {
    stacks.write("su", Stacks.sudo)
    stacks.write("sudo-i", "auth include sudo\n")
    stacks.write("other", "@include common-auth\n")
    stacks.write("runuser", "auth sufficient pam_rootok.so\n")
    stacks.write("sshd", "auth required pam_deny.so\n")
    #expect(
      stacks.run("enable", "sudo").output.hasSuffix("\nservices that do not ask for the passcode: login, other, su\n"))
    #expect(
      stacks.run("status").output
        == "sudo: fallback/sudo\nservices that do not ask for the passcode: login, other, su\n")
    #expect(stacks.findings().contains(.ok(PAMLineText.openOthers(["login", "other", "su"]))))
  }

  @Test(arguments: [
    "auth required pam_permit.so\n", "auth sufficient pam_exec.so /bin/true\n",
    "auth required pam_succeed_if.so uid >= 0\n",
  ])
  func `enable names services that let people in without asking for anything`(text: String) {
    for name in ["sshd", "polkit-1"] { stacks.write(name, text) }
    stacks.write("sudo-i", text)
    stacks.write("su", Stacks.sudo)
    #expect(stacks.run("enable", "sudo").exit == .refused)
    let rest =
      "sudo-i: lets people in without asking for anything, and is the same program as sudo\n"
      + "polkit-1: lets people in without asking for anything: people whom sudo asks for the passcode become root by pkexec and run0\n"
      + "services that do not ask for the passcode: login, su\nservices that let people in without asking for anything: sshd\n"
    #expect(stacks.run("enable", "sudo", "--only").output.hasSuffix("\n" + rest))
    #expect(stacks.run("status").output == "sudo: fallback/sudo\n" + rest)
    #expect(stacks.run("status", "--json").output.contains(#""others":["login","sshd","su"]"#))
    let findings = stacks.findings()
    #expect(findings.contains { $0.id == .pamOtherName && $0.text.contains("/sudo-i: lets people in without asking") })
    #expect(findings.contains { $0.id == .pamPolkit && $0.text.contains("lets people in without asking") })
    #expect(findings.contains { $0.text == "pam: services that let people in without asking for anything: sshd" })
  }

  @Test(arguments: ["auth required pam_permit.so\n", "auth include permissive\n"])
  func `if the other name of sudo asks for nothing, no hint is about lines that ask`(text: String) {
    stacks.write("permissive", "auth required pam_permit.so\n")
    stacks.write("sudo-i", text)
    let told = "sudo-i lets people in without asking for anything"
    let hint = "hint: write '@include common-auth' in place of its auth lines, then run it again"
    let sudo = stacks.run("enable", "sudo").notes
    #expect(sudo.contains(told + ", and is another name of sudo: nothing was changed"), "\(sudo)")
    #expect(
      sudo.contains(hint + "; or uafctl pam enable sudo --only, which leaves the other name open without a question\n"),
      "\(sudo)")
    #expect(stacks.run("enable", "sudo-i").notes.contains(hint + "\n"))
    #expect(stacks.run("enable", "sudo", "--only").exit == .success)
    let finding = stacks.findings().first { $0.id == .pamOtherName }
    #expect(
      finding?.text(in: .english).remedy
        == "write '@include common-auth' in place of its auth lines, then uafctl pam enable sudo-i")
    // The hint is followed, and works.
    stacks.write("sudo-i", "@include common-auth\nsession required pam_permit.so\n")
    #expect(stacks.run("enable", "sudo-i").exit == .success)
  }

  @Test func `a further service that sudoers names gets the stack for sudo`() {
    sudoers("Defaults pam_login_service=corp")
    for text in [Stacks.sudo, "auth required pam_permit.so\n"] {
      stacks.write("corp", text)
      _ = stacks.run("enable", "sudo", "--only")
      let remedy = stacks.findings().first { $0.id == .pamOtherName }?.text(in: .english).remedy
      #expect(remedy?.hasSuffix("uafctl pam enable corp --template sudo") == true, "\(remedy ?? "nothing")")
    }
  }

  @Test func `refuses sudo if a service that sudoers names lets people in without asking`() {
    sudoers("Defaults pam_login_service=corp")
    stacks.write("corp", "auth required pam_permit.so\n")
    #expect(stacks.run("enable", "sudo").notes.contains("sudo uses the PAM service corp as well"))
    #expect(!asks("sudo"))
    #expect(stacks.run("enable", "sudo", "--only").exit == .success)
    #expect(stacks.run("status").output.contains("corp: lets people in without asking"))
    stacks.write("sudo-i", "auth required pam_permit.so\n")
    sudoers("Defaults pam_service=corp")
    #expect(stacks.findings().contains { $0.id == .pamSudoService })
  }

  @Test func `after sudo was enabled, warns of polkit while it asks only for the password`() {
    stacks.write("polkit-1", Stacks.sudo)
    let told =
      "polkit-1: does not ask for the passcode: people whom sudo asks for it become root with only the password by pkexec and run0\n"
    #expect(stacks.run("enable", "sudo").output.hasSuffix(told + "services that do not ask for the passcode: login\n"))
    #expect(
      stacks.run("status").output == "sudo: fallback/sudo\n" + told
        + "services that do not ask for the passcode: login\n")
    let finding = stacks.findings().first { $0.id == .pamPolkit }
    #expect(finding?.text(in: .english).remedy == "uafctl pam enable polkit-1")
    #expect(stacks.run("enable", "polkit-1").exit == .success)
    #expect(!stacks.run("status").output.contains("pkexec"))
    #expect(!stacks.findings().contains { $0.id == .pamPolkit })
  }

  @Test func `while sudo itself asks only for the password, polkit is listed with the other open services`() {
    stacks.write("polkit-1", Stacks.sudo)
    #expect(
      stacks.run("enable", "login").output.hasSuffix("\nservices that do not ask for the passcode: polkit-1, sudo\n"))
    #expect(!stacks.findings().contains { $0.id == .pamPolkit })
  }

  @Test func `after a display manager's password service was enabled, names its other open services`() {
    stacks.write("gdm-password", Stacks.sudo)
    stacks.write("gdm-fingerprint", "auth requisite pam_nologin.so\nauth required pam_fprintd.so\n")
    stacks.write("gdm-autologin", "auth required pam_permit.so\n")
    let bench = stacks.run("enable", "gdm-password")
    #expect(
      bench.exit == .success
        && bench.output.hasSuffix("\nservices that do not ask for the passcode: gdm-fingerprint, login, sudo\n"))
    #expect(stacks.read("gdm-fingerprint")?.contains("uaf") == false)
    #expect(stacks.read("gdm-autologin") == "auth required pam_permit.so\n")
  }

  // MARK: Names without a file

  /// Contents of `other` that let somebody in, and of a file that leaves a stage to `other`.
  private static let open = [
    "@include common-auth\n@include common-account\n", "auth required pam_permit.so\n", "auth sufficient pam_unix.so\n",
  ]

  @Test(arguments: open, [nil, "# nothing\n", "session required pam_limits.so\n"])
  func `refuses a program while one of its names falls back to an 'other' that lets the password in`(
    other: String, text: String?
  ) {
    stacks.write("other", other)
    if let text { stacks.write("sudo-i", text) }
    let names = stacks.names
    for named in ["sudo", "sudo-i"] {
      let bench = stacks.run("enable", named)
      #expect(bench.exit == .refused)
      #expect(
        bench.notes.contains(
          "/sudo-i\(text == nil ? "" : " has no auth lines"): for sudo-i libpam takes the lines of 'other'"))
      #expect(
        bench.notes.contains(
          text == nil ? "hint: cp \(stacks.machine.pam)/sudo \(stacks.machine.pam)/sudo-i" : "hint: write"))
      #expect(bench.notes.contains("uafctl pam enable sudo-i --template sudo\n"))
    }
    #expect(stacks.names == names && stacks.read("sudo") == Stacks.sudo)
    stacks.write("sudo-i", Stacks.sudo)
    #expect(stacks.run("enable", "sudo").exit == .success && asks("sudo-i"))
  }

  @Test func `names of su and of sudoers can fall back to 'other' as well`() {
    stacks.write("other", "auth required pam_permit.so\n")
    stacks.write("su", Stacks.sudo)
    #expect(stacks.run("enable", "su").notes.contains("/su-l: for su-l libpam takes the lines of 'other'"))
    stacks.write("sudo-i", Stacks.sudo)
    sudoers("Defaults pam_service=corpx")
    for named in ["sudo", "corpx"] {
      let bench = stacks.run("enable", named, "--template", "sudo")
      #expect(bench.exit == .refused && bench.notes.contains("there is no \(stacks.machine.pam)/corpx: for corpx"))
      #expect(
        bench.notes.contains("/sudo-i \(stacks.machine.pam)/corpx, then uafctl pam enable corpx --template sudo\n"))
    }
    sudoers("Defaults:alice pam_login_service=shells")
    #expect(stacks.run("enable", "sudo").notes.contains("/shells: for shells libpam"))
  }

  @Test(arguments: [
    "auth required pam_deny.so\n", "auth required pam_warn.so\nauth required pam_deny.so\n",
    "auth required pam_uaf.so\n",
  ])
  func `accepts a name that falls back to an 'other' that lets nobody in`(other: String) {
    stacks.write("other", other)
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamOtherName })
  }

  @Test func `login does not need the services for daemons, which most machines do not have`() {
    stacks.write("other", "@include common-auth\n")
    let session = "session required pam_permit.so\n"
    stacks.write("login", "@include common-auth\n@include common-account\n@include common-password\n" + session)
    stacks.write("common-password", "password required pam_unix.so\n")
    #expect(stacks.run("enable", "login").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamOtherName })
  }

  @Test func `if the file of a name was lost after enable, doctor fails and status reports it`() {
    stacks.write("other", "@include common-auth\n")
    withBoth()
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamOtherName })
    stacks.folder.delete("pam.d/sudo-i")
    let finding = stacks.findings().first { $0.id == .pamOtherName }
    #expect(finding?.level == .failure)
    #expect(finding?.text(in: .english).remedy?.hasPrefix("cp \(stacks.machine.pam)/.sudo.before-uaf ") == true)
    #expect(stacks.run("status").output.contains("/sudo-i: for sudo-i libpam takes the lines of 'other'"))
    #expect(stacks.run("status", "--json").output.contains(#""otherNames":[{"name":"sudo-i","asking":"sudo"}]"#))
    #expect(stacks.run("enable", "sudo").exit == .refused)
    stacks.write("sudo-i", stacks.read(".sudo.before-uaf") ?? "")
    #expect(stacks.run("enable", "sudo-i", "--template", "sudo").exit == .success && asks("sudo-i"))
    // sudoers names a service that has no file.
    sudoers("Defaults pam_service=corpx")
    #expect(stacks.findings().first { $0.id == .pamSudoService }?.level == .failure)
  }

  // MARK: Refusals that leave both names unchanged

  @Test(arguments: ["auth required pam_unix.so\n", "@include common-auth\n@include common-auth\n"])
  func `if the second name cannot be changed, refuses both, and says how to change only one`(text: String) {
    stacks.write("sudo-i", text)
    let names = stacks.names
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("and is another name of sudo: nothing was changed\n"))
    #expect(bench.notes.contains("uafctl pam enable sudo --only, which leaves the other name open to the password\n"))
    #expect(stacks.names == names && stacks.read("sudo") == Stacks.sudo && stacks.read("sudo-i") == text)
  }

  @Test func `if the second name's stack lets somebody in without an entry, refuses both names`() {
    withBoth()
    stacks.tester.codes = [
      (text: "@include uaf-sudo-i\n@include common-account", code: 0), (text: "common-auth", code: 7),
    ]
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains("sudo-i lets somebody in who enters nothing"))
    #expect(stacks.names == ["common-auth", "login", "sudo", "sudo-i"])
  }

  @Test(arguments: [".sudo-i.before-uaf", ".sudo.before-uaf"])
  func `if one of several changes fails, enable undoes all of them`(inTheWay: String) {
    withBoth()
    _ = stacks.folder.folder("pam.d/" + inTheWay, mode: 0o755)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == .refused && bench.notes.contains(inTheWay + ": Is a directory"), "\(bench.notes)")
    #expect(stacks.read("sudo") == Stacks.sudo && stacks.read("sudo-i") == Stacks.sudo)
    #expect(stacks.names == [inTheWay, "common-auth", "login", "sudo", "sudo-i"].sorted())
  }

  @Test func `if a change of shape fails, enable undoes it too, and restores an edited stack`() {
    withBoth()
    _ = stacks.run("enable", "sudo")
    let edited = (stacks.read("uaf-sudo-i") ?? "") + "# mine\n"
    stacks.write("uaf-sudo-i", edited)
    let before = stacks.read("uaf-sudo")
    // A folder with the name of the temporary file prevents the second stack from being written.
    _ = stacks.folder.folder("pam.d/.uaf-sudo.uaf-new", mode: 0o755)
    #expect(stacks.run("enable", "sudo", "--shape", "instead").exit == .refused)
    #expect(stacks.read("uaf-sudo-i") == edited && stacks.read("uaf-sudo") == before)
  }

  @Test(arguments: 0..<7)
  func
    `wherever a run is killed, the main name never asks while the other does not, and the next run completes the change`(
      number: Int
    ) throws
  {
    withBoth()
    let watched = WatchedFolder(folder: try PAMFolder(stacks.machine.pam, owner: geteuid())) {
      change throws(StackError) in if change >= number { throw StackError.outOfMemory }
    }
    let plan = try FamilyEnabling(service: PAMService("sudo"), isAlone: false) { service in
      StackEnabling(
        service: service, folder: watched.folder, vendors: [], template: "fallback/sudo",
        templates: stacks.machine.installation.templateFolder)
    }.plan()
    let ended = (try? plan.apply(in: watched)) != nil
    #expect(ended == (number == 6))
    #expect(!asks("sudo") || asks("sudo-i"))
    #expect(asks("sudo") == ended)
    for name in ["sudo", "sudo-i"] where asks(name) {
      #expect(stacks.read("uaf-" + name)?.contains(Stacks.stack) == true)
    }
    #expect(stacks.run(number.isMultiple(of: 2) ? "disable" : "enable", "sudo").exit == .success)
    #expect(asks("sudo") == asks("sudo-i"))
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sudo", "sudo-i"])
  }

  // MARK: Disabling both names of a program

  @Test
  func `disabling the main name disables both, and disabling the other one only that one, with a text`() {
    withBoth()
    _ = stacks.run("enable", "sudo")
    let bench = stacks.run("disable", "sudo-i")
    #expect(bench.exit == .success && !asks("sudo-i") && asks("sudo"))
    #expect(bench.notes == "uafctl: sudo-i: does not ask for the passcode, and is the same program as sudo\n")
    _ = stacks.run("enable", "sudo")
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.names == ["common-auth", "login", "sudo", "sudo-i"])
    _ = stacks.run("enable", "sudo")
    #expect(stacks.run("disable", "sudo", "--only").exit == .success)
    #expect(asks("sudo-i") && !asks("sudo"))
    #expect(stacks.run("disable", "--all", "--only").exit == .usage)
  }

  @Test func `if one of two names cannot be restored, disables neither`() {
    withBoth()
    _ = stacks.run("enable", "sudo")
    stacks.folder.setMode(0o666, of: "pam.d/sudo-i")
    #expect(stacks.run("disable", "sudo").exit == .refused)
    #expect(asks("sudo") && asks("sudo-i"))
    #expect(stacks.run("disable", "--all").exit == .refused)
    #expect(!asks("sudo") && asks("sudo-i"), "with --all, as many as possible")
  }
}
