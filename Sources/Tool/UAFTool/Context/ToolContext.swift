import Doctor
import FidoResults
import Glibc
import HostSystem
import Invocation
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import Wording

/// Everything outside the command line that a command uses, so that a test can replace it.
struct ToolContext {
  /// The person or program that called uafctl.
  var caller: ToolUser
  /// Where results and notes are written.
  var output: Output
  /// The descriptor from which lines are read if there is no terminal.
  var input: CInt
  /// Whether a graphical front end sends its answers on ``input`` as JSON.
  ///
  /// A letter with a code in it then ends where such an answer begins.
  var speaksJSON = false
  /// The terminal; nil if standard input is not one.
  var terminal: CInt?
  /// What the terminal can show.
  var display: TerminalDisplay
  /// Opens the terminal of the session if standard input is no terminal; nil if the session has none.
  var sessionTerminal: () -> (terminal: CInt, display: TerminalDisplay)? = { nil }
  /// How long nothing must be typed after a full entry before keys are used again; until then they are dropped.
  var quietMilliseconds: CInt = 300
  /// How this program reaches the core.
  var core: any CoreSource
  /// The absolute path of the folder to which relative file names refer.
  var workingDirectory: String
  /// The paths of the installed parts of pam-uaf.
  var installation: Installation
  /// Whether results may have colours.
  var usesColours: Bool

  /// Tries the password of the session's keyring.
  var keyring: (borrowing Secret) -> SessionKeyring.Trial = { _ in .unknown }

  /// The width of the terminal to which results are written.
  var columns: Int = 80

  /// The language of the caller's locale.
  var language: Language {
    Language.matching(caller.locale.map { String(decoding: $0, as: UTF8.self) }, default: .english)
  }

  /// The context with this process's terminal, environment and installation.
  static func ofThisProcess() -> ToolContext {
    ProcessSetup.prepare()
    let terminal = isatty(STDIN_FILENO) == 1 ? ProcessSetup.openTerminal() : nil
    let user = geteuid()
    let tty = terminal.flatMap(ProcessSetup.terminalName)
    return ToolContext(
      caller: ToolUser(
        userID: user, locale: ProcessSetup.locale(), tty: tty,
        accounts: SystemAccounts()),
      output: Output(
        results: STDOUT_FILENO, notes: STDERR_FILENO,
        columns: isatty(STDERR_FILENO) == 1 ? AlternateScreen.size(of: STDERR_FILENO).columns : nil,
        resultColumns: isatty(STDOUT_FILENO) == 1 ? AlternateScreen.size(of: STDOUT_FILENO).columns : nil),
      input: STDIN_FILENO,
      terminal: terminal,
      display: ProcessSetup.display(terminal),
      sessionTerminal: {
        ProcessSetup.openSessionTerminal().map { ($0, ProcessSetup.display($0)) }
      },
      core: InstalledCore(
        socketPath: InstalledPaths.socket, helperPath: InstalledPaths.program("uaf-helper"), userID: user),
      workingDirectory: ProcessSetup.workingDirectory(),
      installation: Installation.ofThisMachine(tty: tty.map { String(decoding: $0, as: UTF8.self) }),
      usesColours: ProcessSetup.usesColours(STDOUT_FILENO),
      keyring: { SessionKeyring.ofThisProcess(userID: user).opens(with: $0) },
      columns: AlternateScreen.size(of: STDOUT_FILENO).columns)
  }
}

extension ToolContext {
  /// The day in UTC.
  var today: CalendarDay { CalendarDay(at: Int64(installation.facts().time)) }
}

// The methods that write a command's texts in the caller's language.

extension ToolContext {
  /// Writes a result.
  func result(_ text: some Catalogued<String>) { output.result(text.text(in: language)) }

  /// Writes a line that is not a result.
  func note(_ text: some Catalogued<String>) { output.note(text.text(in: language)) }

  /// Writes what failed and what to do about it.
  func failure(_ text: some Catalogued<FindingText>) {
    let words = text.text(in: language)
    failure(words.what, hint: words.remedy)
  }

  /// Writes what failed, with a hint that several errors share.
  func failure(_ text: some Catalogued<String>, hint: some Catalogued<String>) {
    failure(text.text(in: language), hint: hint.text(in: language))
  }

  /// Writes what failed and, on another line, what to do about it.
  ///
  /// Both texts are already in the caller's language.
  func failure(_ text: String, hint: String?) {
    output.note(text)
    if let hint { output.question(ToolText.hint(hint).text(in: language)) }
  }
}

/// The two outputs of the program: one for results, one for everything else.
struct Output {
  private let results: ResultWriter
  /// The width of the terminal to which results are written; nil if they go elsewhere.
  private let resultColumns: Int?
  private let notes: CInt
  /// The width of the terminal to which notes are written; nil if they go elsewhere.
  private let columns: Int?

  /// Writes to two descriptors, which still belong to the caller.
  ///
  /// - Parameters:
  ///   - columns: the width of the terminal to which notes are written; their lines are then broken between words.
  ///   - resultColumns: the width of the terminal to which results are written, for results that people read.
  init(results: CInt, notes: CInt, columns: Int? = nil, resultColumns: Int? = nil) {
    self.results = ResultWriter(results)
    self.resultColumns = resultColumns
    self.notes = notes
    self.columns = columns
  }

  /// The system's error number, if a result could not be written.
  var failure: CInt? { results.failure }

  /// Writes a result.
  func result(_ text: String) { results.write(line: text) }

  /// Writes a result that people read: at a terminal, its lines are broken between words.
  ///
  /// - Parameter hanging: the indentation of a line's further rows relative to its first row.
  func flowingResult(_ text: String, hanging: Int) {
    result(resultColumns.map { TextRows.flowing(text, columns: $0, hanging: hanging) } ?? text)
  }

  /// Writes a line that is not a result, with the program's name before it.
  func note(_ text: String) { aside("uafctl: \(text)") }

  /// Writes a line that belongs to a note, or a prompt of a conversation without a terminal.
  func question(_ text: String) { aside(text) }

  /// Writes to the output for notes.
  ///
  /// A failure is ignored, because there is nowhere to report it.
  private func aside(_ text: String) {
    let text = columns.map { TextRows.flowing(text, columns: $0) } ?? text
    _ = DescriptorWriter.write(Array((text + "\n").utf8), to: notes)
  }
}
