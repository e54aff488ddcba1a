import Glibc
import Testing
import UAFWire

@testable import UAFTool

@Suite struct ConversationTests {
  /// The begin message for alice's own authentication.
  private var begin: Begin {
    var begin = Begin(.authenticate)
    begin.service = Array("uafctl".utf8)
    return begin
  }

  @Test func `answers a prompt with one line of standard input, and reports the success`() {
    let bench = Bench(["authenticate"], core: [Bench.question, Bench.success], input: "correct horse\nnot for this\n")
    #expect(bench.exit == .success)
    #expect(bench.notes == "Passcode: \nuafctl: accepted\n")
    #expect(bench.output == "")
    #expect(bench.sent == [Bench.packet(begin), Bench.answer("correct horse")])
  }

  @Test func `shows the core's texts on standard error`() {
    let bench = Bench(
      ["authenticate"],
      core: [.info("Hello."), .error("Wrong."), Bench.question, Bench.question, Bench.success], input: "a\nb\n")
    #expect(bench.notes == "uafctl: Hello.\nuafctl: Wrong.\nPasscode: \nPasscode: \nuafctl: accepted\n")
    #expect(bench.sent == [Bench.packet(begin), Bench.answer("a"), Bench.answer("b")])
  }

  @Test func `shows once what was wrong with the last entry`() {
    var again = Prompt(echo: false, check: "passcode", step: .current, text: "Passcode: ")
    again.errorMessage = "Wrong: 4 tries left."
    var whole = Prompt(echo: false, check: "passcode", step: .current, text: "Wrong: 3 tries left.\nPasscode: ")
    whole.errorMessage = "Wrong: 3 tries left."
    let bench = Bench(
      ["authenticate"], core: [Bench.question, .prompt(again), .prompt(whole), Bench.success], input: "a\nb\nc\n")
    #expect(
      bench.notes == """
        Passcode:\u{20}
        uafctl: Wrong: 4 tries left.
        Passcode:\u{20}
        Wrong: 3 tries left.
        Passcode:\u{20}
        uafctl: accepted

        """)
  }

  @Test func `if the core waits to be resumed, a script resumes it immediately`() {
    let bench = Bench(["authenticate"], core: [.ready, Bench.success])
    #expect(bench.exit == .success)
    #expect(bench.sent == [Bench.packet(begin), FrontEndSignal.resume.packet])
  }

  @Test func `a script gets no list of authenticators, and is told to name one`() {
    var list = Prompt(echo: true, check: "choice", step: .current, text: "Which one (1-2): ")
    list.options = ["passcode", "pattern"]
    let bench = Bench(["authenticate"], core: [.prompt(list)], input: "1\n")
    #expect(bench.exit == .refused)
    #expect(bench.notes.hasPrefix("uafctl: several authenticators fit, and nobody is there to choose [2002]"))
    #expect(bench.sent == [Bench.packet(begin), FrontEndSignal.cancelled.packet])
  }

  @Test(arguments: ["", "iris", "Passcode", "passcode "])
  func `a prompt for an unknown check ends with 2002, and nobody is asked`(_ check: String) {
    let prompt = Prompt(echo: false, check: Check(rawValue: check), step: .current, text: "Look here: ")
    let bench = Bench(["authenticate"], core: [.prompt(prompt)], input: "correct horse\n")
    #expect(bench.exit == .refused)
    #expect(bench.notes.contains("[2002]") && !bench.notes.contains("Look here"))
    #expect(bench.sent == [Bench.packet(begin), FrontEndSignal.cancelled.packet])
  }

  @Test func `cancels if standard input has no further line`() {
    let bench = Bench(["authenticate"], core: [Bench.question, Bench.failure(19, 999)])
    #expect(bench.exit == .refused)
    #expect(
      bench.notes == "Passcode: \nuafctl: standard input has no further line: cancelled\nuafctl: Cancelled. [999]\n")
    #expect(bench.sent == [Bench.packet(begin), FrontEndSignal.cancelled.packet])
  }

  @Test func `a line of standard input with a NUL cancels`() {
    let core = FakeCore([Bench.question, Bench.failure(19, 999)])
    let bench = Bench(["authenticate"], core: core, input: [0x61, 0, 0x62, 0x0A])
    #expect(bench.exit == .refused)
    #expect(bench.sent == [Bench.packet(begin), FrontEndSignal.cancelled.packet])
  }

  @Test func `an empty line of standard input is sent as an empty answer`() {
    let bench = Bench(["authenticate"], core: [Bench.question, Bench.failure(7, 3012)], input: "\n")
    #expect(bench.exit == .refused)
    #expect(bench.sent == [Bench.packet(begin), Bench.answer("")])
  }

  @Test func `cuts a line of 2000 bytes, and does not take its rest for a second answer`() {
    let long = String(repeating: "x", count: 2000)
    let bench = Bench(
      ["authenticate"], core: [Bench.question, Bench.question, Bench.failure(7, 3012)], input: long + "\nsecond\n")
    #expect(bench.sent == [Bench.packet(begin), Bench.answer(String(long.prefix(1024))), Bench.answer("second")])
  }

  @Test func `an environment variable from the core changes nothing and is not shown`() {
    let bench = Bench(["authenticate"], core: [.setenv(name: "UAF_TOKEN", value: "t0k3n"), Bench.success])
    #expect(bench.exit == .success)
    #expect(!bench.notes.contains("t0k3n") && bench.output == "")
  }

  @Test(arguments: [
    [UInt8](), [0x99], [0x01], [0x03], [0x41], [0x81], [0x86, 1, 0, 1], [0x82, 1, 0, 2, 0x41],
    [0x86, 1, 0, 1, 0, 2, 0, 4, 0, 0, 0, 0, 9], [0x82, 1, 0, 1, 0xFF],
  ])
  func `ends with status 3 after an invalid packet, or a packet that a core does not send`(packet: [UInt8]) {
    let success = (try? Bench.success.packet()) ?? []
    let bench = Bench(["authenticate"], core: FakeCore(raw: [packet, success]))
    #expect(bench.exit == .unreachable)
    #expect(!bench.notes.contains("accepted"))
  }

  @Test func `ends with status 3 if the core disappears before it has given a result`() {
    let bench = Bench(["authenticate"], core: [Bench.question], input: "a\n")
    #expect(bench.exit == .unreachable)
    #expect(bench.notes.contains("uafctl: the core ended before it said how it went\nhint: "))
  }

  @Test(arguments: [[], ["--json"], ["--json-conversation"]])
  func `reads the core's last messages even if the core has closed and a later message cannot be sent`(
    options: [String]
  ) {
    let end = Bench.failure(4, 7011, "Too many.\nWait.")
    for script in [[end], [.info("Hello."), end], [.error("No."), .setenv(name: "A", value: "b"), end]] {
      let bench = Bench(["authenticate"] + options, core: FakeCore(script, isGone: true))
      #expect(bench.exit == .refused)
      let told = bench.output + bench.notes
      #expect(told.contains("Too many.") && told.contains("7011") && !told.contains("1006"), "\(told)")
    }
  }

  @Test func `if the core has disappeared, nobody is asked, and no result is invented`() {
    for script in [[], [Bench.question, Bench.success], [.info("Hello.")], [.ready, Bench.success]] as [[CoreMessage]] {
      let bench = Bench(["authenticate"], core: FakeCore(script, isGone: true), input: Array("x\n".utf8))
      #expect(bench.exit == .unreachable)
      #expect(bench.notes.contains("uafctl: the core ended before it said how it went\n"))
      #expect(!bench.notes.contains("Passcode") && !bench.notes.contains("accepted"))
    }
  }

  @Test func `reads the core's last messages even if the core has closed without reading everything`() throws {
    struct Closing: Person {
      let core: CInt
      var checks: Set<Check> { [] }
      mutating func answer(_ prompt: Prompt) throws(ToolError) -> UAFTool.Entry { .cancelled }
      mutating func isReady() throws(ToolError) -> Bool { false }
      func hear(_ text: String, isError: Bool) { close(core) }
    }
    let ends = try PacketSocket.pair()
    for message in [CoreMessage.info("Hello."), Bench.failure(4, 7011)] {
      let packet = try message.packet()
      // SAFETY: the array lives for the call.
      _ = unsafe send(ends.theirs, packet, packet.count, CInt(MSG_NOSIGNAL))
    }
    let socket = try PacketSocket(takingOver: ends.mine)
    var person = Closing(core: ends.theirs)
    var conversation = try Conversation()
    #expect(try conversation.hold(begin, over: socket, with: &person).result == 7011)
  }

  @Test(arguments: [(0, 3012), (7, 0), (4, 0), (25, 1009), (0, 7100), (0, 10)])
  func `a success whose PAM code and result contradict each other is not a success`(pamCode: UInt8, result: UInt32) {
    let bench = Bench(["authenticate"], core: [Bench.failure(pamCode, result, "Welcome.")])
    #expect(bench.exit == .unreachable)
    #expect(!bench.notes.contains("accepted"))
  }

  @Test func `prints the server's token only if the caller has requested one`() {
    var finished = Finished(pamCode: 0, result: 0)
    finished.token = "eyJ.abc-_"
    let asked = Bench(["authenticate", "--token"], core: [.finished(finished)])
    #expect(asked.output == "eyJ.abc-_\n")
    #expect(asked.notes == "uafctl: accepted\n")
    var wanting = begin
    wanting.wantsToken = true
    #expect(asked.sent == [Bench.packet(wanting)])
    let notAsked = Bench(["authenticate"], core: [.finished(finished)])
    #expect(notAsked.output == "")
  }

  @Test func `says so if a token was requested and the server has returned none`() {
    let bench = Bench(["authenticate", "--token"], core: [Bench.success])
    #expect(bench.exit == .success)
    #expect(bench.notes == "uafctl: accepted\nuafctl: the server gave no token\n")
    #expect(bench.output == "")
  }

  @Test func `prints no token after a failure`() {
    var finished = Finished(pamCode: 7, result: 3012)
    finished.token = "eyJ.abc"
    let bench = Bench(["authenticate", "--token"], core: [.finished(finished)])
    #expect(bench.exit == .refused)
    #expect(bench.output == "" && !bench.notes.contains("eyJ"))
  }

  @Test func `a text from the core contains no control characters when it is shown`() {
    let bench = Bench(
      ["authenticate"],
      core: [.info("a\u{1B}[31mb\u{202E}c\u{7}\nd"), Bench.failure(7, 9999, "\u{9B}2Jno\r\nmore")])
    #expect(bench.notes == "uafctl: a[31mbc\nd\nuafctl: 2Jno [9999]\nhint: more\n")
  }

  @Test func `without a connection to the core the exit status is 3, and a text says what to do`() {
    let bench = Bench(["authenticate"], core: FakeCore(refusing: .core(.absent(2))))
    #expect(bench.exit == .unreachable)
    #expect(
      bench.notes == """
        uafctl: cannot reach the core at /run/pam-uaf/helper.sock: No such file or directory
        hint: start the unit pam-uaf.socket, or run it as root

        """)
  }
}
