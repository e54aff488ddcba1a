import ArgumentParser

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
