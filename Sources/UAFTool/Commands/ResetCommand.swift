import ArgumentParser
import FidoResults
import UAFWire

/// `uafctl reset`.
struct ResetCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Wipes a forgotten passcode or pattern, and makes its keys unusable.",
    discussion: """
      A person needs a new enrolment code for it, with which the server forgets them as well, and a server whose yes \
      has to be signed (require_signed_verdict). Root needs none; the server then still knows the keys, unless root gives \
      a code with --deregister.
      """)
  static let done = ToolText.reset

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with a new enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Have the server forget the keys as well; root only, with --code.")
  var deregister = false

  @OptionGroup var names: AuthenticatorArguments

  /// A reset without a code that it needs has failed as a reset, whoever says so.
  static func result(of error: ToolError) -> FidoResult? {
    if case .payload = error { .authenticatorResetFailed } else { nil }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.reset, in: context)
    if context.caller.isRoot {
      guard payload == nil || deregister else {
        throw .badArgument(.payloadOfRoot)
      }
    } else if deregister {
      throw .onlyRoot(.tellServer)
    }
    request.payload = try PayloadSource.read(payload, in: context)
    guard request.payload != nil || context.caller.isRoot && !deregister else { throw .payload(.missing) }
    return request
  }
}
