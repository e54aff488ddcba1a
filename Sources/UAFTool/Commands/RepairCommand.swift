import ArgumentParser
import UAFWire

/// `uafctl repair`.
struct RepairCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Makes a new key for a machine that was restored.",
    discussion: """
      The server refuses a key of which it has seen more signatures than the machine has made. A new enrolment code and the \
      value allow a new key under the same value; the server forgets the old one in the same step. A wrong value counts as \
      an attempt. Of several authenticators each is repaired by itself, and the first one may replace the code for the \
      others.
      """)
  static let done = ToolText.repaired
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    help: ArgumentHelp(
      "File with a new enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var code: String?

  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.repair, in: context)
    request.payload = try PayloadSource.read(code, in: context)
    return request
  }
}
