import ArgumentParser
import UAFWire

/// `uafctl rename`.
struct RenameCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Takes a registration over to the new name of an account; root only.",
    discussion: """
      A registration is bound to the name that the account had. After a renaming (usermod -l, or fully qualified names of sssd) \
      logins are refused until the new name has taken it over. Values, locks and keys stay, and so does the name at the \
      server. The old name must be gone, or belong to the same number.
      """)
  static let done = ToolText.renamed
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Option(help: ArgumentHelp("The name that the account was registered under.", valueName: "old"))
  var from: String

  @Argument(help: "The account, by its new name.", completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.rename)
    request.user = user
    request.payload = Array(from.utf8)
    guard !from.isEmpty else { throw .badArgument(.oldNameMissing) }
    let accounts = context.caller.accounts
    if let former = accounts.account(named: from), former.userID != accounts.account(named: user)?.userID {
      throw .badArgument(.oldNameInUse(from))
    }
    return request
  }
}
