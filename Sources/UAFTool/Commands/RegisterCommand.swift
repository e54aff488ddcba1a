import ArgumentParser
import UAFWire

/// `uafctl register`.
struct RegisterCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Registers an authenticator of an account with the server.",
    discussion: """
      The first registration of an account needs the enrolment code that the server's administrator hands over. A \
      further one may be proved with a registered authenticator instead.
      """)
  static let done = ToolText.registered
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with the enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Print the server's token.")
  var token = false

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: MachineCompletion.peopleAndTypes)
  var user: String?

  @Argument(help: "Authenticator type, such as passcode.", completion: MachineCompletion.types)
  var type: String?

  func request(in context: ToolContext) throws(ToolError) -> Request {
    let names = Names(user: user, type: type, accounts: context.caller.accounts)
    var request = Request(.register, about: names)
    request.payload = try PayloadSource.read(payload, in: context)
    request.wantsToken = token
    return request
  }
}
