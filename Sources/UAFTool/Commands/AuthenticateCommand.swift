import ArgumentParser
import UAFWire

/// `uafctl authenticate`.
struct AuthenticateCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "authenticate",
    abstract: "Goes through a login without logging in.")
  static let done = "accepted"

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Argument(help: "The account; root only. Your own where it is left out.")
  var user: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.authenticate)
    request.user = user
    request.wantsToken = token
    return request
  }
}
