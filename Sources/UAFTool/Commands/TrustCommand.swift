import ArgumentParser
import UAFWire

/// `uafctl trust`.
struct TrustCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Writes the server of an enrolment code into the configuration; root only.")
  static let done = ToolText.trusted

  @OptionGroup var conf: ConfigurationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with the enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.trust)
    request.payload = try PayloadSource.read(payload, in: context)
    return request
  }
}
