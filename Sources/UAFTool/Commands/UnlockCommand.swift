import ArgumentParser
import UAFWire

/// `uafctl unlock`.
struct UnlockCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Lifts every lock of an account; root only.")
  static let done = ToolText.unlocked

  @OptionGroup var conf: ConfigurationOption

  @Argument(help: "The account.", completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.unlock)
    request.user = user
    return request
  }
}
