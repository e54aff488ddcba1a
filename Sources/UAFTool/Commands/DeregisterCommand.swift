import ArgumentParser
import UAFWire

/// `uafctl deregister`.
struct DeregisterCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister",
    abstract: "Deletes registrations, here and at the server.")
  static let done = ToolText.deregistered

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Every authenticator of the account.")
  var all = false

  @Option(
    name: .customLong("user"), help: ArgumentHelp("The account, as it was spelt before.", visibility: .hidden),
    completion: Completion.people)
  var userBefore: String?

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with an enrolment code as the proof; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Print the server's token, which says that the keys are gone.")
  var token = false

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.peopleAndTypes)
  var user: String?

  @Argument(
    help: "Authenticator type, such as passcode. Not needed where there is one.", completion: Completion.types)
  var type: String?

  func validate() throws {
    if userBefore != nil, type != nil { throw ValidationError(UsageMistake.accountTwice.english) }
    let namesType = type != nil || user.map { userBefore != nil || AuthenticatorName.isPossible($0) } ?? false
    if all, namesType { throw ValidationError(UsageMistake.allAndType.english) }
  }

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(all ? .deregisterAll : .deregister)
    if let userBefore {
      (request.user, request.authenticator) = (userBefore, user)
    } else {
      let names = Names(user: user, type: type, accounts: surroundings.caller.accounts)
      (request.user, request.authenticator) = (names.user, names.type)
    }
    request.payload = try PayloadSource.read(payload, in: surroundings)
    request.wantsToken = token
    return request
  }
}
