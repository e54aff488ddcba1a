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

  @Test func `oob registers with a payload for a registration`() {
    let payload = Self.payload()
    let bench = Bench(["oob", "-"], core: [Bench.question, Bench.success], input: payload + "\nsecret\n")
    #expect(bench.exit == .success)
    #expect(bench.notes == "Passcode: \nuafctl: registered\n")
    #expect(bench.sent == [Bench.packet(begin(.register, payload)), Bench.answer("secret")])
  }

  @Test func `oob approves a login elsewhere with a payload for an approval`() {
    let payload = Self.payload(.authentication)
    let folder = Folder()
    let path = folder.file("payload", Array((payload + "\n").utf8), mode: 0o600)
    let bench = Bench(["oob", path], core: [Bench.question, Bench.success], input: "secret\n")
    #expect(bench.notes == "Passcode: \nuafctl: approved\n")
    #expect(bench.sent == [Bench.packet(begin(.authenticate, payload)), Bench.answer("secret")])
  }

  @Test func `oob refuses a payload for anything else`() {
    let bench = Bench(["oob", "-"], core: [Bench.success], input: Self.payload(.deregistration))
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(bench.notes.hasPrefix("uafctl: the code cannot be used: it asks for Dereg, which no code may\n"))
  }

  @Test(arguments: [
    "eyJ9", "x", "eyJ2IjoxfQ", payload() + "A", payload() + "=", String(payload().dropLast()),
    payload(server: "http://fido.example.com"),
  ])
  func `oob refuses a payload that cannot be read`(payload: String) {
    let bench = Bench(["oob", "-"], core: [Bench.success], input: payload)
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(bench.notes.hasPrefix("uafctl: the code cannot be used: "))
  }

  @Test(arguments: ["https://localhost:8443", "https://127.0.0.1", "https://[::1]:1"])
  func `oob accepts a payload as its argument if its server is this machine`(server: String) {
    let payload = Self.payload(server: server)
    #expect(Bench(["oob", payload], core: [Bench.success]).sent == [Bench.packet(begin(.register, payload))])
  }

  @Test(arguments: ["https://fido.example.com", "https://localhost.example.com", "https://127.0.0.1@example.com"])
  func `oob refuses a payload as its argument for any other server, and does not repeat it`(server: String) {
    let payload = Self.payload(server: server)
    let bench = Bench(["oob", payload], core: [Bench.success])
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
    #expect(!bench.notes.contains(payload))
  }

  @Test func `a refusal of oob has the core's text and exit status`() {
    let bench = Bench(["oob", "-"], core: [Bench.failure(3, 1001, "Another server.")], input: Self.payload())
    #expect(bench.exit == .usage && bench.notes.hasPrefix("uafctl: Another server. [1001]\n"))
  }

  @Test func `oob --deny denies with a payload for an approval, without a prompt`() {
    let payload = Self.payload(.authentication)
    let bench = Bench(["oob", "--deny", "-"], core: [Bench.failure(19, 999, "Denied.")], input: payload)
    #expect(bench.exit == .success && bench.notes == "uafctl: denied\n" && bench.output == "")
    var denial = begin(.authenticate, payload)
    denial.denies = true
    #expect(bench.sent == [Bench.packet(denial)])
  }

  @Test func `oob says if a denial was not accepted`() {
    let end = Bench.failure(7, 4001, "No answer from the server: the connection was refused.")
    let bench = Bench(["oob", "--deny", "-"], core: [end], input: Self.payload(.authentication))
    #expect(bench.exit == .refused && bench.notes.contains("[4001]") && !bench.notes.contains("denied"))
  }

  @Test(arguments: ["--json", "--json-conversation"])
  func `a denial by oob ends with one JSON object, and with the same exit status as without JSON`(option: String) {
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

  @Test func `oob refuses to deny a registration, and to print a token for a denial`() {
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
