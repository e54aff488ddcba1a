import Doctor
import FidoResults
import Glibc
import HostSystem
import TerminalPrompts

/// Everything that a command uses besides the command line, so that a test can replace it.
struct ToolContext {
  /// Who calls.
  var caller: ToolUser
  /// Where results and notes go.
  var output: Output
  /// Where lines come from when there is no terminal.
  var input: CInt
  /// The terminal; nil when standard input is none.
  var terminal: CInt?
  /// What the terminal can show.
  var display: TerminalDisplay
  /// After a full entry, further keys are dropped until nothing was typed for so long.
  var quietMilliseconds: CInt = 300
  /// The way to the core.
  var core: any CoreSource
  /// What relative file names are relative to; absolute.
  var workingDirectory: String
  /// Where the parts of pam-uaf lie.
  var installation: Installation
  /// Whether results may have colours.
  var usesColours: Bool

  /// How wide the terminal is that results go to.
  var columns: Int = 80

  /// The language of the caller's locale.
  var language: Language {
    Language.matching(caller.locale.map { String(decoding: $0, as: UTF8.self) }, default: .english)
  }

  /// The context of this process.
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
        columns: isatty(STDERR_FILENO) == 1 ? AlternateScreen.size(of: STDERR_FILENO).columns : nil),
      input: STDIN_FILENO,
      terminal: terminal,
      display: ProcessSetup.display(terminal),
      core: InstalledCore(
        socketPath: InstalledPaths.socket, helperPath: InstalledPaths.program("uaf-helper"), userID: user),
      workingDirectory: ProcessSetup.workingDirectory(),
      installation: Installation.ofThisMachine(tty: tty.map { String(decoding: $0, as: UTF8.self) }),
      usesColours: ProcessSetup.usesColours(STDOUT_FILENO),
      columns: AlternateScreen.size(of: STDOUT_FILENO).columns)
  }
}
