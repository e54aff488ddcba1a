import ArgumentParser
import UAFWire

/// `uafctl forget`.
struct ForgetCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Deletes all that this machine knows of an account; root only.",
    discussion: """
      The server is not told: use deregister for that, as long as the account's keys work. Afterwards the account is one \
      that was never registered here, and a nouserok in a PAM stack lets it pass.
      """)
  static let done = ToolText.forgotten
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Argument(help: "The account.", completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.forget)
    request.user = user
    return request
  }
}
