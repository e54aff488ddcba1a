import ArgumentParser
import UAFWire

/// `uafctl authenticate`.
struct AuthenticateCommand: JSONCoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.authenticate.configuration("authenticate") }
  static let done = ToolText.accepted

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: .text(.token))
  var token = false

  @Flag(help: .text(.divided))
  var divided = false

  @Option(help: .text(.transaction, valueName: "text"))
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
  static var configuration: CommandConfiguration { CommandHelp.change.configuration("change") }
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
  static var configuration: CommandConfiguration { CommandHelp.oob.configuration("oob") }
  static let done = ToolText.approved

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: .text(.token))
  var token = false

  @Flag(help: .text(.deny))
  var deny = false

  @Argument(help: .text(.oobCode, valueName: "code"), completion: .file())
  var code: String

  @Argument(help: .text(.account), completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    if deny, token { throw UsageMistake.denyAndToken.error }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    let given = try CodeSource(outOfBand: code).read(in: context, as: .outOfBand)
    var request = try OutOfBandCode(given).request(for: user, denies: deny)
    request.wantsToken = token
    return request
  }

  /// An out-of-band code asks either for a registration or for an approval, and the text differs.
  func done(_ request: Request) -> ToolText { request.operation == .register ? .registered : .approved }
}
