import ArgumentParser
import UAFWire

/// `uafctl deregister`.
struct DeregisterCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister",
    abstract: "Deletes registrations, here and at the server.")
  static let done = ToolText.deregistered
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Every authenticator of the account.")
  var all = false

  @Option(
    name: .customLong("user"), help: ArgumentHelp("The account, as it was spelt before.", visibility: .hidden),
    completion: MachineCompletion.people)
  var userBefore: String?

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with an enrolment code as the proof; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Print the server's token, which says that the keys are gone.")
  var token = false

  @OptionGroup var names: AuthenticatorArguments

  func validate() throws {
    let isType = names.user.map { userBefore != nil || AuthenticatorName.isPossible($0) } ?? false
    let namesType = names.type != nil || isType
    if all, namesType { throw ValidationError(UsageMistake.allAndType.english) }
    if userBefore != nil, names.type != nil { throw ValidationError(UsageMistake.accountTwice.english) }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(all ? .deregisterAll : .deregister, of: userBefore, in: context)
    request.payload = try PayloadSource.read(payload, in: context)
    request.wantsToken = token
    return request
  }
}
