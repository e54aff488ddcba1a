import FidoResults
import Glibc
import Testing
import ToolTestSupport
import Wording

@testable import PAMStacks
@testable import Doctor

@Suite struct SSHCheckTests {
  private let machine = Machine()
  private static let good = "UsePAM yes\nKbdInteractiveAuthentication yes\nPasswordAuthentication no\n"

  init() { machine.service("sshd", "auth required pam_uaf.so\nauth required pam_unix.so") }

  /// The findings for settings that apply to everybody.
  private func findings(_ text: String) -> [Finding] {
    check(.read(SSHReading.Known(everybody: SSHSettings(text), unevaluated: []))).findings()
  }

  private func check(_ reading: SSHReading) -> SSHCheck {
    SSHCheck(
      reading: reading, reader: PAMDirectory(path: machine.pam), accounts: FakeAccounts(),
      passwords: machine.passwords, isRoot: true)
  }

  /// The names of the findings for an sshd_config.
  private func found(_ text: String) -> [FindingID] { findings(text).compactMap(\.id) }

  /// An sshd with this configuration, which prints what the test puts into ``Machine/outputs``.
  private func install(_ text: String) -> (program: String, file: String) {
    let paths = (
      program: machine.folder.file("sshd", [1], mode: 0o755),
      file: machine.folder.file("sshd_config", Array(text.utf8), mode: 0o644)
    )
    machine.installation.sshPaths = paths
    return paths
  }

  /// The lines of the report that are about sshd.
  private func lines(as userID: uid_t = 0) -> [String] {
    Examination.ssh(
      of: machine.installation, services: machine.pam, isRoot: userID == 0, accounts: FakeAccounts()
    ) { [1001] }.map { $0.line(in: .english, colours: false).replacing(machine.folder.path + "/", with: "") }
  }

  @Test(arguments: [
    good, "usepam yes\nkbdinteractiveauthentication yes\npasswordauthentication no\nauthenticationmethods any\n",
    good + "AuthenticationMethods publickey,keyboard-interactive:pam\n",
    good + "AuthenticationMethods \"keyboard-interactive publickey\"\n",
    // No list contains a password, whatever PasswordAuthentication says.
    good.replacing("PasswordAuthentication no", with: "AuthenticationMethods publickey,keyboard-interactive:pam"),
    "UsePAM=yes # as ever\nChallengeResponseAuthentication yes\nPasswordAuthentication\tno\nPasswordAuthentication yes\n",
    good + "Match User bob\nPasswordAuthentication yes\nPubkeyAuthentication no\n",
  ])
  func `doctor reports nothing if sshd shows PAM's prompt and accepts a public key`(text: String) {
    #expect(found(text) == [])
  }

  @Test(arguments: [
    (good.replacing("UsePAM yes", with: "UsePAM no"), FindingID.sshUsePAM),
    (good.replacing("UsePAM yes", with: ""), .sshUsePAM),
    (
      good.replacing("KbdInteractiveAuthentication yes", with: "kbdinteractiveauthentication NO"),
      .sshKeyboardInteractive
    ),
    (good.replacing("PasswordAuthentication no", with: ""), .sshPassword),
    (good.replacing("PasswordAuthentication no", with: "Match User x\nPasswordAuthentication no"), .sshPassword),
    ("PubkeyAuthentication no\n" + good, .sshPublicKey),
    (good + "AuthenticationMethods publickey\n", .sshKeyboardInteractive),
    (good + "AuthenticationMethods publickey,keyboard-interactive:bsdauth\n", .sshKeyboardInteractive),
    (
      good.replacing(
        "PasswordAuthentication no", with: "AuthenticationMethods publickey,password keyboard-interactive"),
      .sshPassword
    ),
    (good + "AuthenticationMethods keyboard-interactive\n", .sshPublicKey),
    (good + "AuthenticationMethods keyboard-interactive,publickey\n", .sshPublicKey),
  ])
  func `doctor reports the sshd setting that prevents PAM's prompt or a login by public key`(
    text: String, id: FindingID
  ) {
    #expect(found(text) == [id])
  }

  @Test(arguments: [
    ("any", SSHText.fine), ("publickey keyboard-interactive", .fine),
    ("publickey,publickey keyboard-interactive:pam", .fine),
    ("publickey,keyboard-interactive:pam", .both(true)), ("publickey,keyboard-interactive", .both(true)),
    ("publickey,keyboard-interactive keyboard-interactive:pam", .either(true)),
    // A list with a method that is off has no effect.
    ("publickey,keyboard-interactive:pam password,keyboard-interactive", .both(true)),
  ])
  func `doctor says whether a public key alone is enough for sshd`(methods: String, text: SSHText) {
    lead()
    #expect(findings(Self.good + "AuthenticationMethods \(methods)\n") == [.ok(text)])
  }

  /// Makes the stack lead the rescue group past pam_uaf.
  private func lead() {
    machine.service(
      "sshd",
      """
      auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup uaf-rescue
      auth [success=done default=die] pam_uaf.so
      auth required pam_unix.so
      """)
  }

  @Test func `doctor names the rescue group as a way in by ssh only if the stack leads it past pam_uaf`() {
    let methods = "AuthenticationMethods publickey,keyboard-interactive\n"
    #expect(findings(Self.good + methods) == [.ok(SSHText.both(false))])
    #expect(SSHText.both(false).english.what.hasSuffix("if the passcode is refused, nobody gets in"))
    #expect(SSHText.either(false).english.what.hasSuffix("if the passcode is refused, nobody gets in"))
  }

  @Test(arguments: [
    ("AuthenticationMethods password\n", [SSHText.methodsPassword, .publicKey(false)]),
    ("AuthenticationMethods publickey,password\n", [.methodsPassword]),
    ("AuthenticationMethods publickey,password keyboard-interactive\n", [.methodsWithPassword]),
    ("KbdInteractiveAuthentication no\n", [.keyboardInteractive, .password]),
    ("KbdInteractiveAuthentication no\nPasswordAuthentication no\n", [.neverAsked]),
    ("AuthenticationMethods publickey\n", [.methods]),
    ("AuthorizedKeysFile none\nPasswordAuthentication no\n", [.noKeys(false)]),
  ])
  func `doctor says which logins sshd's AuthenticationMethods allow, and the remedy`(text: String, told: [SSHText]) {
    #expect(findings(text + "UsePAM yes\n").map(\.text) == told.map { $0.english.what })
  }

  @Test(arguments: [
    ("HostbasedAuthentication yes", ["hostbased"]), ("GSSAPIAuthentication yes", ["gssapi-with-mic"]),
    ("HostbasedAuthentication yes\nAuthenticationMethods hostbased publickey,keyboard-interactive:pam", ["hostbased"]),
    (
      "HostbasedAuthentication yes\nGSSAPIAuthentication yes\nAuthenticationMethods publickey,gssapi-with-mic hostbased",
      ["hostbased", "gssapi-with-mic"]
    ),
  ])
  func `doctor warns if sshd lets people in without asking for anything`(text: String, methods: [String]) {
    let findings = findings(Self.good + text + "\n")
    #expect(
      findings.contains(.warning(.sshUnasked, SSHText.unasked(methods))) && !findings.contains { $0.level == .ok })
  }

  @Test(arguments: [
    "HostbasedAuthentication yes\nAuthenticationMethods hostbased,keyboard-interactive:pam publickey,keyboard-interactive",
    "HostbasedAuthentication yes\nAuthenticationMethods publickey,keyboard-interactive:pam", "GSSAPIAuthentication no",
    "AuthenticationMethods hostbased publickey,keyboard-interactive:pam",
  ])
  func `doctor does not mention methods of sshd that are switched off, or that come before PAM's prompt`(text: String) {
    #expect(!found(Self.good + text + "\n").contains(.sshUnasked))
  }

  @Test(arguments: [
    "PasswordAuthentication no\nAuthenticationMethods password\n", "AuthenticationMethods hostbased gssapi-with-mic\n",
    "PubkeyAuthentication no\nAuthenticationMethods publickey publickey,keyboard-interactive\n",
  ])
  func `doctor fails if all methods of sshd are off, because nobody gets in`(text: String) {
    let findings = findings("UsePAM yes\n" + text)
    #expect(findings.map(\.level) == [.failure] && findings.first?.text == SSHText.noMethods.english.what)
  }

  @Test(arguments: ["AuthorizedKeysCommand /usr/bin/sss_ssh_authorizedkeys", "TrustedUserCAKeys /etc/ssh/ca.pub"])
  func `public keys from a program or a CA count as a way in by ssh without a file of keys`(line: String) {
    #expect(found(Self.good + "AuthorizedKeysFile none\n") == [.sshPublicKey])
    #expect(found(Self.good + "AuthorizedKeysFile none\n\(line)\n") == [])
  }

  // MARK: Who gets in

  @Test(arguments: [
    ("", true), ("AllowUsers bob\n", false), ("AllowUsers bob ali?e\n", true), ("AllowUsers a*\n", true),
    ("AllowUsers bob\nAllowUsers alice\n", true), ("DenyUsers bob *ce\n", false), ("DenyUsers lic\n", true),
    ("AllowGroups staff\n", false), ("AllowGroups staff sudo\n", true), ("DenyGroups sudo\n", false),
    ("AllowUsers alice@192.0.2.*\n", nil), ("DenyUsers alice@192.0.2.*\n", nil), ("AllowUsers bob@here\n", false),
    ("AllowGroups !sudo,*\n", false), ("AllowGroups **\n", true), ("AllowGroups ssh-*\n", false),
    ("DenyGroups ?udo\n", false), ("AllowUsers alice@0.0.0.0/0\n", true), ("DenyUsers alice@*.*\n", false),
    ("DenyUsers alice@here\nAllowUsers bob\n", false),
  ])
  func `doctor reports whether sshd's lists of users and groups let anybody in`(text: String, isIn: Bool?) {
    #expect(SSHSettings(text).admits("alice", isRoot: false, groups: ["sudo"]) == isIn)
  }

  @Test(arguments: [("", false), ("PermitRootLogin yes\n", true), ("PermitRootLogin prohibit-password\n", false)])
  func `root gets in by ssh with a password only if sshd's PermitRootLogin allows that`(text: String, isIn: Bool) {
    #expect(SSHSettings(text).admits("root", isRoot: true, groups: []) == isIn)
  }

  @Test func `the rescue group is no way in by ssh if sshd refuses all its members`() {
    lead()
    let methods = Self.good + "AuthenticationMethods publickey,keyboard-interactive\n"
    #expect(findings(methods) == [.ok(SSHText.both(true))])
    #expect(findings(Self.good + "AuthorizedKeysFile none\n") == [.warning(.sshPublicKey, SSHText.noKeys(true))])
    #expect(findings(Self.good + "PubkeyAuthentication no\n") == [.warning(.sshPublicKey, SSHText.publicKey(true))])
    machine.passwords.groups["staff"] = ["bob"]
    #expect(findings(methods + "AllowGroups staff\n") == [.warning(.sshRescue, SSHText.noRescuer(["alice"]))])
    machine.passwords.groups["uaf-rescue"] = ["alice", "bob"]
    #expect(
      findings(methods + "AllowUsers bob\n") == [.ok(SSHText.both(true)), .ok(SSHText.rescuers(["alice"]))])
    #expect(
      findings(methods + "AllowUsers bob@10.0.0.1 alice\n") == [.ok(SSHText.both(true)), .ok(SSHText.unsure(["bob"]))])
    // A public key is a way in as well.
    #expect(
      findings(Self.good + "AllowUsers root\n") == [.ok(SSHText.fine), .ok(SSHText.rescuers(["alice", "bob"]))])
  }

  // MARK: Nobody

  @Test(arguments: [
    "MaxAuthTries 0", "RefuseConnection yes", "maxauthtries 0\nMaxAuthTries 6", "PerSourceMaxStartups 0",
  ])
  func `doctor fails if a setting of sshd ends every connection`(text: String) {
    let setting = text.hasPrefix("m") ? "MaxAuthTries 0" : text
    #expect(findings(text + "\n" + Self.good) == [.failure(.sshNobody, SSHText.refusesAll(setting))])
  }

  @Test(arguments: ["1", "0m5s", "14"])
  func `too little time to type is reported`(time: String) {
    lead()
    #expect(
      findings(Self.good + "LoginGraceTime \(time)\n") == [
        .warning(.sshNobody, SSHText.haste("LoginGraceTime \(time)"))
      ])
  }

  @Test(arguments: [
    "LoginGraceTime 0", "LoginGraceTime 2m", "LoginGraceTime 1h5s", "LoginGraceTime 30",
    "ChannelTimeout session=30m x11=1", "ChannelTimeout none", "PerSourceMaxStartups none",
  ])
  func `enough time, and an ordinary number of connections, is not reported`(text: String) {
    lead()
    #expect(findings(Self.good + text + "\n") == [.ok(SSHText.fine)])
  }

  @Test func `a session without a terminal is no rescue, because sudo cannot ask`() {
    lead()
    let told = told("PermitTTY no")
    #expect(told.first?.hasPrefix("warn ssh: PermitTTY no: nobody gets a terminal") == true, "\(told)")
    #expect(told.contains { $0.hasPrefix("warn ssh: sshd lets in nobody of uaf-rescue: alice") }, "\(told)")
  }

  @Test func `an sshd that can use no key of the host is a failure`() {
    let (program, file) = install(Self.good)
    machine.mistakes["\(program) -t -f \(file)"] =
      "@@@@@@@@@\r\nUnable to load host key: /etc/ssh/ssh_host_rsa_key\r\nsshd: no hostkeys available -- exiting.\r\n"
    #expect(
      lines().count == 1
        && lines()[0].hasPrefix(
          "FAIL ssh: sshd can use no key of this host, and nobody gets in: Unable to load host key: ")
        && lines()[0].contains("no hostkeys available") && lines()[0].contains("ssh-keygen -A"), "\(lines())")
    let key = machine.folder.path + "/key"
    for name in ["key", "other"] { _ = machine.folder.file(name, [1], mode: 0o600) }
    _ = machine.folder.file("key.pub", Array("ssh-rsa AAAA root@here\n".utf8), mode: 0o644)
    for (settings, isUsable) in [
      ("hostkeyalgorithms ssh-ed25519\nhostkey \(key)\n", false),
      ("hostkeyalgorithms ssh-ed25519,rsa-sha2-512\nhostkey \(key)\n", true),
      ("hostkeyalgorithms ssh-ed25519\nhostkey \(key)\nhostkey /nonexistent/key\n", false),
      ("hostkeyalgorithms ssh-ed25519\nhostkey \(key)\nhostkey \(machine.folder.path)/other\n", true),
      ("hostkeyalgorithms ssh-ed25519\nhostkey \(key)\nhostkeyagent /run/agent\n", true), ("hostkey \(key)\n", true),
    ] {
      machine.outputs[program] = Self.good + settings
      #expect(lines().contains { $0.hasPrefix("FAIL ssh: sshd can use no key") } != isUsable, "\(settings): \(lines())")
    }
  }

  @Test(arguments: [
    "Host *", "Host *,!a", "Address *", "Address 0.0.0.0/0,::/0", "LocalPort 22", "LocalPort 22,2222", "LocalAddress *",
    "User *",
    "Group *", "User * Host *", "User alice,root",
  ])
  func `a Match block that fits everybody and denies everybody is a failure`(block: String) {
    lead()
    let (program, file) = install(Self.good + "Match \(block)\n  DenyUsers *\n")
    machine.outputs[program] = Self.good + "denyusers *\n"
    machine.outputs["\(program) -T -f \(file)"] = Self.good
    #expect(lines().contains { $0.hasPrefix("FAIL ssh: DenyUsers fits everybody") }, "\(lines())")
    #expect(!lines().contains { $0.hasPrefix("ok ") || $0.contains("not looked at") }, "\(lines())")
  }

  @Test func `a person is asked about at the port at which sshd listens, and each is judged by the own answer`() {
    lead()
    let (program, file) = install(Self.good + "Port 2222\nMatch LocalPort 2222\n  DenyUsers a* r*\n")
    machine.outputs["\(program) -T -f \(file)"] = Self.good + "port 2222\n"
    func asked(_ name: String) -> String {
      "\(program) -T -f \(file) -C user=\(name),host=192.0.2.1,addr=192.0.2.1,laddr=192.0.2.2,lport=2222"
    }
    machine.outputs[asked("alice")] = Self.good + "denyusers alice\n"
    machine.outputs[asked("root")] = Self.good + "denyusers root\n"
    machine.outputs[asked("bob")] = Self.good + "denyusers bob\n"
    #expect(lines().contains { $0.hasPrefix("FAIL ssh: DenyUsers keeps out everybody") }, "\(lines())")
    machine.outputs[asked("bob")] = Self.good
    #expect(!lines().contains { $0.hasPrefix("FAIL ") }, "\(lines())")
  }

  @Test func `people whom a pattern keeps out are named, and those who are named in a list are not`() {
    lead()
    machine.passwords.local.append("bob")
    #expect(findings(Self.good + "DenyUsers a* r*\n").contains(.ok(SSHText.hit(["alice", "root"]))))
    #expect(findings(Self.good + "DenyGroups su*\n").contains(.ok(SSHText.hit(["alice"]))))
    #expect(findings(Self.good + "DenyUsers a*\nPermitRootLogin no\n").contains(.ok(SSHText.hit(["alice"]))))
    for text in ["DenyUsers alice root", "DenyUsers x*", "AllowUsers bob"] {
      #expect(!findings(Self.good + text + "\n").contains { $0.text.contains("a pattern of") }, "\(text)")
    }
  }

  /// The lines of the report for settings of everybody's.
  private func told(_ text: String) -> [String] {
    findings(Self.good + text + "\n").map {
      $0.line(in: .english, colours: false).replacing(machine.folder.path + "/", with: "")
    }
  }

  @Test(arguments: [
    ("MaxSessions 0", "MaxSessions 0"), ("ChannelTimeout session=1s", "ChannelTimeout session=1s"),
    ("ChannelTimeout x11=1h *=5", "ChannelTimeout *=5"), ("ChrootDirectory /nosuch", "ChrootDirectory /nosuch"),
    ("ChrootDirectory /etc/passwd", "ChrootDirectory /etc/passwd"), ("ChrootDirectory /tmp", "ChrootDirectory /tmp"),
    ("ChrootDirectory srv", "ChrootDirectory srv"),
    ("ForceCommand /bin/false", "ForceCommand /bin/false"),
    ("ForceCommand /usr/sbin/nologin", "ForceCommand /usr/sbin/nologin"),
    ("ForceCommand exit 1", "ForceCommand exit 1"), ("ForceCommand false", "ForceCommand false"),
    ("ForceCommand /nosuch -x", "ForceCommand /nosuch -x"), ("ForceCommand \"/bin/false\"", "ForceCommand /bin/false"),
  ])
  func `doctor fails if a setting of sshd ends every session`(text: String, setting: String) {
    lead()
    let told = told(text)
    #expect(told.count == 1 && told.first?.hasPrefix("FAIL ssh: \(setting): no session") == true, "\(told)")
    #expect(told.first?.hasSuffix("[ssh-nobody]") == true)
  }

  @Test(arguments: [
    #"ForceCommand /bin/sh -c "$SSH_ORIGINAL_COMMAND""#, "ForceCommand eval $SSH_ORIGINAL_COMMAND",
    "ForceCommand exec ${SSH_ORIGINAL_COMMAND:-/bin/bash}", "ForceCommand $SSH_ORIGINAL_COMMAND",
    #"ForceCommand /bin/bash -lc "exec ${SSH_ORIGINAL_COMMAND:-$SHELL -l}""#, "ForceCommand /bin/bash",
    "ForceCommand exec /bin/sh -l", "ForceCommand $SHELL", "ForceCommand \"${SHELL}\" -l",
    "ChrootDirectory //", "ChrootDirectory /usr/..", "ChrootDirectory LINK",
  ])
  func `a ForceCommand that gives a shell or passes the command on, and ChrootDirectory /, leave people a shell`(
    text: String
  ) {
    lead()
    machine.folder.link("whole", to: "/")
    let text = text.replacing("LINK", with: machine.folder.path + "/whole")
    #expect(findings(Self.good + text + "\n") == [.ok(SSHText.fine)], "\(told(text))")
  }

  @Test(arguments: [
    #"ForceCommand echo "$SSH_ORIGINAL_COMMAND""#, "ForceCommand /usr/bin/logger $SSH_ORIGINAL_COMMAND",
    #"ForceCommand /bin/sh -c "echo $SSH_ORIGINAL_COMMAND""#, "ForceCommand /bin/bash /etc/motd",
    #"ForceCommand /bin/sh -c "date""#,
  ])
  func `a ForceCommand that only uses the person's command, or runs something else in a shell, gives no shell`(
    text: String
  ) {
    lead()
    #expect(told(text).first?.contains("nobody gets a shell of this machine") == true, "\(told(text))")
  }

  @Test(arguments: [
    "ForceCommand internal-sftp", "ForceCommand /bin/cat /etc/motd", "ChrootDirectory /usr", "ChrootDirectory %h",
  ])
  func `a member of uaf-rescue who gets no shell from sshd has no way in by ssh`(text: String) {
    lead()
    let told = told(text)
    #expect(told.first?.hasPrefix("warn ssh: \(text): nobody gets a shell of this machine") == true, "\(told)")
    #expect(told.contains { $0.hasPrefix("warn ssh: sshd lets in nobody of uaf-rescue: alice") }, "\(told)")
    #expect(!told.contains { $0.hasPrefix("ok ") })
    #expect(findings(Self.good + "ForceCommand none\nChrootDirectory none\n") == [.ok(SSHText.fine)])
  }

  @Test func `doctor reports a Match block that takes a person's shell only for a member of uaf-rescue`() {
    lead()
    for setting in [
      "ForceCommand internal-sftp", "MaxSessions 0", "ForceCommand /bin/false", "ChrootDirectory /nosuch",
    ] {
      var known = SSHReading.Known(everybody: SSHSettings(Self.good), unevaluated: [])
      known.people = [("bob", SSHSettings(Self.good + setting + "\n"))]
      #expect(check(.read(known)).findings().allSatisfy { $0.level == .ok && !$0.text.contains("keeps out") })
      known.people = [("alice", SSHSettings(Self.good + setting + "\n"))]
      let found = check(.read(known)).findings()
      // For others, a public key is a way in.
      #expect(found.contains { $0.text.contains("sshd keeps out, of uaf-rescue: alice") }, "\(found)")
    }
  }

  @Test(arguments: ["?*", "*?", "**", "*?*", "*@*", "?*@**", "x ?*"])
  func `a pattern of sshd that fits every name denies everybody`(pattern: String) {
    lead()
    #expect(findings(Self.good + "DenyUsers \(pattern)\n") == [.failure(.sshNobody, SSHText.deniesAll("DenyUsers"))])
    guard !pattern.contains("@") else { return }
    #expect(findings(Self.good + "DenyGroups \(pattern)\n") == [.failure(.sshNobody, SSHText.deniesAll("DenyGroups"))])
  }

  @Test(arguments: [
    ("DenyUsers *", SSHText.deniesAll("DenyUsers")), ("DenyUsers x *", .deniesAll("DenyUsers")),
    ("DenyGroups *", .deniesAll("DenyGroups")), ("AllowUsers carol", .allowsNobody("AllowUsers")),
    ("AllowUsers alice\nDenyUsers alice", .allowsNobody("AllowUsers")),
    ("AllowUsers carol@192.0.2.1", .allowsNobody("AllowUsers")),
    ("AllowUsers root\nPermitRootLogin no", .allowsNobody("AllowUsers")),
    ("AllowUsers bob\nAllowGroups sudo", .allowsNobody("AllowUsers")),
    ("AllowGroups nosuchgroup", .allowsNobody("AllowGroups")), ("AllowGroups empty", .allowsNobody("AllowGroups")),
    ("AllowGroups !uaf-rescue,*", .allowsNobody("AllowGroups")),
    ("AllowGroups sudo\nDenyGroups uaf-rescue", .allowsNobody("AllowGroups")),
  ])
  func `doctor warns if sshd's lists of users and groups let nobody in`(text: String, told: SSHText) {
    machine.passwords.groups["empty"] = []
    let found = findings(Self.good + text + "\n")
    #expect(found.map(\.text) == [told.english.what] && found.first?.level != .ok)
  }

  @Test(arguments: [
    ("DenyUsers ??*", "DenyUsers"), ("DenyUsers *@0.0.0.0/0", "DenyUsers"), ("DenyUsers a* r*", "DenyUsers"),
    ("DenyUsers *@*.*.*.*", "DenyUsers"), ("DenyUsers root al?ce@?*", "DenyUsers"),
    ("DenyUsers *@0.0.0.0/1,128.0.0.0/1", "DenyUsers"), ("DenyUsers r*\nDenyGroups uaf-*", "DenyGroups"),
    ("DenyGroups s* root", "DenyGroups"), ("AllowUsers x*", "AllowUsers"),
    ("AllowUsers *e\nDenyUsers a*", "AllowUsers"),
    ("AllowUsers ?", "AllowUsers"), ("AllowUsers *@!*", "AllowUsers"), ("AllowGroups ssh-*", "AllowGroups"),
    ("DenyUsers alice\nPermitRootLogin no", "DenyUsers"),
  ])
  func `doctor compares sshd's patterns with the people that this machine knows`(text: String, list: String) {
    machine.passwords.groups["root"] = ["root"]
    let found = findings(Self.good + text + "\n")
    #expect(found.map(\.id) == [.sshNobody] && found[0].text.contains(list), "\(told(text))")
  }

  @Test(arguments: ["User *", "User ?*", "Group *", "User *,!root"])
  func `a Match block that takes everybody's session lets nobody in by ssh`(block: String) {
    lead()
    let (program, file) = install(Self.good + "Match \(block)\n  MaxSessions 0\n")
    machine.outputs[program] = Self.good + "maxsessions 0\npermitrootlogin without-password\n"
    machine.outputs["\(program) -T -f \(file)"] = Self.good
    if block.contains("!root") {
      // root gets in by a key.
      let root = "\(program) -T -f \(file) -C user=root,host=192.0.2.1,addr=192.0.2.1,laddr=192.0.2.2,lport=22"
      machine.outputs[root] = Self.good + "permitrootlogin without-password\n"
      #expect(!lines().contains { $0.hasPrefix("FAIL") })
      machine.outputs[root] = Self.good + "permitrootlogin no\n"
    }
    #expect(
      lines().contains { $0.hasPrefix("FAIL ssh: ") && $0.contains("MaxSessions 0: no session lasts") }, "\(lines())")
    #expect(!lines().contains { $0.hasPrefix("ok ") }, "\(lines())")
  }

  @Test(arguments: ["Host *", "Address *", "Address 0.0.0.0/0", "LocalPort *", "Address 0.0.0.0/0,::/0 User *"])
  func `doctor evaluates a Match block that applies to every connection`(block: String) {
    lead()
    let (program, file) = install(Self.good + "Match \(block)\n  MaxSessions 0\n")
    machine.outputs[program] = Self.good + "maxsessions 0\n"
    machine.outputs["\(program) -T -f \(file)"] = Self.good
    #expect(lines().contains { $0.hasPrefix("FAIL ssh: ") && $0.contains("MaxSessions 0") }, "\(lines())")
    #expect(!lines().contains { $0.contains("not looked at") }, "\(lines())")
    // Without root's rights, the files are read.
    #expect(lines(as: 1000).contains { $0.hasPrefix("FAIL ssh: MaxSessions 0") }, "\(lines(as: 1000))")
  }

  @Test func `doctor names no remedy for a setting of sshd that works`() {
    lead()
    var known = SSHReading.Known(everybody: SSHSettings(Self.good), unevaluated: [])
    known.people = [("bob", SSHSettings(Self.good + "ForceCommand internal-sftp\n"))]
    let found = check(.read(known)).findings()
    #expect(found.contains { $0.text.contains("for bob") })
    #expect(found.filter { $0.level == .ok }.allSatisfy { $0.text(in: .english).remedy == nil }, "\(found)")
  }

  @Test(arguments: [
    "AllowUsers alice", "AllowUsers a*", "AllowUsers alice@192.0.2.1", "AllowGroups sudo", "DenyUsers ?",
    "AllowGroups s*",
    "AllowGroups *", "DenyUsers ?", "DenyUsers *@192.0.2.1", "DenyGroups sudo", "AllowUsers root", "MaxAuthTries 1",
  ])
  func `one person whom sshd's lists might let in is enough for a way in by ssh`(text: String) {
    #expect(findings(Self.good + text + "\n").first == .ok(SSHText.fine))
  }

  // MARK: Match

  @Test(arguments: [
    "KbdInteractiveAuthentication no\n", "MaxAuthTries 0\n", "UsePAM no\n", "AuthenticationMethods publickey\n",
    "DenyGroups uaf-rescue\n", "PAMServiceName asking\n",
  ])
  func `a Match block that takes PAM's prompt from the only member of uaf-rescue leaves no way in by ssh`(block: String)
  {
    lead()
    machine.service("asking", "auth required pam_uaf.so")
    let methods = "AuthenticationMethods publickey,keyboard-interactive\n"
    var known = SSHReading.Known(everybody: SSHSettings(Self.good + methods), unevaluated: [])
    known.people = [("alice", SSHSettings(block + Self.good + methods))]
    let isByKey = block.contains("publickey\n")
    let expected =
      isByKey ? Finding.ok(SSHText.rescuers(["alice"])) : .warning(.sshRescue, SSHText.noRescuer(["alice"]))
    #expect(check(.read(known)).findings().contains(expected))
    known.people = [("bob", SSHSettings(block + Self.good + methods))]
    #expect(!check(.read(known)).findings().contains { $0.id == .sshRescue })
    // sshd refuses its configuration for her.
    known.refused = [("alice", "line")]
    #expect(check(.read(known)).findings().contains(.warning(.sshRescue, SSHText.noRescuer(["alice"]))))
  }

  @Test
  func `doctor reports the effect of a Match block for the people whom it fits, and where to put the remedy`() {
    for text in [
      SSHText.usePAM, .keyboardInteractive, .oneAnswer, .neverAsked, .password, .publicKey(false), .noKeys(false),
      .both(false),
      .either(false), .methods, .methodsPassword, .methodsWithPassword, .unasked(["hostbased"]), .noMethods,
      .refusesAll("MaxAuthTries 0"), .haste("LoginGraceTime 1"), .noTerminal("PermitTTY no"),
    ] {
      let told = [SSHText.forSome(["bob"], text).english, SSHText.forSome(["bob"], text).korean]
      #expect(
        told.allSatisfy { told in
          let whole = told.what + (told.remedy ?? "")
          return !["nobody", "people", "sshd_config", "아무도", "아무에게도"].contains { whole.contains($0) }
        }, "\(told)")
    }
  }

  @Test func `doctor asks sshd about each person if a Match block depends on people`() {
    lead()
    let (program, file) = install(Self.good + "Match User bob\n  PasswordAuthentication yes\n")
    machine.outputs[program] = Self.good
    let asked = { (name: String) in
      "\(program) -T -f \(file) -C user=\(name),host=192.0.2.1,addr=192.0.2.1,laddr=192.0.2.2,lport=22"
    }
    machine.outputs[asked("bob")] = Self.good.replacing("PasswordAuthentication no", with: "PasswordAuthentication yes")
    #expect(
      lines() == [
        "ok   ssh: PAM's prompt is shown, and a public key is another way in",
        "warn ssh: for bob, by a Match block: PasswordAuthentication is yes: sshd then shows none of PAM's prompts, and one string answers all "
          + "of them : PasswordAuthentication no in the Match block [ssh-password]",
      ])
    #expect(machine.ran.map { $0.joined(separator: " ") }.contains(asked("alice")))
    // A person who is not let in at all is not mentioned.
    machine.outputs[asked("bob"), default: ""] += "denyusers bob\n"
    #expect(lines().count == 1)
    machine.outputs[asked("bob")] = Self.good + "allowusers bob\n"
    machine.outputs[asked("alice")] = Self.good + "allowusers bob\n"
    #expect(lines().last?.hasPrefix("ok   ssh: sshd keeps out, of uaf-rescue: alice") == true)
  }

  @Test func `doctor names a person for whom sshd refuses its configuration`() {
    let (program, file) = install(Self.good + "Match User bob\nAuthenticationMethods password\n")
    machine.outputs["\(program) -T -f \(file)"] = Self.good
    machine.mistakes[program] = "AuthenticationMethods cannot be satisfied by enabled authentication methods\r\n"
    #expect(
      lines().contains {
        $0.hasPrefix("FAIL ssh: for bob, sshd refuses its configuration: AuthenticationMethods cannot be satisfied")
      })
  }

  @Test func `doctor says which Match blocks it has not checked`() {
    let (program, _) = install(Self.good + "Match Address 10.0.0.0/8 LocalPort 2222\nPasswordAuthentication yes\n")
    machine.outputs[program] = Self.good
    let told = "skip ssh: not looked at: what Match blocks change by address, localport"
    #expect(lines().contains { $0.hasPrefix(told + " : 'sshd -T -C' shows it") })
    #expect(lines(as: 1000).contains { $0.hasPrefix(told + " : run it as root") })
    // sshd is not asked about any person.
    #expect(machine.ran.allSatisfy { !$0.contains("-C") })
  }

  @Test func `settings under Match all apply to everybody, and take precedence`() {
    let text = Self.good + "Match User x\nUsePAM no\nMatch all\nPasswordAuthentication yes\n"
    #expect(found(text) == [.sshPassword] && SSHSettings(text).criteria == ["user"])
    #expect(SSHSettings("Match all\nUsePAM yes\n").criteria == [])
  }

  // MARK: What cannot be known

  @Test func `doctor reports a configuration that sshd refuses as a failure, in sshd's own words`() {
    let (program, file) = install(Self.good + "NoSuchKeyword yes\n")
    machine.mistakes["\(program) -t -f \(file)"] =
      "\(file): line 4: Bad configuration option: NoSuchKeyword\r\n\(file): terminating, 1 bad configuration options\r\n"
    #expect(
      lines() == [
        "FAIL ssh: sshd refuses its configuration: sshd_config: line 4: Bad configuration option: NoSuchKeyword "
          + ": correct it until 'sshd -t' says nothing [ssh-configuration]"
      ])
    machine.service("sshd", "auth required pam_unix.so")
    #expect(lines() == [])
  }

  @Test(arguments: [
    (
      "Unsupported Match attribute Users\r\nFILE line 4: Bad Match condition\r\n", "Unsupported Match attribute Users; "
    ),
    (
      "Unknown authentication method \"foo\" in list\r\nFILE line 5: invalid AuthenticationMethods method list.\r\n",
      "Unknown authentication method \"foo\" in list; "
    ),
    (
      "Disabled method \"hostbased\" in AuthenticationMethods list \"hostbased\"\r\nAuthenticationMethods cannot be satisfied",
      "Disabled method \"hostbased\" in AuthenticationMethods list \"hostbased\" "
    ),
  ])
  func `doctor reports a refused configuration even if sshd names its file late or not at all`(
    said: String, told: String
  ) {
    let (program, file) = install(Self.good)
    machine.mistakes["\(program) -t -f \(file)"] = said.replacing("FILE", with: file)
    #expect(lines().count == 1 && lines().first?.hasPrefix("FAIL ssh: sshd refuses its configuration: " + told) == true)
  }

  @Test func `if sshd cannot start for any other reason, doctor says so, and reads its files instead`() {
    let (program, _) = install("PasswordAuthentication no\n")
    machine.mistakes[program] = "Missing privilege separation directory: /run/sshd\r\n"
    #expect(lines().first?.hasPrefix("FAIL ssh: UsePAM is no") == true)
    #expect(lines().last?.hasPrefix("skip ssh: sshd does not tell its settings") == true)
    #expect(lines().last?.hasSuffix("Missing privilege separation directory: /run/sshd") == true)
  }

  @Test(arguments: ["sshd_config.d/10.conf", "sshd_config.d", "sshd_config"])
  func `without the right to read a file of sshd, doctor reports nothing as correct`(closed: String) {
    guard geteuid() != 0 else { return }
    _ = machine.folder.folder("sshd_config.d", mode: 0o755)
    _ = machine.folder.file("sshd_config.d/10.conf", Array("UsePAM no\n".utf8), mode: 0o644)
    _ = install("Include sshd_config.d/*.conf\n" + Self.good)
    #expect(lines(as: 1000).first?.hasPrefix("FAIL ssh: UsePAM is no") == true)
    machine.folder.setMode(0, of: closed)
    let told = lines(as: 1000)
    machine.folder.setMode(0o755, of: closed)
    #expect(told.count == 1 && told.first?.hasPrefix("skip ssh: sshd_config") == true)
    #expect(told.first?.hasSuffix("sshd's settings are not known : run it as root") == true)
  }

  @Test func `doctor does not treat an unreadable file of sshd as an empty one`() {
    _ = machine.folder.folder("sshd_config.d", mode: 0o755)
    machine.folder.link("sshd_config.d/10.conf", to: "/nonexistent/ssh.conf")
    _ = install("Include sshd_config.d/*.conf\n" + Self.good)
    for userID: uid_t in [0, 1000] {
      #expect(lines(as: userID).map { String($0.prefix(36)) } == ["warn ssh: sshd_config.d/10.conf cann"])
    }
  }

  // MARK: PAMServiceName

  @Test func `doctor checks the PAM service that sshd uses`() {
    let text = Self.good + "PAMServiceName Corp-SSH\n"
    #expect(found(text + "PasswordAuthentication yes\n") == [])
    machine.service("corp-ssh", "auth required pam_uaf.so")
    machine.service("sshd", "auth required pam_unix.so")
    #expect(found("PasswordAuthentication yes\n" + text) == [.sshPassword])
    let (_, _) = install(text + "Match User bob\nPAMServiceName other-ssh\nMatch Group x\nPAMServiceName corp-ssh\n")
    #expect(machine.installation.readSSH() == SSHServices(main: "corp-ssh", others: ["other-ssh"]))
    machine.folder.delete("sshd")
    #expect(machine.installation.readSSH() == SSHServices())
  }

  @Test func `doctor names a PAM service that sshd uses and that lets people in without the passcode`() {
    #expect(!machine.has(.pamSSHService))
    _ = install(Self.good + "PAMServiceName corp\n")
    machine.service("corp", "auth required pam_unix.so")
    #expect(machine.has(.pamSSHService))
    machine.service("corp", "auth required pam_uaf.so")
    #expect(!machine.has(.pamSSHService))
  }

  @Test func `doctor does not check sshd if it is missing, or if its stack does not ask for the passcode`() {
    machine.service("sshd", "auth required pam_unix.so")
    #expect(found("UsePAM no\n") == [])
    machine.service("sshd", "auth required pam_uaf.so")
    #expect(check(.absent).findings() == [])
  }

  @Test func `doctor asks sshd for its settings if root runs doctor, and reads its files for anybody else`() {
    let program = machine.folder.file("sshd", [1], mode: 0o755)
    let file = machine.folder.file("sshd_config", Array("UsePAM no\n".utf8), mode: 0o644)
    machine.installation.sshPaths = (program, file)
    machine.outputs[program] = Self.good
    #expect(!machine.has(.sshUsePAM))
    #expect(machine.ran.contains([program, "-T", "-f", file]))
    #expect(machine.has(.sshUsePAM, as: 1000))
    machine.outputs[program] = nil
    #expect(machine.has(.sshUsePAM))
    machine.folder.delete("sshd")
    #expect(!machine.has(.sshUsePAM))
  }

  @Test func `doctor follows the includes of sshd_config, and the first setting wins`() {
    let program = machine.folder.file("sshd", [1], mode: 0o755)
    _ = machine.folder.folder("sshd_config.d", mode: 0o755)
    _ = machine.folder.folder("sshd_config.d/05.conf", mode: 0o755)
    _ = machine.folder.file("sshd_config.d/10.conf", Array("UsePAM yes\nMatch User x\nUsePAM no\n".utf8), mode: 0o644)
    _ = machine.folder.file("sshd_config.d/20.conf", Array("PasswordAuthentication no\n".utf8), mode: 0o644)
    _ = machine.folder.file("sshd_config.d/30.old", Array("PubkeyAuthentication no\n".utf8), mode: 0o644)
    let text =
      "Include sshd_config.d/*.conf /nonexistent/*.conf\nUsePAM no\nPasswordAuthentication yes\nInclude sshd_config\n"
    let file = machine.folder.file("sshd_config", Array(text.utf8), mode: 0o644)
    let reading = SSHConfiguration(program: program, file: file, output: { _, _ in nil }).reading(isRoot: true) { [] }
    guard case .read(let known) = reading else {
      Issue.record("nothing was read")
      return
    }
    #expect(
      known.everybody.usesPAM && !known.everybody.takesPasswords && known.everybody.takesKeyAlone
        && known.unevaluated == ["user"])
  }
}
