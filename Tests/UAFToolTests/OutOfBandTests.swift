import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import UAFTool

@Suite struct OutOfBandTests {
  private static func payload(
    _ operation: UAFOperation = .registration, server: String = "https://fido.example.com"
  ) -> String {
    EnrolmentPayload(op: operation, server: server, username: "alice", authCode: "c0de", expires: 1).encoded
  }

  private func begin(_ operation: UAFWire.Operation, _ payload: String) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(payload.utf8)
    return begin
  }

  @Test func `registers with a payload that requests it`() {
    let payload = Self.payload()
    let bench = Bench(["oob", "-"], core: [Bench.question, Bench.success], input: payload + "\nsecret\n")
    #expect(bench.exit == .success)
    #expect(bench.notes == "Passcode: \nuafctl: registered\n")
    #expect(bench.sent == [Bench.packet(begin(.register, payload)), Bench.answer("secret")])
  }

  @Test func `approves a login elsewhere with a payload that requests it`() {
    let payload = Self.payload(.authentication)
    let folder = Folder()
    let path = folder.file("payload", Array((payload + "\n").utf8), mode: 0o600)
    let bench = Bench(["oob", path], core: [Bench.question, Bench.success], input: "secret\n")
    #expect(bench.notes == "Passcode: \nuafctl: approved\n")
    #expect(bench.sent == [Bench.packet(begin(.authenticate, payload)), Bench.answer("secret")])
  }

  @Test func `refuses a payload that requests anything else`() {
    let bench = Bench(["oob", "-"], core: [Bench.success], input: Self.payload(.deregistration))
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(bench.notes.hasPrefix("uafctl: the code cannot be used: it asks for Dereg, which no code may\n"))
  }

  @Test(arguments: [
    "eyJ9", "x", "eyJ2IjoxfQ", payload() + "A", payload() + "=", String(payload().dropLast()),
    payload(server: "http://fido.example.com"),
  ])
  func `refuses a payload that cannot be read`(payload: String) {
    let bench = Bench(["oob", "-"], core: [Bench.success], input: payload)
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(bench.notes.hasPrefix("uafctl: the code cannot be used: "))
  }

  @Test(arguments: ["https://localhost:8443", "https://127.0.0.1", "https://[::1]:1"])
  func `accepts the payload itself on the command line if its server is this machine`(server: String) {
    let payload = Self.payload(server: server)
    #expect(Bench(["oob", payload], core: [Bench.success]).sent == [Bench.packet(begin(.register, payload))])
  }

  @Test(arguments: ["https://fido.example.com", "https://localhost.example.com", "https://127.0.0.1@example.com"])
  func `refuses the payload itself on the command line for a server elsewhere, and does not repeat it`(server: String) {
    let payload = Self.payload(server: server)
    let bench = Bench(["oob", payload], core: [Bench.success])
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(!bench.notes.contains(payload))
  }

  @Test func `a refusal has the core's words and exit status`() {
    let bench = Bench(["oob", "-"], core: [Bench.failure(3, 1001, "Another server.")], input: Self.payload())
    #expect(bench.exit == .usage && bench.notes.hasPrefix("uafctl: Another server. [1001]\n"))
  }

  @Test func `denies with a payload that asks for an approval, without a question`() {
    let payload = Self.payload(.authentication)
    let bench = Bench(["oob", "--deny", "-"], core: [Bench.failure(19, 999, "Denied.")], input: payload)
    #expect(bench.exit == .success && bench.notes == "uafctl: denied\n" && bench.output == "")
    var denial = begin(.authenticate, payload)
    denial.denies = true
    #expect(bench.sent == [Bench.packet(denial)])
  }

  @Test func `says that a denial was not accepted`() {
    let end = Bench.failure(7, 4001, "No answer from the server: the connection was refused.")
    let bench = Bench(["oob", "--deny", "-"], core: [end], input: Self.payload(.authentication))
    #expect(bench.exit == .refused && bench.notes.contains("[4001]") && !bench.notes.contains("denied"))
  }

  @Test(arguments: ["--json", "--json-conversation"])
  func `a denial ends with one object, and with the same exit status as without JSON`(option: String) {
    let payload = Self.payload(.authentication)
    let denied = Bench(["oob", "--deny", option, "-"], core: [Bench.failure(19, 999, "Denied.")], input: payload)
    #expect(denied.exit == .success && denied.notes == "")
    #expect(
      denied.output
        == #"{"type":"failure","result":999,"name":"RESULT_USER_CANCEL","pamCode":19,"text":"Denied."}"# + "\n")
    var denial = begin(.authenticate, payload)
    denial.denies = true
    #expect(denied.sent == [Bench.packet(denial)])
    let away = Bench(["oob", "--deny", option, "-"], core: [Bench.failure(7, 4001, "No answer.")], input: payload)
    #expect(away.exit == .refused && away.output.contains(#""result":4001"#))
    let registration = Bench(["oob", "--deny", option, "-"], core: [Bench.success], input: Self.payload())
    #expect(registration.exit == .usage && registration.output.contains(#""result":1001"#))
  }

  @Test func `refuses to deny a registration, and to print a token for a denial`() {
    let registration = Bench(["oob", "--deny", "-"], core: [Bench.success], input: Self.payload())
    #expect(registration.exit == .usage && registration.startedOwn.isEmpty)
    #expect(registration.notes.hasSuffix("hint: leave it unused, and have the administrator revoke it\n"))
    #expect(Bench(["oob", "--deny", "--token", "-"], core: [Bench.success]).exit == .usage)
    for options in [[], ["--deny"]] {
      let code = Bench(["oob"] + options + ["-"], core: [Bench.success], input: "00000-00000-00000-00000\n")
      #expect(code.exit == .usage && code.startedOwn.isEmpty)
      #expect(
        code.notes == "uafctl: the code cannot be used: it is an enrolment code, by which a person registers\n"
          + "hint: 'uafctl register --code FILE' takes it\n")
    }
  }
}
