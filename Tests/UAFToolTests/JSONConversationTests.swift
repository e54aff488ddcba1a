import Glibc
import Testing
import UAFMessages
import UAFWire

@testable import UAFTool

@Suite struct JSONConversationTests {
  private static let challenge =
    #"{"type":"challenge","check":"passcode","step":"current","echo":false,"text":"Passcode: ","#
    + #""remainingAttempts":null,"errorMessage":null}"#

  private func bench(
    _ core: [CoreMessage], _ input: String, _ arguments: [String] = [], locale: String? = nil
  ) -> Bench {
    Bench(
      ["authenticate", "--json-conversation"] + arguments, core: FakeCore(core), input: Array(input.utf8),
      locale: locale)
  }

  @Test func `a JSON conversation asks, is answered, and ends with a success`() {
    let bench = bench([Bench.question, Bench.success], "{\"answer\":\"s\\u00e9cret\"}\n")
    #expect(bench.exit == .success)
    #expect(
      bench.output == """
        \(Self.challenge)
        {"type":"success","result":0,"name":"RESULT_SUCCESS","pamCode":0,"text":"Success."}

        """)
    #expect(bench.notes == "")
    #expect(bench.sent.last == Bench.answer("sécret"))
  }

  @Test func `a JSON conversation shows all members of a challenge`() {
    var prompt = Prompt(echo: true, check: "choice", step: .newAgain, text: "Which?\u{1B}[2J\n1 a\n2 b\n")
    prompt.remainingAttempts = 2
    prompt.errorMessage = "No."
    prompt.reason = "sudo"
    prompt.entryLength = 1
    prompt.options = ["a\"", "b\u{7}"]
    #expect(
      bench([.prompt(prompt), Bench.success], "{\"answer\":\"1\"}\n").output.split(separator: "\n").first ?? "" == """
        {"type":"challenge","check":"choice","step":"newAgain","echo":true,"text":"No.\\u000a2 tries left.\\u000aReason: sudo\\u000aWhich?[2J\\u000a1 a\\u000a2 b",\
        "remainingAttempts":2,"errorMessage":"No.","reason":"sudo","entryLength":1,"options":["a\\"","b"]}
        """)
  }

  @Test(
    arguments: [
      (
        "Passcode: ", "Wrong passcode: 3 tries left.", 3, nil,
        "Wrong passcode: 3 tries left.|Passcode: "
      ),
      ("Passcode: ", "Wrong passcode.", 3, nil, "Wrong passcode.|3 tries left.|Passcode: "),
      (
        "Passcode (3 digits): ", "Wrong passcode.", 1, "ward",
        "Wrong passcode.|1 try left.|Reason: ward|Passcode (3 digits): "
      ),
      ("No.|Confirm: ward|Passcode: ", "No.", nil, "ward", "No.|Confirm: ward|Passcode: "),
      ("Passcode: ", nil, 5, "ward", "Reason: ward|Passcode: "),
      (
        "Passcode: ", "Wrong passcode: 13 tries left.", 3, nil,
        "Wrong passcode: 13 tries left.|3 tries left.|Passcode: "
      ),
    ] as [(String, String?, UInt32?, String?, String)])
  func `the text of a JSON challenge contains the error, the tries left, the reason and the prompt`(
    text: String, mistake: String?, tries: UInt32?, reason: String?, whole: String
  ) {
    var prompt = Prompt(echo: false, check: "passcode", step: .current, text: text.replacing("|", with: "\n"))
    (prompt.errorMessage, prompt.remainingAttempts, prompt.reason) = (mistake, tries, reason)
    for options in [[], ["--together"]] {
      let bench = bench([.prompt(prompt), Bench.success], "{\"cancel\":true}\n", options)
      #expect(bench.output.contains(#","text":"\#(whole.replacing("|", with: "\\u000a"))","#), "\(bench.output)")
    }
  }

  @Test(arguments: [(PromptStep.current, "current"), (.new, "new"), (.newAgain, "newAgain")])
  func `a JSON challenge names each step with a fixed word`(_ step: PromptStep, _ word: String) {
    let prompt = Prompt(echo: false, check: "passcode", step: step, text: "Passcode: ")
    let challenge = Self.challenge.replacing(#""step":"current""#, with: #""step":"\#(word)""#)
    for locale in ["C", "ko_KR.UTF-8"] {
      let bench = bench([.prompt(prompt), Bench.success], "{\"answer\":\"1\"}\n", locale: locale)
      #expect(bench.output.hasPrefix(challenge + "\n"))
    }
  }

  @Test func `a JSON conversation passes on messages that need no answer`() {
    #expect(
      bench([.info("Hello."), .error("Wrong."), Bench.success], "").output.hasPrefix(
        """
        {"type":"info","text":"Hello."}
        {"type":"error","text":"Wrong."}

        """))
  }

  @Test func `a JSON conversation ends with one failure object, with number, name and remedy`() {
    let bench = bench([Bench.question, Bench.failure(7, 3012, "Wrong.\nTry again.")], "{\"answer\":\"x\"}\n")
    #expect(bench.exit == .refused)
    #expect(
      bench.output.hasSuffix(
        "null}\n"
          + #"{"type":"failure","result":3012,"name":"LOCAL_FAIL_VERIFY","pamCode":7,"text":"Wrong.","#
          + #""nextStep":"Try again."}"# + "\n"))
    #expect(bench.notes == "")
  }

  @Test func `a JSON conversation uses the caller's language if the core has sent no text`() {
    let bench = bench([Bench.failure(19, 999)], "", locale: "ko_KR.UTF-8")
    #expect(bench.output.contains(#""result":999"#) && bench.output.contains("취소"))
  }

  @Test func `a JSON conversation is cancelled if the front end says so`() {
    let bench = bench([Bench.question, Bench.failure(19, 999)], "{\"cancel\":true}\n{\"answer\":\"x\"}\n")
    #expect(bench.exit == .refused)
    #expect(bench.sent.last == FrontEndSignal.cancelled.packet)
    #expect(!bench.output.contains(#""type":"error""#))
  }

  @Test(arguments: ["secret\n", "{\"answer\":\"sec\0ret\"}\n", "{\"answer\":\"secret\",\"x\":1}\n", ""])
  func `a line that is not an answer cancels a JSON conversation, which says so without repeating the line`(
    input: String
  ) {
    let bench = bench([Bench.question, Bench.failure(19, 999)], input)
    #expect(bench.sent.last == FrontEndSignal.cancelled.packet)
    #expect(bench.output.split(separator: "\n").dropFirst().first?.hasPrefix(#"{"type":"error","text":""#) ?? false)
    #expect(!(bench.output + bench.notes).contains("secret"))
  }

  @Test func `a line that is too long cancels a JSON conversation, and its rest is not taken for a second answer`() {
    let long = #"{"answer":""# + String(repeating: "a", count: 20_000) + "\"}\n"
    let bench = bench([Bench.question, Bench.question, Bench.failure(19, 999)], long + "{\"answer\":\"b\"}\n")
    #expect(bench.sent.dropFirst() == [FrontEndSignal.cancelled.packet, Bench.answer("b")])
  }

  @Test(arguments: [nil, "ko_KR.UTF-8"])
  func `a JSON success with a stale secret names a next step`(locale: String?) {
    var stale = Finished(pamCode: 0, result: 0)
    stale.staleValue = true
    let line = bench([.finished(stale)], "", locale: locale).output
    #expect(line.contains(#""type":"success""#) && line.contains(#""nextStep":""#) && line.contains("'uafctl change'"))
    #expect(!bench([Bench.success], "").output.contains("nextStep"))
  }

  @Test func `a JSON success contains a token only if the caller has requested one`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.token = "eyJ.abc"
    #expect(bench([.finished(finished)], "", ["--token"]).output.hasSuffix(#","token":"eyJ.abc"}"# + "\n"))
    #expect(!bench([.finished(finished)], "").output.contains("eyJ"))
    var refused = Finished(pamCode: 7, result: 3012)
    refused.token = "eyJ.abc"
    #expect(!bench([.finished(refused)], "", ["--token"]).output.contains("eyJ"))
  }

  @Test func `a JSON conversation ends with a failure if no core can be reached, or a core that cannot be believed`() {
    for core in [FakeCore(refusing: .core(.absent(2))), FakeCore([]), FakeCore([Bench.failure(0, 3012)])] {
      let bench = Bench(["authenticate", "--json-conversation"], core: core)
      #expect(bench.exit == .unreachable)
      let lines = bench.output.split(separator: "\n")
      #expect(lines.count == 1 && bench.notes == "")
      #expect(
        lines.first?.hasPrefix(#"{"type":"failure","result":1006,"name":"ERROR_NOT_MATCH_FIDO_CLIENT","text":""#)
          ?? false)
    }
  }

  @Test func `a JSON conversation ends with a failure if the caller may not name the account`() {
    let bench = bench([Bench.success], "", ["bob"])
    #expect(bench.exit == .usage)
    #expect(bench.output.hasPrefix(#"{"type":"failure","result":1001,"#) && bench.startedOwn.isEmpty)
  }

  // MARK: A divided login

  private static let ready = #"{"type":"ready","result":10,"name":"RESULT_AUTH_READY_SUCCESS"}"#

  @Test func `a divided JSON login is ready before any challenge, and continues when it is resumed`() throws {
    let input = "{\"resume\":true}\n{\"answer\":\"secret\"}\n"
    let bench = bench([.ready, Bench.question, Bench.success], input, ["--divided"])
    #expect(bench.exit == .success)
    #expect(bench.output.split(separator: "\n").prefix(2).map(String.init) == [Self.ready, Self.challenge])
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    begin.isDivided = true
    #expect(bench.sent == [Bench.packet(begin), FrontEndSignal.resume.packet, Bench.answer("secret")])
  }

  @Test(arguments: ["{\"cancel\":true}\n", "{\"answer\":\"secret\"}\n", "{\"deny\":true}\n", "go\n", ""])
  func `at ready, any line but a resume cancels a divided JSON login`(input: String) {
    let bench = bench([.ready, Bench.failure(19, 999)], input, ["--divided"])
    #expect(bench.exit == .refused && bench.sent.last == FrontEndSignal.cancelled.packet)
    #expect(bench.output.hasPrefix(Self.ready + "\n") && bench.output.contains(#""result":999"#))
    #expect(!(bench.output + bench.notes).contains("secret"))
  }

  @Test(arguments: [1, 3]) func `a JSON conversation ignores a resume that it does not wait for`(count: Int) {
    let stray = String(repeating: "{\"resume\":true}\n", count: count)
    let bench = bench([Bench.question, Bench.success], stray + "{\"answer\":\"secret\"}\n")
    #expect(bench.exit == .success && bench.sent.count == 2 && bench.sent.last == Bench.answer("secret"))
    let alone = self.bench([Bench.question, Bench.failure(19, 999)], stray)
    #expect(alone.sent.last == FrontEndSignal.cancelled.packet)
  }

  @Test func `each JSON challenge has the tries left and the last error, or null`() throws {
    for check in Check.allCases {
      for step in [PromptStep.current, .new, .newAgain] {
        var prompt = Prompt(echo: false, check: check, step: step, text: "?")
        if check == .choice { prompt.options = ["a", "b"] }
        let line = try #require(
          bench([.prompt(prompt), Bench.success], "{\"cancel\":true}\n").output.split(separator: "\n").first)
        #expect(line.contains(#""remainingAttempts":null,"errorMessage":null"#), "\(line)")
        (prompt.remainingAttempts, prompt.errorMessage) = (1, "No.")
        let told = try #require(
          bench([.prompt(prompt), Bench.success], "{\"cancel\":true}\n").output.split(separator: "\n").first)
        #expect(told.contains(#""remainingAttempts":1,"errorMessage":"No.""#), "\(told)")
      }
    }
  }

  @Test func `if the core is ready although nobody requested a divided login, it is resumed immediately`() {
    let bench = bench([.ready, Bench.success], "")
    #expect(bench.exit == .success && bench.sent.last == FrontEndSignal.resume.packet)
    #expect(!bench.output.contains("ready"))
  }

  // MARK: Other subcommands

  @Test(arguments: [
    (["register", "--payload", "-"], "payload\n", UInt32(0)), (["change"], "", 7110),
    (["deregister", "passcode"], "", 0),
  ]) func `the other subcommands have a JSON conversation as well`(
    _ arguments: [String], _ before: String, _ result: UInt32
  ) {
    let end = CoreMessage.finished(Finished(pamCode: 0, result: result))
    let bench = Bench(
      arguments + ["--json-conversation"], core: [Bench.question, end], input: before + "{\"answer\":\"secret\"}\n")
    #expect(bench.exit == .success && bench.notes == "")
    let lines = bench.output.split(separator: "\n")
    #expect(lines.first.map(String.init) == Self.challenge)
    #expect(lines.last?.hasPrefix(#"{"type":"success","result":\#(result),"#) == true)
    #expect(bench.sent.last == Bench.answer("secret"))
  }

  @Test func `an approval has a JSON conversation as well, and can be denied in it`() {
    let payload = EnrolmentPayload(
      op: .authentication, server: "https://fido.example.com", username: "alice", authCode: "c0de", expires: 1)
    let bench = Bench(
      ["oob", "-", "--json-conversation"], core: [Bench.question, Bench.failure(19, 999, "Denied.")],
      input: payload.encoded + "\n{\"deny\":true}\n")
    #expect(bench.exit == .refused && bench.sent.last == FrontEndSignal.denied.packet)
    #expect(bench.output.hasSuffix(#""pamCode":19,"text":"Denied."}"# + "\n"))
  }

  @Test func `a denial in JSON cancels everything but an approval, and an error says so`() {
    for more in [[], ["--together"]] {
      let bench = bench([Bench.question, Bench.failure(19, 999)], "{\"deny\":true}\n", more)
      #expect(bench.exit == .refused && bench.sent.last == FrontEndSignal.cancelled.packet)
      #expect(bench.output.contains(#"{"type":"error","text":"only an approval can be denied: cancelled"}"#))
    }
  }

  @Test func `a payload that cannot be read is reported as the failure of a JSON conversation, too`() {
    for arguments in [["register", "--payload", "/nowhere"], ["oob", "-"]] {
      let bench = Bench(arguments + ["--json-conversation"], core: [Bench.success], input: "x\n")
      #expect(bench.exit == .usage && bench.startedOwn.isEmpty && bench.notes == "")
      #expect(bench.output.hasPrefix(#"{"type":"failure","result":1001,"#))
    }
  }

  // MARK: JSON only for the end

  @Test(arguments: [
    ["register", "--code", "-"], ["repair", "--code", "-"], ["change"], ["authenticate"], ["deregister", "passcode"],
  ])
  func `with --json the prompts are as usual, and the end is one object`(_ arguments: [String]) {
    let code = arguments.contains("--code") ? "payload\n" : ""
    let result: UInt32 = arguments == ["change"] ? 7110 : 0
    let end = CoreMessage.finished(Finished(pamCode: 0, result: result))
    let bench = Bench(arguments + ["--json"], core: [Bench.question, end], input: code + "secret\n")
    #expect(bench.exit == .success && bench.notes == "Passcode: \n")
    #expect(bench.output.hasPrefix(#"{"type":"success","result":\#(result),"#) && bench.output.hasSuffix("}\n"))
    #expect(bench.output.split(separator: "\n").count == 1)
    #expect(bench.sent.last == Bench.answer("secret"))
  }

  @Test func `with --json a refusal is also one object, with its hint`() {
    let bench = Bench(["change", "--json"], core: [Bench.failure(7, 3005, "Locked.\nTry again later.")])
    #expect(bench.exit == .refused && bench.notes == "")
    #expect(bench.output.hasPrefix(#"{"type":"failure","result":3005,"#))
    #expect(bench.output.contains(#""nextStep":"Try again later.""#))
  }

  @Test func `with --json a code that cannot be read is also reported as an object`() {
    let bench = Bench(["oob", "/nowhere", "--json"], core: [Bench.success])
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty && bench.output.hasPrefix(#"{"type":"failure","#))
  }

  @Test func `refuses --json together with --json-conversation`() {
    let bench = Bench(["change", "--json", "--json-conversation"], core: [Bench.success])
    #expect(bench.exit == .usage && bench.startedOwn.isEmpty && bench.output == "")
  }

  @Test(arguments: [
    ("", UInt32(19_019), "ERROR_EMPTY_USERNAME"), (" ", 1011, "ERROR_INVALID_USERNAME"),
    ("al ice", 1011, "ERROR_INVALID_USERNAME"), ("al\tice", 1011, "ERROR_INVALID_USERNAME"),
    ("미나", 1011, "ERROR_INVALID_USERNAME"), ("al\u{7F}", 1011, "ERROR_INVALID_USERNAME"),
    ("nobody-here", 1001, "ERROR_INVALID_PARAMETER"),
  ])
  func `a name that no account can have is reported with a number of its own`(
    _ name: String, _ result: UInt32, _ word: String
  ) {
    for caller in [0, 1000] as [uid_t] where caller == 0 || result != 1001 {
      for command in [["authenticate", "--json", name, "passcode"], ["status", "--json", name]] {
        let bench = Bench(command, as: caller, core: [Bench.success])
        #expect(bench.exit == .usage && bench.startedOwn.isEmpty)
        #expect(bench.output.contains(#""result":\#(result),"name":"\#(word)""#), "\(command) \(bench.output)")
      }
    }
  }

  @Test(arguments: ["authenticate", "change", "deregister", "register", "repair"])
  func `an argument that is neither an account nor a type gives 1012`(command: String) {
    for caller in [0, 1000] as [uid_t] {
      let bench = Bench([command, "--json", "iris"], as: caller, core: [Bench.success])
      #expect(bench.exit == .usage && bench.output.contains(#""result":1012"#), "\(bench.output)")
      #expect(bench.output.contains("no such account or authenticator type: iris"))
    }
  }

  /// A list of authenticators, from which a script cannot choose.
  private static var list: CoreMessage {
    var prompt = Prompt(echo: false, check: .choice, step: .current, text: "Which one (1-2): ")
    prompt.options = ["passcode", "pattern"]
    return .prompt(prompt)
  }

  @Test(arguments: [
    ["authenticate", "--json"], ["deregister", "--json"], ["deregister", "--all", "--json"], ["change", "--json"],
    ["deregister", "--json", "--all", "alice"],
  ])
  func `the number and text of a JSON end agree, and no hint names a command that uafctl refuses`(
    _ arguments: [String]
  ) throws {
    let bench = Bench(arguments, as: 0, core: [Self.list])
    #expect(bench.exit == .refused)
    let line = try #require(bench.output.split(separator: "\n").last)
    #expect(line.contains(#""result":2002,"name":"ERROR_NO_SUITABLE_AUTHENTICATOR""#) && line.contains("[2002]"))
    #expect(line.contains("name one of them") == !arguments.contains("--all"), "\(line)")
  }
}
