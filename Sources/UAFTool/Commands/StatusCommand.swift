import ArgumentParser

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
