import Glibc
import Testing
import UAFWire

@testable import UAFTool

// Signals have one disposition for the whole process, so everything with a terminal is here, one after the other.
@Suite(.serialized) struct TerminalPersonTests {
  private let terminal = Terminal()

  /// Runs an authentication at the terminal while `person` acts on the other end.
  private func authenticate(
    core: [CoreMessage] = [Bench.question, Bench.success], display: TerminalDisplay = TerminalDisplay(),
    _ person: @escaping @Sendable (Terminal) -> Void
  ) -> Bench {
    let terminal = terminal
    let typist = Typist { person(terminal) }
    let bench = Bench(["authenticate"], core: core, terminal: terminal.program, display: display)
    typist.join()
    return bench
  }

  @Test func `hides the entry while it is typed, and puts the terminal right again`() {
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

  @Test func `nothing of the question is among the notes`() {
    let bench = authenticate { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("x\r".utf8))
    }
    #expect(bench.notes == "uafctl: accepted\n")
    #expect(bench.output == "")
  }

  @Test func `edits with the keys of the keyboard`() {
    let bench = authenticate { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("wrong".utf8) + [0x15] + Array("righß".utf8) + [0x7F] + Array("t\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("right"))
  }

  @Test(arguments: [UInt8(0x03), 0x04])
  func `cancels at Ctrl-C and Ctrl-D, and puts the terminal right again`(key: UInt8) {
    let bench = authenticate(core: [Bench.question, Bench.failure(19, 999)]) { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type([0x61, key])
    }
    #expect(bench.exit == .refused)
    #expect(bench.notes == "uafctl: Cancelled. [999]\n")
    #expect(bench.sent.last == FrontEndSignal.cancelled.packet)
    #expect(terminal.echoes)
  }

  @Test func `shows an entry that may be seen`() {
    let choice = CoreMessage.prompt(Prompt(echo: true, check: "choice", step: .current, text: "1 or 2? "))
    let bench = authenticate(core: [choice, Bench.success]) { terminal in
      _ = terminal.expect("? ")
      terminal.type(Array("1\u{7F}2\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("2"))
    #expect(terminal.rest() == "1\u{8} \u{8}2\r\n")
  }

  private static let capable = TerminalDisplay(isDumb: false)

  @Test func `masks a hidden entry character by character, and takes the masks back`() {
    let bench = authenticate(display: Self.capable) { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("aß한".utf8) + [0x7F] + Array("\u{1B}[A".utf8) + Array("😀".utf8) + [0x15])
      terminal.type(Array("xy\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("xy"))
    let back = "\u{8} \u{8}"
    #expect(terminal.rest() == "***\(back)\u{7}*\(back)\(back)\(back)**\r\n")
  }

  @Test func `takes a wide character back whole`() {
    let choice = CoreMessage.prompt(Prompt(echo: true, check: "code", step: .current, text: "Code: "))
    let bench = authenticate(core: [choice, Bench.success], display: Self.capable) { terminal in
      _ = terminal.expect("Code: ")
      terminal.type(Array("한\u{7F}a\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("a"))
    #expect(terminal.rest() == "한\u{8} \u{8}\u{8} \u{8}a\r\n")
  }

  @Test func `takes an entry of full length without Enter`() {
    var pin = Prompt(echo: false, check: "passcode", step: .current, text: "PIN: ")
    pin.entryLength = 4
    let bench = authenticate(core: [.prompt(pin), Bench.success], display: Self.capable) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("129\u{7F}34".utf8))
    }
    #expect(bench.exit == .success)
    #expect(bench.sent.last == Bench.answer("1234"))
    #expect(terminal.rest() == "***\u{8} \u{8}**\r\n")
  }

  @Test func `takes a shorter entry at Enter all the same`() {
    var pin = Prompt(echo: false, check: "passcode", step: .current, text: "PIN: ")
    pin.entryLength = 4
    let bench = authenticate(core: [.prompt(pin), Bench.failure(7, 3012)]) { terminal in
      _ = terminal.expect("PIN: ")
      terminal.type(Array("12\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("12"))
  }

  @Test func `another size of the window leaves the entry as it is`() {
    let bench = authenticate(display: Self.capable) { terminal in
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("ab".utf8))
      _ = terminal.expect("**")
      kill(getpid(), SIGWINCH)
      terminal.type(Array("c\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("abc"))
  }

  @Test func `shows a question without what steers a terminal`() {
    let question = CoreMessage.prompt(
      Prompt(echo: false, check: "passcode", step: .current, text: "For sudo\n\u{1B}]0;x\u{7}Passcode: "))
    let shown = Box("")
    _ = authenticate(core: [question, Bench.success]) { terminal in
      shown.value = terminal.expect("Passcode: ")
      terminal.type([0x0D])
    }
    #expect(shown.value == "For sudo\r\n]0;xPasscode: ")
  }

  @Test func `SIGINT from elsewhere cancels, and is no longer caught afterwards`() {
    let bench = authenticate(core: [Bench.question, Bench.failure(19, 999)]) { terminal in
      _ = terminal.expect("Passcode: ")
      kill(getpid(), SIGINT)
    }
    #expect(bench.notes == "uafctl: Cancelled. [999]\n")
    #expect(terminal.echoes)
    var action = sigaction()
    // SAFETY: `action` is a sigaction, and only read into.
    _ = unsafe sigaction(SIGINT, nil, &action)
    let isDefault = unsafe action.__sigaction_handler.sa_handler == nil
    #expect(isDefault)
  }

  @Test func `asks anew after it was stopped and went on`() {
    let choice = CoreMessage.prompt(Prompt(echo: true, check: "choice", step: .current, text: "1 or 2? "))
    let bench = authenticate(core: [choice, Bench.success]) { terminal in
      _ = terminal.expect("? ")
      terminal.type(Array("half".utf8))
      // Seen, so taken.
      _ = terminal.expect("half")
      kill(getpid(), SIGCONT)
      _ = terminal.expect("? ")
      terminal.type(Array("whole\r".utf8))
    }
    #expect(bench.sent.last == Bench.answer("whole"))
    #expect(terminal.echoes)
  }

  @Test func `asks for a payload without showing it`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Enrolment payload: ")
      terminal.type(Array("eyJ2IjoxfQ\r".utf8))
    }
    let bench = Bench(["register", "--payload", "-"], core: [Bench.success], terminal: terminal.program)
    typist.join()
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array("eyJ2IjoxfQ".utf8)
    #expect(bench.sent == [Bench.packet(begin)])
    #expect(terminal.rest() == "\r\n")
  }

  @Test func `refuses a payload that was not given at the terminal`() {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Enrolment payload: ")
      terminal.type([0x04])
    }
    let bench = Bench(["register", "--payload", "-"], core: [Bench.success], terminal: terminal.program)
    typist.join()
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: no payload was given\n"))
    #expect(bench.startedOwn.isEmpty)
  }

  @Test func `asks for a value to try without showing it`() {
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

  @Test func `a value that was not given at the terminal is an error`() {
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
}
