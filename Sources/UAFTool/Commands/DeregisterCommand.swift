import ArgumentParser
import UAFWire

/// `uafctl deregister`.
struct DeregisterCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister",
    abstract: "Deletes registrations, here and at the server.")
  static let done = "deregistered"

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Every authenticator of the account.")
  var all = false

  @Option(help: "The account; root only. Your own where it is left out.")
  var user: String?

  @Option(
    help: ArgumentHelp(
      "File with an enrolment payload as the proof; - for standard input, or to be asked for it.", valueName: "file"))
  var payload: String?

  @Flag(help: "Print the server's token, which says that the keys are gone.")
  var token = false

  @Argument(help: "Authenticator type, such as passcode. Not needed where there is one.")
  var type: String?

  func validate() throws {
    if all, type != nil { throw ValidationError("--all and a type exclude each other") }
  }

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(all ? .deregisterAll : .deregister)
    request.user = user
    request.authenticator = type
    request.payload = try PayloadSource.read(payload, in: surroundings)
    request.wantsToken = token
    return request
  }
}
