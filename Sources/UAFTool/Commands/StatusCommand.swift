import ArgumentParser
import UAFWire

/// `uafctl status`.
struct StatusCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows what is registered, and what is locked.",
    discussion: """
      With --available the exit status answers whether the authenticator can be used for a login: 0 yes, 1 no, \
      2 or more anything else, in the same way the login itself finds out.
      """)
  static let done = ToolText.accepted

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print the core's JSON document.")
  var json = false

  @Option(
    help: ArgumentHelp("Ask for one authenticator type; nothing is prompted for.", valueName: "type"),
    completion: Completion.types)
  var available: String?

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.people)
  var user: String?

  func validate() throws {
    if json, available != nil { throw ValidationError(UsageMistake.jsonAndAvailable.english) }
  }

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.status)
    request.user = user
    request.authenticator = available
    return request
  }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    guard let available else { return try show(in: surroundings) }
    do throws(ToolError) {
      return try answer(available, in: surroundings)
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

  private func answer(_ name: String, in surroundings: Surroundings) throws(ToolError) -> ToolExit {
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
    return found.state == StatusReport.available ? .success : .refused
  }
}
