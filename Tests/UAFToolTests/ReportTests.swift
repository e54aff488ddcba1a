import Foundation
import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

/// What `uafctl report` collects, leaves out, replaces and writes.
@Suite struct ReportTests {
  private let machine = Machine()

  private static let line = """
    2027-01-15T08:00:00+0000 desk pam-uaf[12]: event=authenticate result=3010 name=WRONG pam=7 account=bob uid=1001 \
    service=sshd rhost=192.0.2.7 detail="wrong value"
    """

  init() {
    machine.installation.hostName = "desk"
    machine.service("sudo", "auth sufficient pam_uaf.so conf=/etc/own.conf\n@include common-auth")
    machine.service("common-auth", "auth required pam_unix.so nullok\nauth optional pam_mysql.so passwd=hunter22")
    machine.service("other", "auth required pam_mysql.so passwd=hunter22")
    machine.outputs["/usr/bin/journalctl"] = Self.line + "\n"
    machine.outputs["/usr/bin/uname"] = "Linux 6.1.0 x86_64\n"
    machine.passwords.texts["/etc/os-release"] =
      "PRETTY_NAME=\"Debian GNU/Linux 12\"\nHOME_URL=\"https://x\"\nID=debian\n"
  }

  private func report(
    as userID: uid_t = 0, terminal: CInt? = nil, locale: String? = nil, _ arguments: String...
  ) -> Bench {
    Bench(
      ["report", "--pam-directory", machine.pam] + arguments, as: userID,
      core: FakeCore(each: [[.finished(Machine.finished(Machine.document(Machine.passcode)))]]), terminal: terminal,
      locale: locale, installation: machine.installation)
  }

  private func section(_ title: String, of text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return Array(lines.drop { $0 != "== \(title) ==" }.dropFirst().prefix { !$0.isEmpty })
  }

  @Test func `without a file the report is printed, and nothing is written`() {
    let before = machine.folder.names("")
    let bench = report()
    #expect(bench.exit == .success && bench.notes == "" && machine.folder.names("") == before)
    #expect(section("report", of: bench.output).first == "made by \(ToolVersion.text), as root")
    #expect(section("report", of: bench.output).contains("at 2027-01-15 08:00 UTC"))
    let helper = "\(machine.installation.helperPath): uaf-helper \(ToolVersion.number)"
    #expect(section("versions", of: bench.output).contains(helper))
    #expect(
      section("system", of: bench.output) == [
        "PRETTY_NAME=\"Debian GNU/Linux 12\"", "ID=debian", "kernel: Linux 6.1.0 x86_64",
      ])
    #expect(section("units", of: bench.output) == ["systemd does not answer"])
    #expect(
      section("configuration", of: bench.output).contains("request_url = \"https://fido.example.com/uaf/get\""))
    #expect(section("doctor", of: bench.output).contains("ok   core: answers"))
  }

  @Test func `services that name pam_uaf are shown with what they include, and arguments only of known modules`() {
    #expect(
      section("PAM services that name pam_uaf", of: report().output) == [
        "# sudo: by hand", "auth sufficient pam_uaf.so conf=/etc/own.conf", "@include common-auth",
        "# common-auth", "auth required pam_unix.so nullok", "auth optional pam_mysql.so (1 arguments, not shown)",
      ])
  }

  @Test func `the log's lines are made anew from known parts, the newest last`() {
    let newer = Self.line.replacing("08:00:00", with: "08:00:09")
    machine.outputs["/usr/bin/journalctl"] = newer + "\n" + Self.line + "\n"
    #expect(
      section("log", of: report().output)
        == ["08:00:00", "08:00:09"].map {
          "2027-01-15T\($0)+0000 pam-uaf[12] event=authenticate result=3010 name=WRONG pam=7 account=bob uid=1001 "
            + "service=sshd rhost=192.0.2.7 detail=\"wrong value\""
        })
  }

  @Test func `without a journal, lines come from the file of the log, in the form of traditional daemons too`() {
    machine.outputs["/usr/bin/journalctl"] = nil
    let text = """
      Jan  5 08:00:00 desk sudo[7]: pam_uaf(sudo:auth): event=module pam=7 detail="refused"
      Jan  5 08:00:01 desk sudo[7]: hunter22 : command not allowed
      """
    machine.installation.logPath = machine.folder.file("auth.log", Array(text.utf8), mode: 0o600)
    #expect(section("log", of: report().output) == ["Jan 5 08:00:00 sudo[7] event=module pam=7 detail=\"refused\""])
    machine.installation.logPath = Installation.nowherePath
    #expect(section("log", of: report().output) == ["it cannot be read here (journalctl, authpriv)"])
  }

  /// Lines of the log in which somebody's secret may stand.
  private static let planted = [
    "event=authenticate account=SECRET pam=7", "event=authenticate pam=7 passcode=SECRET",
    "event=authenticate tty=SECRET!",
    "event=register detail=\"key a1b2c3d4e5f6a7b8 gone\"", "no event SECRET",
  ]

  private func log(_ messages: [String], _ secret: String) {
    machine.outputs["/usr/bin/journalctl"] = messages.map {
      "2027-01-15T08:00:00+0000 desk pam-uaf[12]: \($0.replacing("SECRET", with: secret))\n"
    }.joined()
  }

  @Test func `a name that is no account's, unknown parts, tokens and other lines of the log are left out`() {
    log(Self.planted, "hunter22")
    let at = "2027-01-15T08:00:00+0000 pam-uaf[12] "
    #expect(
      section("log", of: report().output) == [
        at + "event=authenticate account=(no account here) pam=7", at + "event=authenticate pam=7",
        at + "event=authenticate tty=(not shown)", at + "event=register detail=\"key (16 characters) gone\"",
      ])
  }

  /// A secret as it may be written: itself, in hexadecimal digits, and in Base64 at each of the three places in a group.
  private static func forms(of secret: String) -> [String] {
    let bytes = Array(secret.utf8)
    let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let base64 = (0..<3).map { place in
      // The first and the last characters depend on the neighbours.
      String(Data([UInt8](repeating: 0, count: place) + bytes).base64EncodedString().dropFirst(4).dropLast(4))
    }
    let inURLs = base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
    return [secret, hex, hex.uppercased()] + base64 + inURLs
  }

  @Test(arguments: [true, false])
  func `no secret of configuration, state, stacks and log is in a report, whatever its form`(isUsable: Bool) {
    let secrets = [
      "hunter22-in-configuration", "hunter22-in-the-state-folder", "hunter22-in-the-log", "hunter22-in-stacks",
    ]
    machine.configure("/uaf/get\"", "/uaf/get?key=\(secrets[0])\"")
    machine.configure("", "[passcode.ignore]\n\"\(secrets[0])\" = \"never \(secrets[0])\"")
    if !isUsable { machine.configure("", "[tpm]\ntcti = \"\(secrets[0])\"\npassword = \"\(secrets[0])\"") }
    for name in ["device.key", "machine.join", "trust.conf", "accounts/1000.db"] {
      machine.folder.delete("state/" + name)
      _ = machine.folder.file("state/" + name, Array(secrets[1].utf8), mode: 0o400)
    }
    machine.service("sudo", "auth sufficient pam_uaf.so\nauth required pam_mysql.so passwd=\(secrets[3])")
    log(Self.planted, secrets[2])
    let text = report().output
    #expect(text.contains("event=authenticate") && text.contains("pam_mysql.so") && text.contains("[server]"))
    #expect(text.contains("FAIL configuration") != isUsable)
    for secret in secrets {
      #expect(Self.forms(of: secret).filter(text.contains) == [], "\(secret)")
    }
  }

  @Test func `a file is written with the same text, for its owner alone, where somebody asked for no question`() {
    let path = machine.folder.path + "/ticket"
    let bench = report("--yes", path)
    #expect(bench.exit == .success && bench.notes == "uafctl: report: \(path): read it before you give it away\n")
    #expect(machine.folder.content("ticket") == bench.output && machine.folder.mode("ticket") == 0o600)
  }

  @Test func `a file that exists, or a link, is refused before anything is shown, and stays as it is`() {
    let path = machine.folder.file("ticket", Array("mine".utf8), mode: 0o644)
    machine.folder.link("link", to: "/nonexistent/elsewhere")
    for (name, content) in [("ticket", "mine"), ("link", "")] {
      let bench = report("--yes", machine.folder.path + "/" + name)
      #expect(bench.exit == .usage && bench.output == "")
      #expect(bench.notes.contains("File exists\nhint: name a file that does not exist\n"))
      #expect(name == "link" || machine.folder.content(name) == content)
    }
    #expect(machine.folder.mode("ticket") == 0o644 && path.hasSuffix("ticket"))
  }

  @Test func `without a terminal and without --yes no file is written`() {
    let bench = report(machine.folder.path + "/ticket")
    #expect(bench.exit == .usage && bench.output == "" && bench.notes.contains("give --yes, or name no file"))
    #expect(!machine.folder.names("").contains("ticket"))
  }

  @Test func `a folder that does not exist is an error, after the report was shown`() {
    let bench = report("--yes", "/nonexistent/ticket")
    #expect(bench.exit == .usage && bench.output.contains("== log =="))
    #expect(bench.notes == "uafctl: report: /nonexistent/ticket: No such file or directory\n")
  }

  @Test func `only root may name the configuration, and others get what they may see`() {
    #expect(report(as: 1000, "--conf", "/etc/own.conf").exit == .usage)
    let bench = report(as: 1000)
    #expect(bench.exit == .success)
    #expect(section("report", of: bench.output).first?.hasSuffix("without root: much is missing") == true)
  }

  @Test func `a Korean machine makes the same report, and speaks Korean with its person`() {
    let path = machine.folder.path + "/ticket"
    let korean = report(locale: "ko_KR.UTF-8", "--yes", path)
    #expect(korean.output == report().output)
    #expect(korean.notes == "uafctl: 보고서: \(path): 다른 사람에게 주기 전에 읽어 보십시오\n")
  }

  @Test func `names of accounts, of this machine and of servers, and addresses are replaced on request`() {
    machine.outputs["/usr/bin/journalctl"] =
      Self.line + "\n" + Self.line.replacing("192.0.2.7", with: "2001:db8::7") + "\n"
      + Self.line.replacing("192.0.2.7", with: "laptop.example.org") + "\n"
    machine.service("sudo", "auth required pam_succeed_if.so user = bob\nauth required pam_uaf.so")
    let (open, closed) = (report().output, report("--anonymous").output)
    for name in ["alice", "bob", "desk", "fido.example.com", "192.0.2.7", "2001:db8::7", "laptop.example.org"] {
      #expect((name == "desk") != open.contains(name), "\(name)")
      #expect(!closed.contains(name), "\(name)")
    }
    let log = section("log", of: closed)
    #expect(log.allSatisfy { $0.contains(" account=account-2 ") })
    #expect(closed.contains("pam_succeed_if.so user = account-2"))
    #expect(
      log.map { $0.split(separator: " ").first { $0.hasPrefix("rhost=") } } == [
        "rhost=address-1", "rhost=address-2", "rhost=host-3",
      ])
    #expect(section("configuration", of: closed).contains("request_url = \"https://host-2/uaf/get\""))
    #expect(section("report", of: closed).last?.contains("are replaced") == true)
  }

  @Test(arguments: [
    ("mina", "account-1"), ("Mina", "Mina"), ("mina.", "account-1."), ("~mina/x", "~account-1/x"), ("minas", "minas"),
    ("desk.example.com:443", "host-1:443"), ("desk", "host-1"), ("DESK.example.com", "host-1"),
    ("web.example.com", "host-3"), ("example.com", "host-3"), ("notexample.com", "notexample.com"),
    ("10.0.0.1:22", "address-1:22"), ("[fe80::1]", "[address-1]"), ("127.0.0.1", "127.0.0.1"), ("08:00:00", "08:00:00"),
    ("1.18.2-1", "1.18.2-1"), ("root", "root"),
  ])
  func `whole names and addresses are replaced, and nothing else`(_ text: String, _ expected: String) {
    var names = Pseudonyms(accounts: ["mina", "root"], machine: ["desk.example.com"], hosts: ["login.example.net"])
    #expect(names.replaced(in: "a \(text) b") == "a \(expected) b")
    #expect(names.replaced(in: text) == expected)
  }

  @Test func `the keys of the log are those that the manual page of the module lists`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../man/pam_uaf.8")
    let lines = try String(contentsOf: root.standardizedFileURL, encoding: .utf8).components(separatedBy: "\n")
    let first = try #require(lines.firstIndex(of: ".\\\" keys: begin"))
    let last = try #require(lines.firstIndex(of: ".\\\" keys: end"))
    let listed = lines[first..<last].filter { $0.hasPrefix(".It Li ") }
      .flatMap { $0.dropFirst(".It Li ".count).components(separatedBy: " , ") }
    #expect(LogExcerpt.keys == ["event"] + listed)
  }
}
