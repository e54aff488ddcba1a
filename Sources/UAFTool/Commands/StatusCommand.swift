import ArgumentParser
import UAFWire
import Wording

/// `uafctl status`.
struct StatusCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows what is registered, and what is locked.",
    discussion: """
      With --supported, --registered, --locked and --available the exit status answers one question about one \
      authenticator type: 0 yes, 1 no, 2 or more anything else. What is supported and not registered could be registered. What is \
      available can be used for a login, which finds it out in the same way.
      """)
  static let done = ToolText.accepted

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print the core's JSON document.")
  var json = false

  @Option(
    help: ArgumentHelp("Ask whether this machine has the authenticator type.", valueName: "type"),
    completion: Completion.types)
  var supported: String?

  @Option(
    help: ArgumentHelp("Ask whether the account has it.", valueName: "type"),
    completion: Completion.types)
  var registered: String?

  @Option(
    help: ArgumentHelp("Ask whether it is locked.", valueName: "type"),
    completion: Completion.types)
  var locked: String?

  @Option(
    help: ArgumentHelp("Ask whether a login can use it now.", valueName: "type"),
    completion: Completion.types)
  var available: String?

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.people)
  var user: String?

  func validate() throws {
    guard questions.count + (json ? 1 : 0) <= 1 else {
      throw ValidationError(UsageMistake.statusAsksOnce.english)
    }
  }

  /// What is asked, and about which type.
  private var questions: [(question: StatusQuestion, type: String)] {
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

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.status)
    request.user = user
    request.authenticator = questions.first?.type
    return request
  }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    guard let asked = questions.first else { return try show(in: surroundings) }
    do throws(ToolError) {
      return try answer(asked.question, about: asked.type, in: surroundings)
    } catch {
      surroundings.failure(error)
      return .usage
    }
  }

  private func show(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let finished = try converse(try request(in: surroundings), in: surroundings)
    guard finished.result == 0 else { return Outcome.tell(finished, in: surroundings) }
    let text = finished.document ?? ""
    let document = try StatusDocument(parsing: text)
    surroundings.output.result(
      json ? ShownText.verbatim(text) : StatusReport(language: surroundings.language).text(document))
    return .success
  }

  private func answer(
    _ question: StatusQuestion, about name: String, in surroundings: Surroundings
  ) throws(ToolError) -> ToolExit {
    let finished = try converse(try request(in: surroundings), in: surroundings)
    guard finished.result == 0 else {
      _ = Outcome.tell(finished, in: surroundings)
      return .usage
    }
    let document = try StatusDocument(parsing: finished.document ?? "")
    guard let found = document.authenticators.first(where: { $0.isCalled(name) }) else {
      guard AuthenticatorName.isPossible(name) else {
        throw .badArgument(.noSuchType(name))
      }
      surroundings.result(StatusText.notEnabled(ShownText.line(name)))
      return .refused
    }
    surroundings.output.result(StatusReport(language: surroundings.language).line(found))
    return question.holds(of: found.state) ? .success : .refused
  }
}
