import ArgumentParser
import UAFWire

/// `uafctl reset`.
struct ResetCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Wipes a forgotten passcode or pattern, and makes its keys unusable.",
    discussion: """
      A person needs a new enrolment code for it, with which the server forgets them as well, and a server whose yes \
      has to be signed (require_signed_verdict). Root needs none; the server then still knows the keys, unless root gives \
      a code with --deregister.
      """)
  static let done = ToolText.reset

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with a new enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Have the server forget the keys as well; root only, with --code.")
  var deregister = false

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.peopleAndTypes)
  var user: String?

  @Argument(
    help: "Authenticator type, such as passcode. Not needed where there is one.", completion: Completion.types)
  var type: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.reset)
    let names = Names(user: user, type: type, accounts: surroundings.caller.accounts)
    request.user = names.user
    request.authenticator = names.type
    if surroundings.caller.isRoot {
      guard payload == nil || deregister else {
        throw .badArgument(.payloadOfRoot)
      }
    } else if deregister {
      throw .onlyRoot(.tellServer)
    }
    request.payload = try PayloadSource.read(payload, in: surroundings)
    guard request.payload != nil || surroundings.caller.isRoot && !deregister else { throw .noPayload }
    return request
  }
}
