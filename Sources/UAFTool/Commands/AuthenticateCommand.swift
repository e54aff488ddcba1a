import ArgumentParser
import UAFWire

/// `uafctl authenticate`.
struct AuthenticateCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "authenticate",
    abstract: "Goes through a login without logging in.",
    discussion: """
      With --json-conversation it is a graphical front end that asks the person: each challenge and message is one line \
      of JSON on standard output, and the last line is a success or a failure. A challenge is answered by one line on \
      standard input, {"answer":"..."} or {"cancel":true}. README.md lists the members.
      """)
  static let done = ToolText.accepted

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Flag(help: "Ask in lines of JSON.")
  var jsonConversation = false

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.peopleAndTypes)
  var user: String?

  @Argument(
    help: "Authenticator type, such as passcode. Not needed where there is one.", completion: Completion.types)
  var type: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.authenticate)
    let names = Names(user: user, type: type, accounts: surroundings.caller.accounts)
    request.user = names.user
    request.authenticator = names.type
    request.wantsToken = token
    return request
  }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let request = try request(in: surroundings)
    guard jsonConversation else { return try carryOut(request, in: surroundings) }
    let lines = JSONLines(output: surroundings.output, language: surroundings.language)
    var person = JSONPerson(input: LineInput(descriptor: surroundings.input), lines: lines)
    do throws(ToolError) {
      let finished = try converse(request, with: &person, in: surroundings)
      lines.finished(finished, wantsToken: request.wantsToken)
      return finished.pamCode == 0 ? .success : Outcome.exit(finished)
    } catch {
      lines.failure(error)
      return error.exit
    }
  }
}
