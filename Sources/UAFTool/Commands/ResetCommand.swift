import ArgumentParser
import FidoResults
import UAFWire

/// `uafctl reset`.
struct ResetCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Wipes a forgotten passcode or pattern, and makes its keys unusable.",
    discussion: """
      A person needs a new enrolment payload for it; root needs none. The server is not told, and still knows the keys: \
      registering again with the payload clears them away. With --deregister root has the server forget them first, \
      proved by the payload or, without one, by the value; if the server refuses, nothing is reset.
      """)
  static let done = "reset"

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Option(help: "The account; root only. Your own where it is left out.")
  var user: String?

  @Option(
    help: ArgumentHelp(
      "File with a new enrolment payload; - for standard input, or to be asked for it.", valueName: "file"))
  var payload: String?

  @Flag(help: "Have the server forget the keys first; root only.")
  var deregister = false

  @Argument(help: "Authenticator type, such as passcode. Not needed where there is one.")
  var type: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.reset)
    request.user = user
    request.authenticator = type
    if surroundings.caller.isRoot {
      guard payload == nil || deregister else {
        throw .badArgument("root resets without a payload: --payload goes with --deregister")
      }
      return request
    }
    guard !deregister else { throw .onlyRoot("deregister and reset in one") }
    request.payload = try PayloadSource.read(payload, in: surroundings)
    guard request.payload != nil else { throw .noPayload }
    return request
  }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let request = try request(in: surroundings)
    guard deregister else { return try carryOut(request, in: surroundings) }
    var first = request
    first.operation = .deregister
    first.payload = try PayloadSource.read(payload, in: surroundings)
    let forgotten = try converse(first, in: surroundings)
    guard forgotten.pamCode == 0 else { return Outcome.tell(forgotten, in: surroundings) }
    surroundings.output.note(DeregisterCommand.done)
    let finished = try converse(request, in: surroundings)
    // With its last key the authenticator itself is gone: nothing is left that could be reset.
    guard finished.result != FidoResult.resetNone.code else { return .success }
    guard finished.pamCode == 0 else { return Outcome.tell(finished, in: surroundings) }
    return Outcome.tell(success: finished, as: Self.done, in: surroundings)
  }
}
