import ArgumentParser
import FidoResults
import UAFMessages
import UAFWire

/// `uafctl oob`.
struct OutOfBandCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "oob",
    abstract: "Does what a code asks for: registers, or approves or denies a login elsewhere.",
    discussion: """
      A code is one line, as a server prints it or a QR picture holds it. What it asks for stands in the code \
      itself. Other people see command lines: the line itself is taken there only if its server is this machine, as in \
      a demonstration. Whoever cancels an approval leaves it open until its time is over; --deny ends it.
      """)
  static let done = ToolText.approved

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Flag(help: "Deny what the code asks to have approved, for good; nothing is asked.")
  var deny = false

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
    if deny, request.operation != .authenticate {
      throw .payloadNotUnderstood(.registrationDenied)
    }
    request.denies = deny
    return request
  }

  func validate() throws {
    if deny, json.isOn { throw ValidationError(UsageMistake.denyAsksNothing.english) }
    if deny, token { throw ValidationError(UsageMistake.denyAndToken.english) }
  }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    guard deny else {
      return json.isOn ? holdInJSON(in: surroundings) : try carryOut(try request(in: surroundings), in: surroundings)
    }
    let finished = try converse(try request(in: surroundings), in: surroundings)
    // A denial is the person's no: never a success of an authentication.
    guard finished.result == FidoResult.userCancel.code else { return Outcome.tell(finished, in: surroundings) }
    surroundings.note(ToolText.denied)
    return .success
  }

  /// What was done depends on the code.
  func done(_ request: Request) -> ToolText {
    request.operation == .register ? RegisterCommand.done : .approved
  }
}
