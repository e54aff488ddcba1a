import Glibc
import Invocation
import SecretMemory
import ToolTestSupport
import UAFWire

@testable import HostSystem
@testable import TerminalPrompts
@testable import Doctor
@testable import UAFTool

/// One run of uafctl against a scripted core, with pipes for all that it reads and writes.
struct Bench {
  var exit: ToolExit
  var output: String
  var notes: String
  /// The lines among them about what is about to be done.
  let progress: String

  private static func isProgress(_ line: Substring) -> Bool { line.hasPrefix("uafctl: starting the shell of ") }
  var sent: [[UInt8]]
  var startedOwn: [Bool]

  init(
    _ arguments: [String], as userID: uid_t = 1000, core script: [CoreMessage] = [], input: String = "",
    terminal: CInt? = nil, sessionTerminal: CInt? = nil, display: TerminalDisplay = TerminalDisplay()
  ) {
    self.init(
      arguments, as: userID, core: FakeCore(script), input: Array(input.utf8), terminal: terminal,
      sessionTerminal: sessionTerminal, display: display)
  }

  init(
    _ arguments: [String], as userID: uid_t = 1000, core: FakeCore, input: [UInt8] = [], terminal: CInt? = nil,
    sessionTerminal: CInt? = nil, display: TerminalDisplay = TerminalDisplay(), locale: String? = nil,
    installation: Installation = .nowhere,
    colours: Bool = false,
    keyring: @escaping (borrowing Secret) -> SessionKeyring.Trial = { _ in .unknown }
  ) {
    let (given, results, notes) = (Pipe(), Pipe(), Pipe())
    _ = DescriptorWriter.write(input, to: given.writing)
    given.closeWriting()
    exit = Tool.run(
      arguments,
      in: ToolContext(
        caller: ToolUser(userID: userID, locale: locale.map { Array($0.utf8) }, tty: nil, accounts: FakeAccounts()),
        output: Output(results: results.writing, notes: notes.writing), input: given.reading, terminal: terminal,
        display: display, sessionTerminal: { sessionTerminal.map { ($0, display) } }, quietMilliseconds: 0, core: core,
        workingDirectory: "/srv/work", installation: installation,
        usesColours: colours, keyring: keyring))
    output = results.text()
    // What is about to be done is told, too; a test is about what was found.
    let lines = notes.text().split(separator: "\n", omittingEmptySubsequences: false)
    (progress, self.notes) = (
      lines.filter(Self.isProgress).joined(separator: "\n"),
      lines.filter { !Self.isProgress($0) }.joined(separator: "\n")
    )
    sent = core.received()
    startedOwn = core.startedOwn
  }

  /// The bytes of a begin message.
  static func packet(_ begin: Begin) -> [UInt8] { (try? begin.packet()) ?? [] }

  /// The bytes of an answer.
  static func answer(_ text: String) -> [UInt8] {
    [PacketType.answer.rawValue, 1, UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
  }

  /// A prompt for the passcode, with a hidden entry.
  static let question = CoreMessage.prompt(Prompt(echo: false, check: "passcode", step: .current, text: "Passcode: "))

  /// The end of a successful call.
  static let success = CoreMessage.finished(Finished(pamCode: 0, result: 0))

  /// The end of a call that failed.
  static func failure(_ pamCode: UInt8, _ result: UInt32, _ text: String? = nil) -> CoreMessage {
    var finished = Finished(pamCode: pamCode, result: result)
    finished.text = text
    return .finished(finished)
  }
}
