import Glibc
import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import Doctor
@testable import UAFTool

/// `uafctl policy check` on a machine where root follows the server's policy.
@Suite struct PolicyTrialTests {
  private let folder = Folder()

  private static let policy = """
    [passcode]
    min_length = 12
    [passcode.rules]
    equal_character = true
    [passcode.regex]
    '.*[0-9].*' = "A digit, please."

    """

  /// Root's configuration file.
  private func file(following: String = #"["passcode"]"#) -> String {
    let server = folder.file("server.pem", [], mode: 0o644)
    let text = """
      [server]
      request_url = "https://uaf.example.com/uaf/get"
      response_url = "https://uaf.example.com/uaf/respond"
      verdict_key = "\(server)"
      require_signed_verdict = true
      [policy]
      follow = \(following)
      [passcode]
      min_length = 8

      """
    return folder.file("followed-\(following.utf8.count)", Array(text.utf8), mode: 0o644)
  }

  /// The core's reply to status, with these members about the policy.
  private func answer(_ members: String) -> [CoreMessage] {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = Machine.document(Machine.passcode).replacing(
      #""authenticators""#,
      with: #""policy":{"follow":["passcode"],"joined":true,"values":[]\#(members)},"authenticators""#)
    return [.finished(finished)]
  }

  private func inForce(_ text: String = policy) -> [CoreMessage] {
    answer(#","version":3,"toml":"\#(Base64URL.encode(text.utf8))""#)
  }

  private func check(
    _ value: String, _ core: FakeCore, file: String? = nil, as userID: uid_t = 4711, locale: String? = nil
  ) -> Bench {
    var installation = Installation.nowhere
    installation.owner = geteuid()
    installation.registered = { _ in [] }
    installation.configurationPath = file ?? self.file()
    return Bench(
      ["policy", "check"], as: userID, core: core, input: Array((value + "\n").utf8), locale: locale,
      installation: installation)
  }

  @Test func `policy check accepts a passcode that meets the rules of root and of the server`() {
    let bench = check("correct4horse", FakeCore(inForce()))
    #expect(bench.exit == .success && bench.output == "" && bench.notes == "uafctl: accepted\n")
  }

  @Test(arguments: [0, 4711] as [uid_t])
  func `policy check applies the rules of the server's policy too, and says which broken rule is the policy's`(
    _ caller: uid_t
  ) {
    let bench = check("horsesmane", FakeCore(inForce()), as: caller)
    #expect(bench.exit == .refused)
    #expect(
      bench.output == """
        min_length: Use at least 12 characters. (the server's policy 3)
        regex: A digit, please. (the server's policy 3)

        """)
    // A rule of the policy that is met is not named, and a rule that only the file has is not attributed to the policy.
    let own = "[passcode]\nmin_length = 6\n"
    #expect(check("short1", FakeCore(inForce(own))).output == "min_length: Use at least 8 characters.\n")
  }

  @Test func `policy check says in Korean where a broken rule comes from`() {
    #expect(check("eeeeeeeeeeee1", FakeCore(inForce()), locale: "ko_KR.UTF-8").exit == .success)
    let bench = check("eeeeeeeeeeee", FakeCore(inForce()), locale: "ko_KR.UTF-8")
    #expect(bench.exit == .refused && bench.output.contains("(서버의 정책 3)"))
  }

  @Test func `policy check uses only root's file if no policy is in force`() {
    for core in [answer(""), answer(#","note":"the stored policy is not in force: it is damaged""#)] {
      #expect(check("horsesmane", FakeCore(core)).exit == .success)
    }
  }

  @Test func `without the core, policy check accepts nothing that the policy could refuse`() {
    let bench = check("correct4horse", FakeCore(refusing: .core(.absent(2))))
    #expect(bench.exit == .unreachable && bench.output == "")
    #expect(bench.notes.contains("the server's policy was not tried, and may refuse it: "))
    #expect(bench.notes.contains("hint: "))
    #expect(!bench.notes.contains("accepted"))
  }

  @Test func `without the core, policy check still refuses what root's file refuses`() {
    let bench = check("short", FakeCore(refusing: .core(.absent(2))))
    #expect(bench.exit == .refused && bench.output == "min_length: Use at least 8 characters.\n")
    #expect(bench.notes.contains("was not tried"))
  }

  @Test(arguments: [
    #","version":3"#, #","version":3,"toml":"????""#, #","version":3,"toml":7"#,
    #","version":3,"toml":"\#(String(repeating: "A", count: 22_000))""#,
  ])
  func `policy check accepts no passcode under a policy whose rules the core does not report`(members: String) {
    let bench = check("correct4horse", FakeCore(answer(members)))
    #expect(bench.exit == .unreachable && bench.notes.contains("does not tell the rules of policy 3"))
  }

  @Test(arguments: ["[server]\nurl = 'https://x'\n", "[passcode]\nmax_length = 7\n", "[passcode"])
  func `policy check refuses a policy that contradicts root's file`(text: String) {
    let bench = check("correct4horse", FakeCore(inForce(text)))
    #expect(bench.exit == .usage && bench.notes.contains("policy 3"))
  }

  @Test func `policy check asks no core if root does not let the server set rules for passcodes`() {
    let bench = check("horsesmane", FakeCore(inForce()), file: file(following: #"["lock"]"#))
    #expect(bench.exit == .success && bench.sent.isEmpty)
  }

  @Test func `policy check applies no policy to a caller's own file`() {
    var installation = Installation.nowhere
    installation.owner = geteuid() + 1
    let bench = Bench(
      ["policy", "check", "--conf", file()], as: geteuid(), core: FakeCore(inForce()),
      input: Array("horsesmane\n".utf8), installation: installation)
    #expect(bench.exit == .success && bench.sent.isEmpty)
  }
}
