import Glibc
import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import TerminalPrompts
@testable import Doctor
@testable import UAFTool

// All tests with a terminal are in this suite and run one after another, because a signal has one handler for the whole
// process.
@Suite(.serialized) struct TerminalPersonTests {
  private let terminal = Terminal()

  /// Runs an authentication at the terminal, while `person` acts at the other end.
  private func authenticate(
    core: [CoreMessage] = [Bench.question, Bench.success], display: TerminalDisplay = TerminalDisplay(),
    configured text: String = "", _ person: @escaping @Sendable (Terminal) -> Void
  ) -> Bench {
    let terminal = terminal
    let folder = Folder()
    var installation = Installation.nowhere
    installation.configurationPath = folder.file("pam_uaf.conf", Array(text.utf8), mode: 0o600)
    let typist = Typist { person(terminal) }
    let bench = Bench(
      ["authenticate"], core: FakeCore(core), terminal: terminal.program, display: display, installation: installation)
    typist.join()
    return bench
  }

  @Test func `at a terminal the entry is hidden while it is typed, and afterwards the terminal is restored`() {
    let before = terminal.flags
    let echoed = Box(true)
    let bench = authenticate { terminal in
      _ = terminal.expect("Passcode: ")
      echoed.value = terminal.echoes
      terminal.type(Array("secret\r".utf8))
    }
    #expect(bench.exit == .success)
    #expect(bench.sent.last == Bench.answer("secret"))
    #expect(!echoed.value)
    #expect(terminal.flags == before && terminal.echoes)
    let rest = terminal.rest()
    #expect(!rest.contains("s") && rest.hasSuffix("\r\n"))
  }

  @Test func `at a terminal the prompt is not among the notes on standard error`() {
    let bench = authenticate { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("x\r".utf8))
    }
    #expect(bench.notes == "uafctl: accepted\n")
    #expect(bench.output == "")
  }

  @Test(arguments: [("y\r", true), ("yes\r", true), ("\r", false), ("n\r", false), ("yo\r", false), ("\u{3}", false)])
  func `a report is shown before it is written, and only a yes writes it`(_ keys: String, _ writes: Bool) {
    let terminal = terminal
    let folder = Folder()
    let path = folder.path + "/ticket"
    let typist = Typist {
      _ = terminal.expect("Write this to \(path)? [y/N] ")
      terminal.type(Array(keys.utf8))
    }
    var installation = Installation.nowhere
    installation.logPath = Installation.nowherePath
    let bench = Bench(["report", path], core: FakeCore([]), terminal: terminal.program, installation: installation)
    typist.join()
    #expect(bench.exit == (writes ? .success : .refused) && bench.output.contains("== log ==\n"))
    #expect(folder.names("") == (writes ? ["ticket"] : []))
    #expect(!writes || folder.content("ticket") == bench.output)
  }

  @Test(arguments: [("\r", FrontEndSignal.resume), ("early\r", .resume), ("\u{3}", .cancelled)])
  func `a divided login continues at Enter, is cancelled by Ctrl-C, and hides what is typed before`(
    _ keys: String, _ signal: FrontEndSignal
  ) {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Ready. Enter continues, Ctrl-C cancels. ")
      terminal.type(Array(keys.utf8))
    }
    let core: [CoreMessage] = [.ready, signal == .resume ? Bench.success : Bench.failure(19, 999)]
    let bench = Bench(["authenticate", "--divided"], core: core, terminal: terminal.program)
    typist.join()
    #expect(bench.exit == (signal == .resume ? .success : .refused))
    #expect(bench.sent.last == signal.packet && !terminal.rest().contains("early"))
  }

  @Test(arguments: [("\n", FrontEndSignal.resume), ("x\n", .cancelled), ("", .cancelled)])
  func `a divided login in a script continues at an empty line`(_ input: String, _ signal: FrontEndSignal) {
    let core: [CoreMessage] = [.ready, signal == .resume ? Bench.success : Bench.failure(19, 999)]
    let bench = Bench(["authenticate", "--divided"], core: core, input: input)
    #expect(bench.sent.last == signal.packet)
  }

  @Test func `the editing keys of the terminal work in an entry`() {
    let bench = authenticate { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("wrong".utf8) + [0x15] + Array("righß".utf8) + [0x7F] + Array("t\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("right"))
  }

  @Test(arguments: [UInt8(0x03), 0x04])
  func `Ctrl-C and Ctrl-D cancel an entry and restore the terminal`(key: UInt8) {
    let bench = authenticate(core: [Bench.question, Bench.failure(19, 999)]) { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type([0x61, key])
    }
    #expect(bench.exit == .refused)
    #expect(bench.notes == "uafctl: Cancelled. [999]\n")
    #expect(bench.sent.last == FrontEndSignal.cancelled.packet)
    #expect(terminal.echoes)
  }

  @Test func `at a terminal an entry that need not be hidden is shown`() {
    let choice = CoreMessage.prompt(Prompt(echo: true, check: "choice", step: .current, text: "1 or 2? "))
    let bench = authenticate(core: [choice, Bench.success]) { terminal in
      _ = terminal.expect("? ")
      terminal.type(Array("1\u{7F}2\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("2"))
    #expect(terminal.rest() == "1\u{8} \u{8}2\r\n")
  }

  private static let capable = TerminalDisplay(isDumb: false)

  @Test func `a hidden entry shows one mask for each character, and erases masks with characters`() {
    let bench = authenticate(display: Self.capable) { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("aß한".utf8) + [0x7F] + Array("\u{1B}[A".utf8) + Array("😀".utf8) + [0x15])
      terminal.type(Array("xy\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("xy"))
    let back = "\u{8} \u{8}"
    #expect(terminal.rest() == "***\(back)\u{7}*\(back)\(back)\(back)**\r\n")
  }

  @Test func `erasing a wide character in an entry erases both of its cells`() {
    let choice = CoreMessage.prompt(Prompt(echo: true, check: "code", step: .current, text: "Code: "))
    let bench = authenticate(core: [choice, Bench.success], display: Self.capable) { terminal in
      _ = terminal.expect("Code: ")
      terminal.type(Array("한\u{7F}a\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("a"))
    #expect(terminal.rest() == "한\u{8} \u{8}\u{8} \u{8}a\r\n")
  }

  /// With this configuration a full entry is accepted without Enter.
  private static let autoSubmit = "[passcode]\nauto_submit = true\n"

  @Test func `a full PIN waits for Enter unless root's configuration says otherwise`() {
    for text in ["", "[passcode]\nui_type = 'pin4'\n", "[passcode]\nauto_submit = false\n", "no configuration"] {
      let bench = authenticate(core: [Self.pin("PIN: "), Bench.success], display: Self.capable, configured: text) {
        terminal in
        _ = terminal.expect("PIN: ")
        terminal.type(Array("1234\u{7F}5\r".utf8))
      }
      #expect(bench.exit == .success && bench.sent.last == Bench.answer("1235"), "\(text)")
      _ = terminal.rest()
    }
  }

  @Test func `an entry of full length is accepted without Enter if root's configuration says so`() {
    var pin = Prompt(echo: false, check: "passcode", step: .current, text: "PIN: ")
    pin.entryLength = 4
    let bench = authenticate(
      core: [.prompt(pin), Bench.success], display: Self.capable, configured: Self.autoSubmit
    ) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("129\u{7F}34".utf8))
    }
    #expect(bench.exit == .success)
    #expect(bench.sent.last == Bench.answer("1234"))
    #expect(terminal.rest() == "***\u{8} \u{8}**\r\n")
  }

  private static func pin(_ text: String) -> CoreMessage {
    var prompt = Prompt(echo: false, check: "passcode", step: .current, text: text)
    prompt.entryLength = 4
    return .prompt(prompt)
  }

  @Test func `characters that are typed after a full entry are not shown, and do not reach the shell`() {
    let before = terminal.flags
    let bench = authenticate(
      core: [Self.pin("PIN: "), Bench.success], display: Self.capable, configured: Self.autoSubmit
    ) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("1234987\r".utf8))
    }
    #expect(bench.exit == .success && bench.sent.last == Bench.answer("1234"))
    #expect(terminal.waiting == 0)
    #expect(terminal.flags == before)
    #expect(terminal.rest() == "****\r\n")
  }

  @Test func `characters that are typed after a full entry do not reach the next prompt`() {
    let core = [Self.pin("PIN: "), Self.pin("Again: "), Bench.success]
    let echoed = Box(true)
    let bench = authenticate(core: core, display: Self.capable, configured: Self.autoSubmit) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("123499".utf8))
      _ = terminal.expect("Again: ")
      echoed.value = terminal.echoes
      // These keys come late, and were meant for the first prompt.
      terminal.type(Array("\r5678".utf8))
    }
    #expect(bench.sent.suffix(2) == [Bench.answer("1234"), Bench.answer("5678")])
    #expect(!echoed.value && terminal.echoes && terminal.waiting == 0)
  }

  @Test
  func `after an entry that ends with Enter, typed-ahead characters reach the next prompt, and may be an empty entry`()
  {
    let core = [Self.pin("PIN: "), Self.pin("Again: "), Bench.failure(7, 3012)]
    let bench = authenticate(core: core, configured: Self.autoSubmit) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("12\r".utf8))
      _ = terminal.expect("Again: ")
      terminal.type(Array("\r".utf8))
    }
    #expect(bench.sent.suffix(2) == [Bench.answer("12"), Bench.answer("")])
    #expect(terminal.echoes)
  }

  @Test func `with automatic acceptance a shorter entry still works with Enter`() {
    var pin = Prompt(echo: false, check: "passcode", step: .current, text: "PIN: ")
    pin.entryLength = 4
    let bench = authenticate(core: [.prompt(pin), Bench.failure(7, 3012)], configured: Self.autoSubmit) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("12\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("12"))
  }

  @Test func `resizing the window during an entry does not change the entry`() {
    let bench = authenticate(display: Self.capable) { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("ab".utf8))
      _ = terminal.expect("**")
      kill(getpid(), SIGWINCH)
      terminal.type(Array("c\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("abc"))
  }

  @Test func `a prompt is shown without terminal control characters`() {
    let question = CoreMessage.prompt(
      Prompt(echo: false, check: "passcode", step: .current, text: "For sudo\n\u{1B}]0;x\u{7}Passcode: "))
    let shown = Box("")
    _ = authenticate(core: [question, Bench.success]) { terminal in
      shown.value = terminal.expect("Passcode: ")
      terminal.type([0x0D])
    }
    #expect(shown.value == "For sudo\r\n]0;xPasscode: ")
  }

  /// The current handler of SIGINT as a number; 0 is the default.
  private func handlerOfSIGINT() -> Int {
    var action = sigaction()
    // SAFETY: `action` is a sigaction, and only read into; a handler is as long as a number.
    _ = unsafe sigaction(SIGINT, nil, &action)
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  @Test func `a SIGINT from another process cancels, and is no longer caught afterwards`() {
    // This is the default, unless the tests were started with another handler.
    let before = handlerOfSIGINT()
    let bench = authenticate(core: [Bench.question, Bench.failure(19, 999)]) { terminal in
      _ = terminal.expect("Passcode: ")
      kill(getpid(), SIGINT)
    }
    #expect(bench.notes == "uafctl: Cancelled. [999]\n")
    #expect(terminal.echoes)
    #expect(handlerOfSIGINT() == before)
  }

  @Test func `after a stop and a continue the prompt is shown again`() {
    let choice = CoreMessage.prompt(Prompt(echo: true, check: "choice", step: .current, text: "1 or 2? "))
    let bench = authenticate(core: [choice, Bench.success]) { terminal in
      _ = terminal.expect("? ")
      terminal.type(Array("half".utf8))
      // Once this is shown, the keys were read.
      _ = terminal.expect("half")
      kill(getpid(), SIGCONT)
      _ = terminal.expect("? ")
      terminal.type(Array("whole\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("whole"))
    #expect(terminal.echoes)
  }

  @Test func `a payload that is typed at the terminal is not shown`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Enrolment code: ")
      terminal.type(Array("eyJ2IjoxfQ\r".utf8))
    }
    let bench = Bench(["register", "--code", "-"], core: [Bench.success], terminal: terminal.program)
    typist.join()
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array("eyJ2IjoxfQ".utf8)
    #expect(bench.sent == [Bench.packet(begin)])
    #expect(terminal.rest() == "\r\n")
  }

  @Test(
    arguments: [["register"], ["deregister"], ["reset"], ["repair"]],
    ["B9D5-MPJT-B9D5-MPJQ", "b9d5 mpjt b9d5 mpjr", "ㅠ9ㅇ5-ㅡㅔㅓㅅ-ㅠ9ㅇ5-ㅡㅔㅓㅂ"])
  func `no character of a code that is typed at the terminal is shown`(command: [String], code: String) {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect(": ")
      terminal.type(Array((code + "\r").utf8))
    }
    let bench = Bench(command + ["--code", "-"], core: [Bench.failure(0, 7100)], terminal: terminal.program)
    typist.join()
    #expect(terminal.rest() == "\r\n")
    #expect(!bench.notes.contains(code))
  }

  @Test(
    arguments: [
      ["register", "--code", "-"], ["deregister", "--code", "-"], ["reset", "--code", "-"], ["repair", "--code", "-"],
      ["oob", "-"], ["oob", "--deny", "-"], ["unlock", "--code"], ["unlock", "--payload", "-"],
    ], [UInt8(0x03), 0x04])
  func `Ctrl-C at a prompt for a code cancels, as at any other prompt`(arguments: [String], key: UInt8) {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect(": ")
      terminal.type([key])
    }
    let bench = Bench(arguments, core: [Bench.success], terminal: terminal.program)
    typist.join()
    #expect(bench.exit == .refused)
    #expect(bench.notes.hasPrefix("uafctl: Cancelled. [999]\n"))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test(arguments: [["register", "--code", "-"], ["unlock", "--code"]])
  func `a tab between the account and its code counts as a space`(arguments: [String]) {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect(": ")
      terminal.type(Array("alice\tS760-0303-000G-40R4-0M30-E209\r".utf8))
    }
    let bench = Bench(arguments, core: [Bench.success], terminal: terminal.program)
    typist.join()
    // register refuses an unlock, but names the command for it, and so must have read all of it.
    let isRead = arguments[0] == "unlock" ? bench.exit == .success : bench.notes.contains("uafctl unlock --code")
    #expect(isRead, "\(bench.notes)")
  }

  @Test(arguments: ["\r", "\n", "\n\n\n"])
  func `a pasted code with line breaks is read completely, and nothing of it reaches the shell`(end: String) {
    let payload = EnrolmentPayload(
      op: .registration, server: "https://fido.example.com", username: "alice", authCode: "c0de", expires: 1
    ).encoded
    let rows = [payload.prefix(40), payload.dropFirst(40).prefix(40), payload.dropFirst(80)].joined(separator: "\n")
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect(": ")
      terminal.type(Array((rows + end).utf8))
    }
    let bench = Bench(["register", "--code", "-"], core: [Bench.success], terminal: terminal.program)
    typist.join()
    #expect(bench.exit == .success, "\(bench.notes)")
    var begin = Begin(.register)
    (begin.service, begin.payload) = (Array("uafctl".utf8), Array(payload.utf8))
    #expect(bench.sent.count == 1 && bench.sent.first?.suffix(payload.utf8.count) == Array(payload.utf8)[...])
    #expect(terminal.waiting == 0)
  }

  @Test func `a pasted letter with an unlock code leaves nothing for the shell`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect(": ")
      terminal.type(Array("Dear alice,\nS760-0303-000G-40R4-0M30-E209\nrm -r /\n".utf8))
    }
    let bench = Bench(["unlock", "--code"], core: [Bench.success], terminal: terminal.program)
    typist.join()
    #expect(bench.exit == .success && terminal.waiting == 0, "\(bench.notes)")
    #expect(bench.sent.first?.suffix(29) == Array("S760-0303-000G-40R4-0M30-E209".utf8)[...])
  }

  @Test func `if the code comes from a pipe, the new secret is asked for at the terminal of the session`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("secret\r".utf8))
    }
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success], input: "7AV5K-00000-00000-00000\n",
      sessionTerminal: terminal.program)
    typist.join()
    #expect(bench.exit == .success && bench.sent.last == Bench.answer("secret"), "\(bench.notes)")
    #expect(bench.notes == "uafctl: registered\n", "the question is at the terminal alone")
  }

  @Test func `a line after the code in a pipe is the answer, with or without a terminal`() {
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success], input: "7AV5K-00000-00000-00000\nsecret\n",
      sessionTerminal: terminal.program)
    #expect(bench.exit == .success && bench.sent.last == Bench.answer("secret"))
    #expect(bench.notes == "Passcode: \nuafctl: registered\n")
    let short = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.question, Bench.failure(19, 999)],
      input: "7AV5K-00000-00000-00000\nsecret\n", sessionTerminal: terminal.program)
    #expect(short.notes.contains("standard input has no further line") && terminal.rest().isEmpty)
  }

  @Test func `says so if nothing follows the code in a pipe and there is no terminal to ask at`() {
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success], input: "7AV5K-00000-00000-00000\n")
    #expect(bench.exit == .usage)
    #expect(
      bench.notes
        == "uafctl: standard input has no answer behind the code, and there is no terminal to ask at\nhint: give the "
        + "code there as the first line and each answer as a further one, or run it at a terminal\n")
  }

  @Test func `policy check asks for the passcode at the terminal, without showing it`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Value to try: ")
      terminal.type(Array("short\r".utf8))
    }
    let bench = Bench(["policy", "check"], as: geteuid(), terminal: terminal.program)
    typist.join()
    #expect(bench.exit == .refused)
    #expect(bench.output.hasPrefix("min_length: "))
    #expect(!terminal.rest().contains("s"))
  }

  @Test func `in policy check, Ctrl-C at the prompt is an error`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Value to try: ")
      terminal.type([0x03])
    }
    let bench = Bench(["policy", "check"], as: geteuid(), terminal: terminal.program)
    typist.join()
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: no value was given\n"))
  }

  // MARK: Patterns

  private static let grid = TerminalDisplay(isDumb: false, isUTF8: true)

  private static func pattern(error: String? = nil) -> CoreMessage {
    var prompt = Prompt(echo: false, check: "pattern", step: .current, text: "Pattern: ")
    prompt.errorMessage = error
    return .prompt(prompt)
  }

  // The last bytes of each drawing.
  private static let end = "\u{1B}[J"

  private static let help =
    "Draw with the mouse, the digits 1-9, or arrows and space. Enter: done."

  @Test func `a pattern is drawn on the alternate screen, and leaves no trace`() {
    let before = terminal.flags
    let seen = Box("")
    let bench = authenticate(core: [Self.pattern(), Bench.success], display: Self.grid) { terminal in
      seen.value = terminal.expect(Self.end)
      for key in ["1", "2", "5", "\u{1B}[B", "\u{1B}[B", " "] {
        terminal.type(Array(key.utf8))
        seen.value += terminal.expect(Self.end)
      }
      terminal.type([0x0D])
    }
    #expect(bench.sent.last == Bench.answer("1258"))
    var screen = Screen(seen.value)
    #expect(screen.isAlternate)
    #expect(
      screen.text == """
        Pattern:

           ●─────●     ○
                 │
                 │
           ○     ●     ○
                 │
                 │
           ○    [●]    ○

        \(Self.help)
        Backspace: one node back.
        """)
    screen.show(terminal.rest())
    #expect(!screen.isAlternate && screen.text == "Pattern:")
    #expect(terminal.flags == before && terminal.echoes)
  }

  @Test func `a wrong pattern is shown as such until the next key`() {
    let (wrong, after) = (Box(Screen()), Box(Screen()))
    let core = [Self.pattern(), Self.pattern(error: "Wrong pattern."), Bench.success]
    let bench = authenticate(core: core, display: Self.grid) { terminal in
      var shown = terminal.expect(Self.end)
      for key in ["1", "2", "3"] {
        terminal.type(Array(key.utf8))
        shown += terminal.expect(Self.end)
      }
      terminal.type([0x0D])
      shown += terminal.expect("\u{1B}[?1049l") + terminal.expect(Self.end)
      wrong.value = Screen(shown)
      terminal.type(Array("7".utf8))
      after.value = Screen(shown + terminal.expect(Self.end))
      terminal.type([0x0D])
    }
    #expect(bench.sent.suffix(2) == [Bench.answer("123"), Bench.answer("7")])
    #expect(wrong.value.text.hasPrefix("Wrong pattern.\nPattern:\n\n   ✕─────✕─────✕\n"))
    #expect(after.value.text.contains("   ○     ○     ○\n") && !after.value.text.contains("✕"))
  }

  @Test func `a pattern can be drawn with the mouse at the terminal`() {
    let bench = authenticate(core: [Self.pattern(), Bench.success], display: Self.grid) { terminal in
      _ = terminal.expect(Self.end)
      terminal.type(Array("\u{1B}[<0;4;3M\u{1B}[<32;16;3M\u{1B}[<32;16;9M\u{1B}[<0;16;9m\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("12369"))
  }

  @Test func `a pattern is redrawn if the window is resized, and accepts digits if the window is too small`() {
    let shown = Box(Screen())
    let bench = authenticate(core: [Self.pattern(), Bench.success], display: Self.grid) { terminal in
      _ = terminal.expect(Self.end)
      terminal.type(Array("15".utf8))
      _ = terminal.expect(Self.end) + terminal.expect(Self.end)
      terminal.resize(columns: 20, rows: 4)
      kill(getpid(), SIGWINCH)
      shown.value = Screen(terminal.expect(Self.end))
      terminal.type(Array("9\r".utf8))
    }
    #expect(shown.value.text == "Pattern:\n**")
    #expect(bench.sent.last == Bench.answer("159"))
  }

  @Test(arguments: [UInt8(0x03), 0x04])
  func `Ctrl-C cancels a pattern, and restores the terminal`(key: UInt8) {
    let bench = authenticate(core: [Self.pattern(), Bench.failure(19, 999)], display: Self.grid) { terminal in
      _ = terminal.expect(Self.end)
      terminal.type([0x31, key])
    }
    #expect(bench.sent.last == FrontEndSignal.cancelled.packet)
    #expect(terminal.echoes)
    #expect(terminal.rest().hasSuffix("\u{1B}[2J\u{1B}[H\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test func `after a stop and a continue the pattern is asked for again`() {
    let bench = authenticate(core: [Self.pattern(), Bench.success], display: Self.grid) { terminal in
      _ = terminal.expect(Self.end)
      terminal.type(Array("1".utf8))
      _ = terminal.expect(Self.end)
      kill(getpid(), SIGCONT)
      _ = terminal.expect("\u{1B}[?1049l") + terminal.expect(Self.end)
      terminal.type(Array("456\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("456"))
  }

  private static let keys = "The nodes of the pattern as digits: 1 top left, row by row, 9 bottom right.\r\n"

  @Test func `on a terminal without cursor control, a pattern is entered as digits that are not shown`() {
    let shown = Box("")
    let bench = authenticate(core: [Self.pattern(), Bench.success]) { terminal in
      shown.value = terminal.expect("Pattern: ")
      terminal.type(Array("159\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("159"))
    #expect(shown.value == Self.keys + "Pattern: " && terminal.rest() == "\r\n")
  }

  @Test func `a pattern is drawn as root has configured, and without a grid for a screen reader`() {
    let folder = Folder()
    var installation = Installation.nowhere
    func authenticate(_ text: String, _ person: @escaping @Sendable (Terminal) -> Void) -> Bench {
      installation.configurationPath = folder.file("\(text.utf8.count)", Array(text.utf8), mode: 0o600)
      let terminal = terminal
      let typist = Typist { person(terminal) }
      let bench = Bench(
        ["authenticate"], core: FakeCore([Self.pattern(), Bench.success]), terminal: terminal.program,
        display: Self.grid, installation: installation)
      typist.join()
      return bench
    }
    let shown = Box("")
    _ = authenticate("[pattern.appearance]\nnode_default = \"*\"\n") { terminal in
      shown.value = terminal.expect(Self.end)
      terminal.type(Array("\r".utf8))
    }
    #expect(Screen(shown.value).text.contains("   *     *     *\n"))
    _ = terminal.rest()
    _ = authenticate("[prompt]\naccessible = true\n") { terminal in
      shown.value = terminal.expect("Pattern: ")
      terminal.type(Array("159\r".utf8))
    }
    #expect(shown.value == Self.keys + "Pattern: " && terminal.rest() == "\r\n")
  }
}
