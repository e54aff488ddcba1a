import ArgumentParser
import HostSystem

/// `uafctl pam disable`.
struct PAMDisableCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Has a service, or all, ask for the password again; root only.",
    discussion: """
      Puts the one line back that enable changed, and removes the stack; other lines stay as they are, and a stack that \
      was edited is kept under a hidden name. Fails, and names them, where lines that ask for the passcode remain: those \
      that uafctl did not write are never touched. With a program's main name, such as sudo, its other names, such as sudo-i, \
      stop asking as well.
      """)

  @Argument(help: "The service, such as sudo.", completion: MachineCompletion.enabledServices)
  var service: String?

  @Flag(help: "Every service that was enabled.")
  var all = false

  @Flag(help: "Leaves other names of the same program as they are, such as sudo-i beside sudo.")
  var only = false

  @OptionGroup var pamFolder: PAMFolderOption

  func validate() throws {
    if all == (service != nil) { throw ValidationError(UsageMistake.serviceOrAll.english) }
    if all, only { throw ValidationError(UsageMistake.onlyWithoutService.english) }
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    if all, context.caller.isRoot, case .failure(let error) = FileState.of(pamFolder.path), error.isAbsence {
      return .success
    }
    return try DisablingRun(in: try pamFolder.open(in: context), context: context).run(service, isAlone: only)
  }
}
