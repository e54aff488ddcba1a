import ArgumentParser
import Doctor

/// `uafctl status`.
struct StatusCommand: CoreCommand, JSONDocumentCommand {
  static var configuration: CommandConfiguration { CommandHelp.status.configuration("status") }
  static let done = ToolText.accepted

  @OptionGroup var conf: ConfigurationOption

  @Flag(help: .text(.jsonStatus))
  var json = false

  @OptionGroup var questions: StatusQuestionOptions

  @OptionGroup var pamFolder: PAMFolderOption

  @Argument(help: .text(.account), completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    guard questions.all.count + (json ? 1 : 0) <= 1 else { throw UsageMistake.statusAsksOnce.error }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.status)
    request.user = user
    request.authenticator = questions.all.first?.type
    return request
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let display = StatusDisplay(context: context, services: pamFolder.path)
    let ask = { () throws(ToolError) in try call(in: context).run(try request(in: context)) }
    guard let asked = questions.all.first else { return try display.show(try ask(), asJSON: json) }
    return display.answer(asked.question, about: asked.type, by: ask)
  }
}

/// The options of `uafctl status` for a yes-or-no question about one authenticator type.
struct StatusQuestionOptions: ParsableArguments {
  @Option(help: .text(.supported, valueName: "type"), completion: MachineCompletion.types)
  var supported: String?

  @Option(help: .text(.registered, valueName: "type"), completion: MachineCompletion.types)
  var registered: String?

  @Option(help: .text(.locked, valueName: "type"), completion: MachineCompletion.types)
  var locked: String?

  @Option(help: .text(.available, valueName: "type"), completion: MachineCompletion.types)
  var available: String?

  /// The questions, each with its type.
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
  static var configuration: CommandConfiguration { CommandHelp.doctor.configuration("doctor") }

  @OptionGroup var conf: ConfigurationOption

  @Option(help: .text(.pamDirectory, valueName: "folder"), completion: .directory)
  var pamDirectory = PAMFolderOption.standard

  @Flag(help: .text(.sessions))
  var sessions = false

  @Flag(help: .text(.jsonReport))
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let configuration = try configurationPath(in: context)
    guard !sessions || context.caller.isRoot else { throw .onlyRoot(.startSessions) }
    let examination = Examination(
      of: context.installation, core: StatusQuery(in: context, configuration: configuration),
      accounts: context.caller.accounts, isRoot: context.caller.isRoot, configuration: configuration,
      services: pamDirectory, startsSessions: sessions)
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
