import ArgumentParser
import Doctor

/// `uafctl doctor`.
struct DoctorCommand: LocalCommand, JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks the installation, and says what to do about what is wrong.",
    discussion: """
      Each line begins with ok, warn, FAIL, or skip where only root can look. The exit status is 0 if nothing failed, \
      otherwise 1. With --json it is one object, for scripts: uafctl(1) says what its members are.
      """)

  @OptionGroup var conf: ConfigurationOption

  @Option(help: ArgumentHelp("Folder of the PAM services.", valueName: "folder"), completion: .directory)
  var pamDirectory = PAMFolderOption.standard

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let configuration = try configurationPath(in: context)
    let examination = Examination(
      of: context.installation, core: StatusQuery(in: context, configuration: configuration),
      accounts: context.caller.accounts, isRoot: context.caller.isRoot, configuration: configuration,
      services: pamDirectory)
    let findings = examination.run { found in
      for finding in found where !json {
        context.output.result(finding.line(in: context.language, colours: context.usesColours))
      }
    }
    let report = DoctorReport(findings)
    if json { context.output.result(report.text(in: context.language)) }
    return report.hasFailed ? .refused : .success
  }
}
