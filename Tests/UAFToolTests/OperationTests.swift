import Testing
import ToolTestSupport
import UAFWire

@testable import UAFTool

@Suite struct OperationTests {
  /// The begin message of root's call: for alice's account, or for none in init.
  private func begin(_ operation: UAFWire.Operation, _ userID: UInt32 = 1000, _ name: String = "alice") -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.uid = userID
    begin.account = Array(name.utf8)
    begin.arguments = [Array("tries=3".utf8)]
    return begin
  }

  private func sent(_ arguments: [String]) -> [[UInt8]] { Bench(arguments, as: 0, core: [Bench.success]).sent }

  @Test func `the core gets exactly the operation that the command line asks for`() {
    #expect(sent(["authenticate", "alice"]) == [Bench.packet(begin(.authenticate))])
    #expect(sent(["register", "alice"]) == [Bench.packet(begin(.register))])
    #expect(sent(["deregister", "--user", "alice"]) == [Bench.packet(begin(.deregister))])
    #expect(sent(["deregister", "--user", "alice", "--all"]) == [Bench.packet(begin(.deregisterAll))])
    #expect(sent(["repair", "alice"]) == [Bench.packet(begin(.repair))])
    #expect(sent(["status", "alice"]) == [Bench.packet(begin(.status))])
    #expect(sent(["unlock", "alice"]) == [Bench.packet(begin(.unlock))])
    #expect(sent(["forget", "alice"]) == [Bench.packet(begin(.forget))])
    #expect(sent(["init"]) == [Bench.packet(begin(.initialise, 0, "root"))])
  }

  @Test func `a repair is reported in the core's words, which say what became of the old key`() {
    var end = Finished(pamCode: 0, result: 0)
    end.text = "The passcode of alice has a new key. The server has forgotten the old one."
    let bench = Bench(["repair"], core: [.finished(end)])
    #expect(bench.exit == .success && bench.notes == "uafctl: \(end.text ?? "")\n" && bench.output == "")
    #expect(Bench(["repair"], core: [Bench.success]).notes == "uafctl: repaired\n")
    let refused = Bench(["repair"], core: [Bench.failure(7, 1001, "An enrolment code is needed.\nAsk for one.")])
    #expect(refused.exit == .refused && refused.notes.hasPrefix("uafctl: An enrolment code is needed. [1001]\nhint: "))
  }

  @Test func `a command sends the authenticator type that it was given`() {
    var typed = begin(.deregister)
    typed.authenticator = Array("passcode".utf8)
    #expect(sent(["deregister", "passcode", "--user", "alice"]) == [Bench.packet(typed)])
    typed.operation = .register
    #expect(sent(["register", "alice", "passcode"]) == [Bench.packet(typed)])
    var own = begin(.register, 0, "root")
    own.authenticator = Array("5541#0001".utf8)
    #expect(sent(["register", "5541#0001"]) == [Bench.packet(own)])
  }

  @Test func `deregister takes the account as reset does, and also in its older notation`() {
    var typed = begin(.deregister)
    #expect(sent(["deregister", "alice"]) == [Bench.packet(typed)])
    #expect(sent(["deregister", "--user", "alice"]) == [Bench.packet(typed)])
    typed.authenticator = Array("passcode".utf8)
    #expect(sent(["deregister", "alice", "passcode"]) == [Bench.packet(typed)])
    #expect(sent(["deregister", "--user", "alice", "passcode"]) == [Bench.packet(typed)])
    var own = begin(.deregister, 0, "root")
    own.authenticator = Array("passcode".utf8)
    #expect(sent(["deregister", "passcode"]) == [Bench.packet(own)])
    #expect(sent(["deregister", "alice", "--all"]) == [Bench.packet(begin(.deregisterAll))])
  }

  @Test(arguments: [
    ["--user", "alice", "alice", "passcode"], ["--user", "alice", "passcode", "--all"], ["alice", "passcode", "--all"],
    ["--user", "alice", "alice", "passcode", "--all"], ["face", "--all"],
  ])
  func `deregister refuses an account that is given twice, and a type together with --all`(_ arguments: [String]) {
    let bench = Bench(["deregister"] + arguments, as: 0, core: [Bench.success])
    #expect(bench.exit == .usage && bench.sent.isEmpty)
    let isAll = arguments.contains("--all")
    #expect(bench.notes.contains("uafctl deregister USER TYPE") == !isAll)
    #expect(bench.notes.contains("--all and a type") == isAll)
  }

  @Test func `--payload works as the older name of --code`() {
    let folder = Folder()
    let path = folder.file("code", Array("eyJ2IjoxfQ\n".utf8), mode: 0o600)
    #expect(sent(["register", "alice", "--payload", path]) == sent(["register", "alice", "--code", path]))
  }

  @Test func `sends the code, and whether a token is wanted`() {
    let folder = Folder()
    let path = folder.file("payload", Array("eyJ2IjoxfQ\n".utf8), mode: 0o600)
    var full = begin(.deregister)
    full.payload = Array("eyJ2IjoxfQ".utf8)
    #expect(sent(["deregister", "alice", "--code", path]) == [Bench.packet(full)])
    full.operation = .register
    full.wantsToken = true
    #expect(sent(["register", "alice", "--code", path, "--token"]) == [Bench.packet(full)])
  }

  @Test func `prints the token of a deregistration if the server has returned one`() {
    var finished = Finished(pamCode: 0, result: 0)
    #expect(Bench(["deregister", "--token"], core: [.finished(finished)]).notes.contains("the server gave no token"))
    finished.token = "gone"
    let bench = Bench(["deregister", "--token"], core: [.finished(finished)])
    #expect(bench.exit == .success && bench.output == "gone\n" && bench.notes == "uafctl: deregistered\n")
    #expect(Bench(["deregister"], core: [.finished(finished)]).output == "")
    finished.pamCode = 7
    finished.result = 15_007
    #expect(Bench(["deregister", "--token"], core: [.finished(finished)]).output == "")
  }

  @Test func `authenticate sends a text to confirm, whether it is root's or the person's own`() {
    var confirmed = begin(.authenticate)
    confirmed.transaction = Array("pay 5 to 민아".utf8)
    #expect(sent(["authenticate", "alice", "--transaction", "pay 5 to 민아"]) == [Bench.packet(confirmed)])
    var own = Begin(.authenticate)
    own.service = Array("uafctl".utf8)
    own.transaction = confirmed.transaction
    let bench = Bench(["authenticate", "--transaction", "pay 5 to 민아"], core: [Bench.success])
    #expect(bench.sent == [Bench.packet(own)])
  }

  @Test(arguments: ["", String(repeating: "x", count: 4097)])
  func `refuses a text that cannot be confirmed, and without root a text for another account`(text: String) {
    let bench = Bench(["authenticate", "--transaction", text], core: [Bench.success])
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty && bench.notes.contains("--transaction"))
    let other = Bench(["authenticate", "bob", "--transaction", "pay 5"], core: [Bench.success])
    #expect(other.exit == .usage && other.startedOwn.isEmpty)
  }

  @Test(arguments: [
    (["authenticate"], "accepted"), (["register"], "registered"), (["deregister"], "deregistered"),
    (["unlock", "alice"], "unlocked"), (["forget", "alice"], "forgotten"),
    (["init"], "this machine has its key already, and keeps it"),
  ])
  func `each operation says on standard error what was done`(arguments: [String], text: String) {
    let bench = Bench(arguments, as: 0, core: [Bench.success])
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: \(text)\n" && bench.output == "")
  }

  @Test func `init says what was made only if the core has said so`() {
    var made = Finished(pamCode: 0, result: 0)
    made.text = "initialised /state"
    let bench = Bench(["init"], as: 0, core: [CoreMessage.finished(made)])
    #expect(bench.exit == .success && bench.notes == "uafctl: initialised\n")
  }

  @Test(arguments: [
    ["authenticate"], ["register"], ["deregister"], ["deregister", "--all"], ["unlock", "alice"], ["forget", "alice"],
    ["init"], ["status"],
  ])
  func `no operation is reported as done if the core has refused it`(arguments: [String]) {
    let bench = Bench(arguments, as: 0, core: [Bench.failure(7, 9999, "No.")])
    #expect(bench.exit == .refused)
    #expect(bench.output == "")
    #expect(bench.notes.hasPrefix("uafctl: No. [9999]\n"))
  }

  @Test func `a name that belongs to another account is not taken over, and a text says what to do`() {
    let bench = Bench(["rename", "bob", "--from", "alice"], as: 0, core: [Bench.success])
    #expect(bench.exit == .usage && bench.sent.isEmpty)
    #expect(
      bench.notes
        == "uafctl: alice is the name of another account: its registration stays its own\nhint: 'uafctl status bob' "
        + "says what is registered; if that is as 'alice', 'uafctl forget bob' removes it, and 'bob' can register "
        + "anew\n")
  }
}
