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

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Flag(help: "Fetch the server's request, say when that is done, and ask once told to go on.")
  var divided = false

  @Option(help: ArgumentHelp("A text that the passcode confirms, and the server keeps.", valueName: "text"))
  var transaction: String?

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.peopleAndTypes)
  var user: String?

  @Argument(
    help: "Authenticator type, such as passcode. Not needed where there is one.", completion: Completion.types)
  var type: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.authenticate)
    let names = Names(user: user, type: type, accounts: surroundings.caller.accounts)
    request.user = names.user
    request.authenticator = names.type
    request.wantsToken = token
    request.isDivided = divided
    request.transaction = try transaction.map(Self.bytes)
    return request
  }

  /// An empty text is refused: a script whose variable is empty would take a mere login for a yes to it.
  private static func bytes(of text: String) throws(ToolError) -> [UInt8] {
    guard (1...WireLimit.transaction).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw .badArgument(.transactionLength)
    }
    return Array(text.utf8)
  }
}
