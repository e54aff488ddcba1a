import Testing
import ToolTestSupport
import UAFWire

@testable import UAFTool

@Suite struct ToolUserTests {
  @Test func `if root names an account, the core gets its uid and its canonical name`() {
    let bench = Bench(["authenticate", "ALICE"], as: 0, core: [Bench.success])
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.uid = 1000
    begin.account = Array("alice".utf8)
    begin.arguments = [Array("tries=3".utf8)]
    #expect(bench.sent == [Bench.packet(begin)])
    #expect(bench.startedOwn == [false])
  }

  @Test func `if root names no account, uafctl acts for root's own account`() {
    let bench = Bench(["authenticate"], as: 0, core: [Bench.success])
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.uid = 0
    begin.account = Array("root".utf8)
    begin.arguments = [Array("tries=3".utf8)]
    #expect(bench.sent == [Bench.packet(begin)])
  }

  @Test(arguments: [
    (["status", "--conf", "/etc/x.conf"], "conf=/etc/x.conf"),
    (["--conf", "/etc/x.conf", "status"], "conf=/etc/x.conf"),
    (["status", "--conf", "x.conf"], "conf=/srv/work/x.conf"),
    (["--conf", "a.conf", "status", "--conf", "b.conf"], "conf=/srv/work/b.conf"),
  ])
  func `a configuration is sent as an absolute path, to a core that was started for this call`(
    arguments: [String], argument: String
  ) {
    let bench = Bench(arguments, as: 0, core: [Bench.success])
    #expect(bench.startedOwn == [true])
    let wanted = Array(argument.utf8)
    #expect(bench.sent.count == 1)
    #expect(bench.sent.first.map { packet in packet.indices.contains { packet[$0...].starts(with: wanted) } } == true)
  }

  @Test func `a caller without root is identified by the connection only`() {
    let bench = Bench(["register", "alice", "passcode"], core: [Bench.success])
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("passcode".utf8)
    #expect(bench.sent == [Bench.packet(begin)])
  }

  @Test func `uafctl sends the locale, for the language of the texts`() {
    let core = FakeCore([Bench.success])
    let bench = Bench(["authenticate"], core: core, locale: "ko_KR.UTF-8")
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.locale = Array("ko_KR.UTF-8".utf8)
    #expect(bench.sent == [Bench.packet(begin)])
  }

  @Test func `a single argument counts as a type only if no account has that name`() {
    let names = Names(user: "pattern", type: nil, accounts: FakeAccounts())
    #expect(names.user == nil && names.type == "pattern")
    let aaid = Names(user: "5541#0001", type: nil, accounts: FakeAccounts())
    #expect(aaid.user == nil && aaid.type == "5541#0001")
    let account = Names(user: "bob", type: nil, accounts: FakeAccounts())
    #expect(account.user == "bob" && account.type == nil)
    let both = Names(user: "passcode", type: "pattern", accounts: FakeAccounts())
    #expect(both.user == "passcode" && both.type == "pattern")
  }

  @Test(arguments: [
    ["rename", "alice", "--from", "alice"], ["forget", "alice"], ["init"], ["seal"], ["unseal"], ["recover"],
    ["authenticate", "--conf", "/etc/x.conf"],
    ["--conf", "x", "status"],
  ])
  func `refuses operations that only root may use before it starts the core`(arguments: [String]) {
    let bench = Bench(arguments, core: [Bench.success])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: only root may "))
    #expect(bench.notes.hasSuffix("\nhint: run it with sudo, or as root\n"))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test(arguments: ["bob", "root"])
  func `refuses another account to a caller without root`(name: String) {
    let bench = Bench(["authenticate", name], core: [Bench.success])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: only root may name another account\n"))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test(arguments: [
    ("nobody-at-all", "no such account: nobody-at-all"), ("", "The user name is empty. [19019]"),
    ("no such", "The user name is not valid. [1011]"), ("a\u{1B}b", "The user name is not valid. [1011]"),
    (String(repeating: "u", count: 65_536), "The user name is not valid. [1011]"),
  ])
  func `refuses an account that does not exist`(name: String, words: String) {
    let bench = Bench(["unlock", name], as: 0, core: [Bench.success])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: \(words)\n"))
    #expect(!bench.notes.contains("\u{1B}") && bench.notes.utf8.count < 5000)
    #expect(bench.startedOwn.isEmpty)
  }

  @Test func `refuses a name of a configuration that is empty or too long`() {
    #expect(Bench(["status", "--conf", ""], as: 0).exit == .usage)
    #expect(Bench(["status", "--conf", String(repeating: "x", count: 5000)], as: 0).exit == .usage)
  }

  @Test func `refuses an authenticator type that is too long for any message`() {
    let bench = Bench(["deregister", String(repeating: "x", count: 65)], core: [Bench.success])
    #expect(bench.exit == .usage)
  }
}
