import ArgumentParser
import UAFMessages
import UAFWire

/// `uafctl oob`.
struct OutOfBandCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "oob",
    abstract: "Does what a code asks for: registers, or approves a login elsewhere.",
    discussion: """
      A code is one line, as a server prints it or a QR picture holds it. What it asks for stands in the code \
      itself. Other people see command lines: the line itself is taken there only if its server is this machine, as in \
      a demonstration.
      """)
  static let done = ToolText.approved

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Argument(
    help: ArgumentHelp("File with the code; - for standard input, or to be asked for it.", valueName: "code"),
    completion: .file())
  var payload: String

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.people)
  var user: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    let line = try PayloadSource(outOfBand: payload).read(in: surroundings, asking: .oneTimeCode)
    let content: EnrolmentPayload
    do throws(MessageError) {
      content = try EnrolmentPayload(encoded: String(decoding: line, as: UTF8.self))
    } catch {
      throw .payloadNotUnderstood(.message(error))
    }
    var request: Request
    switch content.op {
    case .registration: request = Request(.register)
    case .authentication: request = Request(.authenticate)
    default: throw .payloadNotUnderstood(.operation(content.op.rawValue))
    }
    request.user = user
    request.payload = line
    request.wantsToken = token
    return request
  }

  /// What was done depends on the code.
  func done(_ request: Request) -> ToolText {
    request.operation == .register ? RegisterCommand.done : .approved
  }
}
