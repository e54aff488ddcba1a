import ArgumentParser
import Doctor

/// `uafctl status`.
struct StatusCommand: CoreCommand, JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows what is registered, and what is locked.",
    discussion: """
      With --supported, --registered, --locked and --available the exit status answers one question about one \
      authenticator type: 0 yes, 1 no, 2 or more anything else. What is supported and not registered could be \
      registered. What is available can be used for a login, which finds it out in the same way.
      """)
  static let done = ToolText.accepted

  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print the core's JSON document.")
  var json = false

  @OptionGroup var questions: StatusQuestionOptions

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    guard questions.all.count + (json ? 1 : 0) <= 1 else {
      throw ValidationError(UsageMistake.statusAsksOnce.english)
    }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.status)
    request.user = user
    request.authenticator = questions.all.first?.type
    return request
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let display = StatusDisplay(context: context)
    let ask = { () throws(ToolError) in try call(in: context).hold(try request(in: context)) }
    guard let asked = questions.all.first else { return try display.show(try ask(), asJSON: json) }
    return display.answer(asked.question, about: asked.type, by: ask)
  }
}

/// The options of `uafctl status` that ask one question about one authenticator type.
struct StatusQuestionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Ask whether this machine has the authenticator type.", valueName: "type"),
    completion: MachineCompletion.types)
  var supported: String?

  @Option(
    help: ArgumentHelp("Ask whether the account has it.", valueName: "type"),
    completion: MachineCompletion.types)
  var registered: String?

  @Option(
    help: ArgumentHelp("Ask whether it is locked.", valueName: "type"),
    completion: MachineCompletion.types)
  var locked: String?

  @Option(
    help: ArgumentHelp("Ask whether a login can use it now.", valueName: "type"),
    completion: MachineCompletion.types)
  var available: String?

  /// What is asked, and about which type.
  var all: [(question: StatusQuestion, type: String)] {
    StatusQuestion.allCases.compactMap { question in
      let type =
        switch question {
        case .supported: supported
        case .registered: registered
        case .locked: locked
        case .available: available
        }
      return type.map { (question, $0) }
    }
  }
}

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
        context.output.flowingResult(finding.line(in: context.language, colours: context.usesColours), hanging: 5)
      }
    }
    let report = DoctorReport(findings)
    if json { context.output.result(report.text(in: context.language)) }
    return report.hasFailed ? .refused : .success
  }
}
