import Glibc
import Invocation
import ToolTestSupport

@testable import HostSystem
@testable import TerminalPrompts
@testable import Doctor
@testable import UAFTool

extension Tool {
  /// Runs a command by a caller with this locale, and writes its results to `results`.
  ///
  /// - Returns: how the run ended, and its notes.
  static func run(
    _ arguments: [String], as userID: uid_t = 0, results: CInt, locale: String? = nil, core: FakeCore = FakeCore([]),
    input: String = "", installation: Installation = .nowhere
  ) -> (exit: ToolExit, notes: String) {
    let (given, notes) = (Pipe(), Pipe())
    _ = DescriptorWriter.write(Array(input.utf8), to: given.writing)
    given.closeWriting()
    let exit = Tool.run(
      arguments,
      in: ToolContext(
        caller: ToolUser(userID: userID, locale: locale.map { Array($0.utf8) }, tty: nil, accounts: FakeAccounts()),
        output: Output(results: results, notes: notes.writing), input: given.reading, terminal: nil,
        display: TerminalDisplay(), core: core, workingDirectory: "/srv/work", installation: installation,
        usesColours: false))
    return (exit, notes.text())
  }
}
