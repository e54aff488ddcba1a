import ArgumentParser
import UAFWire

/// `uafctl authenticate`.
struct AuthenticateCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "authenticate",
    abstract: "Goes through a login without logging in.",
    discussion: """
      With --json-conversation it is a graphical front end that asks the person: each challenge and message is one line \
      of JSON on standard output, and the last line is a success or a failure. A challenge is answered by one line on \
      standard input, {"answer":"..."} or {"cancel":true}. docs/json-conversation.md lists the members. With --divided \
      nothing is asked before the front end says so: the server's request is fetched meanwhile. Other people see command \
      lines, and with them the text of --transaction.
      """)
  static let done = ToolText.accepted

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Flag(help: "Fetch the server's request, say when that is done, and ask once told to go on.")
  var divided = false

  @Option(help: ArgumentHelp("A text that the passcode confirms, and the server keeps.", valueName: "text"))
  var transaction: String?

  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.authenticate, in: context)
    request.wantsToken = token
    request.isDivided = divided
    request.transaction = try transaction.map(TransactionArgument.bytes)
    return request
  }
}

/// `uafctl change`.
struct ChangeCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Changes a passcode or a pattern.",
    discussion: """
      The old value is asked for first, and a wrong one counts as an attempt; the new one is asked for twice. The \
      registrations stay as they are. Whoever has forgotten the old value sets a new one with register --code.
      """)
  static let done = ToolText.changed

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request {
    names.request(.change, in: context)
  }
}

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
    help: "The account; root only. Your own where it is left out.", completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    if deny, token { throw ValidationError(UsageMistake.denyAndToken.english) }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    let line = try PayloadSource(outOfBand: payload).read(in: context, asking: .oneTimeCode, at: .argument)
    var request = try OutOfBandCode(line).request(for: user, denies: deny)
    request.wantsToken = token
    return request
  }

  /// The text depends on the code.
  func done(_ request: Request) -> ToolText { request.operation == .register ? .registered : .approved }
}
